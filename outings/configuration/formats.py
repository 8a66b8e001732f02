"""The formats of feeds, a row each. `pipeline/fetch/<name>` reads one; nothing else knows the names."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from msgspec import Struct


class FeedFormat(Struct, frozen=True, kw_only=True):
    """`has_zones`: its times are converted, so that a feed has to name its metro. `has_select`: a SELECT makes records
    of its rows. `is_walk`: a server gives it page after page, and each page says only what changed."""

    has_zones: bool = False
    has_select: bool = False
    is_walk: bool = False


FORMATS: Mapping[str, FeedFormat] = {
    "ndjson": FeedFormat(),
    "table": FeedFormat(has_select=True),
    "ics": FeedFormat(has_zones=True),
    "jsonld": FeedFormat(has_zones=True),
    "rpde": FeedFormat(has_zones=True, is_walk=True),
}

if TYPE_CHECKING:
    FormatName = str
else:
    FormatName = Literal[tuple(FORMATS)]
