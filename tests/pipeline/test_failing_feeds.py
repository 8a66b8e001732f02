"""A feed fails alone: its last good version stays, however long, and whoever reads the report knows its age."""

from collections.abc import Callable
from pathlib import Path

import pytest

from outings.failures import GuardRefusal
from outings.release.store import object_name
from pipeline.clean.record_report import count_feed, describe_kept, format_report, make_report
from pipeline.feed_failures import ExpectationRefusal
from pipeline.fetch.source import FeedError, SelectError
from pipeline.resolve.shrink_guard import ShrinkRefusal
from tests.pipeline.city import City, make_event, make_place


@pytest.fixture
def city(tmp_path: Path) -> City:
    """Two feeds, of which one is always well."""
    city = City(tmp_path)
    city.write([make_event("other")], feed="other")
    city.write([make_event(name) for name in "abcd"])
    return city


def list_names(city: City, day: str = "2026-08-11") -> list[str]:
    return sorted(item["name"] for item in city.ask("/v1/seattle/events", day=day)["data"])


SELECT = "SELECT 'event' AS type, id AS source_id,"
ALL = ["Event a", "Event b", "Event c", "Event d", "Event other"]


def break_off(city: City) -> None:
    (city.folder / "samples.ndjson").unlink()


def be_half(city: City) -> None:
    (city.folder / "samples.ndjson").write_bytes(b"<html>Sorry, we will be back soon.</html>")


def shrink(city: City) -> None:
    city.write([make_event("a")])


def miss(city: City) -> None:
    city.settings["samples"] = 'expect = { rows = ">= 4", otherwise = "stop" }\nmax_shrink = 1'
    city.write([make_event("a")])


FAILURES: dict[str, tuple[Callable[[City], None], str]] = {
    "gone": (break_off, "feed samples: samples.ndjson: can't be read"),
    "another file": (be_half, "feed samples: samples.ndjson: is a web page"),
    "shrunk": (shrink, "feed samples: 3 of its 4 listings would leave"),
    "an expectation": (miss, "feed samples: expect: rows = '>= 4', and there are 1"),
}


# A feed of changes does not shrink.
@pytest.mark.parametrize(
    ("mode", "failure"),
    [(mode, name) for mode in ("full", "delta") for name in FAILURES if (mode, name) != ("delta", "shrunk")],
)
def test_a_feed_that_fails_keeps_its_version_and_the_rest_is_published(city: City, mode: str, failure: str) -> None:
    fail, reason = FAILURES[failure]
    if mode == "delta":
        city.write([make_event(name) for name in "abcd"], mode=mode)
    city.build()
    fail(city)
    city.write([make_event("other", name="Event new")], feed="other")
    built = city.build("2026-08-11")
    assert list_names(city) == [*ALL[:4], "Event new"]
    (memory,) = (feed.memory for feed in built.feeds if feed.feed == "samples")
    assert memory.failure is not None
    assert memory.failure.startswith(reason)
    assert (memory.read, memory.listings) == (4, 4)
    report = format_report(make_report([count_feed("samples", memory)], [], {}))
    assert report == "samples  4 read = 4 listings (last good version)"


@pytest.mark.parametrize(
    ("fail", "error"), [(break_off, FeedError), (shrink, ShrinkRefusal), (miss, ExpectationRefusal)]
)
def test_a_feed_that_stops_the_build_publishes_nothing(
    city: City, fail: Callable[[City], None], error: type[Exception]
) -> None:
    city.build()
    before = city.current.id
    fail(city)
    city.settings["samples"] = city.settings.get("samples", "") + '\non_error = "stop"'
    with pytest.raises(error, match="feed samples"):
        city.build("2026-08-11")
    assert city.current.id == before
    assert issubclass(error, GuardRefusal) == (error is not FeedError)


