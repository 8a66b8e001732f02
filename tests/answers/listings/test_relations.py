"""Relationship lists: the metro's list with the place or organization of the path set, the metro taken from its row."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch, parse, read_all
from tests.answers.documents import make_uuid
from tests.answers.generated import make_request, make_world, seeds
from tests.answers.worlds import COLLECTIONS, World, open_release

HARBOR = Entitlement(metros=frozenset({"harbor"}))
PLACE, ELSEWHERE, ARCHIVED, DRAFT = (make_uuid(number) for number in range(1, 5))
SPREAD, RESTING, LOCAL, HIDDEN, FOREIGN = (make_uuid(number) for number in range(11, 16))


def make_place(row_id: str, *, organization: str | None = None, **members: object) -> dict[str, object]:
    return documents.make_place(row_id, organization={"id": organization, "name": "Org", "slug": "org"}, **members)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """SPREAD has live listings in both metros; RESTING in one, and one for adults in the other; LOCAL is in one."""
    harbor, lakeside = World(), World(slug="lakeside")
    harbor.listings = [
        make_place(PLACE, organization=SPREAD),
        make_place(ARCHIVED, status="archived"),
        make_place(DRAFT, status="draft"),
        make_place(make_uuid(21), organization=RESTING, audience="adults"),
        make_place(make_uuid(22), organization=LOCAL),
    ]
    lakeside.listings = [
        make_place(ELSEWHERE, organization=SPREAD, metro="lakeside"),
        make_place(make_uuid(23), organization=RESTING, metro="lakeside"),
    ]
    harbor.organizations = [documents.make_organization(value) for value in (SPREAD, RESTING, LOCAL)]
    harbor.organizations.append(documents.make_organization(HIDDEN, status="archived"))
    lakeside.organizations = [documents.make_organization(value) for value in (SPREAD, RESTING, FOREIGN)]
    return open_release([harbor, lakeside], tmp_path_factory.mktemp("relations"))


@pytest.mark.long
@given(seed=seeds)
def test_they_are_the_metros_lists_under_that_filter(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    random = Random(seed)
    world = make_world(random, size=60)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    organization = random.choice(world.organizations)["id"]
    places = [
        listing["id"] for listing in world.listings if listing["type"] == "place" and listing["status"] == "published"
    ]
    for kind, collection in COLLECTIONS.items():
        owners = [(f"/v1/organizations/{organization}", "organization_id", organization)]
        if kind != "place" and places:
            place = random.choice(places)
            owners.append((f"/v1/places/{place}", "place_id", place))
        for path, name, row_id in owners:
            params = {**make_request(world, kind, random), "limit": "3"}
            params.pop("organization_id", None)
            params.pop(name, None)
            own = fetch(release, f"{path}/{collection}", params)
            whole = fetch(release, f"/v1/harbor/{collection}", {**params, name: row_id})
            for body in (own, whole):
                body["meta"]["next_cursor"] = body["meta"]["next_cursor"] is not None
            assert own == whole
            assert own["meta"]["applied_filters"][name] == row_id
            assert name not in own["meta"]["defaults_applied"]
            assert read_all(release, f"{path}/{collection}", params) == read_all(
                release, f"/v1/harbor/{collection}", {**params, name: row_id}
            )


def test_the_id_of_the_path_may_be_said_again(release: Release) -> None:
    path = f"/v1/places/{PLACE}/events"
    assert ask(release, path, {"place_id": PLACE.upper()}) == ask(release, path)


@pytest.mark.parametrize(
    "path",
    [
        *(f"/v1/places/{row_id}/events" for row_id in (ARCHIVED, DRAFT, LOCAL, make_uuid(99))),
        *(f"/v1/organizations/{row_id}/places" for row_id in (HIDDEN, PLACE, make_uuid(99))),
    ],
)
def test_what_is_not_there_archived_or_a_draft_is_404(release: Release, path: str) -> None:
    with pytest.raises(ApiError) as raised:
        ask(release, path)
    assert (raised.value.status, raised.value.code) == (404, "not_found")


@pytest.mark.parametrize("path", [f"/v1/places/{ELSEWHERE}/events", f"/v1/organizations/{FOREIGN}/places"])
def test_what_is_in_other_metros_than_the_keys_is_403(release: Release, path: str) -> None:
    with pytest.raises(ApiError) as raised:
        ask(release, path, entitlement=HARBOR)
    assert (raised.value.status, raised.value.details["metros"]) == (403, ["harbor"])
    assert fetch(release, path)["meta"]["metro"] == "lakeside"


def test_an_organization_live_in_several_metros_needs_one(release: Release) -> None:
    path = f"/v1/organizations/{SPREAD}/places"
    with pytest.raises(ApiError) as raised:
        ask(release, path)
    assert raised.value.status == 400
    details = raised.value.details
    assert (details["param"], details["reason"]) == ("metro", "metro_required")
    assert details["metros"] == ["harbor", "lakeside"]
    for metro, row_id in (("harbor", PLACE), ("lakeside", ELSEWHERE)):
        body = fetch(release, path, {"metro": metro})
        assert ([item["id"] for item in body["data"]], body["meta"]["metro"]) == ([row_id], metro)
        assert "metro" not in body["meta"]["applied_filters"]
    with pytest.raises(ApiError) as raised:
        ask(release, path, {"metro": "lakeside"}, entitlement=HARBOR)
    assert (raised.value.status, raised.value.details["metros"]) == (403, ["harbor"])


def test_only_the_keys_metros_and_live_listings_count(release: Release) -> None:
    assert fetch(release, f"/v1/organizations/{SPREAD}/places", entitlement=HARBOR)["meta"]["metro"] == "harbor"
    assert fetch(release, f"/v1/organizations/{RESTING}/places")["meta"]["metro"] == "lakeside"
    classes = Entitlement(types=frozenset({"class"}))
    assert fetch(release, f"/v1/organizations/{SPREAD}/classes", entitlement=classes)["data"] == []


def test_a_metro_that_has_none_of_it_answers_an_empty_list(release: Release) -> None:
    body = fetch(release, f"/v1/organizations/{LOCAL}/places", {"metro": "lakeside"})
    assert (body["data"], body["meta"]["metro"]) == ([], "lakeside")


def test_named_listings_of_another_place_are_neither_shown_nor_missing(tmp_path: Path) -> None:
    neighbor = documents.make_event(make_uuid(31), place={"id": PLACE, "slug": "x", "name": "X"})
    world = World(listings=[neighbor, documents.make_event(make_uuid(32)), documents.make_place(PLACE)])
    release = open_release([world], tmp_path)
    body = fetch(release, f"/v1/places/{PLACE}/events", {"ids": ",".join(make_uuid(n) for n in (32, 31, 33))})
    assert [item["id"] for item in body["data"]] == [make_uuid(31)]
    assert body["meta"]["missing_ids"] == [make_uuid(33)]
    assert body["meta"]["applied_filters"] == {"place_id": PLACE, "ids": [make_uuid(n) for n in (32, 31, 33)]}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (f"/v1/places/{PLACE}/events", "organization_id"), (f"/v1/places/{PLACE}/classes", "metro"),
        (f"/v1/organizations/{LOCAL}/places", "from"), (f"/v1/organizations/{LOCAL}/places", "place_id"),
    ],
)  # fmt: skip
def test_what_does_not_apply_is_refused(path: str, name: str) -> None:
    with pytest.raises(ApiError) as raised:
        parse(path, {name: PLACE})
    assert (raised.value.details["param"], raised.value.details["reason"]) == (name, "parameter_not_supported")
