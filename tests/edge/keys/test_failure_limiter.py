"""Keys that fail: from where many did they are answered 429, and a key in force passes from there too."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from edge.app import Edge
from edge.authentication import MOST_FAILURES_PER_MINUTE as MOST_PER_MINUTE
from edge.client_addresses import TrustedProxies
from tests.edge.asking import ask
from tests.edge.conftest import Service

LIST = "/v1/harbor/events"
HERE, ELSEWHERE, PROXY = "203.0.113.9", "198.51.100.7", "10.1.2.3"

MakeService = Callable[..., Service]


@pytest.fixture
def service(make_own: MakeService, tmp_path: Path) -> Service:
    """Start a service behind proxies of one network."""
    made = make_own()
    edge = Edge(made.store, cache=tmp_path / "behind", clock=made.clock, proxies=TrustedProxies(["10.0.0.0/8", "::1"]))
    made.others.append(made.edge)
    made.edge = edge
    edge.poll()
    return made


def fail(service: Service, *, client: str, forwarded: str | None = None) -> int:
    headers = {} if forwarded is None else {"x_forwarded_for": forwarded}
    return ask(service.edge, LIST, key="nobody", client=client, **headers).status


def test_who_connects_to_a_unix_socket_is_believed(service: Service) -> None:
    headers = {"x_forwarded_for": HERE}
    statuses = [ask(service.edge, LIST, key="nobody", **headers).status for _ in range(MOST_PER_MINUTE + 1)]
    assert statuses == [401] * MOST_PER_MINUTE + [429]
    assert ask(service.edge, LIST, key="nobody").status == 401


def spend(service: Service, *, client: str, forwarded: str | None = None) -> None:
    statuses = {fail(service, client=client, forwarded=forwarded) for _ in range(MOST_PER_MINUTE)}
    assert statuses == {401}


def test_after_many_failures_an_address_is_reported_to_wait_and_its_valid_keys_pass(service: Service) -> None:
    spend(service, client=HERE)
    for key in ("nobody", None, service.keys["revoked"]):
        refused = ask(service.edge, LIST, key=key, client=HERE)
        assert (refused.status, refused.error["code"], refused.headers["retry-after"]) == (429, "rate_limited", "1")
    assert ask(service.edge, LIST, key=service.keys["all"], client=HERE).status == 200
    assert fail(service, client=ELSEWHERE) == 401


def test_after_retry_after_the_next_failure_is_401_again(service: Service) -> None:
    spend(service, client=HERE)
    assert fail(service, client=HERE) == 429
    service.clock.now += timedelta(seconds=1)
    assert [fail(service, client=HERE) for _ in range(2)] == [401, 429]


def test_a_trusted_proxy_states_the_address_of_its_clients(service: Service) -> None:
    spend(service, client=PROXY, forwarded=f"{ELSEWHERE}, {HERE}, 10.9.9.9")
    assert fail(service, client=HERE) == 429
    assert fail(service, client=ELSEWHERE) == 401
    assert fail(service, client=PROXY) == 401


def test_an_untrusted_client_states_no_address(service: Service) -> None:
    spend(service, client=HERE, forwarded=ELSEWHERE)
    assert fail(service, client=HERE, forwarded="192.0.2.1") == 429
    assert fail(service, client=ELSEWHERE) == 401


@pytest.mark.parametrize(
    ("first", "second"),
    [("2001:db8:0:1::1", "2001:db8:0:1:ffff::2"), ("::ffff:203.0.113.9", HERE)],
)
def test_addresses_of_one_household_are_one(service: Service, first: str, second: str) -> None:
    spend(service, client=first)
    assert fail(service, client=second) == 429
    assert fail(service, client="2001:db8:0:2::1") == 401


@pytest.mark.parametrize("forwarded", ["", "nonsense", "10.0.0.1", "203.0.113.9:80", ",", "\u00e9"])
def test_what_a_proxy_says_badly_counts_for_the_proxy(service: Service, forwarded: str) -> None:
    spend(service, client=PROXY, forwarded=forwarded)
    assert fail(service, client=PROXY) == 429


def test_over_a_unix_socket_nothing_is_counted(make_own: MakeService) -> None:
    service = make_own()
    assert {ask(service.edge, LIST, key="nobody").status for _ in range(MOST_PER_MINUTE + 5)} == {401}
