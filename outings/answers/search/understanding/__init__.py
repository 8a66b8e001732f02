"""Parse a search query: words, an age, parts to ignore. Tables and pure functions; no snapshot, no clock."""
