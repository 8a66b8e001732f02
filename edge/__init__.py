"""The server: HTTP in, the answer of a release out. `app.py` puts its middleware together."""
