"""How a member of a record is read, and whether a filter uses it: the kinds of members, and the types that name them.

A wrong value in a member that a filter uses quarantines its record; in another it is left out and reported.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any

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
from pipeline.records import consistency, values
from pipeline.records.school_grades import parse_grades
from pipeline.records.values import InvalidValue, Parse, UnknownWord, parse_items_of, parse_word_of


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
    check: consistency.Check | None = None


@dataclass(frozen=True, slots=True)
class WordOf:
    """A word, or `many`, of one of the deployment's own vocabularies; a filter uses it."""

    vocabulary: str
    many: bool = False


Kind = Leaf | Table
Members = Mapping[str, Kind]


def filtered(parse: Parse) -> Leaf:
    return Leaf(parse, filters=True)


def shown(parse: Parse) -> Leaf:
    """No filter uses it."""
    return Leaf(parse, filters=False)


def group(make: Callable[..., Struct], members: Members, *, check: consistency.Check | None = None) -> Table:
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
URLS = shown(parse_items_of(values.parse_url, forgive=(InvalidValue,)))
LINES = shown(parse_items_of(values.parse_line, forgive=(InvalidValue,)))


def a_word(allowed: tuple[str, ...]) -> Leaf:
    return shown(parse_word_of(allowed))


def tags(allowed: tuple[str, ...]) -> Leaf:
    """Words each true by itself: an unknown one is left out alone."""
    return filtered(parse_items_of(parse_word_of(allowed), forgive=(UnknownWord,)))


# The objects that are the contract's own.


def make_ages(**members: Any) -> AgeRange:
    """School grades in `text` are ages, if no others are stated."""
    ages = AgeRange(**members)
    if ages.min is not None or ages.max is not None or ages.text is None or (grades := parse_grades(ages.text)) is None:
        return ages
    return AgeRange(min=grades.min, max=grades.max, text=ages.text)


AGES = group(make_ages, {"min": AGE, "max": AGE, "text": LINE}, check=consistency.check_range)
PRICE = group(
    Price,
    {
        "type": filtered(parse_word_of(words.PRICE_TYPES)), "min": COST, "max": COST,
        "scope": a_word(words.PRICE_SCOPES), "note": PROSE, "unit": a_word(words.PRICE_UNITS), "currency": CURRENCY,
    },
    check=consistency.check_range,
)  # fmt: skip
TERM = group(
    Term,
    {"name": LINE, "starts_on": DATE, "ends_on": DATE, "total_classes": COUNT},
    check=consistency.check_dates,
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
    check=consistency.check_point,
)  # fmt: skip
ADMISSION = group(
    Admission,
    {
        "type": LINE, "child_price": AMOUNT, "adult_price": AMOUNT, "infant_age_cutoff": COUNT, "notes": PROSE,
        "currency": CURRENCY,
    },
)  # fmt: skip
AMENITIES = group(
    Amenities,
    {
        "has_outdoor_space": FLAG, "has_parking": FLAG, "parking_notes": PROSE, "has_wifi": FLAG,
        "socks_required": FLAG, "outside_food_allowed": FLAG, "stroller_policy": LINE,
    },
)  # fmt: skip
BIRTHDAY_PARTIES = group(
    BirthdayParties,
    {
        "available": FLAG, "min_guests": COUNT, "max_guests": COUNT, "age_range": LINE, "booking_url": URL,
        "notes": PROSE,
    },
)  # fmt: skip
PLACE_CLASSES = group(
    PlaceClasses,
    {
        "available": FLAG, "types": LINES, "age_range": LINE, "schedule_notes": PROSE, "registration_url": URL,
    },
)  # fmt: skip
HOURS = group(Hours, {**dict.fromkeys(words.WEEKDAYS, LINE), "notes": PROSE, "exceptions": PROSE})
PROGRAM = group(
    Program,
    {
        "enrollment_type": a_word(words.ENROLLMENT_TYPES), "skill_level_notes": PROSE,
        "adult_participation": LINE, "what_youll_learn": PROSE, "prerequisites": PROSE,
    },
)  # fmt: skip
MEMBERSHIP = group(
    Membership,
    {"available": FLAG, "price_monthly": AMOUNT, "price_annual": AMOUNT, "notes": PROSE, "currency": CURRENCY},
)
EXTENDED_CARE = group(
    ExtendedCare, {"before_available": FLAG, "after_available": FLAG, "price": AMOUNT, "notes": PROSE}
)

# A member of one of these types is declared by its name alone.
Line = Annotated[str | None, LINE]
Prose = Annotated[str | None, PROSE]
Url = Annotated[str | None, URL]
Flag = Annotated[bool | None, FLAG]
Fact = Annotated[bool | None, FACT]
Instant = Annotated[datetime | None, INSTANT]
Day = Annotated[date | None, DATE]
Clock = Annotated[str | None, CLOCK]
LocalTime = Annotated[datetime | None, filtered(values.parse_local)]
LocalTimes = Annotated[tuple[datetime, ...], LOCALS]
Weekdays = Annotated[tuple[str, ...], DAYS]
Lines = Annotated[tuple[str, ...], LINES]
Urls = Annotated[tuple[str, ...], URLS]
Key = Annotated[str | None, filtered(values.parse_key)]
Uuid = Annotated[str | None, filtered(values.parse_uuid)]
Timezone = Annotated[str | None, filtered(values.parse_timezone)]
Categories = Annotated[tuple[str, ...], WordOf("categories", many=True)]
Seasons = Annotated[tuple[str, ...], WordOf("seasons", many=True)]
Occasions = Annotated[tuple[str, ...], WordOf("occasions", many=True)]
Teams = Annotated[tuple[str, ...], WordOf("teams", many=True)]
TypeHint = Annotated[str | None, WordOf("type_hints")]
