"""The canonical record: what a feed says about one listing, cleaned and typed, before anything is derived.

Each member is declared here with how it is read. `docs/records.md` says the same in words, which a test compares.
"""

from collections.abc import Mapping
from datetime import datetime, time
from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec import Struct

from outings.contract import vocabulary as words
from outings.contract.resources import listings
from outings.contract.resources.listings import find_structs
from outings.contract.resources.shared import AgeRange, Location, Price, Term
from outings.contract.vocabulary import Vocabulary
from pipeline.records import kinds, values
from pipeline.records.kinds import Kind, Leaf, Members, Table, WordOf, a_word, filtered, group, shown, tags
from pipeline.records.values import parse_word_of


class Reference(Struct, frozen=True, kw_only=True, gc=False):
    """A reference to another record by its `source_id`, `id`, `slug` or `name`. `feed`: the feed of that `source_id`,
    if not the record's own. `address`: tells apart places with the same `name`."""

    feed: str | None = None
    source_id: str | None = None
    id: str | None = None
    slug: str | None = None
    name: str | None = None
    address: str | None = None


def _name_by(*, exclude: tuple[str, ...] = ()) -> kinds.Table:
    return group(
        Reference, check=kinds.check_reference, exclude=exclude, feed=filtered(values.parse_key),
        source_id=filtered(values.parse_key), id=filtered(values.parse_uuid), slug=filtered(values.parse_slug),
        name=filtered(values.parse_name),
    )  # fmt: skip


OrganizationReference = Annotated[Reference | None, _name_by(exclude=("address",))]
PlaceReference = Annotated[Reference | None, _name_by()]


class Verification(Struct, frozen=True, kw_only=True):
    status: Annotated[str | None, a_word(words.VERIFICATION_STATUSES)] = None
    checked_at: kinds.Instant = None
    changed_fields: kinds.Lines = ()


class HeadSource(Struct, frozen=True, kw_only=True, gc=False):
    crawled_at: kinds.Instant = None


class Source(HeadSource, frozen=True, kw_only=True):
    url: kinds.Url = None
    verification: Verification = Verification()


class Head(Struct, frozen=True, kw_only=True, gc=False):
    """The members of a record by which others refer to it and changes are found. They are decoded without the rest.

    `metro` is the slug of its metro. A removal by a delta feed has `deleted` true and only `type` and `source_id`.
    """

    feed: str
    type: Annotated[str, filtered(parse_word_of(("organization", *words.TYPES)))]
    source_id: Annotated[str, filtered(values.parse_key)]
    metro: Annotated[str | None, filtered(values.parse_line)] = None
    deleted: Annotated[bool, filtered(values.parse_boolean)] = False
    id: kinds.Uuid = None
    slug: Annotated[str | None, shown(values.parse_slug)] = None
    status: Annotated[str, filtered(parse_word_of(words.STATUSES))] = "published"
    name: Annotated[str, filtered(values.parse_name)] = ""
    confidence: Annotated[float | None, filtered(values.parse_confidence)] = None
    source: HeadSource = HeadSource()


class ListingHead(Head, frozen=True, kw_only=True):
    """The head of a listing. Its members and those of PlaceHead repeat the records', which have another base class. A
    test compares them."""

    organization: OrganizationReference = None
    place: PlaceReference = None


class PlaceHead(ListingHead, frozen=True, kw_only=True):
    """The head of a place, with the members that listings there inherit."""

    location: Annotated[Location | None, kinds.LOCATION] = None
    type_hint: kinds.TypeHint = None
    is_indoor: kinds.Fact = None
    is_outdoor: kinds.Fact = None
    good_for_rainy: kinds.Fact = None
    is_sensory_friendly: kinds.Fact = None


