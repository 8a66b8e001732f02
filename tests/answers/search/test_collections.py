"""Listings of the four types that a search reads and shows: visibility, defaults, scope, types."""

from datetime import datetime
from pathlib import Path

import pytest

from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import find, open_listings, refuse, search
from tests.answers.worlds import World, open_release

WHEN = {
    "has_date": True, "has_time": True, "start_time": "10:00:00", "starts_local": "2026-08-20T10:00:00",
    "starts_at": "2026-08-20T14:00:00Z",
}  # fmt: skip
ALL = ("Zoo event", "Zoo class", "Zoo camp", "Zoo place")


def make_world() -> World:
    world = World(
        listings=[
            documents.make_event(make_uuid(1), name="Zoo event", teams=["kraken"], **WHEN),
            documents.make_class(make_uuid(2), name="Zoo class", confidence=0.7),
            documents.make_camp(make_uuid(3), name="Zoo camp", price=documents.make_price(min=10.0, is_free=False)),
            documents.make_place(make_uuid(4), name="Zoo place", confidence=0.5),
            documents.make_place(make_uuid(5), name="Zoo adults", audience="adults"),
            documents.make_place(make_uuid(6), name="Zoo draft", status="draft"),
            documents.make_place(make_uuid(7), name="Zoo archived", status="archived"),
            documents.make_place(make_uuid(8), name="Zoo unsure place", confidence=0.49),
            documents.make_class(make_uuid(9), name="Zoo unsure class", confidence=0.69),
            documents.make_event(make_uuid(10), name="Zoo dateless"),
            documents.make_event(make_uuid(11), name="Zoo past", **{**WHEN, "starts_at": "2026-08-01T14:00:00Z"}),
            documents.make_event(make_uuid(12), name="Zoo far", **{**WHEN, "starts_at": "2026-10-01T14:00:00Z"}),
        ]
    )  # fmt: skip
    for number, day in (
        (1, datetime(2026, 8, 20, 10)),
        (11, datetime(2026, 8, 1, 10)),
        (12, datetime(2026, 10, 1, 10)),
    ):
        world.dates[make_uuid(number)] = [day]
    return world


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release([make_world()], tmp_path_factory.mktemp("harbor"))


def test_each_collection_has_its_own_visibility_window_and_confidence(harbor: Release) -> None:
    assert find(harbor, "zoo").keys() == {*ALL}


# Filters → what they show beside or instead.
SHOWN: list[tuple[dict[str, str], set[str]]] = [
    ({"audience": "all"}, {*ALL, "Zoo adults"}),
    ({"audience": "adults"}, {"Zoo adults"}),
    ({"audience": "not_adults"}, {*ALL}),
    ({"min_confidence": "0"}, {*ALL, "Zoo unsure place", "Zoo unsure class"}),
    ({"min_confidence": "0.7"}, {"Zoo event", "Zoo class", "Zoo camp"}),
    ({"from": "2026-08-01", "to": "2026-10-31"}, {*ALL, "Zoo past", "Zoo far"}),
    ({"from": "2026-09-01"}, {"Zoo class", "Zoo camp", "Zoo place", "Zoo far"}),
    ({"types": "places"}, {"Zoo place"}),
    ({"types": "events,camps"}, {"Zoo event", "Zoo camp"}),
    ({"team": "kraken"}, {"Zoo event"}),
    ({"team": "storm"}, set()),
    ({"team": "kraken", "types": "classes"}, set()),
    ({"free": "false"}, {"Zoo camp", "Zoo place"}),
    ({"free": "true"}, {"Zoo place"}),
    ({"year": "2030"}, {"Zoo event", "Zoo class", "Zoo place"}),
    ({"type_hint": "museum"}, {"Zoo event", "Zoo class", "Zoo camp"}),
    ({"enrollment_type": "drop_in"}, {"Zoo event", "Zoo camp", "Zoo place"}),
    ({"has_time": "false"}, {"Zoo class", "Zoo camp", "Zoo place"}),
    ({"category": "animals_farms"}, set()),
    ({"changed_since": "2025-01-01T00:00:00Z"}, {*ALL, "Zoo past", "Zoo far", "Zoo dateless"}),
    ({"changed_since": "2026-02-01T00:00:00Z"}, set()),
]


