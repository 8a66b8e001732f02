"""Repeats with `match=auto`: one result stands for listings that an organization repeats with the same name, place and
ages."""

from collections import defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.generated import TODAY, make_world, seeds
from tests.answers.search.searching import EVERY, Document, follow_pages, read_all, search
from tests.answers.worlds import World, fold, list_texts, open_release, show_where, split_text

AUTO = {"match": "auto"}
FULL = {"match": "all_terms,related"}
PARKS = {"id": make_uuid(901), "name": "Parks", "slug": "parks"}
POOL = {"id": make_uuid(902), "slug": "pool", "name": "Pool"}


COMMON = {"name": "Swim time", "organization": PARKS, "place": POOL}


def make_event(number: int, day: str = "2026-08-20", **members: Any) -> Document:
    """Make an event of the parks department at the pool."""
    dated = {"starts_local": f"{day}T10:00:00", "starts_at": f"{day}T14:00:00Z", "has_date": True}
    timed = {"has_time": True, "start_time": "10:00:00"}
    return documents.make_event(make_uuid(number), **{**COMMON, **dated, **timed, **members})


def open_events(folder: Path, *events: Document, **members: Any) -> Release:
    dates = {
        event["id"]: [datetime.fromisoformat(event["starts_local"])] for event in events if event["type"] == "event"
    }
    return open_release([World(listings=list(events), dates=dates, **members)], folder)


def find_numbers(release: Release, q: str, params: dict[str, str] | None = None) -> dict[int, list[int]]:
    """The number of each result's id → those of its repeats."""
    items = read_all(release, q, {**AUTO, **(params or {})})
    return {read_number(item["id"]): list(map(read_number, item["repeat_ids"])) for item in items}


def read_number(row_id: str) -> int:
    return int(row_id[-12:], 16)


def test_many_dates_of_one_thing_are_one_result_the_next_of_them(tmp_path: Path) -> None:
    days = ("2026-08-20", "2026-08-13", "2026-08-27")
    release = open_events(tmp_path, *(make_event(number, day) for number, day in enumerate(days, 1)))
    (item,) = search(release, "swim", AUTO)["data"]
    assert (item["id"], item["starts_local"]) == (make_uuid(2), "2026-08-13T10:00:00")
    assert (item["repeats"], item["repeat_ids"]) == (2, [make_uuid(1), make_uuid(3)])


CALLED_OFF = [
    "SOLD OUT: Swim time", "Swim time (Canceled)", "Swim time - CANCELLED", "UPDATE: Swim time",
    "*Sold Out* Swim time!",
]  # fmt: skip


@pytest.mark.parametrize("name", CALLED_OFF)
def test_what_is_sold_out_or_called_off_is_one_with_its_original_and_never_stands_for_it(
    tmp_path: Path, name: str
) -> None:
    events = [make_event(1, "2026-08-13", name=name), make_event(2, "2026-08-20"), make_event(3, "2026-08-27")]
    assert find_numbers(open_events(tmp_path, *events), "swim") == {2: [3, 1]}


def test_what_is_sold_out_or_called_off_comes_last(tmp_path: Path) -> None:
    names = ("Swim time SOLD OUT", "Canceled: swim", "Swim with our update on fish, and time to sell out")
    release = open_events(tmp_path, *(make_event(number, name=name) for number, name in enumerate(names, 1)))
    assert list(find_numbers(release, "swim")) == [3, 2, 1]


def test_what_repeats_nothing_has_no_repeats(tmp_path: Path) -> None:
    (item,) = search(open_events(tmp_path, make_event(1, "2026-08-20")), "swim", AUTO)["data"]
    assert (item["repeats"], item["repeat_ids"]) == (0, [])


def test_results_are_counted_once_and_levels_by_listing(tmp_path: Path) -> None:
    release = open_events(tmp_path, make_event(1, "2026-08-20"), make_event(2, "2026-08-21"), make_event(3))
    meta = search(release, "swim", AUTO)["meta"]
    assert (meta["count"], meta["count_estimate"]) == (1, 1)
    assert meta["match_counts"] == {"all_terms": 3, "related": 0, "partial": 0}


