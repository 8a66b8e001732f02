"""`/v1/{metro}/organizations`: whom it lists, with which counts, and what a key sees of it."""

from datetime import date, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given

from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch, read_all
from tests.answers.documents import make_uuid
from tests.answers.generated import make_world, seeds
from tests.answers.worlds import COLLECTIONS, World, open_release

PATH = "/v1/harbor/organizations"

BUSY, QUIET, DRAFT, GONE, CAMPS = (make_uuid(number) for number in range(200, 205))


def own(row_id: str) -> dict[str, Any]:
    return {"organization": {"id": row_id, "name": "x", "slug": "x"}}


@pytest.fixture(scope="module")
def lively(tmp_path_factory: pytest.TempPathFactory) -> Release:
    ballard = documents.make_location(neighborhood="Ballard", neighborhood_slug="ballard")
    world = World(
        organizations=[
            documents.make_organization(BUSY, name="busy bees"),
            documents.make_organization(QUIET, name="Quiet Owls"),
            documents.make_organization(DRAFT, name="Drafts", status="draft"),
            documents.make_organization(GONE, name="Gone", status="archived"),
            documents.make_organization(CAMPS, name="Camps of Acorn"),
        ],
        organization_categories={BUSY: ["swim_water", "arts_creative"], QUIET: ["stem_discovery"]},
        listings=[
            documents.make_place(make_uuid(1), **own(BUSY), location=ballard),
            documents.make_place(make_uuid(2), **own(BUSY)),
            documents.make_place(make_uuid(3), **own(BUSY), audience="adults"),
            documents.make_class(make_uuid(4), **own(BUSY)),
            documents.make_class(make_uuid(5), **own(BUSY)),
            documents.make_event(
                make_uuid(6), **own(BUSY), has_date=True, starts_local="2026-08-10T09:00:00",
                starts_at="2026-08-10T13:00:00Z",
            ),
            documents.make_camp(make_uuid(7), **own(CAMPS), location=ballard),
            documents.make_place(make_uuid(8), **own(QUIET), location=ballard, status="archived"),
            documents.make_place(make_uuid(9), **own(DRAFT)),
            documents.make_place(make_uuid(10), **own(GONE)),
        ],
        dates={make_uuid(6): [datetime(2026, 8, 10, 9)]},
        programs={make_uuid(4): "swim", make_uuid(5): "swim"},
    )  # fmt: skip
    return open_release([world], tmp_path_factory.mktemp("lively"))


def name_all(release: Release, params: dict[str, str] | None = None, **context: Any) -> list[str]:
    return [item["name"] for item in fetch(release, PATH, params or {}, **context)["data"]]


def test_those_with_live_listings_are_listed_by_name_without_case(lively: Release) -> None:
    body = fetch(lively, PATH)
    busy, camps = body["data"]
    assert (busy["name"], camps["name"]) == ("busy bees", "Camps of Acorn")
    assert busy["counts"] == {"events": 1, "classes": 1, "camps": 0, "places": 2}
    assert camps["counts"] == {"events": 0, "classes": 0, "camps": 1, "places": 0}
    assert (busy["score"], busy["match"]) == (None, None)
    assert list(busy) == [
        "id", "type", "slug", "name", "website_url", "domain", "image_url", "counts", "score", "match", "links",
    ]  # fmt: skip
    assert body["meta"] == {
        "limit": 50, "count": 2, "has_more": False, "next_cursor": None, "page": 1,
        "applied_filters": {"min_count": 1}, "defaults_applied": ["min_count"], "metro": "harbor",
        "generated_at": "2026-08-01T12:00:00Z", "hint": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"min_count": "0"}, ["busy bees", "Camps of Acorn", "Quiet Owls"]),
        ({"min_count": "2"}, ["busy bees"]),
        ({"min_count": "4"}, ["busy bees"]),
        ({"min_count": "5"}, []),
        ({"types": "camps"}, ["Camps of Acorn"]),
        ({"types": "camps,events"}, ["busy bees", "Camps of Acorn"]),
        ({"types": "places", "min_count": "3"}, []),
        ({"types": "camps", "min_count": "0"}, ["busy bees", "Camps of Acorn", "Quiet Owls"]),
        ({"category": "swim_water"}, ["busy bees"]),
        ({"category": "swim_water,stem_discovery", "min_count": "0"}, ["busy bees", "Quiet Owls"]),
        ({"category": "parent_baby"}, []),
        ({"neighborhood": "ballard"}, ["busy bees", "Camps of Acorn"]),
        ({"neighborhood": "BALLARD!", "types": "places"}, ["busy bees"]),
        ({"neighborhood": "ballard", "types": "events"}, []),
        ({"neighborhood": "ballard", "min_count": "0"}, ["busy bees", "Camps of Acorn"]),
        ({"neighborhood": "nowhere"}, []),
        ({"q": "camps acorn bees"}, []),
        ({"q": "bees", "category": "stem_discovery"}, []),
        ({"q": "quiet owls"}, []),
        ({"q": "quiet owls", "min_count": "0"}, ["Quiet Owls"]),
        ({"q": "gone", "min_count": "0"}, []),
        ({"q": "drafts", "min_count": "0"}, []),
    ],
)
def test_filters_keep_what_they_say(lively: Release, params: dict[str, str], expected: list[str]) -> None:
    body = fetch(lively, PATH, params)
    assert [item["name"] for item in body["data"]] == expected
    applied = body["meta"]["applied_filters"]
    assert applied.pop("min_count") == int(params.get("min_count", "1"))
    assert {name: ",".join(value) if isinstance(value, list) else value for name, value in applied.items()} == {
        name: ",".join(sorted(value.split(","))) for name, value in params.items() if name != "min_count"
    }
    assert body["meta"]["defaults_applied"] == ([] if "min_count" in params else ["min_count"])


