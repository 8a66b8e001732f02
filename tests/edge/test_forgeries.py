"""Cursors made by somebody who has read the program: each field says what it likes, and the check sum fits."""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from outings.release.pointer import list_releases
from tests.edge.asking import Response
from tests.edge.conftest import Service
from tests.edge.publishing import NOW, make_id

EVENT, ORGANIZATION, PLACE = make_id("harbor-event-1"), make_id("harbor-org"), make_id("harbor-place")
STAMP, GONE = f"{NOW:%Y-%m-%dT%H:%M:%SZ}", "2026-08-03T12:00:00Z"
MINUTE = int(NOW.timestamp()) // 60
TODAY, EPOCH = "2026-08-10", "1970-01-01"

# Each paged route: its target, its route, and a position that it could have given.
PAGED: list[tuple[str, str, list[Any]]] = [
    ("/v1/harbor/events?limit=1", "events.list", [1_786_500_000, EVENT]),
    ("/v1/harbor/events?limit=1&occurrences=expand", "events.list", [1_786_500_000, EVENT]),
    ("/v1/harbor/events?changed_since=1970-01-01T00:00:00Z&limit=1", "events.list", [1_786_300_000, EVENT]),
    ("/v1/harbor/classes?limit=1", "classes.list", ["clay", EVENT]),
    ("/v1/harbor/camps?limit=1", "camps.list", ["2026-08-12", EVENT]),
    ("/v1/harbor/places?limit=1", "places.list", ["library", EVENT]),
    ("/v1/harbor/organizations?limit=1", "organizations.list", [1, 0, "club", ORGANIZATION]),
    ("/v1/harbor/neighborhoods?limit=1", "neighborhoods", [1, 0, "dock", "dock"]),
    ("/v1/harbor/search?limit=1&q=story", "search", ["lexical", 1]),
    ("/v1/harbor/nearby?lat=47.6&limit=1&lng=-122.3", "nearby", [MINUTE, 1 << 60, "event", EVENT]),
    (f"/v1/organizations/{ORGANIZATION}/events?limit=1", "events.of_organization", [1_786_500_000, EVENT]),
    (f"/v1/places/{PLACE}/events?limit=1", "events.at_place", [1_786_500_000, EVENT]),
    (f"/v1/listings/{EVENT}/versions?limit=1", "versions", [1]),
]  # fmt: skip
NAMES = [target.partition("?")[0].removeprefix("/v1/") + str(at) for at, (target, _, _) in enumerate(PAGED)]

# What any member of a position may be said to be.
ODD: list[Any] = [
    None, True, False, 0, 1, -1, 1.5, 1 << 31, 1 << 40, (1 << 62) - 1, 1 << 62, -(1 << 63), (1 << 64) - 1, "", "x",
    "id", "event", "zz" * 400, "\x00", "é\u2028", "0001-01-01", "9999-12-31", "2026-02-30", b"\xff", [], [1], {},
    EVENT.upper(), EVENT.replace("-", ""), f"{{{EVENT}}}", "0x" + EVENT[2:], EVENT.replace("-", "_"),
    "0" * 900, "-" + EVENT[1:],
]  # fmt: skip
STAMPS: list[Any] = [
    "", "x", "2026-08-10", "2026-08-10T12:00:00+00:00", "2026-08-10T12:00:00z", "9999-12-31T23:59:59Z", "\x00", None,
    5, "0001-01-01T00:00:00Z", "2026-08-10T12:00:00.5Z", "~" * 500,
]  # fmt: skip
DATES: list[Any] = ["", "x", "0001-01-01", "9999-12-31", "1899-12-31", "2200-01-01", "2026-13-01", None, 5, 20_000]


def make_cursor(fields: list[Any], *, request: str, key: str = "") -> str:
    """`key`: the hash of a snapshot, where the forger has one."""
    body = b"\x02" + msgspec.msgpack.encode(fields) + hashlib.sha256(request.encode()).digest()[:12]
    seal = hmac.digest(hmac.digest(key.encode(), b"cursor", "sha256"), body, "sha256")[:16]
    return spell(body + hashlib.sha256(body + seal).digest()[:8] + seal)


def spell(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def list_fields(route: str, position: list[Any], *, stamp: str) -> Iterator[list[Any]]:
    """The four fields of a cursor, one of them wrong in some way or, first, none."""
    right = [route, stamp, EPOCH if route == "versions" else TODAY, position]
    yield right
    for at, odd in ((0, [*ODD, "events.list", "metros"]), (1, STAMPS), (2, DATES), (3, ODD)):
        yield from ([*right[:at], value, *right[at + 1 :]] for value in odd)
    for at in range(len(position)):
        yield from ([*right[:3], [*position[:at], value, *position[at + 1 :]]] for value in ODD)
    yield from ([*right[:3], value] for value in ([*position, 1], position[:-1], position[::-1], position * 200))
    yield from ([*right, 1], right[:3], [])


def write_request(target: str) -> str:
    """Write the request that the cursors of a target are bound to. A filter in the path is a parameter like any
    other."""
    for path, name in (("/v1/organizations/", "organization_id"), ("/v1/places/", "place_id")):
        if target.startswith(path):
            return f"{target}&{name}={target.split('/')[3]}"
    return target


def get_page(service: Service, target: str, cursor: str) -> Response:
    return service.get(f"{target}&cursor={cursor}")


def list_hashes(service: Service) -> list[str]:
    """List the hashes of the metros' snapshots."""
    return [part.snapshot for part in next(list_releases(service.store)).root.parts.values()]


@pytest.mark.parametrize(("target", "route", "position"), PAGED, ids=NAMES)
def test_a_cursor_that_was_not_made_in_the_snapshot_it_names_is_malformed(
    service: Service, target: str, route: str, position: list[Any]
) -> None:
    for fields in list_fields(route, position, stamp=STAMP):
        got = get_page(service, target, make_cursor(fields, request=write_request(target), key=STAMP))
        assert (got.status, got.error["details"]["reason"]) == (400, "cursor_malformed"), fields


@pytest.mark.parametrize(("target", "route", "position"), PAGED, ids=NAMES)
def test_only_the_snapshots_hash_lets_anybody_make_its_cursors(
    service: Service, target: str, route: str, position: list[Any]
) -> None:
    """The forger of these tests does everything else right."""
    fields = [route, STAMP, EPOCH if route == "versions" else TODAY, position]
    cursors = [make_cursor(fields, request=write_request(target), key=key) for key in ("", *list_hashes(service))]
    assert sorted(get_page(service, target, cursor).status for cursor in cursors) == [200, 400, 400]


@pytest.mark.parametrize(("target", "route", "position"), PAGED, ids=NAMES)
def test_every_field_of_a_cursor_is_checked_where_its_snapshot_is_gone(
    service: Service, target: str, route: str, position: list[Any]
) -> None:
    statuses = [
        get_page(service, target, make_cursor(fields, request=write_request(target))).status
        for fields in list_fields(route, position, stamp=GONE)
    ]
    assert statuses[0] == (400 if route == "search" else 200)
    assert set(statuses) <= {200, 400}
    assert 400 in statuses
