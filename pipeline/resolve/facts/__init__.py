"""Compute what a record does not state: ages, audience, confidence, neighborhoods and slugs."""
