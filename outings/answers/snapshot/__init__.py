"""A snapshot, opened: its documents, look-ups, and the tables that are derived from its own. Answers build on these."""