def test_counts_move_with_the_day_and_so_does_the_tag(lively: Release) -> None:
    later = date(2026, 8, 11)
    assert fetch(lively, PATH, today=later)["data"][0]["counts"]["events"] == 0
    assert name_all(lively, {"types": "events"}, today=later) == []
    assert ask(lively, PATH, today=later).etag != ask(lively, PATH).etag


def test_types_narrow_the_counts(lively: Release) -> None:
    busy, _ = fetch(lively, PATH, {"types": "places,camps"})["data"]
    assert busy["counts"] == {"events": 0, "classes": 0, "camps": 0, "places": 2}


@pytest.mark.parametrize("types", [{"event"}, {"camp"}, {"place", "class"}])
def test_a_key_of_some_types_sees_what_naming_them_gives(lively: Release, types: set[str]) -> None:
    named = ",".join(COLLECTIONS[value] for value in sorted(types))
    for params in ({}, {"q": "bees"}, {"min_count": "2"}, {"neighborhood": "ballard"}, {"min_count": "0"}):
        scoped = fetch(lively, PATH, params, entitlement=Entitlement(types=frozenset(types)))
        assert scoped["data"] == fetch(lively, PATH, {**params, "types": named})["data"]


def test_fields_keep_what_is_named(lively: Release) -> None:
    data = fetch(lively, PATH, {"fields": "counts.events,match", "q": "bees"})["data"]
    assert data == [{"id": BUSY, "type": "organization", "counts": {"events": 1}, "match": "name"}]
    with pytest.raises(ApiError) as raised:
        ask(lively, PATH, {"fields": "description"})
    assert raised.value.details["param"] == "fields"


@given(seed=seeds)
def test_counts_are_those_of_the_lists_under_their_defaults(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    random = Random(seed)
    release = open_release([make_world(random, size=24)], tmp_path_factory.mktemp("world"))
    listed = read_all(release, PATH, {"min_count": "0", "limit": "3"})
    assert listed
    for item in listed:
        for collection, count in item["counts"].items():
            facets = {"organization_id": item["id"], "facets": "category", "limit": "0"}
            assert fetch(release, f"/v1/harbor/{collection}", facets)["facets"]["total"] == count
        assert item["counts"] == fetch(release, f"/v1/organizations/{item['id']}")["data"]["counts"]
    live = [item for item in listed if any(item["counts"].values())]
    assert read_all(release, PATH, {}) == live


def test_links_lead_to_the_lists_of_this_metro_whatever_others_have(tmp_path: Path) -> None:
    """Links of an organization with live listings in several metros would be `400 metro_required` without `metro=`."""
    world = World(
        organizations=[documents.make_organization(BUSY)],
        listings=[documents.make_place(make_uuid(1), **own(BUSY))],
    )
    meadow = World(
        slug="meadow",
        organizations=[documents.make_organization(BUSY)],
        listings=[documents.make_place(make_uuid(number), **own(BUSY), metro="meadow") for number in (2, 3)],
    )
    release = open_release([world, meadow], tmp_path)
    for slug, count in (("harbor", 1), ("meadow", 2)):
        (entry,) = fetch(release, f"/v1/{slug}/organizations")["data"]
        for collection, live in entry["counts"].items():
            path, _, question = entry["links"][collection].partition("?")
            assert question == f"metro={slug}"
            assert fetch(release, path, {"metro": slug})["meta"]["count"] == live
        assert entry["counts"]["places"] == count
