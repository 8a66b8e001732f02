"""Whose key a request has: keys, signed addresses, and the addresses of clients."""
