"""Keys: their text, the registry that the store holds, and the changes that operators make."""
