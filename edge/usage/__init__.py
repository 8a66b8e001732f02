"""Counts requests and logs them."""
