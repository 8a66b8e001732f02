"""The canonical record: what a feed says of one listing, cleaned and typed, before anything is derived."""

from datetime import date, datetime

from msgspec import Struct

from outings.contract.resources.camp import ExtendedCare
from outings.contract.resources.class_ import Program, Registration, Schedule, Tuition
from outings.contract.resources.place import (
    Admission,
    Amenities,
    BirthdayParties,
    Hours,
    Membership,
    PlaceClasses,
)
from outings.contract.resources.shared import AgeRange, Location, Price, Term


class Reference(Struct, frozen=True, kw_only=True):
    """Names another record by one of these; `name` only for organizations."""

    source_id: str | None = None
    id: str | None = None
    slug: str | None = None
    name: str | None = None


class Verification(Struct, frozen=True, kw_only=True):
    status: str | None = None
    checked_at: datetime | None = None
    changed_fields: tuple[str, ...] = ()


class HeadSource(Struct, frozen=True, kw_only=True):
    crawled_at: datetime | None = None


class Source(HeadSource, frozen=True, kw_only=True):
    url: str | None = None
    verification: Verification = Verification()


class Head(Struct, frozen=True, kw_only=True):
    """What other records, and who looks for what changed, need to know of a record.

    `metro` is the slug it belongs to. A delta feed's removal has `deleted` true and no more than its `type` and
    `source_id`.
    """

    feed: str
    type: str
    source_id: str
    metro: str | None = None
    deleted: bool = False
    id: str | None = None
    slug: str | None = None
    status: str = "published"
    name: str = ""
    confidence: float | None = None
    source: HeadSource = HeadSource()


class ListingHead(Head, frozen=True, kw_only=True):
    """Its members, and the next one's, are those of the records, which have another base: a test compares them."""

    organization: Reference | None = None
    place: Reference | None = None


class PlaceHead(ListingHead, frozen=True, kw_only=True):
    """Also what listings there have from it."""

    location: Location | None = None
    is_indoor: bool | None = None
    is_outdoor: bool | None = None
    good_for_rainy: bool | None = None
    is_sensory_friendly: bool | None = None


class Record(Head, frozen=True, kw_only=True):
    """Members of every type. `feed` and `line` say where it came from."""

    line: int
    reason: str | None = None
    replaced_by: str | None = None
    description: str | None = None
    categories: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    image_url: str | None = None
    adults_only: bool | None = None
    verified_at: datetime | None = None
    created_at: datetime | None = None
    source: Source = Source()


class OrganizationRecord(Record, frozen=True, kw_only=True):
    website_url: str | None = None


class ListingRecord(Record, frozen=True, kw_only=True):
    """What events, classes, camps and places share. `location` left out: the place's."""

    organization: Reference | None = None
    location: Location | None = None
    ages: AgeRange = AgeRange()
    is_indoor: bool | None = None
    is_outdoor: bool | None = None
    good_for_rainy: bool | None = None
    is_sensory_friendly: bool | None = None


class PlaceRecord(ListingRecord, frozen=True, kw_only=True):
    type_hint: str | None = None
    type_hint_notes: str | None = None
    hours: Hours = Hours()
    admission: Admission = Admission()
    membership: Membership = Membership()
    birthday_parties: BirthdayParties = BirthdayParties()
    classes: PlaceClasses = PlaceClasses()
    amenities: Amenities = Amenities()
    images: tuple[str, ...] = ()
    website_url: str | None = None


class EventRecord(ListingRecord, frozen=True, kw_only=True):
    """Local times are naive; `date_on` is a date without a clock time. Unreadable recurrence is kept as text."""

    place: Reference | None = None
    starts_local: datetime | None = None
    ends_local: datetime | None = None
    date_on: date | None = None
    all_day: bool = False
    timezone: str | None = None
    rrule: str | None = None
    exdates: tuple[datetime, ...] = ()
    rdates: tuple[datetime, ...] = ()
    recurrence_description: str | None = None
    price: Price = Price()
    occasions: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    seasons: tuple[str, ...] = ()
    registration_url: str | None = None
    ticket_url: str | None = None
    registration_required: bool | None = None
    is_sold_out: bool | None = None


class SectionRecord(Struct, frozen=True, kw_only=True):
    id: str | None = None
    name: str | None = None
    schedule: Schedule = Schedule()
    term: Term = Term()
    ages: AgeRange = AgeRange()
    tuition: Tuition = Tuition()
    registration: Registration = Registration()


class ClassRecord(ListingRecord, frozen=True, kw_only=True):
    place: Reference | None = None
    timezone: str | None = None
    program: Program = Program()
    program_key: str | None = None
    term: Term = Term()
    schedule: Schedule = Schedule()
    tuition: Tuition = Tuition()
    price: Price = Price()
    registration: Registration = Registration()
    sections: tuple[SectionRecord, ...] = ()
    seasons: tuple[str, ...] = ()
    occasions: tuple[str, ...] = ()


class SessionRecord(Struct, frozen=True, kw_only=True):
    id: str | None = None
    name: str | None = None
    theme: str | None = None
    starts_on: date | None = None
    ends_on: date | None = None
    days: tuple[str, ...] = ()
    start_time: str | None = None
    end_time: str | None = None
    is_overnight: bool | None = None
    ages: AgeRange = AgeRange()
    price: Price = Price()
    registration: Registration = Registration()


class CampRecord(ListingRecord, frozen=True, kw_only=True):
    place: Reference | None = None
    timezone: str | None = None
    camp_type: str | None = None
    year: int | None = None
    is_overnight: bool | None = None
    sessions: tuple[SessionRecord, ...] = ()
    extended_care: ExtendedCare = ExtendedCare()
    meals_included: bool | None = None
    what_to_bring: str | None = None
    price: Price = Price()
    registration: Registration = Registration()
    seasons: tuple[str, ...] = ()


RECORDS: dict[str, type[Record]] = {
    "organization": OrganizationRecord,
    "place": PlaceRecord,
    "event": EventRecord,
    "class": ClassRecord,
    "camp": CampRecord,
}


# Of an organization all of it is: what became of one depends on its listings, so its row is always made anew.
HEADS: dict[str, type[Head]] = {
    "organization": OrganizationRecord,
    "place": PlaceHead,
    "event": ListingHead,
    "class": ListingHead,
    "camp": ListingHead,
}


class Problem(Struct, frozen=True, kw_only=True):
    """One line of the quarantine file or of the report: where, which member, why, and the value as text.

    `quarantined` false: the member was left out (or given another value) and the record kept.
    `file` is set where a feed has several; then `line` counts in it.
    """

    feed: str
    file: str | None = None
    line: int
    source_id: str | None
    field: str | None
    reason: str
    value: str | None = None
    quarantined: bool = True


__all__ = [
    "HEADS", "RECORDS", "CampRecord", "ClassRecord", "EventRecord", "Head", "ListingHead", "ListingRecord",
    "OrganizationRecord", "PlaceHead", "PlaceRecord", "Problem", "Record", "Reference", "SectionRecord",
    "SessionRecord", "Source", "Verification",
]  # fmt: skip
