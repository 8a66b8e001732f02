"""The key that every visitor of the pages has: each address has a rate of its own with it, and other keys have not."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from edge.app import Edge
from edge.client_addresses import TrustedProxies, VisitorKey
from tests.edge.asking import ask
from tests.edge.conftest import Service

LIST = "/v1/harbor/events"
HERE, ELSEWHERE, PROXY = "203.0.113.9", "198.51.100.7", "10.1.2.3"
RATE = 5

MakeService = Callable[..., Service]


@pytest.fixture
def service(make_own: MakeService, tmp_path: Path) -> Service:
    """Start a service whose pages show the key `all`, behind proxies of one network."""
    made = make_own()
    visitors = VisitorKey(text=made.keys["all"], per_minute=RATE)
    proxies = TrustedProxies(["10.0.0.0/8", "::1"])
    edge = Edge(made.store, cache=tmp_path / "pages", clock=made.clock, visitors=visitors, proxies=proxies)
    made.others.append(made.edge)
    made.edge = edge
    edge.poll()
    return made


def request(service: Service, *, client: str | None, kind: str = "all", forwarded: str | None = None) -> int:
    headers = {} if forwarded is None else {"x_forwarded_for": forwarded}
    return ask(service.edge, LIST, key=service.keys[kind], client=client, **headers).status


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


def spend(service: Service, *, client: str | None, forwarded: str | None = None) -> None:
    assert {request(service, client=client, forwarded=forwarded) for _ in range(RATE)} == {200}


def test_who_connects_to_a_unix_socket_is_believed(service: Service) -> None:
    spend(service, client=None, forwarded=HERE)
    assert request(service, client=None, forwarded=HERE) == 429
    assert request(service, client=None) == 200


def test_a_trusted_proxy_states_the_address_of_its_clients(service: Service) -> None:
    spend(service, client=PROXY, forwarded=f"{ELSEWHERE}, {HERE}, 10.9.9.9")
    assert request(service, client=HERE) == 429
    assert request(service, client=ELSEWHERE) == 200
    assert request(service, client=PROXY) == 200


def test_an_untrusted_client_states_no_address(service: Service) -> None:
    spend(service, client=HERE, forwarded=ELSEWHERE)
    assert request(service, client=HERE, forwarded="192.0.2.1") == 429
    assert request(service, client=ELSEWHERE) == 200


@pytest.mark.parametrize(
    ("first", "second"),
    [("2001:db8:0:1::1", "2001:db8:0:1:ffff::2"), ("::ffff:203.0.113.9", HERE)],
)
def test_addresses_of_one_household_are_one(service: Service, first: str, second: str) -> None:
    spend(service, client=first)
    assert request(service, client=second) == 429
    assert request(service, client="2001:db8:0:2::1") == 200


@pytest.mark.parametrize("forwarded", ["", "nonsense", "10.0.0.1", "203.0.113.9:80", ",", "\u00e9"])
def test_what_a_proxy_says_badly_counts_for_the_proxy(service: Service, forwarded: str) -> None:
    spend(service, client=PROXY, forwarded=forwarded)
    assert request(service, client=PROXY) == 429


def test_wrong_keys_are_401_however_many_there_are(service: Service) -> None:
    statuses = {ask(service.edge, LIST, key=key, client=HERE).status for key in ("nobody", None) * 100}
    assert statuses == {401}
