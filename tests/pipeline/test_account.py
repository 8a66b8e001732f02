"""The account of a feed's records: it adds up in a build and in a check, whatever the records are."""

import json
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from command import main
from outings.contract.query import Entitlement
from outings.release.manifest import FeedAccount
from pipeline.building import BuildResult
from pipeline.clean.record_report import FeedCount
from pipeline.reports.build import count_feeds
from tests.pipeline.city import City, make_event, make_place

TODAY = str(date.today())
AHEAD, PAST = "2099-08-12T10:00:00", "2019-08-14T10:00:00"


@pytest.fixture
def city(tmp_path: Path) -> City:
    return City(tmp_path)


def count(built: BuildResult, feed: str = "samples") -> FeedCount:
    return next(value for value in count_feeds(built.feeds, built.accounts) if value.feed == feed)


def check(city: City, *options: str, code: int = 0) -> Any:
    assert city.configuration.feeds
    result = CliRunner().invoke(main, ["check", "-c", str(city.folder / "outings.toml"), *options])
    assert result.exit_code == code, result.output
    return json.loads(result.stdout) if "--json" in options else result.stdout


def refuse_difference(feed: FeedCount) -> None:
    """read = served + hidden + not published + merged + quarantined + removals + taken down, less what stays."""
    account = feed.account
    assert account is not None
    shown = account.served + account.hidden + account.unpublished - account.earlier
    assert feed.listings == shown + feed.removals + feed.withdrawn
    assert feed.read == feed.listings + feed.merged + feed.quarantined


DIRT = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["event", "place", "organization", "class", "camp"]),
            "source_id": st.sampled_from("abcdefgh"),
            "name": st.sampled_from(["Fair", "Fair", "Swim", "Beer Tasting (21+ only)", "", None]),
        },
        optional={
            "starts_local": st.sampled_from([AHEAD, PAST, "soon"]),
            "ends_local": st.just("2099-08-19T10:00:00"),
            "confidence": st.sampled_from([0.2, 0.6, 0.9, 7]),
            "audience": st.sampled_from(["adults", "kids", "nobody"]),
            "status": st.sampled_from(["published", "archived", "draft"]),
            "reason": st.just("withdrawn"),
            "rrule": st.sampled_from(["FREQ=WEEKLY", "FREQ=WEEKLY;COUNT=2"]),
            "term": st.sampled_from([{"ends_on": "2019-01-01"}, {"starts_on": "2019-01-01"}]),
            "sessions": st.sampled_from([[{"starts_on": "2019-07-01", "ends_on": "2019-07-05"}], []]),
            "organization": st.just({"name": "Guild"}),
            "id": st.just("11111111-1111-4111-8111-111111111111"),
            "deleted": st.just(value=True),
        },
    ).map(json.dumps)
    | st.sampled_from(["{broken", "[1]", '{"type": "event"}']),
    min_size=1,
    max_size=14,
)


