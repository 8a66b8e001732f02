"""Place: where things happen, and what is there."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from outings.contract.resources.organization import Organization
from outings.contract.resources.shared import Ages, Listing, Location, Member
from outings.contract.resources.source import SourceBlock
from outings.contract.resources.words import Currency, TypeHint, means


class Hours(Member, frozen=True, kw_only=True):
    monday: Annotated[str | None, means("Opening hours on Monday.")] = None
    tuesday: Annotated[str | None, means("Opening hours on Tuesday.")] = None
    wednesday: Annotated[str | None, means("Opening hours on Wednesday.")] = None
    thursday: Annotated[str | None, means("Opening hours on Thursday.")] = None
    friday: Annotated[str | None, means("Opening hours on Friday.")] = None
    saturday: Annotated[str | None, means("Opening hours on Saturday.")] = None
    sunday: Annotated[str | None, means("Opening hours on Sunday.")] = None
    notes: str | None = None
    exceptions: Annotated[str | None, means("Days with other hours.")] = None


class Admission(Member, frozen=True, kw_only=True):
    type: Annotated[str | None, means("How entry is priced, in the source's words.")] = None
    child_price: Annotated[float | None, means("What a child pays.")] = None
    adult_price: Annotated[float | None, means("What an adult pays.")] = None
    infant_age_cutoff: Annotated[int | None, means("The age in years below which entry is free.")] = None
    notes: str | None = None
    currency: Currency | None = None


class Membership(Member, frozen=True, kw_only=True):
    available: bool | None = None
    price_monthly: Annotated[float | None, means("The price of a month.")] = None
    price_annual: Annotated[float | None, means("The price of a year.")] = None
    notes: str | None = None
    currency: Currency | None = None


class BirthdayParties(Member, frozen=True, kw_only=True):
    available: bool | None = None
    min_guests: Annotated[int | None, means("The least guests.")] = None
    max_guests: Annotated[int | None, means("The most guests.")] = None
    age_range: str | None = None
    booking_url: Annotated[str | None, means("The address at which to book.")] = None
    notes: str | None = None


class PlaceClasses(Member, frozen=True, kw_only=True):
    available: bool | None = None
    types: Annotated[tuple[str, ...], means("What kinds of classes are held, in the source's words.")] = ()
    age_range: str | None = None
    schedule_notes: Annotated[str | None, means("When classes are held, in the source's words.")] = None
    registration_url: str | None = None


class Amenities(Member, frozen=True, kw_only=True):
    has_outdoor_space: Annotated[bool | None, means("Whether there is space outdoors.")] = None
    has_parking: Annotated[bool | None, means("Whether one can park.")] = None
    parking_notes: Annotated[str | None, means("What the source says of parking.")] = None
    has_wifi: Annotated[bool | None, means("Whether there is Wi-Fi.")] = None
    socks_required: Annotated[bool | None, means("Whether socks have to be worn.")] = None
    outside_food_allowed: Annotated[bool | None, means("Whether one may bring food.")] = None
    stroller_policy: Annotated[str | None, means("Whether strollers may come in, in the source's words.")] = None


class PlaceLinks(Member, frozen=True, kw_only=True):
    self: Annotated[str, means("This place.")]
    events: Annotated[str, means("The list of events there.")]
    classes: Annotated[str, means("The list of classes there.")]
    camps: Annotated[str, means("The list of camps there.")]


class PlaceExpanded(Member, frozen=True, kw_only=True):
    """With `expand=organization`: as its own detail shows it, null where there is none to show."""

    organization: Annotated[
        Organization | None, means("The organization as its own page shows it; null where none is published.")
    ]


class Place(Listing, frozen=True, kw_only=True):
    type_hint: Annotated[TypeHint | None, means("What kind of place it is.")]
    type_hint_notes: Annotated[str | None, means("What kind of place it is, in the source's words.")]
    location: Location
    hours: Annotated[Hours, means("When it is open, in the source's words.")]
    admission: Annotated[Admission, means("What entry costs.")]
    membership: Annotated[Membership, means("What membership costs.")]
    birthday_parties: Annotated[BirthdayParties, means("Whether birthdays can be celebrated there.")]
    classes: Annotated[
        PlaceClasses, means("What the place says of classes held there. The classes themselves are a list.")
    ]
    amenities: Annotated[Amenities, means("What is there.")]
    ages: Ages
    images: Annotated[tuple[str, ...], means("Addresses of further pictures.")]
    website_url: str | None
    is_sensory_friendly: bool | None
    links: PlaceLinks
    expanded: PlaceExpanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET
