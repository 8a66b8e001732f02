"""The members of a canonical record, one row each: how it is read, and whether a filter uses it.

A wrong value in a member that a filter uses quarantines its record; in another it is left out and reported.
`docs/records.md` says the same in words; a test holds the two and the records' own structs together.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

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
from outings.contract.vocabulary import Vocabulary
from pipeline.records import agreement, values
from pipeline.records.record import Reference, SectionRecord, SessionRecord, Source, Verification
from pipeline.records.values import Parse, UnknownWord, Wrong, parse_items_of, parse_word_of


@dataclass(frozen=True, slots=True)
class Leaf:
    """A member that holds one value, or a list of such."""

    parse: Parse
    filters: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A member that is an object, or (`many`) a list of them."""

    make: Callable[..., Struct]
    members: Mapping[str, "Kind"]
    filters: bool
    many: bool = False
    check: agreement.Check | None = None


Kind = Leaf | Table
Members = Mapping[str, Kind]


def filtered(parse: Parse) -> Leaf:
    return Leaf(parse, filters=True)


def shown(parse: Parse) -> Leaf:
    """No filter uses it."""
    return Leaf(parse, filters=False)


def group(make: Callable[..., Struct], members: Members, *, check: agreement.Check | None = None) -> Table:
    """An object; it is itself as bad to get wrong as the worst of its members."""
    return Table(make, members, filters=any(kind.filters for kind in members.values()), check=check)


LINE = shown(values.parse_line)
PROSE = shown(values.parse_prose)
URL = shown(values.parse_url)
FLAG = shown(values.parse_boolean)
AMOUNT = shown(values.parse_number)
COUNT = shown(values.parse_whole)
INSTANT = shown(values.parse_instant)
CURRENCY = shown(values.parse_currency)
FACT = filtered(values.parse_boolean)
COST = filtered(values.parse_number)
DATE = filtered(values.parse_date)
CLOCK = filtered(values.parse_clock)
AGE = filtered(values.parse_age)
LOCALS = filtered(parse_items_of(values.parse_local))
# A list without the word that is wrong would be another day.
DAYS = filtered(parse_items_of(parse_word_of(words.WEEKDAYS)))
URLS = shown(parse_items_of(values.parse_url, forgive=(Wrong,)))
LINES = shown(parse_items_of(values.parse_line, forgive=(Wrong,)))


def a_word(allowed: tuple[str, ...]) -> Leaf:
    return shown(parse_word_of(allowed))


def tags(allowed: tuple[str, ...]) -> Leaf:
    """Words each true by itself: an unknown one is left out alone."""
    return filtered(parse_items_of(parse_word_of(allowed), forgive=(UnknownWord,)))


AGES = group(AgeRange, {"min": AGE, "max": AGE, "text": LINE}, check=agreement.check_range)
PRICE = group(
    Price,
    {
        "type": filtered(parse_word_of(words.PRICE_TYPES)), "min": COST, "max": COST,
        "scope": a_word(words.PRICE_SCOPES), "note": PROSE, "unit": a_word(words.PRICE_UNITS), "currency": CURRENCY,
    },
    check=agreement.check_range,
)  # fmt: skip
TERM = group(
    Term,
    {"name": LINE, "starts_on": DATE, "ends_on": DATE, "total_classes": COUNT},
    check=agreement.check_dates,
)
SCHEDULE = group(
    Schedule,
    {
        "type": a_word(words.SCHEDULE_TYPES), "days": DAYS, "start_time": CLOCK, "end_time": CLOCK,
        "duration_minutes": COUNT, "is_recurring": FLAG, "rrule": LINE, "notes": PROSE,
        "timezone": shown(values.parse_timezone),
    },
)  # fmt: skip


def make_tuition(**members: Any) -> Tuition:
    """`from` is no name that Python allows."""
    return Tuition(from_=members.pop("from", None), **members)


TUITION = group(
    make_tuition,
    {
        "amount": COST, "from": COST, "text": LINE, "drop_in_price": AMOUNT, "trial_price": AMOUNT,
        "trial_notes": PROSE, "currency": CURRENCY,
    },
)  # fmt: skip
REGISTRATION = group(
    Registration,
    {
        "url": URL, "status": a_word(words.REGISTRATION_STATUSES), "opens_at": shown(values.parse_instant_text),
        "spots_remaining": filtered(values.parse_whole), "has_spots_available": FACT, "waitlist_available": FLAG,
    },
)  # fmt: skip
LOCATION = group(
    Location,
    {
        "address": LINE, "street_address": LINE, "city": LINE, "state": LINE, "zip": filtered(values.parse_line),
        "lat": filtered(values.parse_latitude), "lng": filtered(values.parse_longitude),
        "neighborhood": filtered(values.parse_line), "neighborhood_slug": filtered(values.parse_slug),
    },
    check=agreement.check_point,
)  # fmt: skip
REFERENCE_MEMBERS: Members = {
    "source_id": filtered(values.parse_key), "id": filtered(values.parse_uuid), "slug": filtered(values.parse_slug),
}  # fmt: skip
ORGANIZATION = group(Reference, {**REFERENCE_MEMBERS, "name": filtered(values.parse_name)})
PLACE = group(Reference, REFERENCE_MEMBERS)
SOURCE = group(
    Source,
    {
        "url": URL,
        "crawled_at": INSTANT,
        "verification": group(
            Verification,
            {"status": a_word(words.VERIFICATION_STATUSES), "checked_at": INSTANT, "changed_fields": LINES},
        ),
    },
)

