"""Broken feeds of every format: nothing crashes on one, and the sums add up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from outings.configuration import Configuration, FeedTable, read_configuration
from pipeline.clean.feed_read import FeedRead
from pipeline.clean.reading import read_source
from pipeline.feed_task import read_feed
from pipeline.fetch.source import FeedError, FeedSource, SettingError, look_at
from tests.pipeline.city import make_event, make_place
from tests.pipeline.fetch.documents import ADDRESS, event, page
from tests.settings import format_metro

SERIES = event(
    eventSchedule={"startDate": "2026-08-10", "byDay": "Tuesday", "repeatFrequency": "P1W"},
    location={"@type": "Place", "name": "Hall", "address": ADDRESS, "geo": {"latitude": "47.6", "longitude": -122.3}},
    offers=[{"price": "12,50 €"}, {"lowPrice": 5}], typicalAgeRange="3-5", organizer={"@type": "NGO", "name": "Club"},
)  # fmt: skip
ITEM = {"state": "updated", "kind": "SessionSeries", "id": "a", "modified": 1, "data": SERIES}
GONE = {"state": "deleted", "kind": "SessionSeries", "id": "b", "modified": 2}
CALENDAR = "\r\n".join(
    [
        "BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:a", "SUMMARY:Walk", "DTSTART;TZID=America/Denver:20260812T100000",
        "RRULE:FREQ=WEEKLY;BYDAY=WE", "EXDATE:20260819T100000", "GEO:47.6;-122.3", "END:VEVENT", "BEGIN:VEVENT",
        "UID:a", "RECURRENCE-ID:20260826T090000", "DTSTART:20260826T110000", "END:VEVENT", "END:VCALENDAR", "",
    ]
).encode()  # fmt: skip
RECORDS = b"".join(json.dumps(value).encode() + b"\n" for value in (make_event("a"), make_place("b"), make_event("a")))
GOOD = {
    "ndjson": ("feed.ndjson", RECORDS),
    "table": ("feed.csv", b'a,b\n1,"x, y"\n2,z\n'),
    "ics": ("feed.ics", CALENDAR),
    "jsonld": ("feed.html", page(json.dumps([SERIES, {"@type": "Museum", "name": "M"}]), json.dumps(SERIES))),
    "rpde": ("feed.json", b"\n".join(json.dumps(value).encode() for value in (ITEM, GONE, ITEM))),
}
OTHER = {
    "table": 'select = "feed.sql"',
    "rpde": 'mode = "delta"',
}

Open = Callable[[str, bytes], FeedRead]


def configure(folder: Path, format_: str) -> tuple[FeedTable, Configuration]:
    name = "http://127.0.0.1:1/" if format_ == "rpde" else GOOD[format_][0]
    (folder / "feed.sql").write_text("SELECT 'event' AS type, a AS source_id, b AS name FROM feed")
    feed = f'[[feeds]]\nname = "spl"\nmetro = "seattle"\nformat = "{format_}"\nurl = "{name}"\n'
    (folder / "outings.toml").write_text(format_metro("seattle") + feed + OTHER.get(format_, ""))
    configuration = read_configuration(folder / "outings.toml", {})
    return configuration.feeds[0], configuration


@pytest.fixture(scope="module")
def read_any(tmp_path_factory: pytest.TempPathFactory) -> Open:
    """Reads bytes as a feed of the format; an RPDE feed's are the items that a walk wrote."""
    configured = {}
    for format_ in GOOD:
        folder = tmp_path_factory.mktemp(format_)
        configured[format_] = (folder, *configure(folder, format_))

    def read(format_: str, content: bytes) -> FeedRead:
        folder, feed, configuration = configured[format_]
        path = folder / GOOD[format_][0]
        path.write_bytes(content)
        if format_ != "rpde":
            return read_feed(feed, configuration)
        return read_source(
            feed, configuration, FeedSource(hash="", question="", files=(look_at(feed, path.name, path),))
        )

    return read


def check_sums(read: FeedRead) -> None:
    assert read.read == len(read.records) + read.merged + read.quarantined
    assert read.quarantined == sum(problem.quarantined for problem in read.problems)


@pytest.mark.parametrize("format_", GOOD)
def test_what_is_whole_is_read(read_any: Open, format_: str) -> None:
    read = read_any(format_, GOOD[format_][1])
    assert (read.problems, len(read.records) > 0) == ((), True)
    check_sums(read)


ERROR_PAGE = "<!DOCTYPE html>\n<html><head><title>503 Busy</title></head>\n" + "<p>Sorry.</p>\n" * 60 + "</html>\n"


