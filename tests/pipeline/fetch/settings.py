"""Settings that tests of feeds share beside their fixtures: the types of fixtures."""

from collections.abc import Callable

from outings.configuration import Configuration
from pipeline.clean.feed_read import FeedRead

Configure = Callable[[str], Configuration]
ReadNdjson = Callable[..., FeedRead]
ReadTable = Callable[..., FeedRead]
