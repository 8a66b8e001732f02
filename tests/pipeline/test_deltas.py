"""A delta feed says what changed: what it said before stands as if it said it again, whatever becomes of the rest."""

import hashlib
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from outings.release.manifest import read_manifest
from outings.release.store import hash_of, object_name
from pipeline.publish.rollback import roll_back
from pipeline.records.ids import make_id
from pipeline.records.record import RECORDS
from pipeline.resolve.delta_state import LAYOUT
from tests.pipeline.city import City, Record, make_event, make_place

OWN = "11111111-1111-4111-8111-111111111111"
DAY, LATER = date(2026, 8, 10), datetime(2026, 8, 10, 20, tzinfo=UTC)
OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def city(tmp_path: Path) -> City:
    return City(tmp_path)


def send(city: City, *records: Record) -> None:
    city.write(records, feed="news", mode="delta")


def list_events(city: City, day: str = "2026-08-10", **options: str) -> list[Any]:
    query = "&".join(f"{name}={value}" for name, value in options.items())
    data: list[Any] = city.ask(f"/v1/seattle/events?{query}", day=day)["data"]
    return data


def make_removal(source_id: str) -> Record:
    return {"type": "event", "source_id": source_id, "deleted": True}


def test_a_removal_by_type_and_source_id_removes_also_what_has_an_id_of_its_own(city: City) -> None:
    send(city, make_event("a", id=OWN), make_event("b"))
    city.build()
    send(city, make_removal("a"))
    city.build()
    assert [event["name"] for event in list_events(city)] == ["Event b"]


def test_a_listing_that_is_said_again_under_another_id_is_one(city: City) -> None:
    send(city, make_event("a", id=OWN))
    city.build()
    send(city, make_event("a", id=OTHER))
    city.build()
    assert [event["id"] for event in list_events(city)] == [OTHER]


def test_a_series_that_is_never_said_again_goes_on(city: City) -> None:
    send(city, make_event("a", rrule="FREQ=WEEKLY", exdates=["2027-12-15T10:00:00"]))
    city.build()
    send(city, make_event("b"))
    city.build("2027-12-01")
    dates = [event["starts_local"] for event in list_events(city, "2027-12-01", occurrences="expand")]
    assert dates[:3] == ["2027-12-01T10:00:00", "2027-12-08T10:00:00", "2027-12-22T10:00:00"]
    # And so on: what stands is kept from build to build.
    city.build("2029-01-01")
    assert list_events(city, "2029-01-01")


def test_a_listing_that_is_not_said_again_shows_its_place_as_it_is_now(city: City) -> None:
    city.write([make_place("hall", slug="place-hall")])
    send(city, make_event("a", place={"slug": "place-hall"}))
    city.build()
    city.write([make_place("hall", slug="place-hall", name="Town Hall", location={"lat": 47.7, "lng": -122.4})])
    send(city, make_event("b"))
    city.build()
    (event,) = (event for event in list_events(city) if event["name"] == "Event a")
    assert event["place"]["name"] == "Town Hall"
    assert event["location"]["lat"] == 47.7


def test_an_organization_stands_while_a_listing_names_it(city: City) -> None:
    send(city, make_event("a", organization={"name": "Pottery Northwest"}))
    city.build()
    send(city, make_event("b"))
    city.build()
    (event,) = (event for event in list_events(city) if event["name"] == "Event a")
    (organization,) = city.ask("/v1/seattle/organizations")["data"]
    assert event["organization"]["id"] == organization["id"]
    send(city, make_removal("a"))
    city.build()
    assert city.ask("/v1/seattle/organizations")["data"] == []


def test_what_was_not_said_again_is_as_sure_as_it_was(city: City) -> None:
    """Other records of its feed are newer, which makes it no older."""
    send(city, make_event("a", confidence=None, source={"crawled_at": "2026-08-01T00:00:00Z"}))
    city.build()
    before = list_events(city, min_confidence="0")
    send(city, make_event("b", confidence=None, source={"crawled_at": "2026-12-01T00:00:00Z"}))
    built = city.build()
    assert built.changes == {"created": 1}
    assert before[0] in list_events(city, min_confidence="0")


