"""Organization: who publishes listings. No e-mail, no phone."""

from msgspec import UNSET, UnsetType

from outings.contract.resources.shared import Instant, Member


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
    """The last three are made when answering: they move with the day, the key and other rows."""

    id: str
    type: str
    slug: str
    name: str
    description: str | None
    website_url: str | None
    domain: str | None
    image_url: str | None
    verified_at: Instant | None
    status: str
    created_at: Instant | None
    updated_at: Instant | None
    links: OrganizationLinks
    categories: tuple[str, ...] | UnsetType = UNSET
    metros: tuple[str, ...] | UnsetType = UNSET
    counts: Counts | UnsetType = UNSET
