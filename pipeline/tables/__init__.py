"""Convert rows to the snapshot's tables, and to indexes that are read as mapped files."""
