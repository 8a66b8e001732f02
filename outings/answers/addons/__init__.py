"""Data attached to a listing: its source, its forecast, and the objects that it refers to."""
