"""Expands rules and time zones into local dates and instants."""
