"""Metro: a city or region whose listings are published together."""

from outings.contract.resources.organization import Counts
from outings.contract.resources.shared import Member


class Center(Member, frozen=True, kw_only=True):
    lat: float
    lng: float


class Bounds(Member, frozen=True, kw_only=True):
    south: float
    west: float
    north: float
    east: float


class Metro(Member, frozen=True, kw_only=True):
    """`accessible` says whether this key may read it; `counts` are of what the key may read."""

    slug: str
    name: str
    timezone: str
    aliases: tuple[str, ...]
    center: Center
    bounds: Bounds
    counts: Counts
    accessible: bool
    links: dict[str, str]


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Metro.accessible": "Whether this key may read it.",
    "Metro.aliases": "Other names that paths take in place of the slug.",
    "Metro.slug": "What stands in paths.",
    "Bounds.east": "Degrees of longitude.",
    "Bounds.north": "Degrees of latitude.",
    "Bounds.south": "Degrees of latitude.",
    "Bounds.west": "Degrees of longitude.",
}