def test_stored_records_are_forgotten_with_their_feed(city: City) -> None:
    city.write([make_event("x")])
    send(city, make_event("a"))
    city.build()
    city.forget("news")
    city.build()
    assert [event["name"] for event in list_events(city)] == ["Event x"]


def test_what_was_removed_is_referred_to_no_more(city: City) -> None:
    organization = {"type": "organization", "source_id": "parks", "name": "Parks"}
    send(city, organization, make_event("a", organization={"source_id": "parks"}))
    city.build()
    send(city, {"type": "organization", "source_id": "parks", "deleted": True})
    city.build()
    send(city, make_event("b", organization={"source_id": "parks"}))
    city.build()
    assert [event["organization"]["id"] for event in list_events(city)] == [None, None]
    assert city.ask("/v1/seattle/organizations")["data"] == []


def test_a_last_good_version_keeps_the_organization_that_it_alone_names(city: City) -> None:
    city.write([make_event("a", organization={"name": "Pottery Northwest"})])
    city.build()
    city.write([make_event("a", price={"min": "five"}, organization={"name": "Pottery Northwest"})])
    city.build()
    (event,) = list_events(city)
    assert [item["id"] for item in city.ask("/v1/seattle/organizations")["data"]] == [event["organization"]["id"]]


@pytest.mark.long
def test_words_that_the_vocabulary_has_no_more_leave_what_stands_and_the_others_stay(city: City) -> None:
    send(city, make_event("a", categories=["swim_water", "storytime_books"]))
    city.build()
    city.categories = ("storytime_books", "bowling")
    send(city, make_event("b", categories=["bowling"]))
    (feed,) = city.build().feeds
    (problem,) = feed.problems
    assert (problem.source_id, problem.field, problem.reason.partition(":")[0]) == ("a", "categories", "unknown_word")
    categories = {event["name"]: event["categories"] for event in list_events(city)}
    assert categories == {"Event a": ["storytime_books"], "Event b": ["bowling"]}
    assert [event["name"] for event in list_events(city, category="storytime_books")] == ["Event a"]


@pytest.mark.long
@pytest.mark.parametrize("harm", ["gone", "torn"])
def test_where_what_stood_is_lost_listings_stay_as_they_were_and_the_report_says_so(city: City, harm: str) -> None:
    send(city, make_event("a"), make_event("b"))
    city.build()
    lost = read_manifest(city.store, city.current.root.parts["seattle"].manifest).delta_state
    assert lost is not None
    if harm == "gone":
        (city.folder / "var/store" / object_name(lost)).unlink()
    else:
        city.store.put(object_name(lost), b"torn")
    send(city, make_event("b", name="B moved"))
    (feed,) = city.build().feeds
    assert {event["name"] for event in list_events(city)} == {"Event a", "B moved"}
    stale = "stale: its records of 1 listings are not stored: these stay as they are until it sends them again"
    assert [(problem.reason, problem.quarantined) for problem in feed.problems] == [(stale, False)]
    # And again in each build, for as long as it holds.
    send(city, make_event("c"))
    (feed,) = city.build().feeds
    assert [problem.reason for problem in feed.problems] == [stale]
    send(city, {"type": "event", "source_id": "c", "deleted": True})
    city.build()
    # All of it said again is the same object as the one that was lost: it is written again.
    send(city, make_event("a"), make_event("b"))
    city.build()
    assert read_manifest(city.store, city.current.root.parts["seattle"].manifest).delta_state == lost
    assert hash_of(city.store.get(object_name(lost))) == lost


def test_a_record_that_can_not_be_read_leaves_what_stood(city: City) -> None:
    send(city, make_event("a", rrule="FREQ=WEEKLY"))
    city.build()
    send(city, make_event("a", price={"min": "five"}))
    (feed,) = city.build("2027-12-01").feeds
    assert (feed.memory.quarantined, feed.memory.last_good) == (1, 1)
    shown = list_events(city, "2027-12-01", occurrences="expand")
    assert shown[0]["starts_local"] == "2027-12-01T10:00:00"


def test_what_is_wrong_with_what_stands_is_said_in_each_build_of_no_line(city: City) -> None:
    send(city, make_event("x"), make_event("a", place={"id": OWN}))
    city.build()
    send(city, make_event("b"))
    (feed,) = city.build().feeds
    assert [(problem.line, problem.source_id, problem.reason) for problem in feed.problems] == [
        (0, "a", "unknown_reference")
    ]
    memory = feed.memory
    assert (memory.read, memory.listings, memory.quarantined) == (1, 1, 0)


