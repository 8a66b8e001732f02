"""Ways to run the edge: as processes with sockets, as a cloud function, and behind nginx."""
