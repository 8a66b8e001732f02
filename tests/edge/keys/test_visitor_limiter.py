"""The key that every visitor of the pages has: each address has a rate of its own with it, and other keys have not."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from edge.app import Edge
from edge.client_addresses import VisitorKey
from tests.edge.asking import ask
from tests.edge.conftest import Service

LIST = "/v1/harbor/events"
HERE, ELSEWHERE = "203.0.113.9", "198.51.100.7"
RATE = 5

MakeService = Callable[..., Service]


@pytest.fixture
def service(make_own: MakeService, tmp_path: Path) -> Service:
    """Start a service whose pages show the key `all`."""
    made = make_own()
    visitors = VisitorKey(text=made.keys["all"], per_minute=RATE)
    edge = Edge(made.store, cache=tmp_path / "pages", clock=made.clock, visitors=visitors)
    made.others.append(made.edge)
    made.edge = edge
    edge.poll()
    return made


def request(service: Service, *, client: str | None, kind: str = "all", target: str = LIST) -> int:
    return ask(service.edge, target, key=service.keys[kind], client=client).status


def test_an_address_that_asks_much_with_the_visitors_key_is_reported_to_wait(service: Service) -> None:
    # The same list, so that all but the first would come from memory.
    assert [request(service, client=HERE) for _ in range(RATE + 1)] == [200] * RATE + [429]
    refused = ask(service.edge, LIST, key=service.keys["all"], client=HERE)
    assert (refused.error["code"], refused.headers["retry-after"]) == ("rate_limited", "12")
    assert request(service, client=ELSEWHERE) == 200
    assert request(service, client=HERE, kind="events") == 200
    service.clock.now += timedelta(seconds=12)
    assert [request(service, client=HERE) for _ in range(2)] == [200, 429]


def test_what_is_refused_by_address_costs_the_key_nothing(service: Service) -> None:
    for _ in range(RATE):
        last = ask(service.edge, LIST, key=service.keys["all"], client=HERE)
    refused = ask(service.edge, LIST, key=service.keys["all"], client=HERE)
    assert refused.headers["x-ratelimit-remaining"] == last.headers["x-ratelimit-remaining"]


def test_over_a_unix_socket_the_visitors_key_has_its_own_rate_alone(service: Service) -> None:
    assert {request(service, client=None) for _ in range(RATE + 3)} == {200}
