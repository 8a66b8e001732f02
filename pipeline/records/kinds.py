"""Kinds of record members: how each is parsed, and whether a filter uses it.

A wrong value in a member that a filter uses quarantines its record; in another it is left out and reported.
"""

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, NamedTuple, get_args

from msgspec import Struct
from msgspec.structs import fields, replace

from outings.contract import vocabulary as words
from outings.contract.resources import listings
from outings.contract.resources.shared import AgeRange, Location, Price, Term
from outings.texts.ages import read_ages
from outings.texts.amounts import read_amount
from pipeline.records import values
from pipeline.records.values import InvalidValue, ItemsParser, Parse, UnknownWord, parse_word_of

# Software that knows no end names one in centuries; and a snapshot has 32 bits for the seconds that an event lasts.
LONGEST = timedelta(days=50 * 365)


class Inconsistency(NamedTuple):
    """An error between members: `member` contradicts others. `drop`: the record is valid without it. `swap`: it is
    valid with the value of this member in its place, and the other way round. Otherwise it is quarantined."""

    member: str
    reason: str
    drop: bool = False
    swap: str = ""


Values = dict[str, Any]
Check = Callable[[Values], Iterator[Inconsistency]]


def check_range(values: Values) -> Iterator[Inconsistency]:
    low, high = values.get("min"), values.get("max")
    if low is not None and high is not None and low > high:
        yield Inconsistency("min", f"contradictory: was above max, {high:g}; they are swapped", swap="max")


def check_point(values: Values) -> Iterator[Inconsistency]:
    for one, other in (("lat", "lng"), ("lng", "lat")):
        if one in values and other not in values:
            yield Inconsistency(one, f"contradictory: is given without {other}", drop=False)


def check_reference(values: Values) -> Iterator[Inconsistency]:
    if "feed" in values and "source_id" not in values:
        yield Inconsistency("feed", "contradictory: is given without the source_id of its record", drop=True)
    if "address" in values and "name" not in values:
        yield Inconsistency("address", "contradictory: is given without the name of its place", drop=True)


def check_dates(values: Values) -> Iterator[Inconsistency]:
    starts, ends = values.get("starts_on"), values.get("ends_on")
    if starts and ends and ends < starts:
        yield Inconsistency("ends_on", f"contradictory: is before starts_on, {starts}", drop=True)


def check_event(values: Values) -> Iterator[Inconsistency]:
    starts, ends, day = values.get("starts_local"), values.get("ends_local"), values.get("date_on")
    if starts and day and starts.date() != day:
        yield Inconsistency("date_on", f"contradictory: starts_local is {starts.isoformat()}", drop=True)
    begins: datetime | None = starts or (datetime.combine(day, time()) if day else None)
    if ends and begins is None:
        yield Inconsistency("ends_local", "contradictory: is given without starts_local or date_on", drop=True)
    elif ends and begins and ends < begins:
        yield Inconsistency("ends_local", f"contradictory: is before the start, {begins.isoformat()}", drop=True)
    elif ends and begins and ends - begins > LONGEST:
        reason = f"out_of_range: is more than {LONGEST.days // 365} years after the start, {begins.isoformat()}"
        yield Inconsistency("ends_local", reason, drop=True)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A member that has one value, or a list of values. `parse` reads it; `filters`: a filter uses it."""

    parse: Parse
    filters: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A member that is an object, or (`many`) a list of them. `make` creates it; `check` finds contradictions."""

    make: Callable[..., Struct]
    members: Mapping[str, "Kind"]
    many: bool = False
    check: Check | None = None

    @property
    def filters(self) -> bool:
        """True if a filter uses any of its members: then an error in the object quarantines the record."""
        return any(kind.filters for kind in self.members.values())


@dataclass(frozen=True, slots=True)
class WordOf:
    """A word of one of the deployment's vocabularies, or several if `many`; a filter uses it."""

    vocabulary: str
    many: bool = False


Kind = Leaf | Table
Members = Mapping[str, Kind]


def filtered(parse: Parse) -> Leaf:
    return Leaf(parse, filters=True)


def shown(parse: Parse) -> Leaf:
    """Declare a member that no filter uses."""
    return Leaf(parse, filters=False)


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
LOCALS = filtered(ItemsParser(values.parse_local))
# A list without the word that is wrong would be another day.
DAYS = filtered(ItemsParser(parse_word_of(words.WEEKDAYS)))
URLS = shown(ItemsParser(values.parse_url, forgive=(InvalidValue,)))
LINES = shown(ItemsParser(values.parse_line, forgive=(InvalidValue,)))


def a_word(allowed: tuple[str, ...]) -> Leaf:
    return shown(parse_word_of(allowed))


def tags(allowed: tuple[str, ...]) -> Leaf:
    """Declare a list of vocabulary words. Only unknown ones are left out, because each is true by itself."""
    return filtered(ItemsParser(parse_word_of(allowed), forgive=(UnknownWord,)))


