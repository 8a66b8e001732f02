"""`expand`: the full objects behind references, as their own details show them; and classes one by one."""

from pathlib import Path
from typing import Any

import pytest

from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch, parse
from tests.answers.documents import make_uuid
from tests.answers.worlds import World, open_release, open_world

EVENT, LONELY, ORPHAN, CLASS, CAMP, PLACE, GONE, ORGANIZATION, HIDDEN = (make_uuid(number) for number in range(1, 10))


def make_event(row_id: str, *, place: str | None, organization: str | None) -> dict[str, Any]:
    event = documents.make_event(row_id)
    event["place"] = None if place is None else {"id": place, "slug": "x", "name": "X"}
    event["organization"] = {"id": organization, "name": "Org", "slug": "org"}
    return event


def make_worlds() -> list[World]:
    harbor, lakeside = World(), World(slug="lakeside")
    referring = make_event(EVENT, place=PLACE, organization=ORGANIZATION)
    members = {name: referring[name] for name in ("place", "organization")}
    harbor.listings = [
        referring,
        make_event(LONELY, place=None, organization=None),
        make_event(ORPHAN, place=GONE, organization=HIDDEN),
        documents.make_class(CLASS, **members),
        documents.make_camp(CAMP, **members),
        documents.make_place(PLACE, organization=members["organization"], confidence=0.1, audience="adults"),
        documents.make_place(GONE, status="archived"),
    ]
    harbor.organizations = [
        documents.make_organization(ORGANIZATION), documents.make_organization(HIDDEN, status="archived"),
    ]  # fmt: skip
    lakeside.listings = [documents.make_place(make_uuid(20), organization=members["organization"], metro="lakeside")]
    lakeside.organizations = [documents.make_organization(ORGANIZATION)]
    return [harbor, lakeside]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_release(make_worlds(), tmp_path_factory.mktemp("expanded"))


def read_item(release: Release, collection: str, row_id: str, **params: str) -> dict[str, Any]:
    """The item, equal in the list and in its detail."""
    listed = fetch(release, f"/v1/harbor/{collection}", {"ids": row_id, **params})["data"]
    detail = fetch(release, f"/v1/{collection}/{row_id}", params)["data"]
    assert listed == [detail]
    assert isinstance(detail, dict)
    return detail


@pytest.mark.parametrize(("collection", "row_id"), [("events", EVENT), ("classes", CLASS), ("camps", CAMP)])
def test_expanded_objects_are_what_their_details_show(release: Release, collection: str, row_id: str) -> None:
    plain = read_item(release, collection, row_id)
    place = fetch(release, f"/v1/places/{PLACE}")["data"]
    organization = fetch(release, f"/v1/organizations/{ORGANIZATION}")["data"]
    assert organization["metros"] == ["harbor", "lakeside"]
    assert read_item(release, collection, row_id, expand="organization,place") == {
        **plain, "expanded": {"place": place, "organization": organization},
    }  # fmt: skip
    assert read_item(release, collection, row_id, expand="place") == {**plain, "expanded": {"place": place}}
    assert list(read_item(release, collection, row_id, expand="organization"))[-1] == "expanded"


def test_a_place_has_its_organization(release: Release) -> None:
    organization = fetch(release, f"/v1/organizations/{ORGANIZATION}")["data"]
    assert read_item(release, "places", PLACE, expand="organization")["expanded"] == {"organization": organization}
    with pytest.raises(ApiError) as raised:
        parse("/v1/harbor/places", {"expand": "place"})
    assert raised.value.details["allowed"] == ["organization"]


@pytest.mark.parametrize("row_id", [LONELY, ORPHAN])
def test_what_does_not_exist_or_is_not_shown_is_null(release: Release, row_id: str) -> None:
    item = read_item(release, "events", row_id, expand="place,organization")
    assert item["expanded"] == {"place": None, "organization": None}


