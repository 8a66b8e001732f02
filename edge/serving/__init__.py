"""Whatever serves the edge: the processes and sockets of a server, a cloud's functions, nginx before it."""
