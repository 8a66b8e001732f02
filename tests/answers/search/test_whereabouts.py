"""Locations in queries with `match=auto`: they are found by the map, whatever a listing's text says."""

from pathlib import Path
from typing import Any

import pytest

from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_neighborhood
from tests.answers.search.searching import Document, find, name_places, refuse, search
from tests.answers.worlds import World, open_release

AUTO = {"match": "auto"}
# Twelve hundred metres to the north are 0.0108 degrees.
ZIPS = {"10001": (40.0, -74.0), "10009": (41.0, -74.0)}


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    listings = name_places("Far Slide", "Near Slide", "Slide in Ballard", "Stated Slide", "Harbor Center", "Rec Center")
    where: list[dict[str, Any]] = [
        {"lat": 40.012}, {"lat": 40.01}, {"lat": 40.5}, {"lat": 40.6, "zip": "10001"}, {"lat": 40.7}, {"lat": 40.7},
    ]  # fmt: skip
    for listing, place in zip(listings, where, strict=True):
        listing["location"] |= {"lng": -74.0, **place}
    listings[1]["location"] |= {"neighborhood_slug": "ballard"}
    world = World(listings=listings, neighborhoods=[make_neighborhood("ballard", "Ballard")], zips=ZIPS)
    return open_release([world], tmp_path_factory.mktemp("harbor"))


def find_best(body: Document) -> list[str]:
    best = max(item["score"] for item in body["data"])
    return sorted(item["name"] for item in body["data"] if item["score"] > 0.9 * best)


def test_a_zip_is_where_and_no_word_that_decides(harbor: Release) -> None:
    body = search(harbor, "slide 10001", AUTO)
    assert body["meta"]["interpreted"]["filters"] == [
        {"parameters": {"zip": ["10001"]}, "from": "10001", "overridden_by": None}
    ]
    assert body["meta"]["ignored_words"] == []
    assert {item["name"]: item["match"] for item in body["data"]} == {
        "Near Slide": "all_terms", "Stated Slide": "all_terms", "Far Slide": "partial", "Slide in Ballard": "partial",
    }  # fmt: skip


def test_a_zip_that_nothing_is_near_hides_nothing_beside_an_age(harbor: Release) -> None:
    body = search(harbor, "10009 for a 5 year old", AUTO)
    assert (len(body["data"]), body["meta"]["relaxed"]) == (6, ["10009"])


def test_a_number_that_is_no_zip_decides(harbor: Release) -> None:
    assert search(harbor, "slide 55555", AUTO)["meta"]["ignored_words"] == []
    assert search(harbor, "slide 10001")["meta"]["ignored_words"] == []


def test_a_deployment_without_zips_reads_words(tmp_path: Path) -> None:
    release = open_release([World(listings=name_places("Slide"))], tmp_path)
    assert search(release, "slide 10001", AUTO)["meta"]["ignored_words"] == []


def test_a_zip_that_listings_state_is_known_without_a_file_of_zips(tmp_path: Path) -> None:
    listings = name_places("Stated Slide", "Other Slide", "Old Slide")
    listings[0]["location"] |= {"zip": "10001"}
    listings[2] |= {"location": {**listings[2]["location"], "zip": "10002"}, "status": "archived"}
    release = open_release([World(listings=listings)], tmp_path)
    assert find(release, "slide 10001", AUTO) == {"Stated Slide": "all_terms", "Other Slide": "partial"}
    assert search(release, "slide 10002", AUTO)["meta"]["ignored_words"] == []
    classes = Entitlement(types=frozenset({"class"}))
    assert search(release, "slide 10001", AUTO, entitlement=classes)["meta"]["ignored_words"] == []


def test_what_has_the_place_in_its_name_comes_before_what_only_lies_there(harbor: Release) -> None:
    scores = {item["name"]: item["score"] for item in search(harbor, "slide ballard", AUTO)["data"]}
    assert (scores["Slide in Ballard"], scores["Near Slide"]) == (0.967, 0.95)


def test_listings_on_the_map_of_a_neighborhood_are_in_it_even_if_they_do_not_state_it(harbor: Release) -> None:
    best = [name for name, match in find(harbor, "slide ballard", AUTO).items() if match == "all_terms"]
    assert sorted(best) == ["Near Slide", "Slide in Ballard"]
    assert find_best(search(harbor, "slide ballard")) == ["Slide in Ballard"]


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("things to do in ballard", {"Near Slide", "Slide in Ballard"}),
        ("ballard", {"Near Slide", "Slide in Ballard"}),
        ("10001", {"Near Slide", "Stated Slide"}),
        ("places near 10001", {"Near Slide", "Stated Slide"}),
    ],
)
def test_a_place_alone_shows_what_lies_there(harbor: Release, q: str, names: set[str]) -> None:
    assert find(harbor, q, AUTO) == dict.fromkeys(names, "all_terms")
    if "ballard" in q:
        assert refuse(harbor, q).details["reason"] == "nothing_searchable"


def test_a_place_beside_children_is_what_lies_there_behind_what_is_named_so(harbor: Release) -> None:
    assert list(find(harbor, "things to do in ballard for kids", AUTO)) == ["Slide in Ballard", "Near Slide"]