def test_only_auto_folds_and_says_so(tmp_path: Path) -> None:
    release = open_events(tmp_path, make_event(1, "2026-08-20"), make_event(2, "2026-08-21"))
    for params in (EVERY, FULL, {"match": "all_terms"}):
        body = search(release, "swim", params)
        assert [item["id"] for item in body["data"]] == [make_uuid(1), make_uuid(2)]
        assert not any({"repeats", "repeat_ids"} & item.keys() for item in body["data"])


@pytest.mark.parametrize(
    "other",
    [
        {"name": "Swim times"},
        {"organization": {"id": make_uuid(903), "name": "Library", "slug": "library"}},
        {"place": {"id": make_uuid(904), "slug": "lake", "name": "Lake"}},
        {"place": None},
        {"ages": documents.make_ages(min=3)},
        {"ages": documents.make_ages(max=3)},
    ],
)
def test_another_name_organization_place_or_age_is_another_result(tmp_path: Path, other: Document) -> None:
    release = open_events(tmp_path, make_event(1, "2026-08-20"), make_event(2, "2026-08-21", **other))
    assert find_numbers(release, "swim") == {1: [], 2: []}


def test_another_type_is_another_result(tmp_path: Path) -> None:
    release = open_events(tmp_path, make_event(1), documents.make_class(make_uuid(2), **COMMON))
    assert find_numbers(release, "swim") == {1: [], 2: []}


def test_a_name_is_compared_without_case_accents_and_punctuation(tmp_path: Path) -> None:
    names = ("Swim, Café!", "SWIM café", "swim  cafe")
    release = open_events(tmp_path, *(make_event(number, name=name) for number, name in enumerate(names, 1)))
    assert find_numbers(release, "swim") == {1: [2, 3]}


HERE, THERE = (documents.make_location(lat=40.0, lng=lng) for lng in (-74.0, -74.1))
STREET, SQUARE = (documents.make_location(address=address) for address in ("1 Lake St", "2 Elm Sq"))


@pytest.mark.parametrize(("one", "other"), [(HERE, THERE), (STREET, SQUARE), (HERE, STREET)])
def test_without_a_place_the_point_counts_and_without_that_the_address(
    tmp_path: Path, one: Document, other: Document
) -> None:
    locations = (one, one, other)
    events = (make_event(number, place=None, location=location) for number, location in enumerate(locations, 1))
    assert find_numbers(open_events(tmp_path, *events), "swim") == {1: [2], 3: []}


def test_who_offers_it_or_where_it_is_has_to_be_stated(tmp_path: Path) -> None:
    """Two of one name, of which nothing else is known, need not be one thing."""
    nobody = {"id": None, "name": None, "slug": None}
    for number, (stated, expected) in enumerate((
        ({"organization": nobody, "place": None}, {1: [], 2: []}),
        ({"organization": nobody}, {1: [2]}),
        ({"place": None}, {1: [2]}),
    )):  # fmt: skip
        release = open_events(tmp_path / str(number), make_event(1, **stated), make_event(2, **stated))
        assert find_numbers(release, "swim") == expected


def test_ties_go_to_the_lesser_id_and_what_has_no_date_comes_last(tmp_path: Path) -> None:
    terms = (documents.make_term(), *[documents.make_term(starts_on="2026-08-20")] * 2)
    classes = (documents.make_class(make_uuid(number), **COMMON, term=term) for number, term in enumerate(terms, 1))
    assert find_numbers(open_events(tmp_path, *classes), "swim") == {2: [3, 1]}


def test_what_starts_before_today_is_not_the_first(tmp_path: Path) -> None:
    """Today is 2026-08-10."""
    release = open_events(tmp_path, make_event(1, "2026-08-05"), make_event(2, "2026-08-12"))
    assert find_numbers(release, "swim", {"from": "2026-08-01"}) == {2: [1]}
    assert find_numbers(release, "swim", {"from": "2026-08-01", "to": "2026-08-09"}) == {1: []}


def test_with_an_age_the_best_listing_of_a_thing_says_where_it_comes(tmp_path: Path) -> None:
    """The one that is shown only mentions what is looked for; another one has it as its category."""
    ages = documents.make_ages(min=8, max=12)
    pool, bath = {"name": "Day at the pool", "ages": ages}, {"name": "Morning at the bath", "ages": ages}
    release = open_events(
        tmp_path,
        make_event(1, "2026-08-12", **pool, description="Come and swim."),
        make_event(2, "2026-08-20", **pool, categories=["swim_water"]),
        make_event(3, "2026-08-14", **bath, categories=["swim_water"]),
        make_event(4, "2026-08-13", **bath, organization={"id": None, "name": None, "slug": None}, description="Swim."),
    )
    data = search(release, "swim 10 year old", AUTO)["data"]
    assert [(read_number(item["id"]), item["match"], item["score"]) for item in data] == [
        (1, "all_terms", 0.8), (3, "all_terms", 0.8), (4, "all_terms", 0.5),
    ]  # fmt: skip


