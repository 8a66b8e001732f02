"""Find, order and count the listings that match a request."""
