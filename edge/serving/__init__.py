"""Ways to serve the edge: a server's processes and sockets, a cloud's functions, nginx in front."""
