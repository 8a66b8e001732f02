"""iCalendar feeds: what a calendar says, whatever wrote it, is what the records say; the rest is named."""

import random
import re
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given
from hypothesis import strategies as st

from outings.release.store import open_store
from pipeline.building import build_release
from pipeline.clock import AsOf
from pipeline.dates.recurrence import expand_recurrence
from pipeline.executors.local import InlineExecutor
from pipeline.feed_task import read_feed
from pipeline.fetch.source import FeedError, SettingError
from pipeline.plan import Build
from pipeline.records.record import EventRecord
from tests.pipeline.dates.expanding import list_occurrences
from tests.pipeline.fetch.calendars import ODD_CALENDARS, Odd, event, read_raw, wrap
from tests.pipeline.fetch.instants import METRO_ZONE, ReadIcs, find_end, list_instants, read_event, show_instant
from tests.pipeline.fetch.settings import Configure


@pytest.mark.parametrize("odd", ODD_CALENDARS, ids=lambda odd: odd.title)
def test_an_odd_calendar_gives_the_right_instants_or_a_line_of_the_quarantine(read_ics: ReadIcs, odd: Odd) -> None:
    feed = read_ics(odd.body)
    expected = {name: [start.partition("/")[0] for start in starts] for name, starts in odd.starts.items()}
    assert {record.source_id: list_instants(record) for record in feed.records} == expected
    assert tuple(problem.source_id for problem in feed.problems if problem.quarantined) == odd.refused
    for record in feed.records:
        if (starts := odd.starts[record.source_id]) and (end := starts[0].partition("/")[2]):
            seconds = find_end(record)
            assert seconds is not None
            assert show_instant(seconds).endswith(end)


NAMED = wrap(event("DTSTART:20260811T090000", "DESCRIPTION:Café — «ici»"))


@pytest.mark.parametrize(
    "content",
    [
        NAMED.encode(), b"\xef\xbb\xbf" + NAMED.encode(), NAMED.encode("utf-16"), NAMED.encode("utf-16-le"),
        NAMED.encode("utf-16-be"), NAMED.encode("utf-32"), NAMED.encode("cp1252"), NAMED.replace("\r", "").encode(),
        NAMED.replace("\n", "").encode(), NAMED.replace("\r\n", "\r\r\n").encode(),
        NAMED.encode().replace("é".encode(), b"\xc3\r\n \xa9"), NAMED.replace("é", "é\r\n\t").encode(),
        b"\r\n \t \r\n  " + NAMED.encode(), b"\n\xef\xbb\xbf" + NAMED.encode(),
    ],
    ids=[
        "utf-8", "bom", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "windows", "lf", "cr", "crcrlf", "cut", "tab",
        "blanks before it", "a bom in the second line",
    ],
)  # fmt: skip
def test_any_encoding_and_any_line_end_is_read(read_ics: ReadIcs, content: bytes) -> None:
    record = read_event(read_ics(content))
    assert record.description == "Café — «ici»"
    assert record.starts_local == datetime(2026, 8, 11, 9)


def test_what_an_event_says_becomes_the_members_of_a_record(read_ics: ReadIcs) -> None:
    feed = read_ics(
        event(
            "DTSTART:20260811T090000", r"DESCRIPTION;LANGUAGE=en:Bring a mat\, please\nand a \\cup\; <b>thanks</b>",
            r"LOCATION:Central Library\n1000 Fourth Ave\, Seattle", "GEO:47.6067;-122.3325",
            "URL;VALUE=URI:https://example.org/e?a=1,2;3", "CATEGORIES:Free",
            r"CATEGORIES:Nature Outdoors,Kids\, small",
            "ATTACH;FMTTYPE=application/pdf:https://example.org/a.pdf",
            "ATTACH;FMTTYPE=image/jpeg:https://example.org/a.jpg", "CREATED:20260101T000000Z",
            "LAST-MODIFIED:20260601T120000Z", "DTSTAMP:20260811T000000Z", "X-ANYTHING;A=\"b:c\":d",
        )
    )  # fmt: skip
    assert feed.problems == ()
    record = read_event(feed)
    assert record.name == "Story time"
    assert record.description == "Bring a mat, please\nand a \\cup; thanks"
    assert record.location is not None
    assert (record.location.address, record.location.lat, record.location.lng) == (
        "Central Library 1000 Fourth Ave, Seattle", 47.6067, -122.3325,
    )  # fmt: skip
    assert record.source.url == "https://example.org/e?a=1,2;3"
    assert (record.categories, record.keywords) == (("nature_outdoors",), ("Free", "Kids, small"))
    assert record.image_url == "https://example.org/a.jpg"
    assert record.created_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert record.verified_at == datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_what_apple_says_of_the_place_stands_in_where_nothing_else_does(read_ics: ReadIcs) -> None:
    line = 'X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS="1 Main St";X-TITLE="Park":geo:47.61,-122.33'
    location = read_event(read_ics(event("DTSTART:20260811T090000", "GEO:0;0", line))).location
    assert location is not None
    assert (location.address, location.lat, location.lng) == ("Park, 1 Main St", 47.61, -122.33)


