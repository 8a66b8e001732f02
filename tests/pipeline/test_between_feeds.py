"""References between feeds: the organization and the place that a record of another feed names."""

from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.city import City, Record, make_event, make_place

CHAIN = {"type": "organization", "source_id": "chain", "name": "Chain"}
BY_SOURCE = {"feed": "branches", "source_id": "7"}


@pytest.fixture
def city(tmp_path: Path) -> City:
    return City(tmp_path)


def build(city: City) -> list[str]:
    """Build, and return the problems of the records."""
    return [problem.reason for feed in city.build().feeds for problem in feed.problems]


def write_branches(city: City, *places: Record) -> None:
    city.write(places, feed="branches")


def write_events(city: City, *references: Record) -> None:
    city.write([make_event(str(number), place=reference) for number, reference in enumerate(references)], feed="news")


def read_places(city: City) -> list[Any]:
    events = city.ask("/v1/seattle/events")["data"]
    return [event["place"] and event["place"]["name"] for event in sorted(events, key=lambda event: event["name"])]


@pytest.mark.parametrize("mode", ["full", "delta"])
def test_a_listing_is_at_a_place_of_another_feed_and_follows_it(city: City, mode: str) -> None:
    write_branches(city, make_place("7", name="Northgate"), make_place("8"))
    city.write([make_event("0", place=BY_SOURCE)], feed="news", mode=mode)
    assert (build(city), read_places(city)) == ([], ["Northgate"])
    write_branches(city, make_place("7", name="Greenlake", location={"address": "7 Elm St"}), make_place("8"))
    if mode == "delta":
        city.write([], feed="news", mode=mode)
    assert (build(city), read_places(city)) == ([], ["Greenlake"])
    (event,) = city.ask("/v1/seattle/events")["data"]
    assert event["location"]["address"] == "7 Elm St"


def test_the_same_source_id_in_its_own_feed_is_another_place(city: City) -> None:
    write_branches(city, make_place("7", name="Northgate"))
    own = make_place("7", name="Own")
    events = [make_event("0", place={"source_id": "7"}), make_event("1", place=BY_SOURCE)]
    city.write([own, *events], feed="news")
    assert (build(city), read_places(city)) == ([], ["Own", "Northgate"])


def test_a_place_is_named_by_its_name_whatever_the_case_and_accents(city: City) -> None:
    write_branches(city, make_place("7", name="Café Río"))
    write_events(city, {"name": "CAFE RIO"}, {"name": "Casa Río"})
    assert (build(city), read_places(city)) == (["unknown_reference"], ["Café Río", None])


def test_of_places_with_one_name_the_address_says_which_is_meant(city: City) -> None:
    north, south = ({"address": f"{street}, Seattle"} for street in ("1 North St", "2 South St"))
    write_branches(
        city, make_place("7", name="Library", location=north), make_place("8", name="Library", location=south)
    )
    write_events(city, {"name": "Library", "address": "2 South St."}, {"name": "Library"})
    (problem,) = build(city)
    assert problem == (
        "ambiguous_reference: 2 places have this name: feed branches, source_id 7 at 1 North St, Seattle; "
        "feed branches, source_id 8 at 2 South St, Seattle; "
        "state the address, or the feed and source_id, of the one that is meant"
    )
    first, second = sorted(city.ask("/v1/seattle/events")["data"], key=lambda event: event["name"])
    assert (first["location"]["address"], second["place"]) == ("2 South St, Seattle", None)


def test_places_of_a_feed_that_says_only_what_changed_are_found_by_name_ever_after(city: City) -> None:
    city.write([make_place("7", name="Northgate")], feed="branches", mode="delta")
    write_events(city, {"name": "Northgate"})
    assert (build(city), read_places(city)) == ([], ["Northgate"])
    city.write([], feed="branches", mode="delta")
    write_events(city, {"name": "Northgate"}, BY_SOURCE)
    assert (build(city), read_places(city)) == ([], ["Northgate", "Northgate"])


