"""The canonical record: what a feed says of one listing, cleaned and typed, before anything is derived.

Each member is declared here with how it is read. `docs/records.md` says the same in words, which a test compares.
"""

from typing import Annotated

from msgspec import Struct

from outings.contract import vocabulary as words
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
from pipeline.records import consistency, objects, values
from pipeline.records.kinds import (
    Categories,
    Clock,
    Day,
    Fact,
    Flag,
    Instant,
    Key,
    Line,
    Lines,
    LocalTime,
    LocalTimes,
    Occasions,
    Prose,
    Seasons,
    Slug,
    Teams,
    Timezone,
    TypeHint,
    Url,
    Urls,
    Uuid,
    Weekdays,
    a_word,
    filtered,
    group,
    shown,
)
from pipeline.records.values import parse_word_of


class Reference(Struct, frozen=True, kw_only=True):
    """Names another record by one of these; `name` only for organizations."""

    source_id: Key = None
    id: Uuid = None
    slug: Slug = None
    name: Annotated[str | None, filtered(values.parse_name)] = None


# A place is not named by its name.
_OF_PLACE = group(
    Reference,
    {
        "source_id": filtered(values.parse_key), "id": filtered(values.parse_uuid), "slug": filtered(values.parse_slug),
    },
)  # fmt: skip
PlaceReference = Annotated[Reference | None, _OF_PLACE]


class Verification(Struct, frozen=True, kw_only=True):
    status: Annotated[str | None, a_word(words.VERIFICATION_STATUSES)] = None
    checked_at: Instant = None
    changed_fields: Lines = ()


class HeadSource(Struct, frozen=True, kw_only=True):
    crawled_at: Instant = None


class Source(HeadSource, frozen=True, kw_only=True):
    url: Url = None
    verification: Verification = Verification()


class Head(Struct, frozen=True, kw_only=True):
    """What other records, and who looks for what changed, need to know of a record.

    `metro` is the slug it belongs to. A delta feed's removal has `deleted` true and no more than its `type` and
    `source_id`.
    """

    feed: str
    type: Annotated[str, filtered(parse_word_of(("organization", *words.TYPES)))]
    source_id: Annotated[str, filtered(values.parse_key)]
    metro: Annotated[str | None, filtered(values.parse_line)] = None
    deleted: Annotated[bool, filtered(values.parse_boolean)] = False
    id: Uuid = None
    slug: Annotated[str | None, shown(values.parse_slug)] = None
    status: Annotated[str, filtered(parse_word_of(words.STATUSES))] = "published"
    name: Annotated[str, filtered(values.parse_name)] = ""
    confidence: Annotated[float | None, filtered(values.parse_confidence)] = None
    source: HeadSource = HeadSource()


class ListingHead(Head, frozen=True, kw_only=True):
    """Its members, and the next one's, are those of the records, which have another base: a test compares them."""

    organization: Reference | None = None
    place: PlaceReference = None


class PlaceHead(ListingHead, frozen=True, kw_only=True):
    """Also what listings there have from it."""

    location: Annotated[Location | None, objects.LOCATION] = None
    is_indoor: Fact = None
    is_outdoor: Fact = None
    good_for_rainy: Flag = None
    is_sensory_friendly: Fact = None


class Record(Head, frozen=True, kw_only=True):
    """Members of every type. `feed` and `line` say where it came from."""

    line: int
    reason: Annotated[str | None, a_word(words.REMOVAL_REASONS)] = None
    replaced_by: Annotated[str | None, shown(values.parse_uuid)] = None
    description: Annotated[str | None, shown(values.parse_description)] = None
    categories: Categories = ()
    keywords: Lines = ()
    image_url: Url = None
    adults_only: Fact = None
    verified_at: Instant = None
    created_at: Instant = None
    source: Source = Source()


class OrganizationRecord(Record, frozen=True, kw_only=True):
    website_url: Url = None


