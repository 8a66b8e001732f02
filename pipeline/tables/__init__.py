"""Rows → the snapshot's tables, and the indexes that are mapped."""
