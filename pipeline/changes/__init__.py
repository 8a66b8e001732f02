"""Compares rows with those of the previous release, and makes versions of the changes."""
