"""The application without a server of its own: run by a cloud's functions, one request at a time."""
