"""Finds addresses, names, corners, neighborhoods and zips that a release itself knows."""