@pytest.mark.parametrize(
    "content",
    [ERROR_PAGE.encode(), b"\xef\xbb\xbf\n " + ERROR_PAGE.encode(), ERROR_PAGE.encode("utf-16")],
    ids=["as it is", "behind a mark and blanks", "UTF-16"],
)
@pytest.mark.parametrize("name", ["ndjson", "ics", "table", "feed.json", "feed.geojson", "feed.xlsx", "feed.db"])
def test_a_web_page_in_place_of_a_feed_is_an_error_that_says_so(tmp_path: Path, name: str, content: bytes) -> None:
    format_, file = ("table", name) if "." in name else (name, GOOD[name][0])
    feed, configuration = configure(tmp_path, format_)
    feed = structs.replace(feed, url=file)
    (tmp_path / file).write_bytes(content)
    with pytest.raises(FeedError) as raised:
        read_feed(feed, configuration)
    assert str(raised.value).startswith(f"feed spl: {file}: is a web page (its title: “503 Busy”)")


_SIGNS = st.one_of(
    st.binary(max_size=4),
    st.sampled_from(
        [
            b'"', b"\\", b"{", b"}", b"[", b",", b":", b"<", b"\n", b"\r", b"\x00", b"\xff\xfe", b"\xed\xa0\x80",
            b"-->", b"&quot;", b"</script>", b"BEGIN:VEVENT\r\n", b"9" * 40, b"null", b"1e999", b"\\ud800",
        ]
    ),
)  # fmt: skip
# Where, how much is taken out there, and what is put in its stead.
_WOUNDS = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from([0, 0, 1, 2, 7, 60, 5_000]), _SIGNS), min_size=1, max_size=6
)


def wound(content: bytes, wounds: list[tuple[float, int, bytes]]) -> bytes:
    for share, length, sign in wounds:
        place = int(share * len(content))
        content = content[:place] + sign + content[place + length :]
    return content


@pytest.mark.parametrize("format_", GOOD)
@given(wounds=_WOUNDS)
def test_broken_bytes_are_reported_and_the_sums_add_up(
    read_any: Open, format_: str, wounds: list[tuple[float, int, bytes]]
) -> None:
    content = wound(GOOD[format_][1], wounds)
    prefix = "feed spl: "
    try:
        check_sums(read_any(format_, content))
    except (FeedError, SettingError) as error:
        prefix = str(error)
    assert prefix.startswith("feed spl: ")


_NAMES = st.sampled_from(
    [
        "@id", "@type", "@graph", "@value", "@list", "@language", "id", "type", "identifier", "name", "url", "image",
        "description", "startDate", "endDate", "startTime", "endTime", "duration", "eventSchedule", "byDay", "byMonth",
        "byMonthDay", "byMonthWeek", "repeatFrequency", "repeatCount", "exceptDate", "scheduleTimezone", "subEvent",
        "superEvent", "eventStatus", "location", "address", "streetAddress", "addressRegion", "postalCode", "geo",
        "latitude", "longitude", "organizer", "provider", "offers", "price", "lowPrice", "priceSpecification",
        "priceCurrency", "availability", "typicalAgeRange", "ageRange", "minValue", "audience", "suggestedMinAge",
        "keywords", "about", "activity", "openingHoursSpecification", "openingHours", "dayOfWeek", "opens", "closes",
        "validFrom", "hasCourseInstance", "courseSchedule", "instanceOfCourse", "remainingAttendeeCapacity",
        "itemListElement", "item", "mainEntity", "event", "dateModified", "isAccessibleForFree", "eventAttendanceMode",
    ]
)  # fmt: skip
_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**30), st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(
        [
            "Event", "http://schema.org/EventSeries", "Course", "CourseInstance", "Place", "Museum", "Organization",
            "VirtualLocation", "#a", "#b", "_:b", "https://a.example/", "//x", "http://[", "2026-08-12", "0001-01-01",
            "2026-08-12T24:00", "9999-12-31T23:59:59-23:59", "2026-11-01T08:30:00Z", "PT1H", "P9999W", "P1W", "P0D",
            "Daily", "Mo-Su 00:00-24:00", "Monday", "2MO", "10:30", "25:61", "12 am", "$1,2,3.4", "1" * 400, "-5", "3-",
            "99-1", "EventCancelled", "SoldOut", "America/New_York", "\ud800",
        ]
    ),
)  # fmt: skip
_TREES = st.recursive(
    _VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=6), max_leaves=25
)


@given(trees=st.lists(st.dictionaries(_NAMES, _TREES, max_size=12), max_size=3), kinds=st.lists(_VALUES, max_size=3))
def test_whatever_stands_where_in_json_ld_it_is_reported_and_the_sums_add_up(
    read_any: Open, trees: list[dict[str, Any]], kinds: list[Any]
) -> None:
    nodes = [{**tree, "@type": kind} for tree, kind in zip(trees, [*kinds, *["Event"] * 3], strict=False)]
    content = json.dumps(nodes).encode()
    read = read_any("jsonld", content)
    check_sums(read)
    items = [{"state": "updated", "kind": "e", "id": number, "data": node} for number, node in enumerate(nodes)]
    check_sums(read_any("rpde", b"\n".join(json.dumps(item).encode() for item in items)))
