"""Records of every type and format that say strange things: each member from the edges of what it may be, and beyond.

Most members of a record are right, so that it comes as far as it can."""

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from outings.contract.vocabulary import Vocabulary
from pipeline.records import values
from pipeline.records.kinds import Leaf, Table
from pipeline.records.record import make_members
from pipeline.records.values import ItemsParser

MEMBERS = make_members(Vocabulary())
UUIDS = [f"6f1f8a0e-5d0a-5c43-9a58-{number:012}" for number in range(40)]
TEXTS = (
    "Walk", "a", "x" * 1_200, "\u202eabc", "🎈" * 30, "<b>&amp;</b>", "日本語", "A\nB", "-", "'", "%s{}", "ﬀ", "İ",
    "=1+1", "café", "0", "null", "//", "a\u2028b", "a\x85b", "Ages 3 to 99999999999999999999",
    "Free for 5-year-olds, $1e999",
)  # fmt: skip
NUMBERS = (0, 1, 0.5, 7, 12.5, 1e9, 5e-324, 120, 1e308, 1e18, 2**53)
DAYS = (
    "1900-01-01", "2200-12-31", "2026-08-12", "2026-08-13", "2028-02-29", "2026-03-08", "2026-11-01", "2099-12-31",
    "1970-01-01", "2027-09-14", "2025-07-06",
)  # fmt: skip
CLOCKS = ("00:00:00", "23:59:59", "02:30:00", "01:30:00", "10:00:00", "12:00:30")
LOCALS = tuple(f"{day}T{clock}" for day in DAYS for clock in CLOCKS)
INSTANTS = tuple(f"{local}{zone}" for local in LOCALS[::3] for zone in ("Z", "+14:00", "-12:00"))
ZONES = (
    "America/Los_Angeles", "Pacific/Kiritimati", "Pacific/Apia", "Africa/Monrovia", "Etc/GMT+12", "Europe/Dublin",
    "Asia/Gaza", "UTC",
)  # fmt: skip
_ENDS = (
    "", ";COUNT=5", ";COUNT=999999999", ";UNTIL=99991231T235959Z", ";UNTIL=00010101T000000", ";UNTIL=20270101",
    ";UNTIL=19000101T000000Z", ";COUNT=0", ";COUNT=-1", ";INTERVAL=999999999", ";INTERVAL=366", ";UNTIL=x",
)  # fmt: skip
_PARTS = (
    "", ";BYDAY=MO,WE", ";BYDAY=5FR", ";BYDAY=53SU", ";BYMONTHDAY=31", ";BYMONTH=2;BYMONTHDAY=30", ";BYHOUR=9,15",
    ";BYSETPOS=-1;BYDAY=MO", ";BYYEARDAY=366", ";BYWEEKNO=53", ";BYMINUTE=0", ";WKST=SU", ";BYDAY=",
)  # fmt: skip
RULES = tuple(
    f"FREQ={frequency}{part}{end}"
    for frequency in ("DAILY", "WEEKLY", "MONTHLY", "YEARLY", "HOURLY", "SECONDLY", "")
    for part in _PARTS
    for end in _ENDS
)
ADDRESSES = (
    "https://a.example/x",
    "http://[::1]/",
    "https://é.example",
    "https://a.example:99999/?q=%ff#x",
    "http://a/",
)
JUNK: tuple[Any, ...] = (
    None, True, False, {}, [], [None], [[]], {"a": {"b": []}}, "", " ", "\x00", "\ud800", "Walk", -1, -1e308, 10**400,
    121, 2**63, 999_999_999_999, 7, 0.5, "0001-01-01", "9999-12-31T23:59:59", "9999-12-31", "2026-02-29", "1899-12-31",
    "2026-08-12T24:00:00", "2026-08-12T10:00:00+23:59", "Atlantis/City", "Factory", "localtime", "http://[", "ftp://x/",
    "https://a.example/" + "y" * 3_000, "x" * 30_000, [1] * 1_001, {"": {}}, [["a"]], "P99999999999W",
)  # fmt: skip
_BY_PARSER: Mapping[str, tuple[Any, ...]] = {
    "parse_line": TEXTS, "parse_name": TEXTS, "parse_prose": TEXTS, "parse_description": TEXTS,
    "parse_key": tuple(f"k{number}" for number in range(9)), "parse_uuid": UUIDS, "parse_slug": ("a", "a-b", "x" * 200),
    "parse_url": ADDRESSES, "parse_boolean": (True, False), "parse_number": NUMBERS, "parse_whole": (0, 1, 10**9),
    "parse_age": (0, 3, 12, 120), "parse_year": (1900, 2026, 2200), "parse_confidence": (0, 0.4, 0.9, 1),
    "parse_latitude": (47.6, 90, -90, 0), "parse_longitude": (-122.3, 180, -180, 0), "parse_date": DAYS,
    "parse_local": LOCALS, "parse_instant": INSTANTS, "parse_instant_text": INSTANTS, "parse_clock": CLOCKS,
    "parse_timezone": ZONES, "parse_currency": ("USD", "usd", "XXX"),
}  # fmt: skip
_VALUES = {getattr(values, name): made for name, made in _BY_PARSER.items()}
# What stands together or not at all, and the lesser first.
_PAIRS = (("lat", "lng", False), ("min", "max", True))


