"""Organization: who publishes listings. No e-mail, no phone."""

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from outings.contract.resources.shared import Member
from outings.contract.resources.words import Category, Id, Instant, Status, means

# How a directory's `q` met one: best first where scores are equal.
NameMatch = Literal["exact_name", "exact_domain", "name", "domain", "fuzzy"]


class Counts(Member, frozen=True, kw_only=True):
    """Live listings under the lists' defaults, for what the key may read."""

    events: int
    classes: int
    camps: int
    places: int


class OrganizationLinks(Member, frozen=True, kw_only=True):
    self: Annotated[str, means("This organization.")]
    events: Annotated[str, means("The list of its events.")]
    classes: Annotated[str, means("The list of its classes.")]
    camps: Annotated[str, means("The list of its camps.")]
    places: Annotated[str, means("The list of its places.")]


class Organization(Member, frozen=True, kw_only=True):
    """`categories`, `metros` and `counts` move with the day, the key and other rows."""

    id: Id
    type: Annotated[str, means("`organization`.")]
    slug: str
    name: str
    description: str | None
    website_url: str | None
    domain: str | None
    image_url: str | None
    verified_at: Instant | None
    status: Status
    created_at: Instant | None
    updated_at: Instant | None
    links: OrganizationLinks
    categories: Annotated[tuple[Category, ...] | UnsetType, means("The categories of its live listings.")] = UNSET
    metros: Annotated[tuple[str, ...] | UnsetType, means("The metros in which it has listings.")] = UNSET
    counts: Counts | UnsetType = UNSET


class OrganizationEntry(Member, frozen=True, kw_only=True):
    """One of the directory. `counts` are of this metro; `score` and `match` are null without `q`."""

    id: Id
    type: Annotated[str, means("`organization`.")]
    slug: str
    name: str
    website_url: str | None
    domain: str | None
    image_url: str | None
    counts: Counts
    score: Annotated[float | None, means("How well it met `q`, from 0 to 1; null without `q`.")]
    match: Annotated[NameMatch | None, means("How it met `q`, best first; null without `q`.")]
    links: OrganizationLinks
