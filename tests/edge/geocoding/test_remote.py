"""Geocoders over HTTP, against small servers that speak their formats."""

import asyncio
import json
import logging
import threading
import time

import pytest
from structlog.testing import capture_logs

from outings.retry_policy import RetryPolicy
from tests.edge.geocoding.conftest import PATIENT, QUICK, Make
from tests.edge.geocoding.serving import FORMATS

ADDRESS = "12 Pier Street, Harbor"
PIER = (40.123456, -74.654321)
PROVIDERS = [*FORMATS]


def choose_policy(fault: dict[str, object]) -> RetryPolicy:
    """Short times for a server that is slow."""
    return PATIENT if {"is_silent", "dripping"}.isdisjoint(fault) else QUICK


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_address_is_asked_for_and_found(make_asker: Make, provider: str) -> None:
    asker = make_asker(provider)
    asker.server.points = [PIER, (40.2, -74.2)]
    assert asker.find("  12  Pier Street,\tHarbor ") == PIER
    assert [requested[FORMATS[provider][1]] for requested in asker.server.requests] == [ADDRESS]


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        ("nominatim", {"viewbox": "-75.0,41.0,-73.0,39.0", "bounded": "1", "format": "jsonv2"}),
        ("photon", {"bbox": "-75.0,39.0,-73.0,41.0"}),
        ("census", {"benchmark": "Public_AR_Current", "format": "json"}),
    ],
)
def test_the_metros_bounds_are_sent_where_the_service_takes_them(
    make_asker: Make, provider: str, expected: dict[str, str]
) -> None:
    asker = make_asker(provider)
    asker.server.points = [PIER]
    asker.find(ADDRESS)
    assert expected.items() <= asker.server.requests[0].items()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_first_point_inside_the_metro_is_taken(make_asker: Make, provider: str) -> None:
    asker = make_asker(provider)
    asker.server.points = [(51.5, -0.12), (-40.5, -74.5), (200.0, -74.5), PIER]
    assert asker.find(ADDRESS) == PIER


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("points", [[], [(51.5, -0.12)]])
def test_an_address_that_is_not_found_in_the_metro_is_an_invalid_value(
    make_asker: Make, provider: str, points: list[tuple[float, float]]
) -> None:
    asker = make_asker(provider)
    asker.server.points = points
    error = asker.fail(ADDRESS)
    assert (error.status, error.details) == (400, {"param": "address", "reason": "invalid_value"})
    assert "Pier" not in error.message


def test_an_address_that_the_service_can_not_read_is_an_invalid_value(make_asker: Make) -> None:
    asker = make_asker("census")
    asker.server.status = 400
    assert asker.fail("?").status == 400
    assert asker.fail("??").status == 400
    assert len(asker.server.requests) == 2


@pytest.mark.parametrize("points", [[], [PIER]])
def test_an_answer_is_cached_for_a_day(make_asker: Make, points: list[tuple[float, float]]) -> None:
    asker = make_asker()
    asker.server.points = points
    for address in (ADDRESS, ADDRESS.upper(), ADDRESS.replace(" ", "  ")):
        assert (asker.find(address) if points else asker.fail(address).status) in (PIER, 400)
    assert len(asker.server.requests) == 1
    asker.seconds += 86_400
    assert (asker.find(ADDRESS) if points else asker.fail(ADDRESS).status) in (PIER, 400)
    assert len(asker.server.requests) == 2


def test_one_failure_is_tried_again(make_asker: Make) -> None:
    asker = make_asker()
    asker.server.points, asker.server.failing = [PIER], 1
    assert asker.find(ADDRESS) == PIER
    assert len(asker.server.requests) == 2


@pytest.mark.parametrize(
    ("fault", "questions"),
    [
        ({"status": 500}, 2),
        ({"status": 503}, 2),
        ({"status": 503, "headers": {"retry-after": "0"}}, 2),
        ({"status": 408}, 2),
        ({"status": 522}, 2),
        ({"is_silent": True}, 2),
        ({"dripping": 0.02, "body": b"[" + b" " * 1_000 + b"]"}, 2),
        # Asked again it would say the same.
        ({"status": 403}, 1),
        ({"status": 404}, 1),
        ({"status": 501}, 1),
        ({"status": 302, "headers": {"location": "http://127.0.0.1:1/"}}, 1),
        ({"body": b""}, 1),
        ({"body": b"<html>busy</html>"}, 1),
        ({"body": b'{"result": 1, "features": 1}'}, 1),
        ({"body": b'[{"lat": "north", "lon": "west"}]'}, 1),
        ({"body": b"[" * 10_000}, 1),
        ({"body": b'[{"lat": "40", "lon": "-74", "more": ' + b"[" * 100_000}, 1),
        ({"body": b"\xff\xfe"}, 1),
        ({"body": b" " * (2**20 + 1)}, 1),
        ({"headers": {"content-encoding": "gzip"}}, 1),
    ],
)
def test_a_fault_is_unavailable_and_not_cached(make_asker: Make, fault: dict[str, object], questions: int) -> None:
    asker = make_asker(policy=choose_policy(fault))
    for name, value in fault.items():
        setattr(asker.server, name, value)
    if "headers" in fault and "status" not in fault:
        asker.server.body = b"\x1f\x8b\x08\x00"
    error = asker.fail(ADDRESS)
    assert (error.status, error.headers) == (503, {"Retry-After": "1"})
    assert len(asker.server.requests) == questions
    asker.server.points = [PIER]
    asker.server.status, asker.server.body, asker.server.headers = 200, None, {}
    asker.server.is_silent, asker.server.dripping = False, 0
    assert asker.find(ADDRESS) == PIER


