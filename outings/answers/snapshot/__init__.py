"""A snapshot opened: its documents, its look-ups, and the files that are derived from its tables. Knows no answer."""
