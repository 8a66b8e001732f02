"""The server: HTTP in, the answer of a release out. `respond.py` is the way of a request, `app.py` puts it together."""
