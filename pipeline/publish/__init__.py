"""Puts what readers get in its place: objects in the store, releases, static trees, takedowns."""
