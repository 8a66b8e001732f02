"""Releases: how they are written, found, trusted, read and deleted, and the stores that hold them."""