def test_listings_on_the_map_that_also_state_the_neighborhood_are_in_it(tmp_path: Path) -> None:
    listings = name_places("Pool", "Swimming Pool", "Pool")
    listings[0] |= {"description": f"{'Come in. ' * 40}The best of Ballard."}
    for listing in listings[:2]:
        listing["location"] |= {"neighborhood_slug": "ballard"}
    release = open_release(
        [World(listings=listings, neighborhoods=[make_neighborhood("ballard", "Ballard")])], tmp_path
    )
    found = [(item["name"], item["match"]) for item in search(release, "pool ballard", AUTO)["data"]]
    assert found == [("Pool", "all_terms"), ("Swimming Pool", "all_terms"), ("Pool", "partial")]


@pytest.fixture(scope="module")
def boroughs(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Three neighborhoods in Queensland, three on the Other Side, each with three places that say so in their
    addresses; and classes there that do not."""
    areas = [f"area-{number}" for number in range(6)]
    names = ("Reed", "Marsh", "Fen", "Moor Hill", "Dale Hill", "Top Hill")
    listings = name_places(*(f"Slide {number}" for number in range(18)), "Slide show", "Queensland swings")
    for number, listing in enumerate(listings[:18]):
        address = "1 Low Street, Queensland" if number < 9 else "1 High Street, Other Side"
        listing["location"] |= {"address": address, "neighborhood_slug": areas[number // 3]}
    listings[18:] = [documents.make_class(listing["id"], name=listing["name"]) for listing in listings[18:]]
    listings[18]["location"] |= {"address": "Lawn", "neighborhood_slug": areas[1]}
    listings[19]["location"] |= {"address": "Lawn", "neighborhood_slug": areas[5]}
    neighborhoods = [make_neighborhood(slug, name) for slug, name in zip(areas, names, strict=True)]
    world = World(listings=listings, neighborhoods=neighborhoods)
    return open_release([world], tmp_path_factory.mktemp("boroughs"))


def test_a_borough_that_no_map_names_is_where_the_addresses_of_its_neighborhoods_say_it(boroughs: Release) -> None:
    body = search(boroughs, "slide queensland", AUTO)
    assert {item["name"] for item in body["data"]} == {"Slide show", *(f"Slide {number}" for number in range(9))}
    (there,) = search(boroughs, "slide other side", AUTO)["meta"]["interpreted"]["filters"]
    assert there["from"] == "other side"


@pytest.mark.parametrize("q", ["slide street", "slide hill", "slide queensland swings"])
def test_what_all_addresses_have_or_names_say_is_no_borough(boroughs: Release, q: str) -> None:
    texts = [entry["from"] for entry in search(boroughs, q, AUTO)["meta"]["interpreted"]["filters"]]
    assert texts in ([], ["queensland"])


def test_without_auto_a_borough_is_a_word(boroughs: Release) -> None:
    assert search(boroughs, "slide queensland")["meta"]["ignored_words"] == []


@pytest.fixture(scope="module")
def dances(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The first is in Ballard."""
    listings = name_places("Music", "Dance", "Dance for Two")
    listings[0]["description"] = "With dance."
    listings[0]["location"] |= {"neighborhood_slug": "ballard"}
    world = World(listings=listings, neighborhoods=[make_neighborhood("ballard", "Ballard")])
    return open_release([world], tmp_path_factory.mktemp("dances"))


def test_listings_elsewhere_come_behind_as_partial(dances: Release) -> None:
    found = find(dances, "dance ballard", AUTO)
    assert list(found.items()) == [("Music", "all_terms"), ("Dance", "partial"), ("Dance for Two", "partial")]


def test_where_nothing_lies_there_the_place_is_given_up(dances: Release) -> None:
    body = search(dances, "two ballard", AUTO)
    assert ([item["name"] for item in body["data"]], body["meta"]["relaxed"]) == (["Dance for Two"], ["ballard"])


def test_by_default_listings_in_the_neighborhood_only_score_better(dances: Release) -> None:
    assert list(find(dances, "dance ballard")) == ["Dance", "Dance for Two", "Music"]


def test_where_no_museum_is_near_or_open_museums_elsewhere_are_shown(tmp_path: Path) -> None:
    listings = name_places("Old Ship", "Swings", "Green Lake Hall")
    kinds = ("museum", "playground", "museum")
    for listing, kind, lat in zip(listings, kinds, (40.01, 40.5, 40.02), strict=True):
        listing |= {"type_hint": kind, "location": listing["location"] | {"lat": lat, "lng": -74.0}}
    listings[1]["location"] |= {"neighborhood_slug": "ballard"}
    world = World(listings=listings, neighborhoods=[make_neighborhood("ballard", "Ballard")])
    release = open_release([world], tmp_path)
    for q, relaxed in (("museum ballard", ["ballard"]), ("museum ballard open now", ["open now", "ballard"])):
        body = search(release, q, AUTO)
        assert sorted(item["name"] for item in body["data"]) == ["Green Lake Hall", "Old Ship"]
        assert sorted(body["meta"]["relaxed"]) == sorted(relaxed)