def test_filters_come_first(tmp_path: Path) -> None:
    days = ("2026-08-12", "2026-08-14", "2026-08-21")
    release = open_events(tmp_path, *(make_event(number, day) for number, day in enumerate(days, 1)))
    assert find_numbers(release, "swim", {"from": "2026-08-13", "to": "2026-08-20"}) == {2: []}


def test_at_most_a_hundred_ids_are_named_and_all_are_counted(tmp_path: Path) -> None:
    release = open_events(tmp_path, *(make_event(number) for number in range(1, 104)))
    (item,) = search(release, "swim", AUTO)["data"]
    assert (item["repeats"], len(item["repeat_ids"])) == (102, 100)


def test_the_five_that_are_enough_are_results(tmp_path: Path) -> None:
    events = [make_event(number, name="Swim art") for number in range(1, 7)]
    release = open_events(tmp_path, *events, make_event(7, name="Art"))
    body = search(release, "swim art", AUTO)
    assert [(read_number(item["id"]), item["match"]) for item in body["data"]] == [(1, "all_terms"), (7, "partial")]
    assert body["meta"]["match_counts"] == {"all_terms": 6, "related": 0, "partial": 1}


def test_the_next_is_shown_where_the_best_of_its_listings_stands(tmp_path: Path) -> None:
    """Today is 2026-08-10. The next has the word in passing, as another listing has; a later one has it up front."""
    passing, opening = {"description": "word " * 70 + "pottery"}, {"description": "pottery"}
    early, late = make_event(3, "2026-08-11", **passing), make_event(2, "2026-08-12", **opening)
    release = open_events(tmp_path, make_event(1, name="Art", **passing), early, late)
    for sort in ("relevance", "newest", "soonest"):
        first, second = search(release, "pottery", {**AUTO, "sort": sort})["data"]
        assert (first["id"], first["starts_local"]) == (make_uuid(3), "2026-08-11T10:00:00")
        assert (first["repeat_ids"], first["match"], first["score"]) == ([make_uuid(2)], "all_terms", 0.5)
        assert (second["id"], second["match"], second["score"]) == (make_uuid(1), "partial", 0.2)


def test_the_next_of_those_is_shown_that_have_the_levels_of_the_answer(tmp_path: Path) -> None:
    """Partial matches are left out from five results on, even if they repeat a result."""
    passing = {"description": "word " * 70 + "pottery"}
    others = [make_event(number, name=f"Pottery {number}") for number in range(3, 7)]
    events = make_event(1, "2026-08-11", **passing), make_event(2, "2026-08-12", description="pottery"), *others
    body = search(open_events(tmp_path, *events), "pottery", AUTO)
    assert [read_number(item["id"]) for item in body["data"]] == [3, 4, 5, 6, 2]
    assert (body["data"][-1]["repeats"], body["meta"]["count_estimate"]) == (0, 5)
    assert body["meta"]["match_counts"] == {"all_terms": 5, "related": 0, "partial": 1}


def test_a_series_that_goes_on_counts_by_its_next_date_from_today_on(tmp_path: Path) -> None:
    """Today is 2026-08-10. It began in the window, which is earlier."""
    series = documents.make_event(make_uuid(1), **COMMON, starts_local="2026-08-04T10:00:00", has_date=True)
    days = {1: (4, 11, 18), 2: (12,)}
    dates = {make_uuid(number): [datetime(2026, 8, day, 10) for day in own] for number, own in days.items()}
    release = open_release([World(listings=[series, make_event(2, "2026-08-12")], dates=dates)], tmp_path)
    for start in ("2026-08-01", "2026-08-10"):
        assert find_numbers(release, "swim", {"from": start}) == {1: [2]}


