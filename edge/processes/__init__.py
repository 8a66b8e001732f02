"""The edge as processes, and HTTP off their sockets."""