def test_an_organization_shows_what_the_key_may_read(release: Release) -> None:
    harbor = Entitlement(metros=frozenset({"harbor"}), types=frozenset({"event"}))
    path, params = "/v1/harbor/events", {"ids": EVENT, "expand": "organization"}
    expanded = fetch(release, path, params, entitlement=harbor)["data"][0]["expanded"]["organization"]
    assert expanded["metros"] == ["harbor"]
    assert expanded["counts"] == {"events": 0, "classes": 0, "camps": 0, "places": 0}
    assert expanded == fetch(release, f"/v1/organizations/{ORGANIZATION}", entitlement=harbor)["data"]


@pytest.mark.parametrize("path", [f"/v1/events/{EVENT}", "/v1/harbor/events"])
def test_a_place_needs_a_key_of_its_type(release: Release, path: str) -> None:
    events = Entitlement(types=frozenset({"event"}), metros=frozenset({"harbor"}))
    with pytest.raises(ApiError) as raised:
        ask(release, path, {"expand": "place,organization"}, entitlement=events)
    assert (raised.value.status, raised.value.code) == (403, "forbidden")
    assert raised.value.details["metros"] == ["harbor"]
    assert ask(release, path, {"expand": "organization"}, entitlement=events)


def test_fields_may_name_what_is_expanded(release: Release) -> None:
    paths = "expanded.place.hours,expanded.organization.counts.places"
    item = read_item(release, "events", EVENT, expand="place,organization", fields=paths)
    assert item["expanded"] == {
        "place": {"hours": fetch(release, f"/v1/places/{PLACE}")["data"]["hours"]},
        "organization": {"counts": {"places": 1}},
    }
    assert set(item) == {"id", "type", "expanded"}
    assert set(read_item(release, "events", EVENT, expand="place", fields="name")) == {"id", "type", "name"}
    with pytest.raises(ApiError):
        parse("/v1/harbor/events", {"expand": "place", "fields": "expanded.place.nothing"})


@pytest.mark.parametrize(("collection", "row_id"), [("events", EVENT), ("places", PLACE)])
def test_an_etag_changes_with_what_is_expanded(release: Release, tmp_path: Path, collection: str, row_id: str) -> None:
    """Another metro's change moves the organization's counts; who does not expand it keeps the tag."""
    worlds = make_worlds()
    worlds[1].listings.append(
        documents.make_place(make_uuid(21), organization=worlds[1].listings[0]["organization"], metro="lakeside")
    )
    changed = {**release.metros, "lakeside": open_world(worlds[1], tmp_path)}
    after = Release(id="2-00000000", sequence=2, latest_version_id=0, metros=changed)
    for path in (f"/v1/{collection}/{row_id}", f"/v1/harbor/{collection}"):
        plain, expanded = {}, {"expand": "organization"}
        assert ask(release, path, plain).etag == ask(after, path, plain).etag
        assert ask(release, path, expanded).etag != ask(after, path, expanded).etag
        assert ask(release, path, expanded).etag != ask(release, path, plain).etag


def test_expanded_sessions_are_every_class_on_its_own(tmp_path: Path) -> None:
    world = World(listings=[documents.make_class(make_uuid(number)) for number in (1, 2, 3)])
    world.programs = {make_uuid(1): "clay", make_uuid(2): "clay"}
    release = open_release([world], tmp_path)
    cards = fetch(release, "/v1/harbor/classes", {"facets": "category"})
    assert [len(item["sessions"]) for item in cards["data"]] == [1, 0]
    single = fetch(release, "/v1/harbor/classes", {"expand": "sessions", "facets": "category"})
    assert [(item["id"], item["sessions"]) for item in single["data"]] == [(make_uuid(n), []) for n in (1, 2, 3)]
    assert (cards["facets"]["total"], single["facets"]["total"]) == (2, 3)
    detail = "/v1/classes/" + make_uuid(1)
    assert fetch(release, detail, {"expand": "sessions"})["data"] == single["data"][0]
    assert ask(release, detail, {"expand": "sessions"}).etag == ask(release, detail).etag
    for path in ("/v1/harbor/events", "/v1/events/" + make_uuid(1)):
        with pytest.raises(ApiError):
            parse(path, {"expand": "sessions"})
