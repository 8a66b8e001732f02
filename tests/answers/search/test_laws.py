"""A search filters as the lists do, and its pages give each result once."""

import math
from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.routes import LISTS, ROUTES
from tests.answers.generated import TODAY, make_request, make_world, seeds
from tests.answers.reference import find_meeting, list_items
from tests.answers.search.searching import LEVELS, Document, follow_pages, read_all, search
from tests.answers.worlds import COLLECTIONS, TYPES, World, open_release

REQUESTS = 3
TAKEN = {kind: route.parameters for kind, route in LISTS.items()}
SEARCH = next(route.parameters for route in ROUTES if route.name == "search")


def make_named_world(random: Random, *, size: int) -> World:
    """A word that is in every name."""
    world = make_world(random, size=size)
    for listing in world.listings:
        listing["name"] += " zebra"
    return world


def make_filters(world: World, random: Random) -> dict[str, str]:
    """Make random filters that a search accepts, of one type or of two."""
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
    expected = set()
    for kind in kinds:
        own = {name: value for name, value in params.items() if name in TAKEN[kind]}
        expected |= {item["id"] for item in list_items(world, kind, own, today=TODAY)}
    return expected


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


SORTS = ["relevance", "soonest", "newest", "nearest"]
HERE = {"lat": "40", "lng": "-74"}


@given(seed=seeds, limit=st.integers(min_value=4, max_value=30), sort=st.sampled_from(SORTS))
def test_paging_gives_each_result_once_in_order(
    tmp_path_factory: pytest.TempPathFactory, seed: int, limit: int, sort: str
) -> None:
    random = Random(seed)
    world = make_named_world(random, size=40)
    for listing in world.listings:
        listing["created_at"] = random.choice([None, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"])
    release = open_release([world], tmp_path_factory.mktemp("world"))
    params = {"audience": "all", "min_confidence": "0", "sort": sort, **(HERE if sort == "nearest" else {})}
    q = "swim art zebra"
    whole = search(release, q, {**params, "limit": "50"})["data"]
    assert whole == sorted(whole, key=lambda item: (find_key(world.get(item["id"]), item, sort), item["id"]))
    pages = follow_pages(release, q, {**params, "limit": str(limit)})
    assert [item for page in pages for item in page] == whole
    assert all(len(page) == limit for page in pages[:-1])
    assert len({item["id"] for item in whole}) == len(whole)


def find_key(listing: Document, item: Document, sort: str) -> tuple[object, ...]:
    """All but the id."""
    if sort == "relevance":
        return LEVELS.index(item["match"]), -item["score"]
    if sort == "soonest":
        return item["starts_local"] or "9999", -item["score"]
    if sort == "newest":
        stamp = listing["created_at"]
        return stamp is None, -int((stamp or "")[5:7] or 0), -item["score"]
    lat, lng = listing["location"]["lat"], listing["location"]["lng"]
    return math.inf if lat is None else measure(lat, lng), -item["score"]


def measure(lat: float, lng: float) -> float:
    """Measure the distance from HERE by the haversine formula."""
    here, there, turn = math.radians(float(HERE["lat"])), math.radians(lat), math.radians(lng - float(HERE["lng"]))
    half = math.sin((there - here) / 2) ** 2 + math.cos(here) * math.cos(there) * math.sin(turn / 2) ** 2
    return 2 * math.asin(math.sqrt(half))


@given(seed=seeds)
def test_each_result_shows_when_it_is_next(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    random = Random(seed)
    world = make_named_world(random, size=60)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    first = TODAY + timedelta(days=random.randint(-10, 10))
    params: dict[str, str] = random.choice([{}, {"from": first.isoformat()}])
    for item in read_all(release, "zebra", {"audience": "all", "min_confidence": "0", **params}):
        start = date.fromisoformat(params.get("from", TODAY.isoformat()))
        shown = item["starts_local"]
        assert find_day(world, world.get(item["id"]), start) == (None if shown is None else shown[:10]), item


def find_day(world: World, listing: Document, start: date) -> str | None:
    """A series' next date from today on; of a class its next meeting or first day, of a camp its first session."""
    kind, low = listing["type"], max(start, TODAY)
    if kind == "place":
        return None
    if kind == "event":
        days = sorted(date.date() for date in world.dates[listing["id"]])
        last = start + timedelta(days=30)
        least = low if listing["is_recurring"] else start
        return next((day.isoformat() for day in days if least <= day <= last), None)
    if kind == "class":
        day = find_meeting(listing, low)
        return None if day is None else day.isoformat()
    left = [session["starts_on"] for session in listing["sessions"] if (session["ends_on"] or "") >= low.isoformat()]
    return min(left, default=None)


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
    assert named - SEARCH.keys() <= {"place_type", "where"}
