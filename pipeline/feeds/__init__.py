"""Reads feeds of each format into raw records. `reading.py` reads one feed; a format is a module with a `READER`."""
