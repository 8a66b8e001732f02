"""Fetches a feed's files, and reads them into raw records. A format is a module with a `READER`."""