def _find_values(leaf: Leaf) -> tuple[Any, ...]:
    """Return values for a member's kind; for a closed vocabulary its words, which its own refusal names."""
    if isinstance(leaf.parse, ItemsParser):
        return _find_values(Leaf(leaf.parse.parse, filters=leaf.filters))
    if leaf.parse in _VALUES:
        return _VALUES[leaf.parse]
    cells = [cell.cell_contents for cell in getattr(leaf.parse, "__closure__", None) or ()]
    if leaf.parse.__name__ == "parse_word":
        return next(tuple(cell) for cell in cells if isinstance(cell, tuple))
    inner = next(cell for cell in cells if callable(cell))
    return _find_values(Leaf(inner, filters=leaf.filters))


def _make_value(kind: Leaf | Table, random: Random, *, junk: float) -> Any:
    if random.random() < junk:
        return random.choice(JUNK)
    if isinstance(kind, Table):
        if kind.many:
            return [_make_object(kind.members, random, junk=junk) for _ in range(random.choice((0, 1, 1, 2, 30)))]
        return _make_object(kind.members, random, junk=junk)
    allowed = _find_values(kind)
    if isinstance(kind.parse, ItemsParser):
        return [random.choice(allowed) for _ in range(random.choice((0, 1, 2, 2, 5, 1_000)))]
    return random.choice(allowed)


def _make_object(members: Mapping[str, Leaf | Table], random: Random, *, junk: float) -> dict[str, Any]:
    share = random.choice((0.05, 0.3, 1))
    made = {name: _make_value(kind, random, junk=junk) for name, kind in members.items() if random.random() < share}
    if random.random() < junk:
        return made
    for low, high, are_ordered in _PAIRS:
        if (low in made) != (high in made) and not are_ordered:
            made.pop(low, made.pop(high, None))
        elif (
            low in made
            and high in made
            and are_ordered
            and all(type(made[value]) in (int, float) for value in (low, high))
        ):
            made[low], made[high] = sorted((made[low], made[high]))
    return made


def make_record(number: int, random: Random) -> dict[str, Any]:
    """A canonical record; what is needed of it is there, most often."""
    type_, junk = random.choice(tuple(MEMBERS)), random.choice((0, 0, 0.01, 0.1))
    record = _make_object(MEMBERS[type_], random, junk=junk)
    for name in ("deleted", "metro", "status"):
        if random.random() < 0.9:
            record.pop(name, None)
    if random.random() < 0.8:
        record.pop("id", None)
    if type_ == "event":
        record |= {"rrule": random.choice(RULES)} if random.random() < 0.5 else {}
        record |= {"starts_local": random.choice(LOCALS)} if random.random() < 0.8 else {}
    if random.random() >= junk:
        record |= {"source_id": f"{type_[0]}{number}", "name": random.choice(TEXTS)}
    return {**record, "type": type_ if random.random() >= junk else random.choice(JUNK)}


def write_lines(first: int, count: int, random: Random, *, metros: Sequence[str] = ()) -> bytes:
    """`metros`: of which each record names one, where the feed is of none."""
    records = [make_record(number, random) for number in range(first, first + count)]
    if metros:
        records = [{"metro": random.choice(metros), **record} for record in records]
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


