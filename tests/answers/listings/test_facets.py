"""Facets against a tally over documents, and what holds of all of them."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch, read_all
from tests.answers.documents import make_uuid
from tests.answers.generated import TODAY, make_request, make_world, seeds
from tests.answers.tally import NOTHING, VALUES, count_facets
from tests.answers.worlds import COLLECTIONS, TYPES, World, open_release

ON_ALL = ["age_band", "category", "organization"]
DATED = [*ON_ALL, "price_band", "time_block", "weekday"]
EVERYTHING = {"audience": "all", "min_confidence": "0"}
REQUESTS = 6


def list_dimensions(kind: str) -> list[str]:
    return ON_ALL if kind == "place" else DATED


def make_query(world: World, kind: str, random: Random) -> dict[str, str]:
    params = make_request(world, kind, random)
    if kind == "event" and random.random() < 0.3:
        params = {name: value for name, value in params.items() if name not in ("from", "to")}
        params["occurrences"] = "expand"
    return params


@given(seed=seeds, size=st.integers(min_value=0, max_value=120))
def test_facets_are_a_tally_of_the_filtered_set(tmp_path_factory: pytest.TempPathFactory, seed: int, size: int) -> None:
    random = Random(seed)
    world = make_world(random, size=size)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    for kind in TYPES:
        for _ in range(REQUESTS):
            params = make_query(world, kind, random)
            names = random.sample(list_dimensions(kind), random.randint(1, len(list_dimensions(kind))))
            limit = random.choice(["0", "1", "50"])
            body = fetch(
                release, f"/v1/harbor/{COLLECTIONS[kind]}", {**params, "facets": ",".join(names), "limit": limit}
            )
            assert body["facets"] == count_facets(world, kind, params, sorted(names), today=TODAY), (kind, params)


@given(seed=seeds, kind=st.sampled_from(TYPES))
def test_the_total_equals_all_pages_and_the_sum_of_a_member_with_one_value(
    tmp_path_factory: pytest.TempPathFactory, seed: int, kind: str
) -> None:
    random = Random(seed)
    world = make_world(random, size=60)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    params = {**EVERYTHING, **make_query(world, kind, random)}
    path, requested = f"/v1/harbor/{COLLECTIONS[kind]}", {"facets": ",".join(list_dimensions(kind))}
    facets = fetch(release, path, {**params, **requested, "limit": "0"})["facets"]
    assert facets["total"] == len(read_all(release, path, {**params, "limit": "7"}))
    singles = ["price_band"] if kind == "event" else []
    if "occurrences" in params:
        singles += ["weekday", "time_block"]
    for name in singles:
        assert sum(facet["count"] for facet in facets[name]) == facets["total"]
    organizations = facets["organization"]
    shown = sum(item["count"] for item in organizations["top"])
    assert shown + organizations["other_count"] + organizations["unspecified_count"] == facets["total"]
    for name in set(facets) - {"total", "is_complete", "organization"}:
        assert all(facet["count"] <= facets["total"] for facet in facets[name])


@given(seed=seeds, kind=st.sampled_from(TYPES))
def test_neither_limit_nor_page_changes_facets(tmp_path_factory: pytest.TempPathFactory, seed: int, kind: str) -> None:
    random = Random(seed)
    world = make_world(random, size=60)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    params = {**make_query(world, kind, random), "facets": ",".join(list_dimensions(kind))}
    path = f"/v1/harbor/{COLLECTIONS[kind]}"
    alone = fetch(release, path, {**params, "limit": "0"})["facets"]
    for paging in ({}, {"limit": "1"}, {"limit": "3", "page": "2"}, {"page": "10000"}):
        assert fetch(release, path, {**params, **paging})["facets"] == alone


@given(seed=seeds)
def test_a_bucket_counts_what_its_filter_keeps(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """A dimension is counted under its own filter too: what is not asked for may be there, as far as it is both."""
    world = make_world(Random(seed), size=80)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    whole = fetch(release, "/v1/harbor/events", {**EVERYTHING, "facets": ",".join(DATED), "limit": "0"})["facets"]
    cases = [("category", "category"), ("weekday", "weekday")]
    for name, parameter in cases:
        for bucket in whole[name]:
            if bucket["value"] != NOTHING:
                params = {**EVERYTHING, parameter: bucket["value"], "facets": name, "limit": "0"}
                kept = fetch(release, "/v1/harbor/events", params)["facets"]
                assert kept["total"] == bucket["count"]
                assert {"value": bucket["value"], "count": kept["total"]} in kept[name]
    free = fetch(release, "/v1/harbor/events", {**EVERYTHING, "free": "true", "facets": "price_band"})["facets"]
    assert free["price_band"][0] == whole["price_band"][0] == {"value": "free", "count": free["total"]}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release([World()], tmp_path_factory.mktemp("empty"))


@pytest.mark.parametrize("kind", TYPES)
def test_of_nothing_every_bucket_is_there_and_empty(empty: Release, kind: str) -> None:
    names = list_dimensions(kind)
    body = fetch(empty, f"/v1/harbor/{COLLECTIONS[kind]}", {"facets": ",".join(names)})
    assert list(body) == ["data", "facets", "meta"]
    buckets = {name: [{"value": value, "count": 0} for value in VALUES[name]] for name in names if name in VALUES}
    nobody = {"distinct": 0, "top": [], "other_count": 0, "unspecified_count": 0}
    assert body["facets"] == {"total": 0, "is_complete": True, **buckets, "organization": nobody}


def test_counts_alone_are_an_empty_last_page(tmp_path: Path) -> None:
    world = World(listings=[documents.make_place(make_uuid(number)) for number in range(3)])
    body = fetch(open_release([world], tmp_path), "/v1/harbor/places", {"facets": "category", "limit": "0"})
    meta = body["meta"]
    assert (body["data"], body["facets"]["total"]) == ([], 3)
    assert (meta["limit"], meta["count"], meta["has_more"], meta["next_cursor"]) == (0, 0, False, None)


@pytest.mark.parametrize("name", ["weekday", "time_block", "price_band"])
def test_places_have_no_facets_of_dates_and_prices(empty: Release, name: str) -> None:
    with pytest.raises(ApiError) as raised:
        fetch(empty, "/v1/harbor/places", {"facets": name})
    assert raised.value.details["param"] == "facets"
    assert raised.value.details["allowed"] == ["category", "age_band", "organization"]


def count_one(folder: Path, name: str, **members: Any) -> list[str]:
    """The buckets that an event of today is in."""
    event = documents.make_event(
        make_uuid(1), has_date=True, starts_local="2026-08-10T00:00:00", starts_at="2026-08-10T04:00:00Z", **members
    )
    world = World(listings=[event], dates={event["id"]: documents.read_dates("2026-08-10T00:00:00")})
    body = fetch(open_release([world], folder), "/v1/harbor/events", {"facets": name})
    return [facet["value"] for facet in body["facets"][name] if facet["count"]]


@pytest.mark.parametrize(
    ("least", "is_free", "bucket"),
    [
        (None, None, NOTHING), (None, True, "free"), (0.0, True, "free"), (0.0, None, "under_20"),
        (19.99, False, "under_20"), (20.0, False, "20_to_50"), (49.99, False, "20_to_50"), (50.0, False, "50_to_100"),
        (99.99, False, "50_to_100"), (100.0, False, "100_plus"), (5000.0, False, "100_plus"),
    ],
)  # fmt: skip
def test_a_price_is_in_the_band_that_begins_at_or_under_it(
    tmp_path: Path, least: float | None, is_free: bool | None, bucket: str
) -> None:
    assert count_one(tmp_path, "price_band", price=documents.make_price(min=least, is_free=is_free)) == [bucket]


@pytest.mark.parametrize(
    ("low", "high", "bands"),
    [
        (None, None, [NOTHING]), (0, 0, ["baby"]), (1, 1, ["baby", "toddler"]), (2, 6, ["toddler", "young_kids"]),
        (None, 3, ["baby", "toddler"]), (7, None, ["bigger_kids", "teens"]), (18, 18, ["teens"]), (19, None, []),
        (None, 200, ["baby", "toddler", "young_kids", "bigger_kids", "teens"]),
    ],
)  # fmt: skip
def test_ages_are_in_every_band_that_they_touch(
    tmp_path: Path, low: int | None, high: int | None, bands: list[str]
) -> None:
    assert count_one(tmp_path, "age_band", ages=documents.make_ages(min=low, max=high)) == bands


def test_ten_organizations_are_named_by_count_then_name_then_id(tmp_path: Path) -> None:
    names = ["b", "A", "a", "C", "d", "e", "F", "g", "h", "i", "J", "k"]
    world = World()
    for number, name in enumerate(names):
        row_id = make_uuid(100 + number)
        world.organizations.append(documents.make_organization(row_id, name=name))
        for copy in range(3 if name == "k" else 2 if name == "J" else 1):
            reference = {"id": row_id, "name": name, "slug": name}
            world.listings.append(documents.make_place(make_uuid(1000 + 10 * number + copy), organization=reference))
    world.listings.append(documents.make_place(make_uuid(1)))
    facets = fetch(open_release([world], tmp_path), "/v1/harbor/places", {"facets": "organization"})["facets"]
    top = [(item["name"], item["count"]) for item in facets["organization"]["top"]]
    assert top == [("k", 3), ("J", 2), ("A", 1), ("a", 1), ("b", 1), ("C", 1), ("d", 1), ("e", 1), ("F", 1), ("g", 1)]
    assert facets["organization"] | {"top": None} == {
        "distinct": 12, "top": None, "other_count": 2, "unspecified_count": 1
    }  # fmt: skip
    assert facets["total"] == 16


def test_a_program_of_several_listings_counts_once(tmp_path: Path) -> None:
    world = World(listings=[documents.make_class(make_uuid(number)) for number in range(4)])
    world.programs = {make_uuid(number): "swim" for number in range(3)}
    facets = fetch(open_release([world], tmp_path), "/v1/harbor/classes", {"facets": "weekday"})["facets"]
    assert facets["total"] == 2
    assert facets["weekday"][-1] == {"value": NOTHING, "count": 2}


def test_in_sync_mode_what_has_no_date_is_counted_as_such(tmp_path: Path) -> None:
    dated = documents.make_event(
        make_uuid(1), has_date=True, starts_local="2026-08-10T00:00:00", starts_at="2026-08-10T04:00:00Z"
    )
    world = World(listings=[dated, documents.make_event(make_uuid(2))])
    world.dates = {dated["id"]: documents.read_dates("2026-08-10T00:00:00")}
    params = {"changed_since": "2025-01-01T00:00:00Z", "facets": "weekday,time_block"}
    facets = fetch(open_release([world], tmp_path), "/v1/harbor/events", params)["facets"]
    assert facets["total"] == 2
    assert [item for item in facets["weekday"] if item["count"]] == [
        {"value": "monday", "count": 1}, {"value": NOTHING, "count": 1}
    ]  # fmt: skip
    assert facets["time_block"][-1] == {"value": NOTHING, "count": 2}


def test_a_class_is_unspecified_only_where_none_of_its_sections_that_match_states_the_value(tmp_path: Path) -> None:
    """If a filter leaves only the second section, the days of the first don't count."""
    first, second = documents.make_section(make_uuid(2)), documents.make_section(make_uuid(3))
    first["schedule"] |= {"days": ["monday"], "start_time": "10:00:00"}
    for section, ages in ((first, (1, 2)), (second, (8, 9))):
        section["ages"] |= {"min": ages[0], "max": ages[1]}
    world = World(listings=[documents.make_class(make_uuid(1), sections=[first, second])])
    release = open_release([world], tmp_path)

    def count(**more: str) -> list[dict[str, int]]:
        params = {"facets": "weekday,time_block", "audience": "all", "min_confidence": "0", **more}
        facets = fetch(release, "/v1/harbor/classes", params)["facets"]
        return [
            {facet["value"]: facet["count"] for facet in facets[name] if facet["count"]}
            for name in ("weekday", "time_block")
        ]

    assert count() == count(age="1") == [{"monday": 1}, {"morning": 1}]
    assert count(age="8") == [{NOTHING: 1}, {NOTHING: 1}]


