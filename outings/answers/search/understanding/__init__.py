"""What a search query says: words, an age, what does not count. Tables and pure functions; no snapshot, no clock."""
