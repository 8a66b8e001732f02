"""Calls to servers of others, and the geocoding services among them."""
