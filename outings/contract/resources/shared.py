"""Sub-objects that several resources share. Null means that the source did not state it, never "no"."""

from datetime import date
from typing import Annotated

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
    means,
)
from outings.contract.vocabulary import AGE_BANDS


class Member(Struct, frozen=True, kw_only=True):
    """Base of every public object: all members present, null where not stated."""


class OrganizationReference(Member, frozen=True, kw_only=True):
    id: Annotated[Id | None, means("Its id; null where no organization is known.")] = None
    name: Annotated[str | None, means("Its name; null where no organization is known.")] = None
    slug: Annotated[str | None, means("Its slug; null where no organization is known.")] = None


class PlaceReference(Member, frozen=True, kw_only=True):
    id: Id
    slug: str
    name: str


class Location(Member, frozen=True, kw_only=True):
    address: str | None = None
    street_address: Annotated[str | None, means("Street and house.")] = None
    city: Annotated[str | None, means("The city.")] = None
    state: Annotated[str | None, means("The state.")] = None
    zip: Annotated[str | None, means("The postal code.")] = None
    lat: float | None = None
    lng: float | None = None
    neighborhood: str | None = None
    neighborhood_slug: Annotated[str | None, means("What the parameter `neighborhood` takes.")] = None


class Price(Member, frozen=True, kw_only=True):
    """`is_free`: true when `type` is `free` or `max` is 0, false when `min` is above 0, else null."""

    type: Annotated[PriceType | None, means("What kind of price it is.")] = None
    min: Annotated[float | None, means("The least amount.")] = None
    max: Annotated[float | None, means("The greatest amount.")] = None
    scope: Annotated[PriceScope | None, means("What the price is for.")] = None
    note: Annotated[str | None, means("What else the source says of the price.")] = None
    unit: Annotated[PriceUnit | None, means("Whom or what one amount is for.")] = None
    is_free: Annotated[
        bool | None, means("True when `type` is `free` or `max` is 0, false when `min` is above 0, else null.")
    ] = None
    currency: Currency | None = None


_BANDS = ", ".join(f"`{name}` {low} to {high}" for name, (low, high) in AGE_BANDS.items())


class Ages(Member, frozen=True, kw_only=True):
    """Whole years; an open end is null."""

    min: Annotated[
        int | None, means("The least age, inclusive; null where none is stated, and a stated 0 stays 0.")
    ] = None
    max: Annotated[int | None, means("The greatest age, inclusive; null is open.")] = None
    text: str | None = None
    audience: Annotated[Audience | None, means("`adults` for a listing that is for adults only.")] = None
    bands: Annotated[tuple[AgeBand, ...], means(f"The bands that the ages overlap: {_BANDS}.")] = ()


class AgeRange(Member, frozen=True, kw_only=True):
    min: Annotated[int | None, means("The least age, inclusive; null where none is stated.")] = None
    max: Annotated[int | None, means("The greatest age, inclusive; null is open.")] = None
    text: str | None = None


class Traits(Member, frozen=True, kw_only=True):
    seasons: Annotated[tuple[Season, ...], means("The seasons that it suits.")] = ()


class Term(Member, frozen=True, kw_only=True):
    name: Annotated[str | None, means("The name of the term.")] = None
    starts_on: date | None = None
    ends_on: date | None = None
    total_classes: Annotated[int | None, means("How many meetings the term has.")] = None


class CompactCard(Member, frozen=True, kw_only=True):
    """A listing as `related` groups and a class's `sessions` show it."""

    id: Id
    type: ListingType
    slug: str
    name: str
    starts_local: Local | None
    timezone: Annotated[str | None, means("The time zone of `starts_local`; null of a place.")]
    place: Annotated[PlaceReference | None, means("Where it is held; null where none is known.")]
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
