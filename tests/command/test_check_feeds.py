"""Problems that `outings check` reports of whole feeds whose records are all right, as a build would."""

import json
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from command import main
from pipeline.records.ids import make_id
from tests.pipeline.city import City, make_event, make_place

# Of a check, which is made today: in the days of default lists, and long ago.
AHEAD = f"{datetime.now(UTC).date() + timedelta(days=2)}T10:00:00"
PAST = "2019-08-14T10:00:00"


@pytest.fixture
def city(tmp_path: Path) -> City:
    return City(tmp_path)


def check(city: City, *options: str) -> Result:
    assert city.configuration.feeds
    return CliRunner().invoke(main, ["check", "-c", str(city.folder / "outings.toml"), *options])


def list_warnings(city: City) -> list[tuple[str, str, int]]:
    report = json.loads(check(city, "--json").stdout)
    return [(warning["feed"], warning["code"], warning["count"]) for warning in report["warnings"]]


def make_events(*names: str, **members: Any) -> list[dict[str, Any]]:
    return [make_event(name, **{"starts_local": AHEAD, **members}) for name in names]


def test_of_a_good_feed_it_says_that_nothing_is_wrong_and_strict_agrees(city: City) -> None:
    city.write(make_events("a", "b"))
    checked = check(city, "--strict")
    assert (checked.exit_code, checked.stdout) == (0, "samples  2 read = 2 listings\n\nNothing is wrong.\n")


@pytest.mark.parametrize(
    "records",
    [
        make_events("a", place={"source_id": "nowhere"}),
        make_events("a", colour="red"),
        make_events("a", price={"min": "five"}),
        [],
    ],
    ids=["a reference to nothing", "an unknown member", "a quarantined record", "no records"],
)
def test_whatever_is_reported_ends_with_3_where_that_is_asked_for(city: City, records: Iterable[Any]) -> None:
    city.write(records)
    assert check(city).exit_code in (0, 5)
    checked = check(city, "--strict")
    assert checked.exit_code == 3
    assert "--strict: the report above has something to correct" in checked.stderr
    assert "Nothing is wrong" not in checked.stdout


def test_a_feed_without_records_is_reported(city: City) -> None:
    city.write([])
    city.write(make_events("a"), feed="other")
    assert list_warnings(city) == [("samples", "no_records", 0)]
    assert "\nFeeds to look at:\n  samples: has no records\n" in check(city).stdout


def test_a_feed_whose_dates_are_all_past_is_reported_with_the_last(city: City) -> None:
    series = make_event("s", starts_local=PAST, rrule="FREQ=WEEKLY;COUNT=2")
    city.write([make_event("a", starts_local=PAST), series, make_place("p"), make_event("dateless", starts_local=None)])
    city.write([*make_events("a", starts_local=PAST), *make_events("b")], feed="other")
    city.write([make_event("c", starts_local=PAST, rrule="FREQ=YEARLY;INTERVAL=90")], feed="endless")
    assert list_warnings(city) == [("samples", "no_future_date", 2), ("endless", "nothing_soon", 1)]
    warning = "samples: none of 2 listings with a date is today or later; the last was on 2019-08-14"
    assert warning in check(city).stdout


def test_a_feed_with_nothing_in_the_days_of_default_lists_is_reported(city: City) -> None:
    city.write(make_events("a", "b", starts_local="2099-08-14T10:00:00"))
    city.write(
        [{"type": "class", "source_id": "c", "name": "Pottery", "term": {"starts_on": "2099-01-08"}}], feed="courses"
    )
    assert list_warnings(city) == [("samples", "nothing_soon", 2)]
    warning = "samples: none of 2 listings with a date is in the next 30 days, so lists without from and to have none"
    assert warning in check(city).stdout


@pytest.mark.parametrize(
    ("term", "has_warning"),
    [
        ({"starts_on": "2019-01-08", "ends_on": "2019-03-12"}, True),
        ({"starts_on": "2019-01-08"}, False),
        ({"starts_on": "2019-01-08", "ends_on": "2099-03-12"}, False),
        ({}, False),
    ],
    ids=["over", "without an end", "going on", "without a term"],
)
def test_a_class_is_over_when_its_term_has_ended(city: City, term: dict[str, str], has_warning: bool) -> None:
    city.write([{"type": "class", "source_id": "c", "name": "Pottery", "term": term}])
    assert [code for _, code, _ in list_warnings(city)] == ["no_future_date"] * has_warning


def test_a_point_that_can_not_be_in_the_city_is_reported(city: City) -> None:
    points = {"there": (47.6, -122.3), "a-trip": (46.9, -121.7), "null-island": (0, 0), "swapped": (-22.3, 47.6)}
    city.write([make_place(name, name=name, location={"lat": lat, "lng": lng}) for name, (lat, lng) in points.items()])
    assert list_warnings(city) == [("samples", "far_away", 2)]
    warning = (
        "samples: 2 listings more than a degree outside the metro's bounds: null-island: 0, 0; swapped: -22.3, 47.6"
    )
    assert warning in check(city).stdout


def test_what_a_build_would_remove_is_reported_by_number_and_name(city: City) -> None:
    city.write([*make_events("a", "b", "c", "d", "e", "f"), make_place("p", name="Pool")])
    city.write(make_events("x"), feed="gone")
    city.build()
    city.write(make_events("e", "f"))
    city.forget("gone")
    assert list_warnings(city) == [("samples", "shrink", 0), ("samples", "removals", 5), ("gone", "removals", 1)]
    printed = check(city).stdout
    assert "samples: a build would refuse it: 5 of its 7 listings would leave: 71 % are gone" in printed
    assert "samples: 5 of 7 published listings would be removed: Event a (event " in printed
    assert "; and 2 more\n" in printed
    assert "gone: 1 of 1 published listing would be removed, because the configuration has this feed no more" in printed


