"""Neighborhood: a named part of a metro, by the metro's own map or by its listings."""

from outings.contract.resources.metro import Bounds
from outings.contract.resources.organization import Counts
from outings.contract.resources.shared import Member


class NeighborhoodCounts(Counts, frozen=True, kw_only=True):
    """`total` is their sum."""

    total: int


class NeighborhoodCenter(Member, frozen=True, kw_only=True):
    """Of one that is on no map: the mean of its listings' coordinates, null where none has any."""

    lat: float | None
    lng: float | None


class NeighborhoodLinks(Member, frozen=True, kw_only=True):
    """The lists of what is there."""

    events: str
    classes: str
    camps: str
    places: str


class Neighborhood(Member, frozen=True, kw_only=True):
    """One of the directory. `slug` is what `neighborhood` takes elsewhere; `center` lies within it; `bounds` is null of
    one that is on no map."""

    slug: str
    name: str
    metro: str
    center: NeighborhoodCenter
    bounds: Bounds | None
    counts: NeighborhoodCounts
    links: NeighborhoodLinks


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Neighborhood.bounds": "The box around it; null of one that is on no map.",
    "Neighborhood.slug": "What the parameter `neighborhood` takes.",
    "NeighborhoodCenter.lat": "Degrees of latitude; null where no listing has coordinates.",
    "NeighborhoodCenter.lng": "Degrees of longitude; null where no listing has coordinates.",
    "NeighborhoodCounts.total": "The sum of the others.",
    "NeighborhoodLinks.camps": "The list of camps there.",
    "NeighborhoodLinks.classes": "The list of classes there.",
    "NeighborhoodLinks.events": "The list of events there.",
    "NeighborhoodLinks.places": "The list of places there.",
}
