"""The API server: answers HTTP requests from a release. `respond.py` handles one request, `app.py` sets it all up."""
