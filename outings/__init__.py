"""outings: a read-only JSON API over family activities, built in batches and served from immutable releases."""

__version__ = "0.1.0"
