"""Fetch a feed's files, and read them into raw records. A format is a module with a `READER`."""