def test_a_feed_that_was_never_read_is_left_out_until_it_can_be(city: City) -> None:
    break_off(city)
    built = city.build()
    assert list_names(city) == ["Event other"]
    (count,) = (count_feed(feed.feed, feed.memory) for feed in built.feeds if feed.feed == "samples")
    assert describe_kept(count).endswith("it has no earlier version, so nothing of it is published")
    city.write([make_event("a")])
    city.build()
    assert list_names(city) == ["Event a", "Event other"]


def test_where_no_feed_was_ever_read_nothing_is_published(city: City) -> None:
    city.forget("other")
    break_off(city)
    with pytest.raises(FeedError, match="can't be read"):
        city.build()


def test_a_select_that_its_source_outgrew_is_a_failure_and_one_that_was_edited_stops(city: City) -> None:
    (city.folder / "own.sql").write_text(f"{SELECT} title AS name, starts AS starts_local FROM feed")
    city.formats["samples"], city.settings["samples"] = "table", 'select = "own.sql"'
    city.write([{"id": "a", "title": "Event a", "starts": "2026-08-12T10:00:00"}])
    city.build()
    city.write([{"id": "a", "heading": "Event a", "starts": "2026-08-12T10:00:00"}])
    built = city.build("2026-08-11")
    assert any("title" in (feed.memory.failure or "") for feed in built.feeds)
    assert list_names(city) == ["Event a", "Event other"]
    (city.folder / "own.sql").write_text(f"{SELECT} titel AS name FROM feed")
    with pytest.raises(SelectError, match="titel"):
        city.build("2026-08-12")


def test_a_version_stays_though_its_stored_records_are_lost(city: City) -> None:
    city.write([make_place("hall", slug="hall"), *(make_event(name, place={"source_id": "hall"}) for name in "ab")])
    city.build()
    records = city.current.root.feeds["samples"].records
    assert records is not None
    (city.folder / "var/store" / object_name(records)).unlink()
    break_off(city)
    city.build("2026-08-11")
    assert list_names(city) == ["Event a", "Event b", "Event other"]
    (place,) = city.ask("/v1/seattle/places", day="2026-08-11")["data"]
    assert place["name"] == "Place hall"


def test_a_kept_version_s_series_go_on(city: City) -> None:
    city.write([make_event("weekly", rrule="FREQ=WEEKLY")])
    city.build()
    break_off(city)
    city.build("2027-11-01")
    dates = city.ask("/v1/seattle/events?occurrences=expand&from=2028-01-01&to=2028-01-31", day="2027-11-01")["data"]
    assert len(dates) == 4


@pytest.mark.parametrize(
    ("expect", "missed"),
    [
        ('rows = "<= 3"', ["rows = '<= 3', and there are 4"]),
        ('rows = ">= 4", unique = "id", not_null = ["name", "starts"]', []),
        ('unique = "name"', ["unique = 'name', and 1 values come more than once, as Event same (2 times)"]),
        ('not_null = ["description", "price.min"]', ["not_null = 'price.min', and 3 of 4 have none"]),
        ('fresh = "7d"', ["fresh = '7d', and the newest is of 2026-07-30 08:00 UTC"]),
        ('fresh = "2w"', []),
    ],
)
def test_what_is_expected_of_a_feed_is_compared_and_reported(city: City, expect: str, missed: list[str]) -> None:
    source = {"crawled_at": "2026-07-30T08:00:00Z"}
    names = [("a", None), ("b", None), ("same", None), ("same", {"min": 5})]
    city.write(
        make_event(str(number), name=f"Event {name}", source=source, price=price)
        for number, (name, price) in enumerate(names)
    )
    city.settings["samples"] = f"expect = {{ {expect} }}"
    for _ in range(2):  # also of a feed that did not change
        (memory,) = (feed.memory for feed in city.build().feeds if feed.feed == "samples")
        assert (list(memory.missed), memory.failure) == (missed, None)