_STAMPS = tuple(local.replace("-", "").replace(":", "") for local in LOCALS)
_MOMENTS: tuple[str, ...] = (
    *(f":{stamp}" for stamp in _STAMPS), *(f":{stamp}Z" for stamp in _STAMPS), *(f";VALUE=DATE:{day}" for day in (
        *(stamp[:8] for stamp in _STAMPS),)), *(f";TZID={zone}:{stamp}" for zone in ZONES for stamp in _STAMPS[::9]),
)  # fmt: skip
_LENGTHS = ("PT1H", "P1D", "P9999999D", "-PT1H", "PT0S", "P1W", "P99999999999W", "x", "PT1H30M")
# The properties of RFC 5545 and 7986 that a VEVENT may have, each with what follows its name.
PROPERTIES: Mapping[str, Callable[[Random], str]] = {
    **dict.fromkeys(
        ("DTSTART", "DTEND", "RECURRENCE-ID", "CREATED", "LAST-MODIFIED", "DTSTAMP"), lambda r: r.choice(_MOMENTS)
    ),
    **dict.fromkeys(
        ("RDATE", "EXDATE"), lambda r: ",".join((r.choice(_MOMENTS), *r.sample(_STAMPS, r.randrange(3))))
    ),
    **dict.fromkeys(("RRULE", "EXRULE"), lambda r: f":{r.choice(RULES)}"),
    "DURATION": lambda r: f":{r.choice(_LENGTHS)}",
    "GEO": lambda r: f":{r.choice(NUMBERS[:12])};{r.choice(NUMBERS[:12])}",
    **dict.fromkeys(("PRIORITY", "SEQUENCE", "PERCENT-COMPLETE"), lambda r: f":{r.choice(NUMBERS[:10])}"),
    "STATUS": lambda r: f":{r.choice(('CONFIRMED', 'CANCELLED', 'TENTATIVE', 'x'))}",
    "CLASS": lambda r: f":{r.choice(('PUBLIC', 'PRIVATE', 'x'))}",
    "UID": lambda r: f":u{r.randrange(60)}",
    **dict.fromkeys(("URL", "IMAGE", "ATTACH", "CONFERENCE"), lambda r: f":{r.choice(ADDRESSES)}"),
    **dict.fromkeys(
        ("SUMMARY", "DESCRIPTION", "X-ALT-DESC", "LOCATION", "CATEGORIES", "COMMENT", "CONTACT", "RESOURCES", "COLOR",
         "ORGANIZER", "ATTENDEE", "RELATED-TO", "REQUEST-STATUS", "TRANSP", "X-APPLE-STRUCTURED-LOCATION"),
        lambda r: f":{r.choice((*TEXTS, '', 'END:VEVENT'))}",
    ),
}  # fmt: skip


def write_calendar(count: int, random: Random) -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0"]
    for _ in range(count):
        share = random.choice((0.1, 0.3, 0.9))
        parts = {
            name: make(random) if random.random() < 0.98 else f":{random.choice(JUNK)}"
            for name, make in PROPERTIES.items()
            if random.random() < share
        }
        for name in ("RECURRENCE-ID", "EXRULE", "CLASS"):
            if random.random() < 0.7:
                parts.pop(name, None)
        parts |= {name: PROPERTIES[name](random) for name in ("UID", "DTSTART", "SUMMARY") if random.random() < 0.95}
        lines += ["BEGIN:VEVENT", *(_write_line(name, value) for name, value in parts.items()), "END:VEVENT"]
    return "\r\n".join([*lines, "END:VCALENDAR", ""]).encode("utf-8", "replace")


def _write_line(name: str, value: str) -> str:
    return f"{name}{value}".replace("\r", "").replace("\n", "\\n").replace("END:VEVENT", "END;VEVENT")


