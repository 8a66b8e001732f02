"""Types of values, and objects, that several resources share. Also the add-on blocks of `include`.

Null means that the source did not state a value, never "no". Structs do not check their values.
"""

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

from outings.contract import vocabulary
from outings.contract.vocabulary import AGE_BANDS


def means(sentence: str) -> Meta:
    """Return a member's description in OpenAPI, unless `contract/members.py` describes all members of its name."""
    return Meta(description=sentence)


def one_of(*words: str, name: str = "") -> Meta:
    """Return a mark for texts that are one of these words. `name`: of a schema of their own in OpenAPI."""
    return Meta(extra_json_schema={"enum": list(words)} | ({"x-name": name} if name else {}))


def _of_vocabulary(words: str, *, name: str) -> Meta:
    """Return a mark for texts of the deployment's vocabulary. OpenAPI replaces the mark by its words."""
    return Meta(extra_json_schema={"x-vocabulary": words, "x-name": name})


def _written_as(pattern: str, *, example: str) -> Meta:
    return Meta(extra_json_schema={"pattern": f"^{pattern}$", "examples": [example]})


_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}"

Id = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]
Instant = Annotated[
    str,
    Meta(
        extra_json_schema={"format": "date-time", "pattern": f"^{_DAY}T{_TIME}Z$", "examples": ["2026-08-10T16:00:00Z"]}
    ),
]
Local = Annotated[str, _written_as(f"{_DAY}T{_TIME}", example="2026-08-10T09:00:00")]
Clock = Annotated[str, _written_as(_TIME, example="09:00:00")]
Currency = Annotated[str, _written_as("[A-Z]{3}", example="USD")]

ListingType = Annotated[str, one_of(*vocabulary.TYPES, name="ListingType")]
# A draft is never shown.
Status = Annotated[str, one_of("published", "archived", name="Status")]
Audience = Annotated[str, one_of(*vocabulary.AUDIENCES, name="Audience")]
AgeBand = Annotated[str, one_of(*vocabulary.AGE_BANDS, name="AgeBand")]
Weekday = Annotated[str, one_of(*vocabulary.WEEKDAYS, name="Weekday")]
PriceType = Annotated[str, one_of(*vocabulary.PRICE_TYPES, name="PriceType")]
PriceScope = Annotated[str, one_of(*vocabulary.PRICE_SCOPES, name="PriceScope")]
PriceUnit = Annotated[str, one_of(*vocabulary.PRICE_UNITS, name="PriceUnit")]
RegistrationStatus = Annotated[str, one_of(*vocabulary.REGISTRATION_STATUSES, name="RegistrationStatus")]
ScheduleType = Annotated[str, one_of(*vocabulary.SCHEDULE_TYPES, name="ScheduleType")]
EnrollmentType = Annotated[str, one_of(*vocabulary.ENROLLMENT_TYPES, name="EnrollmentType")]
VerificationStatus = Annotated[str, one_of(*vocabulary.VERIFICATION_STATUSES, name="VerificationStatus")]
ScoreBasis = Annotated[str, one_of(*vocabulary.SCORE_BASES, name="ScoreBasis")]
DateHealth = Annotated[str, one_of(*vocabulary.DATE_HEALTHS, name="DateHealth")]
SourceHealth = Annotated[str, one_of(*vocabulary.SOURCE_HEALTHS, name="SourceHealth")]
CampType = Annotated[str, one_of(*vocabulary.CAMP_TYPES, name="CampType")]

Category = Annotated[str, _of_vocabulary("categories", name="Category")]
Season = Annotated[str, _of_vocabulary("seasons", name="Season")]
Occasion = Annotated[str, _of_vocabulary("occasions", name="Occasion")]
Team = Annotated[str, _of_vocabulary("teams", name="Team")]
TypeHint = Annotated[str, _of_vocabulary("type_hints", name="TypeHint")]


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
    type: Annotated[PriceType | None, means("What kind of price it is.")] = None
    min: Annotated[float | None, means("The least amount.")] = None
    max: Annotated[float | None, means("The greatest amount.")] = None
    scope: Annotated[PriceScope | None, means("What the price is for.")] = None
    note: Annotated[str | None, means("Further words of the source about the price.")] = None
    unit: Annotated[PriceUnit | None, means("What one amount pays for: a person, a class, a month, ….")] = None
    is_free: Annotated[bool | None, means("True if `type` is `free` or `max` is 0; false if `min` is above 0.")] = None
    currency: Currency | None = None