def test_what_lists_would_show_no_more_is_reported_by_reason_with_the_setting_that_changes_it(city: City) -> None:
    stays = make_events("f", confidence=0.2)
    city.write([*make_events("a", "b", "c", "d", "e"), *stays, make_place("p", name="Pool")])
    city.build()
    poor, bar = make_events("a", "b", confidence=0.3), make_events("c", audience="adults")
    city.write([*poor, *bar, *make_events("d", starts_local=PAST), *make_events("e", status="draft"), *stays,
                make_place("p", name="Pool", confidence=0.6)])  # fmt: skip
    assert list_warnings(city) == [("samples", "hidden", count) for count in (1, 2, 1, 1)]
    printed = check(city).stdout
    for line in (
        "2 hidden by a confidence below 0.7, of places 0.5 (confidence, defaults.confidence): Event a; Event b",
        "samples: of 6 listings in default lists, 1 not published, because the records say so (status): Event e",
    ):
        assert line in printed
    city.build(str(date.today()))
    assert list_warnings(city) == []


def test_what_goes_to_another_metro_is_not_removed_and_what_is_anothers_is_reported(city: City) -> None:
    city.add_metro("boise", "America/Boise")
    city.write([{**event, "metro": "seattle"} for event in make_events("a", "b")], metro=None)
    city.build()
    city.write([{**event, "metro": "boise"} for event in make_events("a", "b")], metro=None)
    city.write(make_events("x", id=make_id("samples", "event", "a")), feed="other")
    report = json.loads(check(city, "--json").stdout)
    assert report["warnings"] == []
    assert [(problem["feed"], problem["field"], problem["code"]) for problem in report["problems"]] == [
        ("other", "id", "duplicate_id")
    ]


def test_removals_below_the_guard_are_reported_too_and_what_they_are(city: City) -> None:
    city.write([*make_events("a", "b", "c"), {"type": "organization", "source_id": "o", "name": "Club"}])
    city.build()
    city.write(make_events("a", "b", "c"))
    assert list_warnings(city) == [("samples", "removals", 1)]
    city.build()
    assert list_warnings(city) == []


def test_a_record_that_is_quarantined_by_now_keeps_its_good_version_and_is_not_removed(city: City) -> None:
    city.write(make_events("a", "b"))
    city.build()
    city.write([*make_events("a"), *make_events("b", price={"min": "five"})])
    assert list_warnings(city) == []


def test_what_a_feed_of_changes_said_before_stands_and_what_it_takes_back_is_reported(city: City) -> None:
    city.write([*make_events("a", "b"), make_place("p")], mode="delta")
    city.build()
    city.write([*make_events("c", place={"source_id": "p"}), {"type": "event", "source_id": "a", "deleted": True}],
               mode="delta")  # fmt: skip
    report = json.loads(check(city, "--json").stdout)
    assert [(warning["code"], warning["count"]) for warning in report["warnings"]] == [("removals", 1)]
    assert report["problems"] == []


def test_of_a_feed_that_can_not_be_read_no_removal_is_reported(city: City) -> None:
    city.write(make_events("a"))
    city.build()
    (city.folder / "samples.ndjson").unlink()
    checked = check(city, "--json")
    assert (checked.exit_code, json.loads(checked.stdout)["warnings"]) == (1, [])


def test_a_store_that_can_not_be_read_is_reported_and_the_feeds_are_checked(city: City) -> None:
    city.write(make_events("a"))
    city.build()
    (city.folder / "var/store/current.json").write_text("torn")
    checked = check(city)
    assert checked.exit_code == 0
    assert "samples  1 read = 1 listing" in checked.stdout
    assert "store: the release in force can't be read, so nothing is known of removals: " in checked.stdout


def test_nodes_of_a_page_that_are_no_listing_are_reported_by_their_types(city: City) -> None:
    nodes = [
        {"@type": "NewsArticle", "name": "New hours"}, {"@type": "NewsArticle", "name": "New staff"},
        {"@type": "BreadcrumbList"}, {"@type": "WebPage"}, {"@type": "JobPosting", "name": "A job"},
        {"@type": "Event", "@id": "https://a.example/e", "name": "Walk", "startDate": AHEAD},
    ]  # fmt: skip
    (city.folder / "pages.jsonld").write_text(json.dumps(nodes))
    city.write(make_events("a"))
    path = city.folder / "outings.toml"
    assert city.configuration.feeds
    feed = '[[feeds]]\nname = "pages"\nmetro = "seattle"\nformat = "jsonld"\nurl = "pages.jsonld"\n'
    path.write_text(path.read_text() + feed)
    checked = CliRunner().invoke(main, ["check", "-c", str(path)])
    assert checked.exit_code == 0, checked.stderr
    warning = "pages: 3 nodes of types that are no listing passed over: NewsArticle (2); JobPosting (1)\n"
    assert warning in checked.stdout


def test_check_publishes_nothing_and_leaves_the_store_as_it_is(city: City) -> None:
    city.write(make_events("a"))
    city.build()
    before = {path: path.stat().st_mtime_ns for path in city.folder.rglob("*")}
    city.write(make_events("b", "c"))
    assert check(city).exit_code == 0
    after = {path: path.stat().st_mtime_ns for path in city.folder.rglob("*") if "var" in path.parts}
    assert after.items() <= before.items()