IDENTITY: Members = {
    "type": filtered(parse_word_of(("organization", *words.TYPES))),
    "source_id": filtered(values.parse_key),
    "metro": filtered(values.parse_line),
    "deleted": filtered(values.parse_boolean),
    "id": filtered(values.parse_uuid),
}
ADMISSION: Members = {
    "type": LINE, "child_price": AMOUNT, "adult_price": AMOUNT, "infant_age_cutoff": COUNT, "notes": PROSE,
    "currency": CURRENCY,
}  # fmt: skip
AMENITIES: Members = {
    "has_outdoor_space": FLAG, "has_parking": FLAG, "parking_notes": PROSE, "has_wifi": FLAG, "socks_required": FLAG,
    "outside_food_allowed": FLAG, "stroller_policy": LINE,
}  # fmt: skip
PARTIES: Members = {
    "available": FACT, "min_guests": COUNT, "max_guests": COUNT, "age_range": LINE, "booking_url": URL, "notes": PROSE,
}  # fmt: skip
PLACE_CLASSES: Members = {
    "available": FACT, "types": LINES, "age_range": LINE, "schedule_notes": PROSE, "registration_url": URL,
}  # fmt: skip
HOURS: Members = {**dict.fromkeys(words.WEEKDAYS, LINE), "notes": PROSE, "exceptions": PROSE}
PROGRAM: Members = {
    "enrollment_type": filtered(parse_word_of(words.ENROLLMENT_TYPES)), "skill_level_notes": PROSE,
    "adult_participation": LINE, "what_youll_learn": PROSE, "prerequisites": PROSE,
}  # fmt: skip
SECTION: Members = {
    "id": LINE, "name": LINE, "schedule": SCHEDULE, "term": TERM, "ages": AGES, "tuition": TUITION,
    "registration": REGISTRATION,
}  # fmt: skip
SESSION: Members = {
    "id": LINE, "name": LINE, "theme": LINE, "starts_on": DATE, "ends_on": DATE, "days": DAYS, "start_time": CLOCK,
    "end_time": CLOCK, "is_overnight": FACT, "ages": AGES, "price": PRICE, "registration": REGISTRATION,
}  # fmt: skip


@lru_cache(maxsize=8)
def make_members(vocabulary: Vocabulary) -> Mapping[str, Members]:
    """The members of each type under a deployment's own vocabulary."""
    seasons = tags(vocabulary.seasons)
    occasions = tags(vocabulary.occasions)
    every: Members = {
        **IDENTITY,
        "slug": shown(values.parse_slug), "status": filtered(parse_word_of(words.STATUSES)),
        "reason": a_word(words.REMOVAL_REASONS), "replaced_by": shown(values.parse_uuid),
        "name": filtered(values.parse_name), "description": shown(values.parse_description),
        "categories": tags(vocabulary.categories), "keywords": LINES, "image_url": URL, "adults_only": FACT,
        "confidence": filtered(values.parse_confidence), "verified_at": INSTANT, "created_at": INSTANT,
        "source": SOURCE,
    }  # fmt: skip
    listing: Members = {
        **every,
        "organization": ORGANIZATION, "location": LOCATION, "ages": AGES, "is_indoor": FACT, "is_outdoor": FACT,
        "good_for_rainy": FLAG, "is_sensory_friendly": FACT,
    }  # fmt: skip
    held: Members = {**listing, "place": PLACE, "timezone": filtered(values.parse_timezone), "price": PRICE}
    return {
        "organization": {**every, "website_url": URL},
        "place": {
            **listing,
            "type_hint": filtered(parse_word_of(vocabulary.type_hints)), "type_hint_notes": PROSE,
            "hours": group(Hours, HOURS), "admission": group(Admission, ADMISSION),
            "membership": group(
                Membership,
                {
                    "available": FLAG, "price_monthly": AMOUNT, "price_annual": AMOUNT, "notes": PROSE,
                    "currency": CURRENCY,
                },
            ),
            "birthday_parties": group(BirthdayParties, PARTIES), "classes": group(PlaceClasses, PLACE_CLASSES),
            "amenities": group(Amenities, AMENITIES), "images": URLS, "website_url": URL,
        },
        "event": {
            **held,
            "starts_local": filtered(values.parse_local), "ends_local": filtered(values.parse_local), "date_on": DATE,
            "all_day": filtered(values.parse_boolean), "rrule": filtered(values.parse_key), "exdates": LOCALS,
            "rdates": LOCALS, "recurrence_description": LINE, "occasions": occasions,
            "teams": tags(vocabulary.teams), "seasons": seasons, "registration_url": URL, "ticket_url": URL,
            "registration_required": FLAG, "is_sold_out": FLAG,
        },
        "class": {
            **held,
            "program": group(Program, PROGRAM), "program_key": filtered(values.parse_key), "term": TERM,
            "schedule": SCHEDULE, "tuition": TUITION, "registration": REGISTRATION,
            "sections": Table(SectionRecord, SECTION, filters=True, many=True), "seasons": seasons,
            "occasions": occasions,
        },
        "camp": {
            **held,
            "camp_type": a_word(words.CAMP_TYPES), "year": filtered(values.parse_year), "is_overnight": FACT,
            "sessions": Table(SessionRecord, SESSION, filters=True, many=True, check=agreement.check_dates),
            "extended_care": group(
                ExtendedCare,
                {"before_available": FLAG, "after_available": FLAG, "price": AMOUNT, "notes": PROSE},
            ),
            "meals_included": FLAG, "what_to_bring": PROSE, "registration": REGISTRATION, "seasons": seasons,
        },
    }  # fmt: skip


def list_names(vocabulary: Vocabulary) -> Iterator[str]:
    """The name of every member of any type, once."""
    return iter(dict.fromkeys(name for members in make_members(vocabulary).values() for name in members))