def test_a_server_that_is_not_there_is_unavailable(make_asker: Make) -> None:
    asker = make_asker()
    asker.geocoder._fetcher._url = "http://127.0.0.1:1"
    assert asker.fail(ADDRESS).status == 503


def test_a_slow_server_takes_no_longer_than_its_time(make_asker: Make) -> None:
    asker = make_asker(policy=QUICK)
    asker.server.dripping, asker.server.body = 0.05, b"[" + b" " * 2_000 + b"]"
    started = time.monotonic()
    assert asker.fail(ADDRESS).status == 503
    assert time.monotonic() - started < 100, "each byte comes in time; all of them would take 100 s"


def test_while_a_geocoder_fails_nobody_waits_for_it(make_asker: Make) -> None:
    asker = make_asker()
    asker.server.status = 404
    assert [asker.fail(f"{number} Pier St").headers["Retry-After"] for number in range(5)] == ["1"] * 4 + ["30"]
    asker.seconds += 10
    error = asker.fail(ADDRESS)
    assert (error.status, error.headers["Retry-After"]) == (503, "20")
    assert len(asker.server.requests) == 5
    asker.server.status, asker.server.points = 200, [PIER]
    asker.seconds += 20
    assert asker.find(ADDRESS) == PIER
    assert asker.find("13 Pier St") == PIER


def test_cached_answers_are_given_while_the_geocoder_is_down(make_asker: Make) -> None:
    asker = make_asker()
    asker.server.points = [PIER]
    asker.find(ADDRESS)
    asker.server.status = 404
    for number in range(5):
        asker.fail(f"{number} Pier St")
    assert asker.find(ADDRESS) == PIER


@pytest.mark.parametrize(
    ("stated", "expected"),
    [("7", "7"), ("86400", "300"), ("Fri, 31 Dec 2100 23:59:59 GMT", "300"), ("0", "1"), ("soon", "1"), ("", "1")],
)
def test_a_geocoder_is_left_alone_for_its_retry_after(make_asker: Make, stated: str, expected: str) -> None:
    asker = make_asker()
    asker.server.status, asker.server.headers = 429, {"retry-after": stated}
    assert asker.fail(ADDRESS).headers["Retry-After"] == expected
    asker.fail(ADDRESS)
    assert len(asker.server.requests) == (2 if expected == "1" else 1)


def test_other_requests_are_answered_meanwhile(make_asker: Make) -> None:
    asker = make_asker()
    gate = threading.Barrier(2, timeout=60)
    asker.server.points, asker.server.gate = [PIER], gate

    async def ask_beside() -> None:
        asking = asyncio.create_task(
            asker.geocoder.find_address(ADDRESS, snapshot=asker.snapshot, types=frozenset(), key_id="a")
        )
        await asyncio.to_thread(gate.wait)
        await asking

    asyncio.run(ask_beside())


@pytest.mark.parametrize(
    "fault", [{}, {"status": 500}, {"status": 404}, {"body": b"12 Pier Street"}, {"is_silent": True}, {"points": []}]
)
def test_no_address_is_logged(make_asker: Make, fault: dict[str, object], caplog: pytest.LogCaptureFixture) -> None:
    asker = make_asker(policy=choose_policy(fault))
    asker.server.points = [PIER]
    for name, value in fault.items():
        setattr(asker.server, name, value)
    with caplog.at_level(logging.DEBUG), capture_logs() as logged:
        if fault:
            asker.fail("12 Pier Street")
        else:
            asker.find("12 Pier Street")
    shown = caplog.text + json.dumps(logged, default=repr)
    assert asker.server.requests[0]["q"] == "12 Pier Street"
    assert "pier" not in shown.casefold()
    has_failed = not {"status", "body", "is_silent"}.isdisjoint(fault)
    assert any(line["event"] == "geocoder_failed" for line in logged) is has_failed
