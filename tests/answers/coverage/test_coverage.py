"""`/v1/{metro}/coverage`: every share, counted again by hand, and what a key sees of it."""

from datetime import date, timedelta
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch
from tests.answers.coverage.oracle import cover
from tests.answers.coverage.worlds import PATH, enrich
from tests.answers.documents import make_uuid
from tests.answers.generated import make_world, seeds
from tests.answers.worlds import COLLECTIONS, TODAY, TYPES, World, open_release


@given(seed=seeds, size=st.integers(min_value=0, max_value=60))
def test_every_number_is_what_counting_by_hand_gives(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=size)
    enrich(world, random)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    names = [None, "old-town", "SÃO joao", "St Marks", "empty", "nowhere", "!!!"]
    for neighborhood, kinds in product(names, [TYPES, ["event", "place"], ["class"]]):
        params = {"types": ",".join(COLLECTIONS[kind] for kind in kinds)} if kinds is not TYPES else {}
        params |= {} if neighborhood is None else {"neighborhood": neighborhood}
        today = TODAY + timedelta(days=random.choice([0, 0, 1, 20, -3]))
        data = fetch(release, PATH, params, today=today)["data"]
        assert data.pop("release") == {"id": "1-00000000", "built_at": "2026-08-01T12:00:00Z"}
        assert data == cover(world, today=today, kinds=kinds, neighborhood=neighborhood), params


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    world = World(
        listings=[
            documents.make_place(make_uuid(1), image_url="https://a.example/1.png", verified_at="2026-07-11T04:00:00Z"),
            documents.make_place(make_uuid(2), verified_at="2026-07-11T03:59:59Z"),
            documents.make_event(make_uuid(3), audience="adults", confidence=0.1),
            documents.make_event(make_uuid(4), status="archived"),
        ],
        sources={
            make_uuid(1): {"crawled_at": "2026-08-10T09:00:00Z", "status": "clear"},
            make_uuid(2): {"crawled_at": "2026-08-09T01:06:00Z", "status": "gone"},
            make_uuid(4): {"crawled_at": "2026-08-11T00:00:00Z", "status": "gone"},
        },
    )
    return open_release([world], tmp_path_factory.mktemp("world"))


def test_the_coverage_of_a_small_metro_is_what_is_counted_by_hand(release: Release) -> None:
    body = fetch(release, PATH)
    assert body["data"] == {
        "metro": "harbor",
        "listings": {
            "events": {"published": 1, "next_30_days": 0, "dateless": 1},
            "classes": {"published": 0, "next_30_days": 0, "dateless": 0},
            "camps": {"published": 0, "next_30_days": 0, "dateless": 0},
            "places": {"published": 2, "next_30_days": 2, "dateless": 0},
        },
        # The metro's day begins at 04:00 UTC: one was read after that, the other 26.9 hours before.
        "freshness": {
            "newest_crawled_at": "2026-08-10T09:00:00Z", "median_age_hours": 13.5, "crawled_7d_share": 0.667,
            "verified_30d_share": 0.333,
        },
        "quality": {
            "mean_confidence": 0.633, "with_coordinates_share": 0.0, "with_price_share": 0.0, "with_ages_share": 0.0,
            "with_image_share": 0.333, "with_time_share": 0.0,
        },
        "verification": {
            "clear": 1, "changed": 0, "flagged": 0, "unverifiable": 0, "unreachable": 0, "gone": 1, "unspecified": 1,
        },
        "neighborhoods": {"named": 0, "with_listings": 0},
        "release": {"id": "1-00000000", "built_at": "2026-08-01T12:00:00Z"},
    }  # fmt: skip
    assert body["meta"] == {
        "metro": "harbor", "applied_filters": {}, "defaults_applied": [], "generated_at": "2026-08-01T12:00:00Z",
    }  # fmt: skip


def test_ages_move_with_the_day_and_so_does_the_tag(release: Release) -> None:
    later = date(2026, 8, 17)
    freshness = fetch(release, PATH, today=later)["data"]["freshness"]
    assert (freshness["median_age_hours"], freshness["crawled_7d_share"]) == (179.0, 0.333)
    assert ask(release, PATH, today=later).etag != ask(release, PATH).etag


def test_without_listings_shares_are_null(release: Release) -> None:
    data = fetch(release, PATH, {"types": "camps", "neighborhood": "nowhere"})["data"]
    assert {*data["freshness"].values(), *data["quality"].values()} == {None}
    assert {*data["verification"].values()} == {0}


@pytest.mark.parametrize("types", [{"event"}, {"camp"}, {"place", "class"}])
def test_a_key_of_some_types_sees_what_naming_them_gives(release: Release, types: set[str]) -> None:
    named = ",".join(COLLECTIONS[value] for value in sorted(types))
    scoped: dict[str, Any] = fetch(release, PATH, entitlement=Entitlement(types=frozenset(types)))
    assert scoped["data"] == fetch(release, PATH, {"types": named})["data"]
    assert {*scoped["data"]["listings"]} == {COLLECTIONS[value] for value in types}