class Record(Head, frozen=True, kw_only=True):
    """The members of every type of record. `feed` and `line`: where it was read."""

    line: int
    reason: Annotated[str | None, a_word(words.REMOVAL_REASONS)] = None
    replaced_by: Annotated[str | None, shown(values.parse_uuid)] = None
    description: Annotated[str | None, shown(values.parse_description)] = None
    categories: kinds.Categories = ()
    keywords: kinds.Lines = ()
    image_url: kinds.Url = None
    adults_only: kinds.Fact = None
    verified_at: kinds.Instant = None
    created_at: kinds.Instant = None
    source: Source = Source()


class OrganizationRecord(Record, frozen=True, kw_only=True):
    website_url: kinds.Url = None


class ListingRecord(Record, frozen=True, kw_only=True):
    """Members that events, classes, camps and places share. Without a `location`, a listing has that of its place."""

    organization: OrganizationReference = None
    location: Annotated[Location | None, kinds.LOCATION] = None
    ages: Annotated[AgeRange, kinds.AGES] = AgeRange()
    audience: Annotated[str | None, a_word(words.AUDIENCES)] = None
    is_indoor: kinds.Fact = None
    is_outdoor: kinds.Fact = None
    good_for_rainy: kinds.Fact = None
    is_sensory_friendly: kinds.Fact = None


class PlaceRecord(ListingRecord, frozen=True, kw_only=True):
    type_hint: kinds.TypeHint = None
    type_hint_notes: kinds.Prose = None
    hours: Annotated[listings.Hours, kinds.HOURS] = listings.Hours()
    admission: Annotated[listings.Admission, kinds.ADMISSION] = listings.Admission()
    membership: Annotated[listings.Membership, kinds.MEMBERSHIP] = listings.Membership()
    birthday_parties: Annotated[listings.BirthdayParties, kinds.BIRTHDAY_PARTIES] = listings.BirthdayParties()
    classes: Annotated[listings.PlaceClasses, kinds.PLACE_CLASSES] = listings.PlaceClasses()
    amenities: Annotated[listings.Amenities, kinds.AMENITIES] = listings.Amenities()
    images: kinds.Urls = ()
    website_url: kinds.Url = None


class DatedRecord(ListingRecord, frozen=True, kw_only=True):
    """Members that events, classes and camps share."""

    place: PlaceReference = None
    timezone: kinds.Timezone = None
    price: Annotated[Price, kinds.PRICE] = Price()
    seasons: kinds.Seasons = ()


class EventRecord(DatedRecord, frozen=True, kw_only=True):
    """An event. Its times are naive; `date_on` is a date without a time. An unreadable rule is kept as text."""

    starts_local: kinds.LocalTime = None
    ends_local: kinds.EndTime = None
    date_on: kinds.Day = None
    all_day: Annotated[bool, filtered(values.parse_boolean)] = False
    rrule: kinds.Key = None
    exdates: kinds.LocalTimes = ()
    rdates: kinds.LocalTimes = ()
    recurrence_description: kinds.Line = None
    occasions: kinds.Occasions = ()
    teams: kinds.Teams = ()
    registration_url: kinds.Url = None
    ticket_url: kinds.Url = None
    registration_required: kinds.Flag = None
    is_sold_out: kinds.Flag = None

    @property
    def begins(self) -> datetime | None:
        """The local start: of a date without a time, its midnight."""
        return datetime.combine(self.date_on, time()) if self.date_on and not self.starts_local else self.starts_local

    @property
    def has_time(self) -> bool:
        return self.starts_local is not None and not self.all_day


class SectionRecord(Struct, frozen=True, kw_only=True):
    id: kinds.Line = None
    name: kinds.Line = None
    schedule: Annotated[listings.Schedule, kinds.SCHEDULE] = listings.Schedule()
    term: Annotated[Term, kinds.TERM] = Term()
    ages: Annotated[AgeRange, kinds.AGES] = AgeRange()
    tuition: Annotated[listings.Tuition, kinds.TUITION] = listings.Tuition()
    registration: Annotated[listings.Registration, kinds.REGISTRATION] = listings.Registration()


