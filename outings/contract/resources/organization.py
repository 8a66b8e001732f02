"""Organization: who publishes listings. No e-mail, no phone."""

from typing import Literal

from msgspec import UNSET, UnsetType

from outings.contract.resources.shared import Member
from outings.contract.resources.words import Category, Id, Instant, Status

# How a directory's `q` met one: best first where scores are equal.
NameMatch = Literal["exact_name", "exact_domain", "name", "domain", "fuzzy"]


class Counts(Member, frozen=True, kw_only=True):
    """Live listings under the lists' defaults, for what the key may read."""

    events: int
    classes: int
    camps: int
    places: int


class OrganizationLinks(Member, frozen=True, kw_only=True):
    self: str
    events: str
    classes: str
    camps: str
    places: str


class Organization(Member, frozen=True, kw_only=True):
    """The last three move with the day, the key and other rows: they are made when answering."""

    id: Id
    type: str
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
    categories: tuple[Category, ...] | UnsetType = UNSET
    metros: tuple[str, ...] | UnsetType = UNSET
    counts: Counts | UnsetType = UNSET


class OrganizationEntry(Member, frozen=True, kw_only=True):
    """One of the directory. `counts` are of this metro; `score` and `match` are null without `q`."""

    id: Id
    type: str
    slug: str
    name: str
    website_url: str | None
    domain: str | None
    image_url: str | None
    counts: Counts
    score: float | None
    match: NameMatch | None
    links: OrganizationLinks


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Organization.categories": "The categories of its live listings.",
    "Organization.metros": "The metros in which it has listings.",
    "Organization.type": "`organization`.",
    "OrganizationEntry.match": "How it met `q`, best first; null without `q`.",
    "OrganizationEntry.score": "How well it met `q`, from 0 to 1; null without `q`.",
    "OrganizationEntry.type": "`organization`.",
    "OrganizationLinks.self": "This organization.",
    "OrganizationLinks.events": "The list of its events.",
    "OrganizationLinks.classes": "The list of its classes.",
    "OrganizationLinks.camps": "The list of its camps.",
    "OrganizationLinks.places": "The list of its places.",
}
