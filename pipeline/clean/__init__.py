"""Cleans raw records: each becomes a typed record, or a problem with its line, member and reason."""