@pytest.mark.parametrize(("params", "names"), SHOWN, ids=["&".join(map("=".join, case[0].items())) for case in SHOWN])
def test_a_filter_holds_where_it_applies_and_narrows_nothing_else(
    harbor: Release, params: dict[str, str], names: set[str]
) -> None:
    assert find(harbor, "zoo", params).keys() == names


def test_a_search_for_an_age_alone_has_the_same_visibility(harbor: Release) -> None:
    assert find(harbor, "5 year olds").keys() == {*ALL}


def test_free_gives_no_notice_although_places_ignore_it(harbor: Release) -> None:
    assert "notices" not in search(harbor, "zoo", {"free": "true"})


ONLY_EVENTS = Entitlement(types=frozenset({"event"}))


def test_a_key_of_some_types_searches_these_types_alone(harbor: Release) -> None:
    body = search(harbor, "zoo", entitlement=ONLY_EVENTS)
    assert [item["name"] for item in body["data"]] == ["Zoo event"]
    assert body["meta"]["types"] == ["events"]
    assert body["meta"]["applied_filters"]["by_type"].keys() == {"events"}
    assert body["meta"]["match_counts"]["all_terms"] == 1


def test_types_may_name_all_that_the_key_reads(harbor: Release) -> None:
    assert find(harbor, "zoo", {"types": "events"}, entitlement=ONLY_EVENTS).keys() == {"Zoo event"}


# Parameters that are wrong → the reason.
WRONG: list[tuple[dict[str, str], str]] = [
    ({"from": "2026-08-20", "to": "2026-08-10"}, "contradictory"),
    ({"from": "2026-08-20", "to": "2027-08-30"}, "window_too_long"),
    ({"to": "2026-08-01"}, "contradictory"),
    ({"lat": "40"}, "missing_parameter"),
    ({"radius_m": "99", "lat": "40", "lng": "-74"}, "out_of_range"),
    ({"category": "nothing"}, "invalid_value"),
    ({"team": "nobody"}, "invalid_value"),
    ({"types": "organizations"}, "invalid_value"),
    ({"sort": "best"}, "invalid_value"),
    ({"match": "exact"}, "invalid_value"),
    ({"limit": "0"}, "out_of_range"),
    ({"limit": "51"}, "out_of_range"),
    ({"page": "2"}, "parameter_not_supported"),
    ({"facets": "category"}, "parameter_not_supported"),
]


@pytest.mark.parametrize(("params", "reason"), WRONG, ids=["&".join(map("=".join, case[0].items())) for case in WRONG])
def test_a_search_refuses_what_a_list_refuses(harbor: Release, params: dict[str, str], reason: str) -> None:
    error = refuse(harbor, "zoo", params)
    assert (error.status, error.details["reason"]) == (400, reason)


def test_a_result_has_these_members_and_no_more(harbor: Release) -> None:
    items = {item["type"]: item for item in search(harbor, "zoo")["data"]}
    assert items["event"] == {
        "type": "event", "id": make_uuid(1), "slug": "event-00000000", "name": "Zoo event", "snippet": "Zoo event",
        "match": "all_terms", "score": items["event"]["score"], "starts_local": "2026-08-20T10:00:00",
    }  # fmt: skip
    assert [items[kind]["starts_local"] for kind in ("class", "camp", "place")] == [None] * 3


def test_organizations_are_no_results(tmp_path: Path) -> None:
    organization = documents.make_organization(make_uuid(50), name="Zoo")
    place = documents.make_place(
        make_uuid(1), name="Zoo", organization={"id": make_uuid(50), "name": "Zoo", "slug": "zoo"}
    )
    release = open_listings(tmp_path, place, organizations=[organization])
    assert [item["type"] for item in search(release, "zoo")["data"]] == ["place"]


@pytest.mark.parametrize("filters", [{"types": "places"}, {"min_confidence": "0.8"}, {"from": "2026-09-25"}])
def test_filters_that_are_cached_keep_the_same_listings(tmp_path: Path, filters: dict[str, str]) -> None:
    """The listings that filters keep are cached for the whole metro after some requests."""
    release = open_release([make_world()], tmp_path / "one")
    bodies = [search(release, "zoo", filters) for _ in range(30)]
    assert bodies == [bodies[0]] * 30
    other = open_release([make_world()], tmp_path / "other")
    assert search(release, "far unsure", filters) == search(other, "far unsure", filters)