class ClassRecord(DatedRecord, frozen=True, kw_only=True):
    program: Annotated[listings.Program, kinds.PROGRAM] = listings.Program()
    program_key: kinds.Key = None
    term: Annotated[Term, kinds.TERM] = Term()
    schedule: Annotated[listings.Schedule, kinds.SCHEDULE] = listings.Schedule()
    tuition: Annotated[listings.Tuition, kinds.TUITION] = listings.Tuition()
    registration: Annotated[listings.Registration, kinds.REGISTRATION] = listings.Registration()
    sections: tuple[SectionRecord, ...] = ()
    occasions: kinds.Occasions = ()


class SessionRecord(Struct, frozen=True, kw_only=True):
    id: kinds.Line = None
    name: kinds.Line = None
    theme: kinds.Line = None
    starts_on: kinds.Day = None
    ends_on: kinds.Day = None
    days: kinds.Weekdays = ()
    start_time: kinds.Clock = None
    end_time: kinds.Clock = None
    is_overnight: kinds.Fact = None
    ages: Annotated[AgeRange, kinds.AGES] = AgeRange()
    price: Annotated[Price, kinds.PRICE] = Price()
    registration: Annotated[listings.Registration, kinds.REGISTRATION] = listings.Registration()


class CampRecord(DatedRecord, frozen=True, kw_only=True):
    camp_type: Annotated[str | None, a_word(words.CAMP_TYPES)] = None
    year: Annotated[int | None, filtered(values.parse_year)] = None
    is_overnight: kinds.Fact = None
    sessions: Annotated[tuple[SessionRecord, ...], kinds.check_dates] = ()
    extended_care: Annotated[listings.ExtendedCare, kinds.EXTENDED_CARE] = listings.ExtendedCare()
    meals_included: kinds.Flag = None
    what_to_bring: kinds.Prose = None
    registration: Annotated[listings.Registration, kinds.REGISTRATION] = listings.Registration()


ORGANIZATION = "organization"
RECORDS: dict[str, type[Record]] = {
    ORGANIZATION: OrganizationRecord,
    "place": PlaceRecord,
    "event": EventRecord,
    "class": ClassRecord,
    "camp": CampRecord,
}


# All members of an organization: its row depends on its listings, so it is always made again.
HEADS: dict[str, type[Head]] = {
    ORGANIZATION: OrganizationRecord,
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


def explain_fault(error: Exception) -> str:
    """Return the reason to report for a record on which this program itself failed."""
    if isinstance(error, MemoryError):
        raise error  # no record's fault
    return f"unsupported: this program failed on it, which is a fault of the program: {type(error).__name__}: {error}"


@lru_cache(maxsize=8)
def make_members(vocabulary: Vocabulary) -> Mapping[str, Members]:
    """Return the members of each type, with their kinds, under a deployment's vocabulary."""
    return {name: _list_members(struct, vocabulary) for name, struct in RECORDS.items()}


def _list_members(struct: type[Struct], vocabulary: Vocabulary) -> Members:
    """Return the members of a struct that a feed may state, with their kinds."""
    kinds = {field.encode_name: _find_kind(field.type, vocabulary) for field in msgspec.structs.fields(struct)}
    return {name: kind for name, kind in kinds.items() if kind is not None}


def _find_kind(declared: Any, vocabulary: Vocabulary) -> Kind | None:
    """Return how a member of this declared type is parsed, or None if feeds do not state it."""
    notes = getattr(declared, "__metadata__", ())
    for note in notes:
        if isinstance(note, WordOf):
            words: tuple[str, ...] = getattr(vocabulary, note.vocabulary)
            return tags(words) if note.many else filtered(parse_word_of(words))
        if isinstance(note, Leaf | Table):
            return note
    if (struct := next(find_structs(declared), None)) is None:
        return None
    many = msgspec.inspect.type_info(declared).__class__ is msgspec.inspect.VarTupleType
    return Table(struct, _list_members(struct, vocabulary), many=many, check=next(iter(notes), None))
