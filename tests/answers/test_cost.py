"""What an answer is planned to cost: more of anything is never cheaper, and what waits for columns is unknown."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from outings.answers.context import AnswerContext
from outings.answers.cost import LOOK_UP, UNKNOWN
from outings.answers.routes import make_plan
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ALL, make_noon, parse
from tests.answers.worlds import TODAY, World, open_release

PLACE = "00000000-0000-4000-8000-000000000001"
LIST, CALENDAR = "/v1/harbor/events", "/v1/harbor/events/calendar"
MONTH = {"from": "2026-08-10", "to": "2026-09-09"}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    world = World(listings=[documents.make_place(PLACE)])
    return open_release([world], tmp_path_factory.mktemp("worlds"))


def cost(release: Release, path: str, params: Mapping[str, str]) -> int:
    about = AnswerContext(release=release, dates=dict.fromkeys(release.metros, TODAY), entitlement=ALL)
    return make_plan(parse(path, params), about).cost


@pytest.mark.parametrize(
    ("path", "less", "more"),
    [
        (LIST, {"limit": "10"}, {"limit": "200"}),
        (LIST, {}, {"fields": "name"}),
        (LIST, {"fields": "name"}, {"expand": "organization"}),
        (LIST, {}, {"occurrences": "expand"}),
        (LIST, {"ids": PLACE}, {"ids": f"{PLACE},{PLACE[:-1]}2"}),
        (LIST, {"limit": "0", "facets": "category"}, {"limit": "1", "facets": "category"}),
        (LIST, {"facets": "category"}, {"facets": "category,price_band"}),
        (CALENDAR, {"from": "2026-08-10", "to": "2026-08-16"}, MONTH),
    ],
)
def test_more_is_never_cheaper(release: Release, path: str, less: dict[str, str], more: dict[str, str]) -> None:
    assert cost(release, path, less) < cost(release, path, more)


def test_what_looks_at_listings_grows_with_them(release: Release, tmp_path: Path) -> None:
    many = [documents.make_place(f"00000000-0000-4000-8000-{number:012x}") for number in range(300)]
    larger = open_release([World(listings=many)], tmp_path)
    for params in ({"q": "barn"}, {"lat": "40", "lng": "-74", "radius_m": "500"}):
        assert cost(release, LIST, params) < cost(larger, LIST, params)
    assert cost(release, LIST, {}) == cost(larger, LIST, {})


def test_what_was_requested_before_near_a_point_is_cheap(release: Release) -> None:
    point, noon = {"lat": "40", "lng": "-74", "limit": "20"}, make_noon(TODAY)
    about = AnswerContext(release=release, dates=dict.fromkeys(release.metros, TODAY), entitlement=ALL, minute=noon)
    costs = []
    for lng in ("-74", "-74.1", "-74.2"):
        plan = make_plan(parse("/v1/harbor/nearby", {**point, "lng": lng}), about)
        costs.append(plan.cost)
        assert plan.render()
    assert costs[0] == UNKNOWN > costs[1] == costs[2]


def test_a_list_that_waits_for_columns_is_dear(release: Release) -> None:
    metros = {slug: replace(snapshot, hash="unmapped", mapped={}) for slug, snapshot in release.metros.items()}
    unmapped = replace(release, metros=metros)
    assert {cost(unmapped, LIST, {"limit": "1"}), cost(unmapped, CALENDAR, MONTH)} == {UNKNOWN}


def test_a_detail_is_a_look_up_unless_something_is_attached(release: Release) -> None:
    assert cost(release, f"/v1/places/{PLACE}", {}) == LOOK_UP
    assert cost(release, f"/v1/places/{PLACE}", {"expand": "organization"}) == UNKNOWN
