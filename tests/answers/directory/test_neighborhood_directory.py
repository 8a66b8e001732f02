"""`/v1/{metro}/neighborhoods`: which there are, with the lists' own counts, and what a key sees of them."""

from datetime import date, datetime
from random import Random
from typing import Any

import pytest
from hypothesis import given

from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch, follow_cursor, read_all, read_by_number
from tests.answers.documents import make_neighborhood, make_uuid
from tests.answers.generated import make_world, seeds
from tests.answers.worlds import COLLECTIONS, World, open_release

PATH = "/v1/harbor/neighborhoods"


def place_in(name: str, slug: str) -> dict[str, Any]:
    return {"location": documents.make_location(neighborhood=name, neighborhood_slug=slug)}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    ballard, hill = place_in("Ballard", "ballard"), place_in("Capitol Hill", "capitol-hill")
    world = World(
        neighborhoods=[
            make_neighborhood("st-marks", "St. Mark's"), make_neighborhood("ballard", "ballard", at=40.5),
            make_neighborhood("capitol-hill", "Capitol Hill"), make_neighborhood("first-hill", "First Hill"),
        ],
        listings=[
            documents.make_place(make_uuid(1), **ballard), documents.make_place(make_uuid(2), **hill),
            documents.make_place(make_uuid(3), **hill, audience="adults"),
            documents.make_place(make_uuid(4), **hill, confidence=0.3),
            documents.make_place(make_uuid(5), **hill, status="archived"), documents.make_place(make_uuid(6)),
            documents.make_class(make_uuid(7), **hill), documents.make_class(make_uuid(8), **hill),
            documents.make_class(make_uuid(9), **ballard), documents.make_class(make_uuid(10), **ballard),
            documents.make_event(
                make_uuid(11), **ballard, has_date=True, starts_local="2026-08-10T09:00:00",
                starts_at="2026-08-10T13:00:00Z",
            ),
            documents.make_camp(make_uuid(12), **place_in("Nowhere Else", "nowhere-else")),
        ],
        dates={make_uuid(11): [datetime(2026, 8, 10, 9)]},
        programs={make_uuid(number): "swim" for number in (7, 8, 9)},
    )  # fmt: skip
    return open_release([world], tmp_path_factory.mktemp("world"))


def name_all(release: Release, params: dict[str, str] | None = None, **context: Any) -> list[str]:
    return [item["slug"] for item in fetch(release, PATH, params or {}, **context)["data"]]


def test_all_are_listed_by_name_with_counts_center_bounds_and_links(release: Release) -> None:
    body = fetch(release, PATH)
    assert [item["slug"] for item in body["data"]] == ["ballard", "capitol-hill", "first-hill", "st-marks"]
    assert body["data"][0] == {
        "slug": "ballard", "name": "ballard", "metro": "harbor", "center": {"lat": 40.5, "lng": -74.0},
        "bounds": {"south": 40.49, "west": -74.01, "north": 40.51, "east": -73.99},
        "counts": {"events": 1, "classes": 2, "camps": 0, "places": 1, "total": 4},
        "links": {name: f"/v1/harbor/{name}?neighborhood=ballard" for name in ("events", "classes", "camps", "places")},
    }  # fmt: skip
    counts = {item["slug"]: item["counts"]["total"] for item in body["data"]}
    # One program of three listings is one card in each of its neighborhoods.
    assert counts == {"ballard": 4, "capitol-hill": 2, "first-hill": 0, "st-marks": 0}
    assert body["meta"] == {
        "limit": 50, "count": 4, "has_more": False, "next_cursor": None, "page": 1,
        "applied_filters": {"min_count": 0}, "defaults_applied": ["min_count"], "metro": "harbor",
        "generated_at": "2026-08-01T12:00:00Z", "hint": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"sort": "count"}, ["ballard", "capitol-hill", "first-hill", "st-marks"]),
        ({"sort": "count", "types": "places"}, ["ballard", "capitol-hill", "first-hill", "st-marks"]),
        ({"sort": "count", "types": "camps"}, ["ballard", "capitol-hill", "first-hill", "st-marks"]),
        ({"min_count": "1"}, ["ballard", "capitol-hill"]),
        ({"min_count": "3"}, ["ballard"]),
        ({"min_count": "1", "types": "events,camps"}, ["ballard"]),
        ({"q": "hill"}, ["capitol-hill", "first-hill"]),
        ({"q": "CAPITOL-HILL"}, ["capitol-hill"]),
        ({"q": "capitolhill"}, ["capitol-hill"]),
        ({"q": "captiol hill"}, ["capitol-hill"]),
        ({"q": "St Marks"}, ["st-marks"]),
        ({"q": "hill", "min_count": "1"}, ["capitol-hill"]),
        ({"q": "nowhere else"}, []),
        ({"q": "the"}, []),
        ({"q": "'; --"}, []),
        ({"q": "a" * 200}, []),
    ],
)
def test_filters_keep_and_orders_sort_what_they_say(
    release: Release, params: dict[str, str], expected: list[str]
) -> None:
    assert name_all(release, params) == expected


