"""Relationship lists through the edge: the row gives the metro, and is found before anything else is judged."""

from collections.abc import Callable

import pytest

from tests.answers import documents
from tests.edge.conftest import Service
from tests.edge.publishing import make_id, make_worlds, publish_worlds

MakeService = Callable[..., Service]

PLACE, ORGANIZATION, SHARED = make_id("harbor-place"), make_id("harbor-org"), make_id("shared-org")
NOBODY = make_id("nobody")


@pytest.fixture
def shared(make_own: MakeService) -> Service:
    """A service whose two metros have live listings of one organization."""
    service = make_own(published=False)
    worlds = make_worlds()
    for world in worlds:
        world.organizations.append(documents.make_organization(SHARED))
        for number in range(3):
            world.listings.append(
                documents.make_place(
                    make_id(f"{world.slug}-shared-{number}"), metro=world.slug,
                    organization={"id": SHARED, "name": "Shared", "slug": "shared"},
                )
            )  # fmt: skip
    publish_worlds(service.store, worlds, folder=service.folder)
    service.edge.poll()
    return service


# What is wrong with a request, in the order in which it is found.
FAULTS: list[tuple[str, str, str, int]] = [
    (f"/v1/places/{NOBODY}/events?bogus=1", "places", "the row", 404),
    (f"/v1/organizations/{NOBODY}/events?bogus=1", "places", "the row", 404),
    (f"/v1/places/{PLACE}/events?bogus=1", "lakeside", "the metro", 403),
    (f"/v1/organizations/{ORGANIZATION}/events?bogus=1", "lakeside", "the metro", 403),
    (f"/v1/places/{PLACE}/events?bogus=1", "places", "the type", 403),
    (f"/v1/organizations/{ORGANIZATION}/events?bogus=1", "places", "the type", 403),
    (f"/v1/places/{PLACE}/events?bogus=1", "events", "a parameter", 400),
    (f"/v1/organizations/{ORGANIZATION}/events?metro=atlantis", "events", "the metro asked for", 404),
    (f"/v1/organizations/{ORGANIZATION}/events?metro=lakeside", "harbor", "the metro asked for", 403),
    (f"/v1/places/{PLACE}/events?expand=place", "events", "what is attached", 403),
    (f"/v1/places/{PLACE}/events", "events", "nothing", 200),
    (f"/v1/organizations/{ORGANIZATION}/events?metro=harbor-city", "harbor", "nothing", 200),
]


@pytest.mark.parametrize(("target", "kind", "fault", "status"), FAULTS)
def test_the_first_fault_in_order_is_the_answer(
    service: Service, target: str, kind: str, fault: str, status: int
) -> None:
    got = service.get(target, kind=kind)
    assert got.status == status, (fault, got.body)


def test_an_organization_of_several_metros_needs_one_that_the_key_may_read(shared: Service) -> None:
    path = f"/v1/organizations/{SHARED}/places"
    for _ in range(2):
        got = shared.get(path)
        assert (got.status, got.error["details"]["reason"]) == (400, "metro_required")
        assert got.error["details"]["metros"] == ["harbor", "lakeside"]
    for metro in ("harbor", "lakeside"):
        alone = shared.get(path, kind=metro)
        params = shared.get(f"{path}?metro={metro}")
        assert alone.status == params.status == 200
        assert alone.read_json() == params.read_json()
        assert params.read_json()["meta"]["metro"] == metro


def test_paging_goes_on_in_the_metro_where_it_began(shared: Service) -> None:
    target = f"/v1/organizations/{SHARED}/places?limit=1&metro=lakeside-city"
    names, cursor = [], ""
    while cursor is not None:
        body = shared.get(target + (cursor and f"&cursor={cursor}")).read_json()
        names += [item["id"] for item in body["data"]]
        cursor = body["meta"]["next_cursor"]
    assert sorted(names) == sorted(make_id(f"lakeside-shared-{number}") for number in range(3))
    whole = shared.get(f"/v1/lakeside/places?organization_id={SHARED}").read_json()
    assert [item["id"] for item in whole["data"]] == names


def test_a_tag_that_matches_is_304(service: Service) -> None:
    for target in (f"/v1/places/{PLACE}/events", f"/v1/organizations/{ORGANIZATION}/classes"):
        tag = service.get(target).headers["etag"]
        got = service.get(target, if_none_match=tag)
        assert (got.status, got.body) == (304, b"")
        assert got.headers["cache-control"] == "private, max-age=60"
