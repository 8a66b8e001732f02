"""outings: a read-only JSON API over family activities, computed ahead and served from immutable releases."""

__version__ = "0.1.0"
