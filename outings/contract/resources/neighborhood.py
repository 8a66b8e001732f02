"""Neighborhood: a named part of a metro, by the metro's own map."""

from outings.contract.resources.metro import Bounds, Center
from outings.contract.resources.organization import Counts
from outings.contract.resources.shared import Member


class NeighborhoodCounts(Counts, frozen=True, kw_only=True):
    """`total` is their sum."""

    total: int


class NeighborhoodLinks(Member, frozen=True, kw_only=True):
    """The lists of what is there."""

    events: str
    classes: str
    camps: str
    places: str


class Neighborhood(Member, frozen=True, kw_only=True):
    """One of the directory. `slug` is what `neighborhood` takes elsewhere; `center` lies within it."""

    slug: str
    name: str
    metro: str
    center: Center
    bounds: Bounds
    counts: NeighborhoodCounts
    links: NeighborhoodLinks
