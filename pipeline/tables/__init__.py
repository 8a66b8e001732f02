"""Turns rows into the snapshot's tables, and into the indexes that are mapped."""
