"""The public part of a release as plain JSON files, for hosts that only serve files."""