_WHEN = (*LOCALS, *INSTANTS, *DAYS)
_THING: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(("startDate", "endDate", "dateCreated", "dateModified", "previousStartDate", "validFrom"), _WHEN),
    **dict.fromkeys(("startTime", "endTime", "doorTime"), (*CLOCKS, *_WHEN[::40])),
    **dict.fromkeys(
        ("name", "headline", "description", "keywords", "genre", "about", "ageRange", "typicalAgeRange", "audience",
         "category", "inLanguage", "text"), (*TEXTS, "3-5", "5+", "-5", "99999999999999999999-1"),
    ),
    **dict.fromkeys(("url", "image", "sameAs", "photo"), ADDRESSES),
    "duration": (*_LENGTHS, "P9999Y", "P1Y2M"),
    "eventStatus": ("EventCancelled", "https://schema.org/EventPostponed", "EventScheduled", "EventMovedOnline"),
    "eventAttendanceMode": ("OnlineEventAttendanceMode", "x"),
    "isAccessibleForFree": (True, False, "true", 1),
    "remainingAttendeeCapacity": NUMBERS, "maximumAttendeeCapacity": NUMBERS,
}  # fmt: skip
_SCHEDULE: Mapping[str, tuple[Any, ...]] = {
    "repeatFrequency": ("P1D", "P7D", "P1W", "P2W", "P1M", "P1Y", "Daily", "weekly", "P999W", "P0D", "x"),
    "byDay": ("Monday", "https://schema.org/Friday", "MO", "2SA", ["TU", "TH"], 7), "byMonth": (1, 13, [2, 3]),
    "byMonthDay": (31, 0, -1, [1, 15]), "byMonthWeek": (1, -1, 5, 9), "repeatCount": (*NUMBERS[:6], 5),
    "exceptDate": (*_WHEN, [DAYS[2], LOCALS[20]]), "scheduleTimezone": ZONES, "startDate": _WHEN, "endDate": _WHEN,
    "startTime": CLOCKS, "endTime": CLOCKS, "duration": _LENGTHS,
}  # fmt: skip
_OFFER: Mapping[str, tuple[Any, ...]] = {
    "price": (*NUMBERS, "12,50 €", "free", *TEXTS[:5]), "lowPrice": NUMBERS, "highPrice": NUMBERS,
    "priceCurrency": ("USD", "x"), "availability": ("SoldOut", "https://schema.org/InStock"), "url": ADDRESSES,
}  # fmt: skip
_PLACE: Mapping[str, tuple[Any, ...]] = {
    "name": TEXTS,
    "address": (*TEXTS, {"streetAddress": "1 Pine St", "postalCode": 98101}, {"addressLocality": "x" * 2_000}),
    "geo": tuple(
        {"latitude": lat, "longitude": lng} for lat, lng in ((47.6, -122.3), ("x", 1e308), (91, 0), ("47.6", "-122"))
    ),
    "latitude": NUMBERS, "longitude": NUMBERS,
}  # fmt: skip
EVENT_TYPES = (
    "Event",
    "EventSeries",
    "Festival",
    "Course",
    "CourseInstance",
    "Museum",
    "Organization",
    "SessionSeries",
)


def _make_thing(members: Mapping[str, tuple[Any, ...]], share: float, random: Random) -> dict[str, Any]:
    return {
        name: random.choice(JUNK) if random.random() < 0.01 else random.choice(choices)
        for name, choices in members.items()
        if random.random() < share
    }


def make_node(number: int, random: Random) -> dict[str, Any]:
    """Make a schema.org node with any allowed member."""
    share = random.choice((0.1, 0.4, 0.9))
    node = _make_thing(_THING, share, random) | {"@type": random.choice(EVENT_TYPES)}
    for name, members, many in (
        ("eventSchedule", _SCHEDULE, True), ("courseSchedule", _SCHEDULE, True), ("offers", _OFFER, True),
        ("location", _PLACE, False), ("organizer", {"name": TEXTS, "@type": ("NGO", "Person")}, False),
        ("subEvent", _THING, True), ("superEvent", _THING, False), ("hasCourseInstance", _THING, True),
        ("openingHoursSpecification", {"dayOfWeek": _SCHEDULE["byDay"], "opens": CLOCKS, "closes": CLOCKS}, True),
    ):  # fmt: skip
        if random.random() < 0.3:
            made = [_make_thing(members, share, random) for _ in range(random.choice((1, 1, 2)) if many else 1)]
            node[name] = made if many and random.random() < 0.7 else made[0]
    node |= {"name": random.choice(TEXTS)} if random.random() < 0.95 else {}
    return node | ({"@id": f"https://a.example/{number}"} if random.random() < 0.9 else {})


def write_documents(first: int, count: int, random: Random) -> bytes:
    return json.dumps([make_node(number, random) for number in range(first, first + count)]).encode()


def make_item(number: int, random: Random) -> Any:
    """Make an RPDE item."""
    if random.random() < 0.03:
        return random.choice(JUNK)
    node = make_node(number, random)
    item = {
        "state": "updated" if random.random() < 0.95 else random.choice(("deleted", "gone", None)),
        "kind": random.choice(("SessionSeries", "ScheduledSession", "Event")), "id": number, "modified": number,
        "data": node if random.random() < 0.98 else random.choice(JUNK),
    }  # fmt: skip
    return {name: value for name, value in item.items() if random.random() < 0.99}


def write_page(first: int, count: int, following: str, random: Random) -> bytes:
    items = [make_item(number, random) for number in range(first, first + count)]
    return json.dumps({"next": following, "items": items}).encode()
