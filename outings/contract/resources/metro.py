"""Metro: a city or region whose listings are published together."""

from typing import Annotated

from outings.contract.resources.organization import Counts
from outings.contract.resources.shared import Member
from outings.contract.resources.words import means


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

    slug: Annotated[str, means("What stands in paths.")]
    name: str
    timezone: str
    aliases: Annotated[tuple[str, ...], means("Other names that paths take in place of the slug.")]
    center: Center
    bounds: Bounds
    counts: Counts
    accessible: Annotated[bool, means("Whether this key may read it.")]
    links: dict[str, str]