# How a member of an object is read where nothing else is said of it.
_BY_TYPE = {str: LINE, bool: FLAG, float: AMOUNT, int: COUNT, date: DATE}


def group(
    struct: type[Struct],
    *,
    make: Callable[..., Struct] | None = None,
    check: Check | None = None,
    exclude: Collection[str] = (),
    **kinds: Leaf,
) -> Table:
    """Declare an object with the members of `struct`, except `exclude`. `kinds`: the kinds of members whose type does
    not determine it."""
    members = {
        field.encode_name: kinds.get(field.name) or _BY_TYPE[_find_type(field.type)]
        for field in fields(struct)
        if field.name not in exclude
    }
    return Table(make or struct, members, check=check)


def _find_type(declared: Any) -> Any:
    """Return a member's bare type, without `None` and without the annotation for OpenAPI."""
    return declared if isinstance(declared, type) else _find_type(get_args(declared)[0])


# The objects that are the contract's own.


def make_ages(**members: Any) -> AgeRange:
    """Make an age range. What `text` says are the ages, if none are stated."""
    ages = AgeRange(**members)
    read = read_ages(ages.text) if ages.text is not None and ages.min is None and ages.max is None else None
    return ages if read is None else AgeRange(min=read.min, max=read.max, text=ages.text)


def make_price(*, text: str | None = None, **members: Any) -> Price:
    """Make a price. What `text` says is the price, if none is stated; it is the note, if there is no other."""
    price = Price(**members)
    if text is None:
        return price
    price = replace(price, note=price.note or text)
    read = read_amount(text) if (price.type, price.min, price.max) == (None, None, None) else None
    if read is None:
        return price
    kind = {"paid": "varies", "donation": "donation", "free": "free"}.get(read.kind)
    if kind is None:
        kind = "from" if read.max is None else "fixed" if read.min == read.max else "range"
    return replace(price, type=kind, min=read.min, max=read.max, currency=price.currency or read.currency)


AGES = group(AgeRange, make=make_ages, check=check_range, min=AGE, max=AGE)
_PRICE = group(
    Price, make=make_price, check=check_range, exclude=("is_free",),
    type=filtered(parse_word_of(words.PRICE_TYPES)), min=COST, max=COST, scope=a_word(words.PRICE_SCOPES), note=PROSE,
    unit=a_word(words.PRICE_UNITS), currency=CURRENCY,
)  # fmt: skip
PRICE = dataclasses.replace(_PRICE, members={**_PRICE.members, "text": LINE})
TERM = group(Term, check=check_dates)
SCHEDULE = group(
    listings.Schedule, type=a_word(words.SCHEDULE_TYPES), days=DAYS, start_time=CLOCK, end_time=CLOCK, notes=PROSE,
    timezone=shown(values.parse_timezone),
)  # fmt: skip


def make_tuition(**members: Any) -> listings.Tuition:
    """Make a tuition. The member `from` is passed as `from_`, because it is a keyword of Python."""
    return listings.Tuition(from_=members.pop("from", None), **members)


TUITION = group(listings.Tuition, make=make_tuition, amount=COST, from_=COST, trial_notes=PROSE, currency=CURRENCY)
REGISTRATION = group(
    listings.Registration, url=URL, status=a_word(words.REGISTRATION_STATUSES),
    opens_at=shown(values.parse_instant_text), spots_remaining=filtered(values.parse_whole), has_spots_available=FACT,
)  # fmt: skip
LOCATION = group(
    Location, check=check_point, zip=filtered(values.parse_line), lat=filtered(values.parse_latitude),
    lng=filtered(values.parse_longitude), neighborhood=filtered(values.parse_line),
    neighborhood_slug=filtered(values.parse_slug),
)  # fmt: skip
ADMISSION = group(listings.Admission, notes=PROSE, currency=CURRENCY)
AMENITIES = group(listings.Amenities, parking_notes=PROSE)
BIRTHDAY_PARTIES = group(listings.BirthdayParties, available=FACT, booking_url=URL, notes=PROSE)
PLACE_CLASSES = group(listings.PlaceClasses, available=FACT, types=LINES, schedule_notes=PROSE, registration_url=URL)
HOURS = group(listings.Hours, notes=PROSE, exceptions=PROSE)
PROGRAM = group(
    listings.Program, enrollment_type=filtered(parse_word_of(words.ENROLLMENT_TYPES)), skill_level_notes=PROSE,
    what_youll_learn=PROSE, prerequisites=PROSE,
)  # fmt: skip
MEMBERSHIP = group(listings.Membership, notes=PROSE, currency=CURRENCY)
EXTENDED_CARE = group(listings.ExtendedCare, notes=PROSE)

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
EndTime = Annotated[datetime | None, shown(values.parse_local)]
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
