"""Place: where things happen, and what is there."""

from msgspec import UNSET, UnsetType

from outings.contract.resources.organization import Organization
from outings.contract.resources.shared import Ages, Listing, Location, Member
from outings.contract.resources.source import SourceBlock
from outings.contract.resources.words import Currency, TypeHint


class Hours(Member, frozen=True, kw_only=True):
    monday: str | None = None
    tuesday: str | None = None
    wednesday: str | None = None
    thursday: str | None = None
    friday: str | None = None
    saturday: str | None = None
    sunday: str | None = None
    notes: str | None = None
    exceptions: str | None = None


class Admission(Member, frozen=True, kw_only=True):
    type: str | None = None
    child_price: float | None = None
    adult_price: float | None = None
    infant_age_cutoff: int | None = None
    notes: str | None = None
    currency: Currency | None = None


class Membership(Member, frozen=True, kw_only=True):
    available: bool | None = None
    price_monthly: float | None = None
    price_annual: float | None = None
    notes: str | None = None
    currency: Currency | None = None


class BirthdayParties(Member, frozen=True, kw_only=True):
    available: bool | None = None
    min_guests: int | None = None
    max_guests: int | None = None
    age_range: str | None = None
    booking_url: str | None = None
    notes: str | None = None


class PlaceClasses(Member, frozen=True, kw_only=True):
    available: bool | None = None
    types: tuple[str, ...] = ()
    age_range: str | None = None
    schedule_notes: str | None = None
    registration_url: str | None = None


class Amenities(Member, frozen=True, kw_only=True):
    has_outdoor_space: bool | None = None
    has_parking: bool | None = None
    parking_notes: str | None = None
    has_wifi: bool | None = None
    socks_required: bool | None = None
    outside_food_allowed: bool | None = None
    stroller_policy: str | None = None


class PlaceLinks(Member, frozen=True, kw_only=True):
    self: str
    events: str
    classes: str
    camps: str


class PlaceExpanded(Member, frozen=True, kw_only=True):
    """With `expand=organization`: as its own detail shows it, null where there is none to show."""

    organization: Organization | None


class Place(Listing, frozen=True, kw_only=True):
    type_hint: TypeHint | None
    type_hint_notes: str | None
    location: Location
    hours: Hours
    admission: Admission
    membership: Membership
    birthday_parties: BirthdayParties
    classes: PlaceClasses
    amenities: Amenities
    ages: Ages
    images: tuple[str, ...]
    website_url: str | None
    is_sensory_friendly: bool | None
    links: PlaceLinks
    expanded: PlaceExpanded | UnsetType = UNSET
    source: SourceBlock | UnsetType = UNSET


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Place.admission": "What entry costs.",
    "Place.amenities": "What is there.",
    "Place.birthday_parties": "Whether birthdays can be celebrated there.",
    "Place.classes": "What the place says of classes held there. The classes themselves are a list.",
    "Place.hours": "When it is open, in the source's words.",
    "Place.images": "Addresses of further pictures.",
    "Place.membership": "What membership costs.",
    "Place.type_hint": "What kind of place it is.",
    "Place.type_hint_notes": "What kind of place it is, in the source's words.",
    "Hours.monday": "Opening hours on Monday.",
    "Hours.tuesday": "Opening hours on Tuesday.",
    "Hours.wednesday": "Opening hours on Wednesday.",
    "Hours.thursday": "Opening hours on Thursday.",
    "Hours.friday": "Opening hours on Friday.",
    "Hours.saturday": "Opening hours on Saturday.",
    "Hours.sunday": "Opening hours on Sunday.",
    "Hours.exceptions": "Days with other hours.",
    "Admission.adult_price": "What an adult pays.",
    "Admission.child_price": "What a child pays.",
    "Admission.infant_age_cutoff": "The age in years below which entry is free.",
    "Admission.type": "How entry is priced, in the source's words.",
    "Membership.price_annual": "The price of a year.",
    "Membership.price_monthly": "The price of a month.",
    "BirthdayParties.booking_url": "The address at which to book.",
    "BirthdayParties.max_guests": "The most guests.",
    "BirthdayParties.min_guests": "The least guests.",
    "PlaceClasses.schedule_notes": "When classes are held, in the source's words.",
    "PlaceClasses.types": "What kinds of classes are held, in the source's words.",
    "Amenities.has_outdoor_space": "Whether there is space outdoors.",
    "Amenities.has_parking": "Whether one can park.",
    "Amenities.has_wifi": "Whether there is Wi-Fi.",
    "Amenities.outside_food_allowed": "Whether one may bring food.",
    "Amenities.parking_notes": "What the source says of parking.",
    "Amenities.socks_required": "Whether socks have to be worn.",
    "Amenities.stroller_policy": "Whether strollers may come in, in the source's words.",
    "PlaceExpanded.organization": "The organization as its own page shows it; null where none is published.",
    "PlaceLinks.self": "This place.",
    "PlaceLinks.events": "The list of events there.",
    "PlaceLinks.classes": "The list of classes there.",
    "PlaceLinks.camps": "The list of camps there.",
}
