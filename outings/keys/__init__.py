"""Keys: their text, the registry that the store holds, the changes that operators make, and the sealing of hashes."""