class ListingRecord(Record, frozen=True, kw_only=True):
    """What events, classes, camps and places share. `location` left out: the place's."""

    organization: Reference | None = None
    location: Annotated[Location | None, objects.LOCATION] = None
    ages: Annotated[AgeRange, objects.AGES] = AgeRange()
    is_indoor: Fact = None
    is_outdoor: Fact = None
    good_for_rainy: Flag = None
    is_sensory_friendly: Fact = None


class PlaceRecord(ListingRecord, frozen=True, kw_only=True):
    type_hint: TypeHint = None
    type_hint_notes: Prose = None
    hours: Annotated[Hours, objects.HOURS] = Hours()
    admission: Annotated[Admission, objects.ADMISSION] = Admission()
    membership: Annotated[Membership, objects.MEMBERSHIP] = Membership()
    birthday_parties: Annotated[BirthdayParties, objects.BIRTHDAY_PARTIES] = BirthdayParties()
    classes: Annotated[PlaceClasses, objects.PLACE_CLASSES] = PlaceClasses()
    amenities: Annotated[Amenities, objects.AMENITIES] = Amenities()
    images: Urls = ()
    website_url: Url = None


class DatedRecord(ListingRecord, frozen=True, kw_only=True):
    """What events, classes and camps share."""

    place: PlaceReference = None
    timezone: Timezone = None
    price: Annotated[Price, objects.PRICE] = Price()
    seasons: Seasons = ()


class EventRecord(DatedRecord, frozen=True, kw_only=True):
    """Local times are naive; `date_on` is a date without a clock time. Unreadable recurrence is kept as text."""

    starts_local: LocalTime = None
    ends_local: LocalTime = None
    date_on: Day = None
    all_day: Annotated[bool, filtered(values.parse_boolean)] = False
    rrule: Key = None
    exdates: LocalTimes = ()
    rdates: LocalTimes = ()
    recurrence_description: Line = None
    occasions: Occasions = ()
    teams: Teams = ()
    registration_url: Url = None
    ticket_url: Url = None
    registration_required: Flag = None
    is_sold_out: Flag = None


class SectionRecord(Struct, frozen=True, kw_only=True):
    id: Line = None
    name: Line = None
    schedule: Annotated[Schedule, objects.SCHEDULE] = Schedule()
    term: Annotated[Term, objects.TERM] = Term()
    ages: Annotated[AgeRange, objects.AGES] = AgeRange()
    tuition: Annotated[Tuition, objects.TUITION] = Tuition()
    registration: Annotated[Registration, objects.REGISTRATION] = Registration()


class ClassRecord(DatedRecord, frozen=True, kw_only=True):
    program: Annotated[Program, objects.PROGRAM] = Program()
    program_key: Key = None
    term: Annotated[Term, objects.TERM] = Term()
    schedule: Annotated[Schedule, objects.SCHEDULE] = Schedule()
    tuition: Annotated[Tuition, objects.TUITION] = Tuition()
    registration: Annotated[Registration, objects.REGISTRATION] = Registration()
    sections: tuple[SectionRecord, ...] = ()
    occasions: Occasions = ()


class SessionRecord(Struct, frozen=True, kw_only=True):
    id: Line = None
    name: Line = None
    theme: Line = None
    starts_on: Day = None
    ends_on: Day = None
    days: Weekdays = ()
    start_time: Clock = None
    end_time: Clock = None
    is_overnight: Fact = None
    ages: Annotated[AgeRange, objects.AGES] = AgeRange()
    price: Annotated[Price, objects.PRICE] = Price()
    registration: Annotated[Registration, objects.REGISTRATION] = Registration()


class CampRecord(DatedRecord, frozen=True, kw_only=True):
    camp_type: Annotated[str | None, a_word(words.CAMP_TYPES)] = None
    year: Annotated[int | None, filtered(values.parse_year)] = None
    is_overnight: Fact = None
    sessions: Annotated[tuple[SessionRecord, ...], consistency.check_dates] = ()
    extended_care: Annotated[ExtendedCare, objects.EXTENDED_CARE] = ExtendedCare()
    meals_included: Flag = None
    what_to_bring: Prose = None
    registration: Annotated[Registration, objects.REGISTRATION] = Registration()


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
