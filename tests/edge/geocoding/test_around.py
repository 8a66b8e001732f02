"""Around an address: resolved beside the event loop, before anything is planned, after every check."""

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import cache

import pytest
from structlog.testing import capture_logs

from edge.services.geocoder import Geocoder, LocalGeocoder
from outings.contract.errors import unavailable
from outings.contract.resources.directories import Center
from outings.release.snapshot import Snapshot
from tests.answers.documents import make_location, make_place
from tests.answers.worlds import World
from tests.edge.conftest import Service, list_published
from tests.edge.publishing import make_id
from tests.release.memory import MemoryStore

STUDIO = {"address": "12 Pier St, Harbor", "city": "Harbor", "lat": 40.1, "lng": -74.1}
ELSEWHERE = {"address": "9 Far Rd, Harbor", "city": "Harbor", "lat": 51.5, "lng": -0.1}


class ScriptedGeocoder:
    """Says what it is told, and keeps what it was asked."""

    def __init__(self) -> None:
        self.point = Center(lat=40.1, lng=-74.1)
        self.requests: list[tuple[str, str]] = []
        self.is_down = False

    async def find_address(self, address: str, *, snapshot: Snapshot, types: frozenset[str], key_id: str) -> Center:
        self.requests.append((snapshot.metro.slug, address))
        if self.is_down:
            raise unavailable(17)
        return self.point

    def close(self) -> None:
        """Do nothing, because nothing is open."""


Serve = Callable[[Geocoder], Service]


@cache
def publish_places() -> list[tuple[str, bytes]]:
    """Return the content of a store with two metros."""
    places = [
        make_place(make_id(name), name=name, slug=name, location=make_location(**where))
        for name, where in (("studio", STUDIO), ("elsewhere", ELSEWHERE))
    ]
    return list_published([World(listings=places), World(slug="lakeside", listings=[make_place(make_id("hall"))])])


@pytest.fixture
def serve(make_own: Callable[..., Service]) -> Serve:
    """A metro with a studio in its bounds and a listing outside of them, over an edge with that geocoder."""

    def make(geocoder: Geocoder) -> Service:
        store = MemoryStore()
        store.put_many(publish_places())
        return make_own(store=store, published=False, geocoder=geocoder)

    return make


def test_an_address_is_answered_as_its_point(serve: Serve) -> None:
    service = serve(LocalGeocoder())
    by_address = service.get("/v1/harbor/around?address=12+Pier+Street,+Harbor").read_json()
    by_point = service.get("/v1/harbor/around?lat=40.1&lng=-74.1").read_json()
    assert by_address["data"].pop("location") == {"lat": 40.1, "lng": -74.1, "source": "address"}
    assert by_point["data"].pop("location")["source"] == "coordinates"
    filters, others = by_address["meta"]["applied_filters"], by_point["meta"]["applied_filters"]
    assert filters.pop("address") == "12 Pier Street, Harbor"
    assert (others.pop("lat"), others.pop("lng")) == (40.1, -74.1)
    assert by_address == by_point
    assert [item["name"] for item in by_address["data"]["results"]["places"]["items"]] == ["studio"]
    assert service.get("/v1/harbor-city/around?address=12+Pier+Street,+Harbor").read_json()["data"]["results"]


def test_it_is_asked_once_in_every_minute(serve: Serve) -> None:
    geocoder = ScriptedGeocoder()
    service, target = serve(geocoder), "/v1/harbor/around?address=12+Pier+St"
    for minute in range(3):
        for _ in range(3):
            assert service.get(target).status == 200
        assert len(geocoder.requests) == minute + 1
        service.clock.now += timedelta(minutes=1)


@pytest.mark.parametrize("address", ["13+Pier+St", "12+Pier+St,+Portland", "9+Far+Rd", "elsewhere", "%20%20", "%00"])
def test_an_address_that_is_not_found_in_the_metro_is_an_invalid_value(serve: Serve, address: str) -> None:
    response = serve(LocalGeocoder()).get(f"/v1/harbor/around?address={address}")
    error = response.read_json()["error"]
    assert (response.status, error["details"]["param"]) == (400, "address")
    assert error["details"]["reason"] in ("invalid_value", "out_of_range")


def test_a_deployment_without_a_geocoder_does_not_implement_it(service: Service) -> None:
    response = service.get("/v1/harbor/around?address=12+Pier+St")
    assert response.status == 501
    assert response.read_json()["error"]["details"] == {"param": "address"}


def test_a_geocoder_that_is_down_says_when_to_come_again(serve: Serve) -> None:
    geocoder = ScriptedGeocoder()
    service = serve(geocoder)
    geocoder.is_down = True
    response = service.get("/v1/harbor/around?address=12+Pier+St")
    assert (response.status, response.headers["retry-after"]) == (503, "17")
    geocoder.is_down = False
    assert service.get("/v1/harbor/around?address=12+Pier+St").status == 200


@pytest.mark.parametrize(
    ("target", "kind", "status"),
    [
        ("/v1/nowhere/around?address=12+Pier+St", "all", 404),
        ("/v1/harbor/around?address=12+Pier+St", "lakeside", 403),
        ("/v1/harbor/around?address=12+Pier+St&types=places", "events", 403),
        ("/v1/harbor/around?address=12+Pier+St&radius_m=5", "all", 400),
        ("/v1/harbor/around?address=12+Pier+St&lat=40&lng=-74", "all", 400),
        ("/v1/harbor/around?address=12+Pier+St&address=13+Pier+St", "all", 400),
        ("/v1/harbor/around?address=", "all", 400),
        ("/v1/harbor/around?address=" + "1" * 301, "all", 400),
        ("/v1/harbor/nearby?address=12+Pier+St", "all", 400),
        ("/v1/harbor/activity?address=12+Pier+St", "all", 400),
    ],
)
def test_no_geocoder_hears_of_a_request_that_is_refused(serve: Serve, target: str, kind: str, status: int) -> None:
    geocoder = ScriptedGeocoder()
    assert serve(geocoder).get(target, kind=kind).status == status
    assert geocoder.requests == []


def test_the_tag_is_of_the_point_too(serve: Serve) -> None:
    geocoder = ScriptedGeocoder()
    service, target = serve(geocoder), "/v1/harbor/around?address=12+Pier+St"
    tag = service.get(target).headers["etag"]
    assert service.get(target, **{"if-none-match": tag}).status == 304
    assert geocoder.requests == [("harbor", "12 Pier St")], "it is asked once a minute"
    other = serve(geocoder)
    assert other.get(target, **{"if-none-match": tag}).status == 304
    geocoder.point = Center(lat=40.2, lng=-74.2)
    moved = serve(geocoder).get(target, **{"if-none-match": tag})
    assert (moved.status, moved.headers["etag"] == tag) == (200, False)


def test_no_address_is_logged(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    geocoder = ScriptedGeocoder()
    service = serve(geocoder)
    with caplog.at_level(logging.DEBUG), capture_logs() as logged:
        statuses = {service.get("/v1/harbor/around?address=12+Pier+St").status}
        geocoder.is_down = True
        statuses.add(service.get("/v1/harbor/around?address=13+Pier+St").status)
        statuses.add(service.get("/v1/harbor/around?address=14+Pier+St&radius_m=1").status)
    assert statuses == {200, 503, 400}
    assert "pier" not in (caplog.text + repr(logged)).casefold()
