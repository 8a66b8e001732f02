"""Turns records into rows of a release: follows references, keeps identities, fills columns."""