@pytest.mark.long
def test_a_listing_that_is_of_another_metro_by_now_is_of_that_one_alone(city: City) -> None:
    city.add_metro("boise", "America/Boise")
    city.write([make_event("a", metro="seattle"), make_event("b", metro="seattle")], metro=None, mode="delta")
    city.build()
    city.write([make_event("a", metro="boise")], metro=None, mode="delta")
    city.build()
    assert [event["name"] for event in list_events(city)] == ["Event b"]
    assert [event["name"] for event in city.ask("/v1/boise/events")["data"]] == ["Event a"]


@pytest.mark.long
def test_a_rollback_brings_back_the_stored_records_of_its_release(city: City) -> None:
    send(city, make_event("a", rrule="FREQ=WEEKLY"))
    city.build()
    first = city.current
    send(city, make_removal("a"))
    city.build()
    roll_back(city.store, current=city.current, target=first, stamp=LATER, today={"seattle": DAY}, cache=city.cache)
    send(city, make_event("b"))
    city.build("2027-12-01")
    assert "Event a" in {event["name"] for event in list_events(city, "2027-12-01", occurrences="expand")}


@pytest.mark.long
def test_the_last_good_version_is_found_by_its_words_where_the_vocabulary_has_another_order(city: City) -> None:
    city.write([make_event("a", categories=["storytime_books"], seasons=["fall"]), make_event("b")])
    city.build()
    city.categories = ("bowling", "storytime_books")
    city.write([make_event("a", price={"min": "five"}), make_event("b")])
    city.build()
    assert [event["name"] for event in list_events(city, category="storytime_books")] == ["Event a"]
    assert list_events(city, category="bowling") == []


def test_a_listing_that_moves_stays_until_its_new_metro_is_built(city: City) -> None:
    city.add_metro("boise", "America/Boise")
    city.write([make_event("a", metro="seattle"), make_event("b", metro="boise")], metro=None, mode="delta")
    city.build()
    city.write([make_event("a", metro="boise")], metro=None, mode="delta")
    city.build(metros=("seattle",))
    assert [event["name"] for event in list_events(city)] == ["Event a"]


@pytest.mark.long
def test_a_removal_that_names_another_metro_removes(city: City) -> None:
    city.add_metro("boise", "America/Boise")
    city.write([make_event("a", metro="seattle"), make_event("b", metro="boise")], metro=None, mode="delta")
    city.build()
    city.write([make_event("a", metro="boise"), {**make_removal("a"), "metro": "boise"}], metro=None, mode="delta")
    city.build()
    assert list_events(city) == []


def test_where_what_is_said_can_not_have_its_id_what_was_said_before_stands(city: City) -> None:
    city.write([make_event("x", id=OTHER)])
    send(city, make_event("a", id=OWN))
    city.build()
    send(city, make_event("a", id=OTHER, name="Taken"))
    _, feed = city.build().feeds
    assert [(problem.source_id, problem.field, problem.quarantined) for problem in feed.problems] == [("a", "id", True)]
    assert {event["id"]: event["name"] for event in list_events(city)} == {OWN: "Event a", OTHER: "Event x"}


@pytest.mark.long
def test_an_id_is_its_owners_whether_that_one_speaks_or_not(city: City) -> None:
    send(city, make_event("a", id=OWN))
    city.write([make_event("x"), make_event("b", id=OWN)])
    city.build()
    send(city, make_event("c"))
    city.write([make_event("x"), make_event("b", id=OWN)])
    city.build()
    assert {event["name"] for event in list_events(city)} == {"Event a", "Event c", "Event x"}
    city.write([make_event("x")])
    city.build()
    assert {event["name"] for event in list_events(city)} == {"Event a", "Event c", "Event x"}


