"""Neighborhood: a named part of a metro, by the metro's own map or by its listings."""

from typing import Annotated

from outings.contract.resources.metro import Bounds
from outings.contract.resources.organization import Counts
from outings.contract.resources.shared import Member
from outings.contract.resources.words import means


class NeighborhoodCounts(Counts, frozen=True, kw_only=True):
    """`total` is their sum."""

    total: Annotated[int, means("The sum of the others.")]


class NeighborhoodCenter(Member, frozen=True, kw_only=True):
    """Of one that is on no map: the mean of its listings' coordinates, null where none has any."""

    lat: Annotated[float | None, means("Degrees of latitude; null where no listing has coordinates.")]
    lng: Annotated[float | None, means("Degrees of longitude; null where no listing has coordinates.")]


class NeighborhoodLinks(Member, frozen=True, kw_only=True):
    """The lists of what is there."""

    events: Annotated[str, means("The list of events there.")]
    classes: Annotated[str, means("The list of classes there.")]
    camps: Annotated[str, means("The list of camps there.")]
    places: Annotated[str, means("The list of places there.")]


class Neighborhood(Member, frozen=True, kw_only=True):
    """One of the directory. `slug` is what `neighborhood` takes elsewhere; `center` lies within it; `bounds` is null of
    one that is on no map."""

    slug: Annotated[str, means("What the parameter `neighborhood` takes.")]
    name: str
    metro: str
    center: NeighborhoodCenter
    bounds: Annotated[Bounds | None, means("The box around it; null of one that is on no map.")]
    counts: NeighborhoodCounts
    links: NeighborhoodLinks
