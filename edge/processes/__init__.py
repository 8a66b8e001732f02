"""The processes of a server, and the HTTP on their sockets."""
