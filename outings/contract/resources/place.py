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