PRIVATE = ("DTSTART:20260801T090000", "RRULE:FREQ=DAILY;COUNT=3", "LOCATION:At home", "CLASS:PRIVATE")
CANCELLED = (*PRIVATE[:2], "STATUS:CANCELLED")


@pytest.mark.parametrize(
    ("line", "status", "reason"),
    [
        ("STATUS:CONFIRMED", "published", None), ("STATUS:TENTATIVE", "published", None),
        ("STATUS:CANCELLED", "archived", "cancelled"), ("STATUS:canceled", "archived", "cancelled"),
        ("CLASS:PUBLIC", "published", None), ("CLASS:PRIVATE", "draft", None), ("CLASS:CONFIDENTIAL", "draft", None),
        ("CLASS:X-PERSONAL", "draft", None), ("CLASS:", "published", None), ("CLASS:Default", "published", None),
    ],
)  # fmt: skip
def test_a_status_says_whether_it_is_published(read_ics: ReadIcs, line: str, status: str, reason: str | None) -> None:
    record = read_event(read_ics(event("DTSTART:20260811T090000", line)))
    assert (record.status, record.reason) == (status, reason)


def test_a_calendar_that_cancels_cancels_all_of_it_that_is_not_private(read_ics: ReadIcs) -> None:
    feed = read_ics("METHOD:CANCEL\n" + event("DTSTART:20260811T090000") + "\n" + event(*PRIVATE, uid="p"))
    assert [(record.status, record.reason) for record in feed.records] == [("archived", "cancelled"), ("draft", None)]


def test_a_cancelled_date_leaves_its_series_and_says_what_the_series_says(read_ics: ReadIcs) -> None:
    date_ = "BEGIN:VEVENT\nUID:u\nDTSTART:20260802T090000\nRECURRENCE-ID:20260802T090000\nSTATUS:CANCELLED\nEND:VEVENT"
    feed = read_ics(event("DTSTART:20260801T090000", "RRULE:FREQ=DAILY;COUNT=3", "LOCATION:Park") + "\n" + date_)
    series, cancelled = feed.records
    assert list_instants(series) == ["08-01 16:00", "08-03 16:00"]
    assert (cancelled.source_id, cancelled.name, cancelled.status) == ("u/20260802T090000", "Story time", "archived")