def test_of_one_feed_an_id_is_the_first_names_and_the_other_is_reported(city: City) -> None:
    send(city, make_event("a", id=OWN))
    city.build()
    send(city, make_event("b", id=OWN))
    (feed,) = city.build().feeds
    assert [event["name"] for event in list_events(city)] == ["Event a"]
    assert [(problem.source_id, problem.field) for problem in feed.problems] == [("b", "id")]
    send(city, make_event("b"), make_event("0", id=OWN))
    (feed,) = city.build().feeds
    assert {event["name"] for event in list_events(city)} == {"Event 0", "Event b"}
    assert [(problem.line, problem.source_id, problem.quarantined) for problem in feed.problems] == [(0, "a", False)]
    # It lost its id, and was not removed.
    send(city, make_removal("0"))
    city.build()
    assert {event["name"] for event in list_events(city)} == {"Event a", "Event b"}


def test_a_removal_removes_what_its_own_feed_said_alone(city: City) -> None:
    computed = make_id("news", "event", "a")
    send(city, make_event("a"), make_event("b"))
    city.build()
    city.write([make_event("new", id=computed)], feed="after", mode="delta")
    send(city, make_removal("a"))
    city.build()
    send(city, make_removal("a"))
    city.write([make_event("other")], feed="after", mode="delta")
    city.build()
    assert {event["name"] for event in list_events(city)} == {"Event b", "Event new", "Event other"}


def test_stored_records_are_in_no_quarantine_file(city: City) -> None:
    send(city, make_event("x"), make_event("a", place={"id": OWN}))
    city.build()
    (city.folder / "news-1.ndjson").write_text(json.dumps(make_event("b")) + "\n")
    (city.folder / "news-2.ndjson").write_text(json.dumps(make_event("c")) + "\n")
    (city.folder / "news.ndjson").unlink()
    city.urls["news"] = "news-*.ndjson"
    (feed,) = city.build().feeds
    assert [(problem.file, problem.line, problem.source_id) for problem in feed.problems] == [(None, 0, "a")]


def test_an_archived_place_whose_record_can_not_be_read_is_still_the_place(city: City) -> None:
    city.write([make_place("hall", status="archived"), make_event("a", place={"source_id": "hall"})])
    city.build()
    city.write([make_place("hall", status="archived", name=7), make_event("a", place={"source_id": "hall"})])
    city.build()
    assert [event["place"]["name"] for event in list_events(city)] == ["Place hall"]


@pytest.mark.long
def test_an_organization_is_spelled_as_it_was_whoever_speaks(city: City) -> None:
    send(city, make_event("a", organization={"name": "Pottery Northwest"}))
    city.build()
    send(city, make_event("z", organization={"name": "POTTERY NORTHWEST"}))
    city.build()
    send(city, make_event("c"))
    assert city.build().changes == {"created": 1}
    assert [item["name"] for item in city.ask("/v1/seattle/organizations")["data"]] == ["Pottery Northwest"]


@pytest.mark.long
def test_a_rollback_needs_nothing_that_stood(city: City) -> None:
    send(city, make_event("a"))
    city.build()
    first = city.current
    lost = read_manifest(city.store, first.root.parts["seattle"].manifest).delta_state
    assert lost is not None
    send(city, make_removal("a"))
    city.build()
    (city.folder / "var/store" / object_name(lost)).unlink()
    roll_back(city.store, current=city.current, target=first, stamp=LATER, today={"seattle": DAY}, cache=city.cache)
    assert [event["name"] for event in list_events(city)] == ["Event a"]
    send(city, make_event("b"))
    (feed,) = city.build().feeds
    assert [problem.reason.partition(":")[0] for problem in feed.problems] == ["stale"]


def test_what_is_kept_of_records_has_a_number_for_what_they_are() -> None:
    """If this fails because records that were written before are now read wrongly, raise LAYOUT. Then write down both
    again."""
    _, parts = msgspec.json.schema_components(RECORDS.values())
    digest = hashlib.sha256(json.dumps(leave_out_words(parts), sort_keys=True).encode()).hexdigest()[:16]
    assert (LAYOUT, digest) == (1, "836027409e798ffb")


def leave_out_words(part: Any) -> Any:
    """Remove OpenAPI's descriptions and names of types, which don't change how members are written."""
    if isinstance(part, dict):
        return {name: leave_out_words(value) for name, value in part.items() if name not in ("description", "x-name")}
    return [leave_out_words(value) for value in part] if isinstance(part, list) else part
