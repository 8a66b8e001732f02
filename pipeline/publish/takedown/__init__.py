"""Takedown: remove withdrawn listings from rows, records and reports, and keep them out of later builds."""