@pytest.mark.parametrize(
    ("series", "changed", "status"),
    [
        (PRIVATE, (), "draft"), (PRIVATE, ("STATUS:CONFIRMED",), "draft"), (PRIVATE, ("CLASS:PUBLIC",), "published"),
        (PRIVATE, ("STATUS:CANCELLED",), "draft"), (CANCELLED, (), "archived"),
        (CANCELLED, ("CLASS:PUBLIC",), "archived"), (CANCELLED, ("STATUS:CONFIRMED",), "published"),
        (("DTSTART:soon", "CLASS:PRIVATE"), (), "draft"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("replaced", ["RECURRENCE-ID", "RECURRENCE-ID;RANGE=THISANDFUTURE"])
def test_a_changed_date_is_as_private_and_as_cancelled_as_its_series_unless_it_says_otherwise(
    read_ics: ReadIcs, series: tuple[str, ...], changed: tuple[str, ...], status: str, replaced: str
) -> None:
    body = event(*series) + "\n" + event("DTSTART:20260802T140000", f"{replaced}:20260802T090000", *changed)
    record = read_ics(body).records[-1]
    assert (record.source_id, record.status) == ("u/20260802T090000", status)


def test_a_changed_date_elsewhere_is_not_at_the_point_of_its_series(read_ics: ReadIcs) -> None:
    series = event(*PRIVATE[:2], "LOCATION:Park", "GEO:47.6;-122.3", "CATEGORIES:Free", "URL:https://example.org/")
    moved = event("DTSTART:20260802T140000", "RECURRENCE-ID:20260802T090000", "LOCATION:Hall")
    record = read_ics(series + "\n" + moved).records[1]
    assert isinstance(record, EventRecord)
    assert record.location is not None
    assert (record.location.address, record.location.lat) == ("Hall", None)
    assert (record.keywords, record.source.url) == (("Free",), "https://example.org/")


def test_an_event_without_uid_is_known_by_what_it_says(read_ics: ReadIcs) -> None:
    body = event("DTSTART:20260811T090000").replace("UID:u\n", "")
    first = read_ics(body).records[0].source_id
    assert first.startswith("without-uid-")
    assert read_ics(body.replace("END:VEVENT", "DESCRIPTION:x\nEND:VEVENT")).records[0].source_id == first
    assert read_ics(body.replace("0811", "0812")).records[0].source_id != first


def test_the_calendar_overrides_defaults(read_ics: ReadIcs) -> None:
    settings = 'metro = "seattle"\ndefaults = { organization = { name = "Parks" }, categories = ["nature_outdoors"] }'
    record = read_event(read_ics(event("DTSTART:20260811T090000"), settings))
    assert record.organization is not None
    assert (record.organization.name, record.categories) == ("Parks", ("nature_outdoors",))


def test_a_delta_of_a_calendar_is_read_as_any_other(read_ics: ReadIcs) -> None:
    feed = read_ics(event("DTSTART:20260811T090000", "STATUS:CANCELLED"), 'metro = "seattle"\nmode = "delta"')
    assert read_event(feed).status == "archived"


def test_an_event_without_a_name_says_so_unless_the_feed_has_one(read_ics: ReadIcs) -> None:
    body = event("DTSTART:20260811T090000").replace("SUMMARY:Story time\n", "SUMMARY: \n")
    (problem,) = read_ics(body).problems
    assert (problem.source_id, problem.reason) == ("u", "missing: expected SUMMARY")
    assert read_event(read_ics(body, 'metro = "seattle"\ndefaults = { name = "Room booked" }')).name == "Room booked"


def test_a_calendar_says_no_metro_so_its_feed_must(read_ics: ReadIcs) -> None:
    with pytest.raises(SettingError, match="metro: is missing"):
        read_ics(event("DTSTART:20260811T090000"), "")
    read = read_ics(event("DTSTART:20260811T090000"), 'defaults = { metro = "sea" }')
    assert read.records[0].metro == "seattle"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no BEGIN:VCALENDAR"), (b"Not found", "no BEGIN:VCALENDAR"),
        (wrap(event("DTSTART:20260811T090000")).encode()[:90], "cut short"),
        (wrap("").encode().replace(b"END:VCALENDAR", b""), "cut short"),
    ],
)  # fmt: skip
def test_half_a_calendar_is_none(read_ics: ReadIcs, content: bytes, message: str) -> None:
    with pytest.raises(FeedError, match=message):
        read_ics(content)


def test_a_calendar_without_events_is_an_empty_feed(read_ics: ReadIcs) -> None:
    assert read_ics("").read == 0


def test_a_problem_names_the_file_and_the_line_where_its_event_begins(configure: Configure, tmp_path: Path) -> None:
    (tmp_path / "a.ics").write_bytes(wrap(event("DTSTART:20260811T090000", uid="a")).encode("utf-16"))
    (tmp_path / "b.ics").write_bytes(wrap("X-WR-CALNAME:B\n" + event("DTSTART:soon", uid="b")).encode())
    configuration = configure('format = "ics"\nurl = "*.ics"\nmetro = "seattle"')
    (problem,) = read_feed(configuration.feeds[0], configuration).problems
    assert (problem.file, problem.line, problem.source_id, problem.value) == ("b.ics", 4, "b", "DTSTART:soon")


ZONES = ("America/Los_Angeles", "America/New_York", "Europe/London", "UTC")
RULES = (
    "FREQ=DAILY;COUNT=9", "FREQ=WEEKLY;COUNT=8;BYDAY=MO,SA", "FREQ=MONTHLY;COUNT=5;BYDAY=2TU",
    "FREQ=WEEKLY;INTERVAL=2;COUNT=6", "FREQ=DAILY;INTERVAL=3;UNTIL=20261130T120000Z",
    "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4",
)  # fmt: skip


@given(
    zone=st.sampled_from(ZONES),
    # No hour that clocks skip or show twice: there our own rulings hold, which the table of odd calendars shows.
    start=st.datetimes(datetime(2026, 2, 1), datetime(2026, 11, 10)).map(
        lambda entry: entry.replace(hour=4 + entry.hour % 18, second=0, microsecond=0)
    ),
    rule=st.sampled_from(RULES),
    skipped=st.sets(st.integers(0, 8), max_size=3),
)
def test_a_series_has_the_instants_that_dateutil_finds(
    zone: str, start: datetime, rule: str, skipped: set[int]
) -> None:
    first = rrulestr(rule, dtstart=start.replace(tzinfo=ZoneInfo(zone)))[0]
    # In the metro, by whose clock a series in UTC goes on, these hours are there twice or not at all.
    assume(zone != "UTC" or first.astimezone(ZoneInfo(METRO_ZONE)).hour not in (1, 2))
    every = list(rrulestr(rule, dtstart=first))
    gone = [value for number, value in enumerate(every) if number in skipped]
    mark, suffix = ("", "Z") if zone == "UTC" else (f";TZID={zone}", "")
    excluded = [f"EXDATE{mark}:{value:%Y%m%dT%H%M%S}{suffix}" for value in gone]
    body = event(f"DTSTART{mark}:{first:%Y%m%dT%H%M%S}{suffix}", f"RRULE:{rule}", *excluded)
    (raw,) = read_raw(wrap(body).encode(), METRO_ZONE)
    assert raw.reason is None
    expected = [value for value in every if value not in gone]
    if zone == "UTC":
        there = first.astimezone(ZoneInfo(METRO_ZONE))
        shift = there.replace(tzinfo=None) - first.replace(tzinfo=None)
        expected = [(entry.replace(tzinfo=None) + shift).replace(tzinfo=there.tzinfo) for entry in expected]
    assert list_value_instants(raw.value) == [entry.timestamp() for entry in expected]


def list_value_instants(value: object) -> list[float]:
    assert isinstance(value, dict)
    times = {name: tuple(map(datetime.fromisoformat, value.get(name, ()))) for name in ("exdates", "rdates")}
    expansion = expand_recurrence(
        starts_local=datetime.fromisoformat(value["starts_local"]), ends_local=None, has_time=True,
        rrule=value.get("rrule"), timezone=value["timezone"], horizon=(date(2026, 1, 1), date(2027, 12, 31)), **times,
    )  # fmt: skip
    return [float(occurrence.starts_at) for occurrence in list_occurrences(expansion)]


_BEGUN = re.compile(
    rb"^BEGIN(;[^:\n]*)?:[ \t\f\v\x1c-\x1f\xa0]*VEVENT[ \t\f\v\x1c-\x1f\xa0]*$", re.MULTILINE | re.IGNORECASE
)


def test_whatever_the_bytes_each_event_is_counted_once(read_ics: ReadIcs, cases: int) -> None:
    # A period is a record of its own.
    odds = [odd for odd in ODD_CALENDARS if "PERIOD" not in odd.body]
    bodies = [odd.body.replace("UID:u", f"UID:u{number}") for number, odd in enumerate(odds)]
    content = wrap("\n".join(bodies)).encode()
    chance = random.Random(20261121)
    refusals = []
    for _ in range(cases):
        mutated = mutate(content, chance)
        lines = re.sub(rb"\n+", b"\n", re.sub(rb"\r\n?", b"\n", mutated))
        try:
            feed = read_ics(mutated)
        except FeedError as error:
            refusals.append(str(error))
        else:
            assert feed.read == len(_BEGUN.findall(re.sub(rb"\n[ \t]", b"", lines)))
    assert len(refusals) <= cases // 2
    assert all("VCALENDAR" in refusal for refusal in refusals)


def mutate(content: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, cut out or put in."""
    mutated = bytearray(content)
    for _ in range(chance.randint(1, 40)):
        place = chance.randrange(len(mutated))
        action = chance.randrange(4)
        if action == 0:
            mutated[place] = chance.randrange(256)
        elif action == 1:
            del mutated[place : place + chance.randint(1, 30)]
        elif action == 2:
            mutated[place:place] = bytes(chance.choices(b'\r\n :;,="\\TZ0189\x00\xff', k=chance.randint(1, 6)))
        else:
            mutated[place:place] = mutated[place : place + chance.randint(1, 200)]
    return bytes(mutated)


@pytest.mark.long
def test_a_calendar_is_built_and_the_last_good_version_of_an_event_stays(configure: Configure, tmp_path: Path) -> None:
    configuration = configure('format = "ics"\nurl = "feed.ics"\nmetro = "seattle"')
    store = open_store(configuration.store.url)
    series = event("DTSTART:20260801T090000", "RRULE:FREQ=DAILY;COUNT=3", uid="s") + "\n"
    built = []
    for day, lines in (
        (10, ("DTSTART:20260811T090000",)),
        (11, ("DTSTART:soon",)),
        (12, ("DTSTART:20260811T090000", "STATUS:CANCELLED")),
    ):
        (tmp_path / "feed.ics").write_text(wrap(series + event(*lines)))
        request = Build(configuration=configuration, as_of=AsOf(day=date(2026, 8, day)))
        built.append(build_release(request, store=store, executor=InlineExecutor()))
    assert [build.changes for build in built] == [{"created": 2}, {}, {"removed": 1}]
    assert [build.feeds[0].memory.quarantined for build in built] == [0, 1, 0]


EXTREME = [
    event("DTSTART:20260811T090000", f"RRULE:FREQ={frequency};{end}", uid=f"{frequency} {end}")
    for frequency in ("DAILY", "YEARLY")
    for end in (
        "UNTIL=99991231T235959Z", "UNTIL=99991231", "UNTIL=00010101T000000Z", "UNTIL=00010101", "COUNT=999999999",
        "INTERVAL=999999999", "COUNT=999999999;INTERVAL=999999999",
    )
] + [
    event("DTSTART:20260811T090000Z", "RRULE:FREQ=DAILY;UNTIL=99991231T235959Z", uid="utc, for ever"),
    event("DTSTART:20260811T090000Z", "RRULE:FREQ=DAILY;UNTIL=00010101T000000Z", uid="utc, over"),
    event("DTSTART:19000101T000000", "RRULE:FREQ=DAILY", uid="since 1900"),
    event("DTSTART:22001231T235959", "RRULE:FREQ=DAILY", uid="from 2200"),
    event("DTSTART:19000101T000000", "DTEND:22001231T235959", uid="three centuries"),
    event("DTSTART:20260801T000000", "DTEND:22001231T235959", "RRULE:FREQ=DAILY", uid="two centuries a day"),
    event("DTSTART;VALUE=DATE:19000101", "DTEND;VALUE=DATE:22001231", uid="days of three centuries"),
]  # fmt: skip


@pytest.mark.slow("series of three centuries, day by day")
def test_no_time_however_far_stops_a_build(configure: Configure, tmp_path: Path) -> None:
    """East of Greenwich, where the last second of the year 9999 is none; `tests/pipeline/dates/` has the west."""
    configuration = configure('format = "ics"\nurl = "feed.ics"\nmetro = "seattle"')
    metros = tuple(msgspec.structs.replace(metro, timezone="Europe/Madrid") for metro in configuration.metros)
    configuration = msgspec.structs.replace(configuration, metros=metros)
    (tmp_path / "feed.ics").write_text(wrap("\n".join(EXTREME)))
    request = Build(configuration=configuration, as_of=AsOf(day=date(2026, 8, 11)))
    (feed,) = build_release(request, store=open_store(configuration.store.url), executor=InlineExecutor()).feeds
    assert (feed.memory.read, feed.memory.quarantined) == (len(EXTREME), 0)
