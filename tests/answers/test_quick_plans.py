"""Plans that a server computes on its event loop because they are quick. It hands all others to a thread."""

from collections.abc import Mapping

import pytest

from outings.answers.plan import AnswerContext
from outings.answers.routes import make_plan
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ALL, make_noon, parse
from tests.answers.worlds import TODAY, World, open_release

PLACE = "00000000-0000-4000-8000-000000000001"
LIST, CLASSES, DETAIL = "/v1/harbor/events", "/v1/harbor/classes", f"/v1/places/{PLACE}"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    world = World(listings=[documents.make_place(PLACE)])
    return open_release([world], tmp_path_factory.mktemp("worlds"))


def is_quick(release: Release, path: str, params: Mapping[str, str]) -> bool:
    context = AnswerContext(release=release, dates=dict.fromkeys(release.metros, TODAY), entitlement=ALL)
    return make_plan(parse(path, params), context).is_quick


@pytest.mark.parametrize(
    ("path", "quick", "slow"),
    [
        (LIST, {"fields": "name", "limit": "50"}, {"fields": "name", "limit": "200"}),
        (LIST, {"limit": "200"}, {"expand": "organization", "limit": "200"}),
        (LIST, {"occurrences": "expand", "limit": "20"}, {"occurrences": "expand"}),
        (LIST, {"facets": "category,weekday"}, {"facets": "weekday", "occurrences": "expand", "limit": "1"}),
        (CLASSES, {"facets": "category"}, {"facets": "category,price_band"}),
        (DETAIL, {}, {"expand": "organization"}),
    ],
)
def test_what_changes_many_items_or_looks_at_dates_one_by_one_is_slow(
    release: Release, path: str, quick: dict[str, str], slow: dict[str, str]
) -> None:
    assert is_quick(release, path, quick)
    assert not is_quick(release, path, slow)


def test_what_was_requested_before_near_a_point_is_quick(release: Release) -> None:
    point, noon = {"lat": "40", "lng": "-74", "limit": "20"}, make_noon(TODAY)
    context = AnswerContext(release=release, dates=dict.fromkeys(release.metros, TODAY), entitlement=ALL, minute=noon)
    known = []
    for lng in ("-74", "-74.1", "-74.2"):
        plan = make_plan(parse("/v1/harbor/nearby", {**point, "lng": lng}), context)
        known.append(plan.is_quick)
        assert plan.render()
    assert known == [False, True, True]