def test_a_class_or_camp_is_in_the_price_and_age_bands_of_what_it_offers_that_matches(tmp_path: Path) -> None:
    """A section or session that states no ages or price has those of the whole. Ages past all bands are stated."""
    sections = [documents.make_section(make_uuid(number)) for number in range(10, 14)]
    for section, amount, ages in zip(
        sections, (0, 30, None, None), ((0, 2), (4, 5), (30, 40), (None, None)), strict=True
    ):
        section["tuition"]["amount"] = amount
        section["ages"] |= {"min": ages[0], "max": ages[1]}
    sections[3]["schedule"]["days"] = ["sunday"]
    session = documents.make_session(make_uuid(20), price=documents.make_price(min=120.0, is_free=False))
    session["ages"] |= {"min": 13, "max": 14}
    whole = {"price": documents.make_price(min=60.0), "ages": documents.make_ages(min=8, max=9)}
    world = World(
        listings=[
            documents.make_class(make_uuid(1), sections=sections),
            documents.make_camp(make_uuid(2), sessions=[session]),
            documents.make_class(make_uuid(3), sections=[sections[3]], **whole),
            documents.make_camp(make_uuid(4), sessions=[documents.make_session(make_uuid(21))], **whole),
        ]
    )  # fmt: skip
    release = open_release([world], tmp_path)

    def count(kind: str, **more: str) -> list[dict[str, int]]:
        params = {**EVERYTHING, "facets": "price_band,age_band", **more}
        facets = fetch(release, f"/v1/harbor/{kind}", params)["facets"]
        return [
            {facet["value"]: facet["count"] for facet in facets[name] if facet["count"]}
            for name in ("price_band", "age_band")
        ]

    both = {"baby": 1, "toddler": 1, "young_kids": 1, "bigger_kids": 1}
    assert count("classes") == [{"free": 1, "20_to_50": 1, "50_to_100": 1}, both]
    assert count("classes", age="35") == [{NOTHING: 1}, {}]
    assert count("classes", max_price="10") == [{"free": 1}, {"baby": 1, "toddler": 1}]
    assert count("classes", weekday="sunday") == [{"50_to_100": 1, NOTHING: 1}, {"bigger_kids": 1, NOTHING: 1}]
    assert count("camps") == [{"50_to_100": 1, "100_plus": 1}, {"bigger_kids": 1, "teens": 1}]