def test_a_program_is_one_listing_and_its_card_may_be_repeated(tmp_path: Path) -> None:
    classes = [documents.make_class(make_uuid(number), **COMMON) for number in (1, 2, 3)]
    release = open_events(tmp_path, *classes, programs={make_uuid(1): "swim", make_uuid(2): "swim"})
    assert find_numbers(release, "swim") == {1: [3]}
    assert search(release, "swim", AUTO)["meta"]["match_counts"]["all_terms"] == 2


def test_sync_mode_knows_no_repeats(tmp_path: Path) -> None:
    release = open_events(tmp_path, make_event(1), make_event(2))
    assert find_numbers(release, "swim", {"changed_since": "2020-01-01T00:00:00Z"}) == {1: [], 2: []}


SORTS = ["relevance", "soonest", "newest", "nearest"]


@given(seed=seeds, limit=st.integers(min_value=1, max_value=12), sort=st.sampled_from(SORTS))
def test_each_listing_that_matches_is_once_a_result_or_a_repeat(
    tmp_path_factory: pytest.TempPathFactory, seed: int, limit: int, sort: str
) -> None:
    random = Random(seed)
    world = make_repetitive_world(random)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    start = TODAY + timedelta(days=random.choice([-15, 0, 0, 5]))
    params = {"audience": "all", "min_confidence": "0", "from": start.isoformat(), "sort": sort}
    params |= {"lat": "40", "lng": "-74"} if sort == "nearest" else {}
    body = search(release, "art swim", {**params, **AUTO, "limit": "50"})
    results = [
        item for page in follow_pages(release, "art swim", {**params, **AUTO, "limit": str(limit)}) for item in page
    ]
    listings = read_all(release, "art swim", {**params, "match": ",".join(body["meta"]["match"])})
    matches = {item["id"]: item for item in listings}
    members = {item["id"]: [item["id"], *item["repeat_ids"]] for item in results}
    assert sorted(row_id for group in members.values() for row_id in group) == sorted(matches)
    assert all(item["repeats"] == len(item["repeat_ids"]) for item in results)
    assert body["meta"]["count_estimate"] == len(results)
    assert sum(body["meta"]["match_counts"][level] for level in body["meta"]["match"]) == len(listings)
    assert ("partial" in body["meta"]["match"]) == (sum(item["match"] != "partial" for item in results) < 5)
    for item in results:
        best = min((matches[row_id] for row_id in members[item["id"]]), key=find_fit)
        fit = {name: best[name] for name in ("match", "score")}
        assert {name: item[name] for name in best} == matches[item["id"]] | fit
        assert members[item["id"]] == sorted(members[item["id"]], key=lambda row_id: find_key(matches[row_id]))
    if sort == "relevance":
        assert results == sorted(results, key=lambda item: (*find_fit(item), item["id"]))
    expected = defaultdict(set)
    for row_id in matches:
        expected[name_thing(world.get(row_id))].add(row_id)
    assert sorted(map(sorted, expected.values())) == sorted(map(sorted, members.values()))


def make_repetitive_world(random: Random) -> World:
    """Few names, places and ages. None has "art swim" side by side: it would be a notion."""
    world = make_world(random, size=40)
    for listing in world.listings:
        listing["name"] = random.choice(["Swim", "swim!", "Art", "Swim art", "Swim - art"])
        listing["ages"] = documents.make_ages(min=random.choice([None, 3]))
        listing["categories"] = []  # what only these say counts otherwise in `auto`
        listing["organization"] = random.choice([PARKS, PARKS, {"id": None, "name": None, "slug": None}])
        listing["location"] |= random.choice([{}, {"lat": None, "lng": None}])
    return world


def name_thing(listing: Document) -> tuple[object, ...]:
    place, location = (listing.get("place") or {}).get("id"), listing["location"]
    where: object = place or (location["lat"], location["lng"])
    if where == (None, None):
        where = (*split_text(list_texts(listing)[-1]), *split_text(show_where(listing)))
    own = None if listing["organization"]["id"] or where else listing["id"]
    ages = listing["ages"]["min"], listing["ages"]["max"]
    return own, listing["type"], listing["organization"]["id"], fold(listing["name"]), where, *ages


def find_key(item: Document) -> tuple[str, str]:
    """Start from today on, id."""
    starts = item["starts_local"] or "9999-12-31"
    return starts if date.fromisoformat(starts[:10]) >= TODAY else "9999-12-31", item["id"]


def find_fit(item: Document) -> tuple[int, float]:
    return ["all_terms", "related", "partial"].index(item["match"]), -item["score"]
