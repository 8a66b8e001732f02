"""Takedown: what the operator withdraws leaves rows, records and reports, and builds leave it out."""
