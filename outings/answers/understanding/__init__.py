"""What a search query says: words, an age, and what does not count. Tables and pure functions; no snapshot, no clock."""
