"""Authentication: keys, signed addresses, and the addresses of clients."""
