"""Sub-objects that several resources share. Null means that the source did not state it, never "no"."""

from datetime import date

from msgspec import Struct

from outings.contract.resources.words import (
    AgeBand,
    Audience,
    Category,
    Currency,
    Id,
    Instant,
    ListingType,
    Local,
    PriceScope,
    PriceType,
    PriceUnit,
    Season,
    Status,
)


class Member(Struct, frozen=True, kw_only=True):
    """Base of every public object: all members present, null where not stated."""


class OrganizationReference(Member, frozen=True, kw_only=True):
    id: Id | None = None
    name: str | None = None
    slug: str | None = None


class PlaceReference(Member, frozen=True, kw_only=True):
    id: Id
    slug: str
    name: str


class Location(Member, frozen=True, kw_only=True):
    address: str | None = None
    street_address: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    lat: float | None = None
    lng: float | None = None
    neighborhood: str | None = None
    neighborhood_slug: str | None = None


class Price(Member, frozen=True, kw_only=True):
    """`is_free`: true when `type` is `free` or `max` is 0, false when `min` is above 0, else null."""

    type: PriceType | None = None
    min: float | None = None
    max: float | None = None
    scope: PriceScope | None = None
    note: str | None = None
    unit: PriceUnit | None = None
    is_free: bool | None = None
    currency: Currency | None = None


class Ages(Member, frozen=True, kw_only=True):
    """Whole years; an open end is null. `bands` overlap the range (decisions: 0-1, 1-3, 4-6, 7-12)."""

    min: int | None = None
    max: int | None = None
    text: str | None = None
    audience: Audience | None = None
    bands: tuple[AgeBand, ...] = ()


class AgeRange(Member, frozen=True, kw_only=True):
    min: int | None = None
    max: int | None = None
    text: str | None = None


class Traits(Member, frozen=True, kw_only=True):
    seasons: tuple[Season, ...] = ()


class Term(Member, frozen=True, kw_only=True):
    name: str | None = None
    starts_on: date | None = None
    ends_on: date | None = None
    total_classes: int | None = None


class CompactCard(Member, frozen=True, kw_only=True):
    """A listing as `related` groups and a class's `sessions` show it."""

    id: Id
    type: ListingType
    slug: str
    name: str
    starts_local: Local | None
    timezone: str | None
    place: PlaceReference | None
    price: Price | None
    ages: Ages
    categories: tuple[Category, ...]
    image_url: str | None
    links: dict[str, str]


class Listing(Member, frozen=True, kw_only=True):
    """Members that events, classes, camps and places have in common."""

    id: Id
    type: ListingType
    slug: str
    name: str
    description: str | None
    audience: Audience
    categories: tuple[Category, ...]
    image_url: str | None
    organization: OrganizationReference
    confidence: float
    verified_at: Instant | None
    metro: str
    status: Status
    created_at: Instant | None
    updated_at: Instant | None


class Facts(Listing, frozen=True, kw_only=True):
    """What a dated listing inherits of its linked place; null means unknown."""

    place: PlaceReference | None
    location: Location
    is_indoor: bool | None
    is_outdoor: bool | None
    good_for_rainy: bool | None
    is_sensory_friendly: bool | None


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Term.name": "The name of the term.",
    "Term.total_classes": "How many meetings the term has.",
    "Ages.audience": "`adults` for a listing that is for adults only.",
    "Ages.bands": "The bands that the ages overlap.",
    "Ages.max": "The greatest age, inclusive; null is open.",
    "Ages.min": "The least age, inclusive; null where none is stated, and a stated 0 stays 0.",
    "AgeRange.max": "The greatest age, inclusive; null is open.",
    "AgeRange.min": "The least age, inclusive; null where none is stated.",
    "CompactCard.place": "Where it is held; null where none is known.",
    "CompactCard.timezone": "The time zone of `starts_local`; null of a place.",
    "Location.city": "The city.",
    "Location.neighborhood_slug": "What the parameter `neighborhood` takes.",
    "Location.state": "The state.",
    "Location.street_address": "Street and house.",
    "Location.zip": "The postal code.",
    "OrganizationReference.id": "Its id; null where no organization is known.",
    "OrganizationReference.name": "Its name; null where no organization is known.",
    "OrganizationReference.slug": "Its slug; null where no organization is known.",
    "Price.is_free": "True when `type` is `free` or `max` is 0, false when `min` is above 0, else null.",
    "Price.max": "The greatest amount.",
    "Price.min": "The least amount.",
    "Price.note": "What else the source says of the price.",
    "Price.scope": "What the price is for.",
    "Price.type": "What kind of price it is.",
    "Price.unit": "Whom or what one amount is for.",
    "Traits.seasons": "The seasons that it suits.",
}
