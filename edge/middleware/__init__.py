"""ASGI middleware, from the first that sees a request to the last, and what only they need."""
