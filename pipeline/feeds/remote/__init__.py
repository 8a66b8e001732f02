"""Feeds over HTTP: conditional requests, retries, limits of time and size."""