_BANDS = ", ".join(f"`{name}` {low} to {high}" for name, (low, high) in AGE_BANDS.items())


class Ages(Member, frozen=True, kw_only=True):
    """Whole years; an open end is null."""

    min: Annotated[int | None, means("The least age, inclusive; null if not stated. A stated 0 stays 0.")] = None
    max: Annotated[int | None, means("The greatest age, inclusive; null is open.")] = None
    text: str | None = None
    audience: Annotated[Audience | None, means("`adults` for a listing that is for adults only.")] = None
    bands: Annotated[tuple[AgeBand, ...], means(f"The bands that the ages overlap: {_BANDS}.")] = ()


class AgeRange(Member, frozen=True, kw_only=True):
    min: Annotated[int | None, means("The least age, inclusive; null if not stated.")] = None
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
    """A short form of a listing, in `related` and in a class's `sessions`."""

    id: Id
    type: ListingType
    slug: str
    name: str
    starts_local: Local | None
    timezone: Annotated[str | None, means("The time zone of `starts_local`; null for a place.")]
    place: Annotated[PlaceReference | None, means("Where it is held; or null.")]
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
    """Members that a dated listing inherits from its place; null means unknown."""

    place: PlaceReference | None
    location: Location
    is_indoor: bool | None
    is_outdoor: bool | None
    good_for_rainy: bool | None
    is_sensory_friendly: bool | None


class Verification(Member, frozen=True, kw_only=True):
    status: Annotated[VerificationStatus | None, means("The result of the check.")]
    checked_at: Annotated[Instant | None, means("When it was checked.")]
    changed_fields: Annotated[tuple[str, ...], means("The members that differed from the source.")]


class SourceBlock(Member, frozen=True, kw_only=True):
    """The source of a listing, and how it was checked."""

    url: Annotated[str | None, means("The page that the listing came from.")]
    crawled_at: Instant | None
    score_basis: Annotated[ScoreBasis, means("Whether `confidence` rests on a verification or on the data alone.")]
    verification: Annotated[Verification, means("The last check of the listing against its source.")]
    date_health: Annotated[DateHealth | None, means("Whether the source's dates can be trusted; null for a place.")]
    source_health: Annotated[SourceHealth | None, means("Whether the source could be reached; null if unknown.")]


class Related(Member, frozen=True, kw_only=True):
    """Events, classes and camps like this listing, at most six in each group. Lists show all of them too."""

    similar: Annotated[tuple[CompactCard, ...], means("Similar listings.")]
    from_organization: Annotated[tuple[CompactCard, ...], means("Others of the same organization.")]
    at_place: Annotated[tuple[CompactCard, ...], means("Others at the same place.")]


# The time that an event's forecast is for: the event's own hours, or the local date on which it begins.
COVERS = ("event_hours", "local_day")

Covers = Annotated[str, one_of(*COVERS, name="Covers")]
Percent = Annotated[int, Meta(ge=0, le=100)]
# An hour of the local clock; 24 is only the end of a span.
_HOUR = Annotated[int, Meta(ge=0, le=24)]


class TemperatureRange(Member, frozen=True, kw_only=True):
    min: Annotated[int | None, means("The lowest temperature, in degrees Fahrenheit.")]
    max: Annotated[int | None, means("The highest temperature, in degrees Fahrenheit.")]


class DayForecast(Member, frozen=True, kw_only=True):
    """The forecast for a local date. Today's covers the hours that were left when it was issued."""

    summary: str | None
    temperature_f: TemperatureRange
    precipitation_chance_max: Percent | None
    wet_hours: tuple[tuple[_HOUR, _HOUR], ...]
    issued_at: Instant
    expires_at: Instant


class HourForecast(Member, frozen=True, kw_only=True):
    starts_local: Annotated[Local, means("When the hour begins, by the event's clock.")]
    summary: str | None
    temperature_f: int | None
    precipitation_chance: Annotated[Percent | None, means("The chance of rain or snow, in percent.")]


class EventForecast(Member, frozen=True, kw_only=True):
    """The forecast for an event."""

    covers: Annotated[Covers, means("The time that all but `hours` is for: the event's own hours, or its local date.")]
    summary: str | None
    temperature_f: TemperatureRange
    precipitation_chance_max: Percent | None
    wet_hours: tuple[tuple[_HOUR, _HOUR], ...]
    hours: Annotated[tuple[HourForecast, ...], means("The event's own hours; empty if it covers the local date.")]
    issued_at: Instant
    expires_at: Instant
