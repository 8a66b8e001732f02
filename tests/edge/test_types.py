"""`types` on every route that takes it: a key of some types may name these, and no other."""

import pytest

from outings.contract.routes import ROUTES, Route
from tests.edge.conftest import Service

# What the plainest request of a route must send beside it.
SENT = {"q": "zoo", "lat": "40", "lng": "-74"}
TAKING = [route for route in ROUTES if "types" in route.parameters]
_POINT = ("lat", "lng")
NEEDY = {"search": ("q",), "suggest": ("q",), "nearby": _POINT, "around": _POINT, "activity": _POINT}


def write_target(route: Route, types: str) -> str:
    sent = "".join(f"&{name}={SENT[name]}" for name in NEEDY.get(route.name, ()))
    return f"{route.path.format(metro='harbor')}?types={types}{sent}"


@pytest.mark.parametrize("route", TAKING, ids=lambda route: route.name)
@pytest.mark.parametrize(
    ("kind", "types", "status"),
    [
        ("all", "events,places", 200),
        ("events", "events", 200),
        ("events", "classes", 403),
        ("events", "places", 403),
        ("events", "events,places", 403),
        ("harbor_places", "places", 200),
        ("harbor_places", "camps", 403),
        ("harbor_places", "events,places", 403),
        ("lakeside", "events", 403),
        ("all", "museums", 400),
        ("events", "museums", 400),
    ],
)
def test_naming_a_type_that_is_not_the_keys_is_forbidden(
    service: Service, route: Route, kind: str, types: str, status: int
) -> None:
    got = service.get(write_target(route, types), kind=kind)
    assert got.status == status, got.body
    if status == 403:
        assert got.error["code"] == "forbidden"
        assert got.error["details"]["metros"]
