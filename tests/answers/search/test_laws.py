"""A search filters as the lists do, and its walk is the whole set once."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.routes import ROUTES
from tests.answers.generated import TODAY, make_request, make_world
from tests.answers.reference import list_items
from tests.answers.search.searching import read_all, search, walk
from tests.answers.test_lists import COLLECTIONS, seeds
from tests.answers.worlds import TYPES, World, open_release

REQUESTS = 4
TAKEN = {route.type: route.parameters for route in ROUTES if route.name.endswith(".list") and route.type}
SEARCH = next(route.parameters for route in ROUTES if route.name == "search")


def make_named_world(random: Random, *, size: int) -> World:
    """A word that is in every name."""
    world = make_world(random, size=size)
    for each in world.listings:
        each["name"] += " zebra"
    return world


def make_filters(world: World, random: Random) -> dict[str, str]:
    """Of one list or of two, as far as a search takes them."""
    wishes: dict[str, str] = {}
    for kind in random.sample(TYPES, random.choice([1, 1, 2])):
        wishes |= make_request(world, kind, random)
    if random.random() < 0.2:
        wishes["changed_since"] = random.choice(["2026-07-02T08:00:00Z", "2020-01-01T00:00:00Z"])
    if random.random() < 0.3:
        wishes["types"] = ",".join(random.sample(sorted(COLLECTIONS.values()), 2))
    if wishes.get("to", "9999") < wishes.get("from", ""):
        del wishes["to"]
    wishes.pop("place_type" if "type_hint" in wishes else "", None)
    return {name: value for name, value in wishes.items() if name in SEARCH}


def list_expected(world: World, params: dict[str, str]) -> set[str]:
    """Ids of what the lists give, each with the filters that it takes."""
    kinds = [kind for kind in TYPES if COLLECTIONS[kind] in params.get("types", ",".join(COLLECTIONS.values()))]
    kinds = [kind for kind in kinds if kind == "event" or "team" not in params]
    found = set()
    for kind in kinds:
        own = {name: value for name, value in params.items() if name in TAKEN[kind]}
        found |= {each["id"] for each in list_items(world, kind, own, today=TODAY)}
    return found


@given(seed=seeds)
def test_a_word_in_every_name_finds_what_the_lists_give_with_the_same_filters(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    random = Random(seed)
    world = make_named_world(random, size=80)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    for _ in range(REQUESTS):
        params = make_filters(world, random)
        body = search(release, "zebra", {**params, "limit": "50"})
        ids = [item["id"] for item in body["data"]]
        if body["meta"]["has_more"]:
            ids = [item["id"] for item in read_all(release, "zebra", params)]
        assert sorted(ids) == sorted(list_expected(world, params)), params
        assert body["meta"]["match_counts"] == {"all_terms": len(ids), "related": 0, "partial": 0}
        assert (body["meta"]["count_estimate"], body["meta"]["capped"]) == (len(ids), False)


@given(
    seed=seeds,
    limit=st.integers(min_value=1, max_value=9),
    sort=st.sampled_from(["relevance", "soonest", "newest", "nearest"]),
)
def test_a_walk_is_the_whole_set_once_in_order(
    tmp_path_factory: pytest.TempPathFactory, seed: int, limit: int, sort: str
) -> None:
    world = make_named_world(Random(seed), size=40)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    params = {"audience": "all", "min_confidence": "0", "sort": sort, "lat": "40", "lng": "-74", "radius_m": "50000"}
    if sort != "nearest":
        del params["radius_m"], params["lat"], params["lng"]
    q = "swim art zebra"
    whole = search(release, q, {**params, "limit": "50"})["data"]
    pages = walk(release, q, {**params, "limit": str(limit)})
    assert [item for page in pages for item in page] == whole
    assert all(len(page) == limit for page in pages[:-1])
    assert len({item["id"] for item in whole}) == len(whole)


def test_every_filter_of_a_list_but_its_own_modes_is_one_of_search() -> None:
    """`starts_from` and `starts_to` the contract does not name among them; `expand` and the like are no filters."""
    modes = {
        "ids",
        "q",
        "fields",
        "expand",
        "facets",
        "page",
        "occurrences",
        "starts_from",
        "starts_to",
        "include_mode",
    }
    named = {name for rows in TAKEN.values() for name in rows} - modes
    assert named - SEARCH.keys() <= {"place_type"}
