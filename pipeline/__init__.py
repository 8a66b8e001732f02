"""The build: feeds in, a release out. `building.py` leads it, one task a feed and then one a metro."""
