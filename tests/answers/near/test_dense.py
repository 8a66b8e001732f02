"""A metro of many tiles: what is counted by whole tiles, and found without a look at all, is what the oracle says."""

from random import Random
from typing import Any

import pytest

from outings.release.snapshot import Release
from tests.answers.asking import fetch, make_noon
from tests.answers.generated import CENTER, make_world
from tests.answers.near.nearing import set_registrations
from tests.answers.near.oracle import (
    COLLECTIONS,
    GROUPS,
    judge_activity,
    list_around,
    list_bands,
    list_near,
    list_nearby,
    measure,
    name_groups,
    score,
)
from tests.answers.worlds import TODAY, World, open_release

NOON = make_noon(TODAY)
SIZE = 1_500


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Release]:
    random = Random(12)
    world = make_world(random, size=SIZE)
    set_registrations(world, random)
    return world, open_release([world], tmp_path_factory.mktemp("dense"))


def make_point(random: Random) -> dict[str, str]:
    lat, lng = (middle + random.uniform(-0.08, 0.08) for middle in CENTER)
    return {"lat": f"{lat:.5f}", "lng": f"{lng:.5f}", "min_confidence": "0"}


def judge_best(world: World, data: dict[str, Any], request: dict[str, str]) -> None:
    """Each group's first items are those that score best of all, however many were looked at."""
    expected = list_around(world, request, NOON)
    assert data["facets"]["by_type"] == {
        name: sum(item["type"] == kind for item in expected.values()) for kind, name in COLLECTIONS.items()
    }
    for name in GROUPS:
        own = [value for value in expected.values() if name in name_groups(value)]
        group = data["results"][name]
        assert group["total"] == len(own)
        scores = sorted((score(world, value, request, NOON, list_bands(value)) for value in own), reverse=True)
        shown = [item["score"] for item in group["items"]]
        assert shown == pytest.approx(scores[: len(shown)], abs=0.000501)
        assert len(shown) == min(int(request["limit"]), len(own))


def test_groups_have_the_best_and_facets_count_all(harbor: tuple[World, Release], cases: int) -> None:
    world, release = harbor
    for seed in range(max(2, cases)):
        random = Random(seed)
        request = make_point(random) | {"radius_m": random.choice(["1500", "5000", "12000"])}
        request |= {"limit": random.choice(["3", "10"])}
        if seed % 2:
            request |= {"ages": "toddler,teens"}
        data = fetch(release, "/v1/harbor/around", request, minute=NOON)["data"]
        judge_best(world, data, request)
        metres = sorted(
            measure(request, listing["location"]["lat"], listing["location"]["lng"])
            for listing in list_around(world, request, NOON).values()
        )
        ends = [min(most, int(request["radius_m"])) for most in (800, 2500, 8000, 50000)]
        inside = [sum(metre <= end for metre in metres) for end in ends]
        rings = [item["count"] for item in data["facets"]["by_distance_ring"]]
        assert rings == [after - before for before, after in zip([0, *inside], inside, strict=False)]


def test_activity_counts_all(harbor: tuple[World, Release], cases: int) -> None:
    world, release = harbor
    for seed in range(max(2, cases)):
        request = make_point(Random(seed)) | {"radius_m": "4000"}
        data = fetch(release, "/v1/harbor/activity", request, minute=NOON)["data"]
        near = [value for kind in COLLECTIONS for value in list_near(world, kind, request, NOON)]
        assert data["score"] == judge_activity(near, [*COLLECTIONS])[0] / 1000


def test_what_is_asked_again_is_found_alike(harbor: tuple[World, Release], cases: int) -> None:
    """A repeated request finds the same whether its result was cached, computed before or computed after others."""
    world, release = harbor
    for seed in range(max(2, cases)):
        random = Random(seed)
        request = make_point(random) | {"age": str(seed), "radius_m": "9000", "limit": "60"}
        first = fetch(release, "/v1/harbor/nearby", request, minute=NOON)
        other = fetch(release, "/v1/harbor/nearby", make_point(random) | {"age": str(seed)}, minute=NOON)
        again = fetch(release, "/v1/harbor/nearby", request, minute=NOON)
        assert again == first != other
        expected = [(metres, item["id"]) for metres, item in list_nearby(world, request, NOON)]
        assert [(item["distance_m"], item["id"]) for item in again["data"]] == expected[:60]
