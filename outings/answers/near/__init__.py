"""Answers near a point: `nearby`, `around` and `activity`."""
