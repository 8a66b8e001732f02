"""Compares releases, and publishes an earlier one again."""