def test_a_metro_is_built_again_when_only_a_feed_that_it_refers_to_changes(city: City) -> None:
    city.add_metro("boston", "America/New_York")
    city.write([CHAIN], feed="branches")
    event = make_event("0", organization={"feed": "branches", "source_id": "chain"})
    city.write([event], feed="harbor", metro="boston")
    assert build(city) == []
    city.write([{**CHAIN, "name": "Chains"}], feed="branches")
    assert build(city) == []
    (shown,) = city.ask("/v1/boston/events")["data"]
    assert shown["organization"]["name"] == "Chains"


def test_a_feed_without_a_record_is_left_out_and_reported(city: City) -> None:
    write_branches(city, make_place("7", name="Northgate"))
    write_events(city, {"feed": "branches", "name": "Northgate"}, {"feed": "branch", "source_id": "7"})
    assert build(city) == ["contradictory: is given without the source_id of its record", "unknown_reference"]
    assert read_places(city) == ["Northgate", None]


# A record of another feed is first in every order: its feed's name and its id are less, and it states the same slug.
FIRST_ID = "00000000-0000-4000-8000-000000000001"
HALL = make_place("7", name="Town Hall", slug="hall")
WARDENS = {"type": "organization", "source_id": "w", "name": "Wardens", "slug": "wardens"}


def read_shown(city: City) -> list[Any]:
    """What readers see of the listings of the feed `news`, and of its organizations."""
    shown = [item for kind in ("events", "places") for item in city.ask(f"/v1/seattle/{kind}")["data"]]
    links = ["slug", "website_url"]
    organizations = [{name: item[name] for name in links} for item in city.ask("/v1/seattle/organizations")["data"]]
    own = [item for item in shown if item["name"] not in ("Stranger", "TOWN HALL")]
    return [*own, *[item for item in organizations if item["slug"] == "wardens"]]


@pytest.mark.parametrize(
    "stranger",
    [
        make_place("x", name="TOWN HALL", id=FIRST_ID, location={"address": "9 Far St"}),
        make_place("x", name="Stranger", id=FIRST_ID, slug="hall", location={"address": "9 Far St"}),
        {**WARDENS, "source_id": "x", "id": FIRST_ID, "slug": "other", "website_url": "https://other.example"},
        {**WARDENS, "source_id": "x", "id": FIRST_ID, "name": "Stranger", "website_url": "https://other.example"},
        *(
            make_event("x", name="Stranger", organization=reference, ticket_url=url)
            for reference in ({"name": "Wardens"}, {"name": "Others"})
            for url in ("https://tickets.example/1", "https://wardens.example/2")
        ),
    ],
)
def test_a_listing_is_what_its_own_feed_says_whatever_another_feed_adds(city: City, stranger: Record) -> None:
    owned = make_event("1", organization={"name": "Wardens"}, ticket_url="https://wardens.example/1")
    named = [make_event("2", place={"name": "Town Hall"}), make_event("3", place={"slug": "hall"})]
    city.write([], feed="aliens")
    city.write([HALL, WARDENS, owned, make_event("4", organization={"slug": "wardens"}), *named], feed="news")
    assert build(city) == []
    alone = read_shown(city)
    assert alone[-1] == {"slug": "wardens", "website_url": "https://wardens.example"}
    city.write([stranger], feed="aliens")
    assert build(city) == []
    assert read_shown(city) == alone


def test_what_its_own_feed_does_not_say_another_feed_adds(city: City) -> None:
    city.write([WARDENS, make_event("1", place={"name": "Town Hall"})], feed="news")
    linked = make_event("2", organization={"name": "Wardens"}, ticket_url="https://wardens.example/1")
    city.write([HALL, linked], feed="aliens")
    assert (build(city), read_places(city)) == ([], ["Town Hall", None])
    assert read_shown(city)[-1] == {"slug": "wardens", "website_url": "https://wardens.example"}