@given(versions=st.lists(DIRT, min_size=1, max_size=2), mode=st.sampled_from(["full", "delta"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_account_adds_up_over_any_dirt_in_a_build_and_a_check(
    tmp_path_factory: pytest.TempPathFactory, versions: list[list[str]], mode: str
) -> None:
    city = City(tmp_path_factory.mktemp("city"))
    city.settings["samples"] = "max_shrink = 1"
    for lines in versions:
        city.write(lines, mode=mode)
        previous = check(city, "--json", code=5 if "not one" in check_text(city) else 0)["feeds"]
        counted = count(city.build(TODAY))
        refuse_difference(counted)
        assert [item["account"] for item in previous] == [json.loads(encode(counted))["account"]]


CELLS = st.sampled_from(["2099-08-12", "2019-08-14", "soon", "", "3–5", "$5", "-", "Fair", "Beer (21+ only)", "#REF!"])
# What may stand in a file of each format, in its own words. The first entry is a good one.
ENTRIES: dict[str, st.SearchStrategy[str]] = {
    "csv": st.tuples(st.sampled_from("abc"), st.sampled_from(["Fair", "Swim", ""]), CELLS, CELLS).map(",".join)
    | st.just("one,too,many,fields,here"),
    "ics": st.builds(
        "BEGIN:VEVENT\r\nUID:{}\r\n{}\r\nDTSTART{}\r\n{}\r\nEND:VEVENT".format,
        st.sampled_from("abc"),
        st.sampled_from(["SUMMARY:Fair", "SUMMARY:Beer Tasting (21+ only)", "CLASS:PRIVATE"]),
        st.sampled_from([":20990812T100000", ":20190814T100000", ";VALUE=DATE:20990812", ":soon", ";TZID=Nowhere:9"]),
        st.sampled_from(["STATUS:CANCELLED", "RRULE:FREQ=WEEKLY;COUNT=2", "RRULE:FREQ=NEVER", "CATEGORIES:Kids", ""]),
    ),
    "json": st.fixed_dictionaries(
        {"@type": st.sampled_from(["Event", "Place", "Organization", "Person"]), "name": st.sampled_from(["Fair", ""])},
        optional={
            "@id": st.sampled_from(["#a", "#b"]),
            "startDate": st.sampled_from(["2099-08-12T10:00", "2019-08-14", "soon"]),
            "typicalAgeRange": st.sampled_from(["21-", "3-5", "old"]),
            "eventStatus": st.just("https://schema.org/EventCancelled"),
            "location": st.sampled_from([{"@id": "#a"}, "Hall", {"@type": "Place", "name": "Hall"}]),
        },
    ).map(json.dumps),
}
WRAPPED = {
    "csv": ("id,title,day,fee\nz,Fair,2099-08-12,$5\n{}\n", "\n"),
    "ics": ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}\r\nEND:VCALENDAR\r\n", "\r\n"),
    "json": ('{{"@context": "https://schema.org", "@graph": [{}]}}', ",\n"),
}
SETTINGS = {
    "csv": '[feeds.map]\ntype = { value = "event" }\nsource_id = "id"\nname = "title"\ndate_on = "day"',
    "ics": "",
    "json": "",
}


@pytest.mark.long
@pytest.mark.parametrize("ending", ENTRIES)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=5)
def test_tables_calendars_and_pages_add_up_in_init_check_and_build_alike(
    tmp_path_factory: pytest.TempPathFactory, ending: str, data: st.DataObject
) -> None:
    city = City(tmp_path_factory.mktemp("city"))
    city.formats["samples"] = {"csv": "table", "ics": "ics", "json": "jsonld"}[ending]
    city.urls["samples"], city.settings["samples"] = f"samples.{ending}", SETTINGS[ending]
    city.write([])
    text, between = WRAPPED[ending]
    entries = data.draw(st.lists(ENTRIES[ending], min_size=1, max_size=8))
    (city.folder / f"samples.{ending}").write_text(text.format(between.join(entries)), newline="")
    counted = count(city.build(TODAY))
    refuse_difference(counted)
    checked = CliRunner().invoke(main, ["check", "-c", str(city.folder / "outings.toml"), "--json"])
    assert checked.exit_code in (0, 5), checked.output
    assert json.loads(checked.stdout)["feeds"][0]["account"] == json.loads(encode(counted))["account"]
    drafted = draft(city, f"samples.{ending}")
    own = FeedAccount(**drafted["account"])
    records = drafted["records"]
    refuse_difference(
        replace(
            counted, account=own, removals=0, withdrawn=0, listings=records["kept"],
            read=records["read"], merged=records["merged"], quarantined=records["quarantined"],
        )
    )  # fmt: skip


def draft(city: City, file: str) -> Any:
    """The first feed that init describes."""
    options = ("--metro", "Seattle", "--center", "47.6,-122.3", "--timezone", "America/Los_Angeles", "--json")
    config = str(city.folder / "drafted.toml")
    drafted = CliRunner().invoke(main, ["init", str(city.folder / file), *options, "-c", config])
    assert drafted.exit_code == 0, drafted.output
    return json.loads(drafted.stdout)["feeds"][0]


def check_text(city: City) -> str:
    assert city.configuration.feeds
    return CliRunner().invoke(main, ["check", "-c", str(city.folder / "outings.toml")]).stderr


def encode(counted: FeedCount) -> bytes:
    import msgspec

    return msgspec.json.encode(counted)


def test_each_reason_has_its_number_and_the_setting_that_changes_it(city: City) -> None:
    city.write(
        [
            *(make_event(name, starts_local=AHEAD) for name in "ab"),
            make_event("b", starts_local=AHEAD),
            make_event("a", starts_local=AHEAD, name="Another"),
            make_event("poor", starts_local=AHEAD, confidence=0.6),
            make_place("place", confidence=0.4),
            make_event("bar", starts_local=AHEAD, audience="adults"),
            make_event("someday", starts_local=None),
            make_event("over", starts_local=PAST),
            make_event("draft", starts_local=AHEAD, status="draft"),
            "{broken",
        ]
    )
    text = check(city)
    for line in (
        "1 merged that say the same again",
        "1 merged into a later record with the same source_id, such as line 1 by line 4 (give each its own source_id)",
        "2 hidden by a confidence below 0.7, of places 0.5 (confidence, defaults.confidence)",
        "1 hidden because they are for adults alone (audience or adults_only of the record)",
        "1 hidden because they have no date (starts_local or date_on)",
        "1 hidden because they are over (nothing to do: list earlier dates with from and to)",
        "1 not published, because the records say so (status)",
    ):
        assert f"  samples: {line}\n" in text
    assert "Nothing is wrong" not in text
    assert "served" in check(city, "--json")["feeds"][0]["account"]


def test_what_lists_show_is_what_is_served(city: City) -> None:
    records = [make_event(name) for name in "abc"] + [make_event("poor", confidence=0.2), make_place("p")]
    city.write([*records, make_event("past", starts_local="2026-08-01T10:00:00")])
    account = count(city.build()).account
    shown = [len(city.ask(f"/v1/seattle/{kind}")["data"]) for kind in ("events", "places")]
    assert account is not None
    assert (account.served, account.confidence, account.over) == (sum(shown), 1, 1)


def test_a_check_where_all_is_served_says_that_nothing_is_wrong(city: City) -> None:
    soon = f"{datetime.now(UTC).date() + timedelta(days=2)}T10:00:00"
    city.write([make_event("a", starts_local=soon)])
    assert check(city).endswith("\n\nNothing is wrong.\n")
    city.write([make_event("a", starts_local=soon), make_event("b", starts_local=PAST)])
    assert check(city).endswith("\n\nNothing else is wrong.\n")


def test_defaults_that_filled_and_columns_without_a_place_are_reported(city: City) -> None:
    day = str(datetime.now(UTC).date() + timedelta(days=2))
    city.write(
        [
            {"id": "a", "title": "Fair", "day": day, "room": "2", "street": "1 Main St", "kind": ["Fairs"]},
            {"id": "b", "title": "Sale", "day": day, "kind": ["Fairs", "Books"]},
        ]
    )
    city.formats["samples"] = "table"
    city.settings["samples"] = (
        'defaults = { audience = "families" }\n[feeds.map]\ntype = { value = "event" }\nsource_id = "id"\n'
        'name = "title"\ndate_on = "day"\nkeywords = "kind[]"\nlocation.address = "street"'
    )
    text = check(city)
    assert "  samples: defaults filled audience (2)\n" in text
    assert "  samples: columns not placed: room\n" in text
    assert text.endswith("\n\nNothing else is wrong.\n")


def test_a_feed_without_one_listing_is_an_error_of_its_own(city: City) -> None:
    city.write([make_event("a", status="draft")])
    city.write([make_event("b")], feed="other")
    check(city, code=5)
    result = CliRunner().invoke(main, ["build", "-c", str(city.folder / "outings.toml"), "--as-of", "2026-08-10"])
    assert result.exit_code == 5
    reason = "feed samples: not one listing of it is published: of 1 records 1 not published by their status"
    assert re.search(f"Error: release 1-\\w+ is published, but {reason}\n", result.stderr)
    assert [item["name"] for item in city.ask("/v1/seattle/events", entitlement=Entitlement())["data"]] == ["Event b"]


def run(city: City, name: str, *words: str) -> Result:
    assert city.configuration.feeds
    return CliRunner().invoke(main, [name, "-c", str(city.folder / "outings.toml"), *words])


def test_a_build_prints_once_why_a_feed_failed(city: City) -> None:
    city.write([make_event(name, starts_local=AHEAD) for name in "abcd"])
    city.build()
    city.write([make_event("a", starts_local=AHEAD)])
    built = run(city, "build", "--as-of", "2026-08-11")
    assert built.exit_code == 4
    assert built.output.count("3 of its 4 listings would leave") == 1
    assert "samples  4 read = 4 listings (last good version)" in built.stdout


def test_every_feed_of_a_build_without_any_listing_says_why(city: City) -> None:
    for feed in ("samples", "other"):
        city.write([], feed=feed)
        (city.folder / f"{feed}.ndjson").write_text("<html>")
    built = run(city, "build", "--as-of", "2026-08-11")
    assert built.exit_code == 1
    assert [built.output.count(f"feed {feed}: {feed}.ndjson: ") for feed in ("samples", "other")] == [1, 1]


def test_a_feed_whose_records_are_all_quarantined_is_no_success(city: City) -> None:
    city.write([make_event(name, starts_local=AHEAD) for name in "ab"])
    city.build()
    city.write([make_event(name, starts_local="soon") for name in "ab"])
    built = run(city, "build", "--as-of", "2026-08-11")
    assert built.exit_code == 4
    assert "feed samples: all of its records (2) are quarantined; earlier versions stay (2)" in built.stderr


def test_a_missed_expectation_is_shown_once_in_a_check(city: City) -> None:
    city.settings["samples"] = 'expect = { rows = ">= 100" }'
    city.write([make_event("a", starts_local=AHEAD)])
    assert check(city).count("rows = '>= 100'") == 1


def test_a_check_that_read_no_feed_says_so(city: City) -> None:
    city.write([])
    (city.folder / "samples.ndjson").unlink()
    assert run(city, "check").stdout == "no feed was read\n"


def test_what_a_kept_version_has_is_counted_too(city: City) -> None:
    city.write([make_event(name) for name in "abc"])
    city.build()
    (city.folder / "samples.ndjson").unlink()
    counted = count(city.build("2026-08-11"))
    refuse_difference(counted)
    assert (counted.read, counted.account is not None and counted.account.served) == (3, 3)


@pytest.mark.parametrize("day", ["2026-08-10", "2026-08-11"], ids=["reused", "made again"])
@pytest.mark.parametrize("mode", ["full", "delta"])
def test_the_account_of_a_feed_that_fails_stays_that_of_its_last_good_version(city: City, mode: str, day: str) -> None:
    city.write([make_event("other")], feed="other")
    city.write([*(make_event(name) for name in "abcdef"), make_event("g", status="draft")], mode=mode)
    before = count(city.build())
    refuse_difference(before)
    (city.folder / "samples.ndjson").unlink()
    for _ in range(2):
        after = count(city.build(day))
        refuse_difference(after)
        assert (after.listings, after.account) == (before.listings, before.account)


def test_the_account_of_changes_that_fail_counts_what_other_feeds_took(city: City) -> None:
    same = "0d5c0000-0000-4000-8000-000000000001"
    city.write([], feed="other")
    city.write([make_event("a", id=same), make_event("b")], mode="delta")
    city.build()
    city.write([make_event("c")], mode="delta")
    refuse_difference(count(city.build()))
    (city.folder / "samples.ndjson").unlink()
    city.write([make_event("x", id=same)], feed="other")
    counted = count(city.build())
    refuse_difference(counted)
    assert counted.account is not None
    assert (counted.account.served, counted.account.earlier) == (2, 1)