def test_words_that_every_name_may_have_are_hinted_at(release: Release) -> None:
    assert fetch(release, PATH, {"q": "the"})["meta"]["hint"]
    assert fetch(release, PATH, {"q": "nowhere"})["meta"]["hint"] is None


def test_counts_move_with_the_day_and_so_does_the_tag(release: Release) -> None:
    later = date(2026, 8, 11)
    assert fetch(release, PATH, today=later)["data"][0]["counts"]["events"] == 0
    assert ask(release, PATH, today=later).etag != ask(release, PATH).etag


@pytest.mark.parametrize("types", [{"event"}, {"camp"}, {"place", "class"}])
def test_a_key_of_some_types_sees_what_naming_them_gives(release: Release, types: set[str]) -> None:
    named = ",".join(COLLECTIONS[value] for value in sorted(types))
    for params in ({}, {"sort": "count"}, {"min_count": "2"}, {"q": "hill"}):
        scoped = fetch(release, PATH, params, entitlement=Entitlement(types=frozenset(types)))
        assert scoped["data"] == fetch(release, PATH, {**params, "types": named})["data"]


def test_paging_and_pages_show_each_once_in_order(release: Release) -> None:
    for params in ({}, {"sort": "count"}, {"q": "hill"}):
        whole = fetch(release, PATH, params)["data"]
        for limit in ("1", "3"):
            requested = {**params, "limit": limit}
            assert [item for page in follow_cursor(release, PATH, requested) for item in page] == whole
            assert [item for page in read_by_number(release, PATH, requested) for item in page] == whole


@pytest.mark.parametrize("params", [{"sort": "nearest"}, {"sort": "distance"}, {"fields": "name"}, {"limit": "0"}])
def test_what_it_does_not_take_is_refused(release: Release, params: dict[str, str]) -> None:
    with pytest.raises(ApiError) as raised:
        ask(release, PATH, params)
    assert (raised.value.status, raised.value.details["param"]) == (400, next(iter(params)))


def test_a_metro_without_a_map_has_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    release = open_release([World(listings=[documents.make_place(make_uuid(1))])], tmp_path_factory.mktemp("world"))
    assert fetch(release, PATH)["data"] == []


@given(seed=seeds)
def test_counts_are_those_of_the_lists_with_the_neighborhood(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=60)
    # One of them is the slug of one and the name of another: both are what a list by it finds.
    named = [("old-town", "Old Town"), ("sao-joao", "São João"), ("st-mark", "St. Mark's"), ("old town", "x")]
    for slug, name in named:
        world.neighborhoods.append(make_neighborhood(slug, name))
    release = open_release([world], tmp_path_factory.mktemp("world"))
    listed = read_all(release, PATH, {"limit": "2"})
    assert len(listed) == 4
    for item in listed:
        for collection in COLLECTIONS.values():
            params = {"neighborhood": item["slug"], "facets": "category", "limit": "0"}
            total = fetch(release, f"/v1/harbor/{collection}", params)["facets"]["total"]
            assert item["counts"][collection] == total, (item["slug"], collection)
        assert item["counts"]["total"] == sum(item["counts"][name] for name in COLLECTIONS.values())
    by_count = read_all(release, PATH, {"sort": "count", "limit": "3"})
    assert by_count == sorted(listed, key=lambda item: (-item["counts"]["total"], item["name"].casefold()))


@pytest.mark.parametrize(
    "path",
    [
        "/v1/harbor/events", "/v1/harbor/places", "/v1/harbor/classes/calendar?from=2026-08-10&to=2026-08-11",
        "/v1/harbor/camps/density", "/v1/harbor/search?q=club", "/v1/harbor/organizations", "/v1/harbor/coverage",
    ],
)  # fmt: skip
def test_an_unknown_neighborhood_is_a_notice_with_the_nearest(release: Release, path: str) -> None:
    path, _, text = path.partition("?")
    params = dict(pair.split("=") for pair in text.split("&")) if text else {}
    [notice] = fetch(release, path, {**params, "neighborhood": "balard"})["notices"]
    assert (notice["code"], notice["param"]) == ("neighborhood_unknown", "neighborhood")
    assert notice["details"] == {"did_you_mean": ["ballard"]}
    assert "did you mean ballard?" in notice["message"]
    [notice] = fetch(release, path, {**params, "neighborhood": "q"})["notices"]
    assert notice["details"] == {"did_you_mean": []}
    assert "/v1/harbor/neighborhoods" in notice["message"]
    for known in ("ballard", "CAPITOL HILL!", "st-marks"):
        assert "notices" not in fetch(release, path, {**params, "neighborhood": known}), known


def test_a_neighborhood_of_what_a_key_may_not_read_is_as_unknown_as_any(release: Release) -> None:
    events = {"entitlement": Entitlement(types=frozenset({"event"}))}
    [notice] = fetch(release, "/v1/harbor/events", {"neighborhood": "nowhere-else"}, **events)["notices"]
    assert notice["details"] == {"did_you_mean": []}