def test_a_feed_that_grew_too_old_is_refused_again_and_again_the_same_day(city: City) -> None:
    source = {"crawled_at": "2026-08-09T08:00:00Z"}
    city.write([make_event("a", source=source)])
    city.settings["samples"] = 'expect = { fresh = "2d", otherwise = "stop" }'
    assert [feed.memory.failure for feed in city.build().feeds] == [None, None]
    for _ in range(2):
        failures = [feed.memory.failure for feed in city.build("2026-08-13").feeds if feed.feed == "samples"]
        assert failures == ["feed samples: expect: fresh = '2d', and the newest is of 2026-08-09 08:00 UTC"]
    city.write([make_event("a", source={"crawled_at": "2026-08-13T05:00:00Z"})])
    assert [feed.memory.failure for feed in city.build("2026-08-13").feeds] == [None, None]


def test_an_expectation_of_an_unknown_member_names_the_nearest(city: City) -> None:
    city.settings["samples"] = 'expect = { not_null = ["nmae"] }'
    with pytest.raises(Exception, match="nmae is not a member of a record; the nearest: name"):
        city.build()


def write_csv(city: City, count: int, *, encoding: str = "utf-8", title: str = "title") -> None:
    rows = [f"{n},Café {n},2026-09-{1 + n % 28:02}" for n in range(count)]
    (city.folder / "samples.csv").write_bytes("\n".join([f"id,{title},day", *rows, ""]).encode(encoding))


def write_text(city: City, text: str) -> None:
    (city.folder / "samples.csv").write_text(text)


MAP = """
[feeds.map]
type = { value = "event" }
source_id = "id"
name = "title"
date_on = "day"
confidence = { value = 0.9 }
"""

# Of each day: what the publisher does, how many listings readers see, and what the operator sees.
MONTH: list[tuple[str, Callable[[City], object], int, str]] = [
    ("01", lambda city: write_csv(city, 40), 40, ""),
    ("02", lambda city: None, 40, ""),
    ("03", lambda city: (city.folder / "samples.csv").unlink(), 40, "can't be read; 1 day old"),
    ("10", lambda city: None, 40, "can't be read; 8 days old"),
    ("12", lambda city: write_text(city, "<!doctype html><h1>502</h1>"), 40, "is a web page; 10 days old"),
    ("14", lambda city: write_csv(city, 55), 55, ""),
    ("15", lambda city: write_csv(city, 55, encoding="cp1252"), 55, ""),
    ("16", lambda city: write_csv(city, 55, encoding="utf-16"), 55, ""),
    ("17", lambda city: write_csv(city, 12), 55, "would leave; 1 day old"),
    ("20", lambda city: write_csv(city, 60, title="heading"), 55, "title; 4 days old"),
    ("28", lambda city: write_text(city, ""), 55, "; 12 days old"),
    ("29", lambda city: write_csv(city, 58), 58, ""),
    ("31", lambda city: None, 58, ""),
]  # fmt: skip


@pytest.mark.long
def test_a_month_of_a_feed_that_breaks_grows_changes_and_comes_back(city: City) -> None:
    city.formats["samples"], city.urls["samples"] = "table", "samples.csv"
    city.settings["samples"] = MAP
    shown = []
    for day, change, *_ in MONTH:
        change(city)
        built = city.build(f"2026-08-{day}")
        (memory,) = (feed.memory for feed in built.feeds if feed.feed == "samples")
        path = "/v1/seattle/events?from=2026-09-01&to=2026-09-30&limit=100"
        names = {item["name"] for item in city.ask(path, day=f"2026-08-{day}")["data"]}
        report = "" if memory.failure is None else describe_kept(count_feed("samples", memory))
        shown.append((day, len(names), report))
        assert "Caf\u00e9 3" in names
    for (day, count, report), (_, _, expected, reason) in zip(shown, MONTH, strict=True):
        cause, _, age = reason.rpartition("; ")
        assert (day, count) == (day, expected), report
        assert cause in report
        assert report.endswith(f"stays, {age}" if reason else "")
        assert bool(report) == bool(reason)
