"""Settings that tests of feeds share beside their fixtures: a metro's table, and the types of fixtures."""

from collections.abc import Callable

from outings.configuration import Configuration
from pipeline.clean.feed_read import FeedRead

METRO = """
[[metros]]
slug = "{slug}"
name = "{slug}"
timezone = "America/Los_Angeles"
center = {{ lat = 47.6, lng = -122.3 }}
bounds = {{ south = 47.3, west = -122.6, north = 47.9, east = -121.9 }}
"""

Configure = Callable[[str], Configuration]
ReadNdjson = Callable[..., FeedRead]
ReadTable = Callable[..., FeedRead]
