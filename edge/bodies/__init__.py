"""Bodies to send: from memory, from the store or rendered, in a content coding, or as the address of a body."""
