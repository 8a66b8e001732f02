"""Limits as a reader meets them: what is counted and billed, and what every response tells."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest

from edge.limits.limiter import FIELDS
from outings.contract.pricing_plans import Offer, PricingPlan
from tests.edge.asking import Response, ask, ask_together, read_metrics
from tests.edge.conftest import Service
from tests.edge.publishing import add_keys
from tests.edge.routes import READS

LIST, DETAIL = READS["events.list"][0], READS["events.detail"][0]
NAMES = {name.lower() for name in FIELDS}
RATES = {name for name in NAMES if "quota" not in name}

PER_MINUTE, PER_MONTH = 12, 20
PLANS = {
    "free": PricingPlan(name="free", per_minute=PER_MINUTE, per_month=PER_MONTH, addons=frozenset()),
    "partner": PricingPlan(name="partner", per_minute=PER_MINUTE, per_month=None, addons=frozenset()),
}
KINDS: Mapping[str, Mapping[str, object]] = {
    "free": {"plan": "free", "per_minute": None},
    "sibling": {"plan": "free", "per_minute": None, "client": "free"},
    "partner": {"plan": "partner", "per_minute": None},
    "narrow": {"plan": "free", "per_minute": None, "metros": ("lakeside",)},
}

OFFER = Offer(plans=PLANS)
Make = Callable[..., Service]


@pytest.fixture
def metered(make_own: Make) -> Service:
    """Small limits, at noon on 10 August; every kind of key is fresh."""
    return add_kinds(make_own(keyed=False, offer=OFFER))


def add_kinds(service: Service) -> Service:
    service.keys |= add_keys(service.store, KINDS)
    service.edge.poll()
    return service


def read_left(got: Response) -> tuple[int, int]:
    """Return what is left of the minute and of the month."""
    return int(got.headers["x-ratelimit-remaining"]), int(got.headers["x-quota-remaining"])


def list_limit_names(got: Response) -> set[str]:
    return NAMES & got.headers.keys()


@pytest.mark.long
@pytest.mark.parametrize("name", READS)
def test_every_response_of_every_route_tells_a_known_key_its_limits(metered: Service, name: str) -> None:
    target = READS[name][0]
    for kind, names in (("free", NAMES), ("partner", RATES), ("narrow", NAMES)):
        got = metered.get(target, kind=kind)
        assert list_limit_names(got) == names
        assert list_limit_names(metered.get(target, kind=kind, method="HEAD")) == names
        assert list_limit_names(metered.get(f"{target.partition('?')[0]}?bogus=1", kind=kind)) == names
        assert list_limit_names(metered.get(target, kind=kind, method="POST")) == names
        if "etag" in got.headers:
            for _ in range(2):
                again = metered.get(target, kind=kind, if_none_match=got.headers["etag"])
                assert (again.status, list_limit_names(again)) == (304, names)
        assert list_limit_names(metered.get(target, kind=kind, method="OPTIONS")) == set()
        assert list_limit_names(ask(metered.edge, target)) == set()


def test_all_of_them_may_be_read_by_a_browsers_script(metered: Service) -> None:
    exposed = {
        name.lower() for name in metered.get(LIST, kind="free").headers["access-control-expose-headers"].split(", ")
    }
    assert exposed >= NAMES | {"x-request-id", "x-trace-id", "retry-after"}


@pytest.mark.parametrize("target", [LIST, DETAIL, f"{LIST}?limit=3", "/v1/metros"])
def test_every_success_is_counted_once_from_memory_too(metered: Service, target: str) -> None:
    left = [read_left(metered.get(target, kind="free")) for _ in range(5)]
    assert left == [(PER_MINUTE - n, PER_MONTH - n) for n in range(1, 6)]


def test_a_304_and_a_head_are_billed(metered: Service) -> None:
    tag = metered.get(LIST, kind="free").headers["etag"]
    first = metered.get(LIST, kind="free", if_none_match=tag)
    assert (first.status, read_left(first)) == (304, (PER_MINUTE - 2, PER_MONTH - 2))
    head = metered.get(LIST, kind="free", method="HEAD")
    assert (head.status, read_left(head)) == (200, (PER_MINUTE - 3, PER_MONTH - 3))


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (f"{LIST}?bogus=1", 400),
        ("/v1/atlantis/events", 404),
        ("/v1/events/00000000-0000-4000-8000-000000000000", 404),
        (f"{LIST}?near_zip=98101", 501),
    ],
)
def test_a_failure_is_counted_and_not_billed(metered: Service, target: str, status: int) -> None:
    for n in range(1, 4):
        got = metered.get(target, kind="free")
        assert (got.status, read_left(got)) == (status, (PER_MINUTE - n, PER_MONTH))
    assert read_left(metered.get(LIST, kind="free")) == (PER_MINUTE - 4, PER_MONTH - 1)


def test_a_refused_scope_is_counted_and_not_billed(metered: Service) -> None:
    got = metered.get(LIST, kind="narrow")
    assert (got.status, read_left(got)) == (403, (PER_MINUTE - 1, PER_MONTH))


def test_a_fault_of_ours_is_not_billed(make_own: Make) -> None:
    service = add_kinds(make_own(published=False, keyed=False, offer=OFFER))
    for n in range(1, 3):
        got = service.get(LIST, kind="free")
        assert (got.status, read_left(got)) == (503, (PER_MINUTE - n, PER_MONTH))


def test_an_unknown_route_or_method_is_reported_and_not_counted(metered: Service) -> None:
    metered.get(LIST, kind="free")
    for target, method, status in (("/v1/no/such/way", "GET", 404), ("/v2/metros", "HEAD", 404), (LIST, "DELETE", 405)):
        for _ in range(3):
            got = metered.get(target, kind="free", method=method)
            assert (got.status, read_left(got)) == (status, (PER_MINUTE - 1, PER_MONTH - 1))


def test_an_options_costs_nothing(metered: Service) -> None:
    for _ in range(3 * PER_MINUTE):
        assert metered.get(LIST, kind="free", method="OPTIONS").status == 204
    assert read_left(metered.get(LIST, kind="free")) == (PER_MINUTE - 1, PER_MONTH - 1)


@pytest.mark.parametrize("target", [LIST, f"{LIST}?bogus=1"])
def test_past_the_rate_it_is_429_until_retry_after(metered: Service, target: str) -> None:
    for _ in range(PER_MINUTE):
        assert metered.get(target, kind="free").status != 429
    for _ in range(5):
        refused = metered.get(target, kind="free")
        assert (refused.status, refused.error["code"]) == (429, "rate_limited")
        assert refused.headers["retry-after"] == "5"
        assert refused.headers["x-ratelimit-remaining"] == "0"
        assert list_limit_names(refused) == NAMES
    metered.clock.now += timedelta(seconds=4)
    assert metered.get(target, kind="free").headers["retry-after"] == "1"
    metered.clock.now += timedelta(seconds=1)
    assert metered.get(target, kind="free").status != 429
    assert metered.get(target, kind="free").status == 429
    assert metered.get(target, kind="sibling").status != 429


def test_past_the_quota_every_key_of_the_client_is_429_until_the_month_is_over(metered: Service) -> None:
    for kind in ("free", "sibling"):
        for _ in range(PER_MONTH // 2):
            assert metered.get(LIST, kind=kind).status == 200
    for kind in ("free", "sibling"):
        for target in (LIST, f"{LIST}?bogus=1", "/v1/atlantis/events"):
            refused = metered.get(target, kind=kind)
            assert (refused.status, refused.error["code"]) == (429, "quota_exceeded")
            assert read_left(refused) == (PER_MINUTE - PER_MONTH // 2, 0)
            assert refused.headers["retry-after"] == str(21 * 86_400 + 12 * 3_600)
            assert refused.headers["x-quota-reset"] == "1788220800"  # 2026-09-01
    assert metered.get(LIST, kind="partner").status == 200
    metered.clock.now += timedelta(days=21, hours=12)
    assert read_left(metered.get("/v1/metros", kind="free")) == (PER_MINUTE - 1, PER_MONTH - 1)


def test_requests_at_once_never_take_more_than_there_is(metered: Service) -> None:
    targets = [f"{LIST}?limit={n + 1}" for n in range(4 * PER_MINUTE)]
    got = ask_together(metered.edge, targets, key=metered.keys["free"])
    assert sorted(entry.status for entry in got) == [200] * PER_MINUTE + [429] * 3 * PER_MINUTE


@pytest.mark.parametrize("headers", [{}, {"if_none_match": "*"}])
def test_with_the_counters_gone_reads_go_on_and_a_metric_says_so(make_own: Make, headers: dict[str, str]) -> None:
    from edge.limits.redis_store import RedisLimitStore

    limits = RedisLimitStore("redis://127.0.0.1:1/0")
    service = add_kinds(make_own(keyed=False, offer=OFFER, limits=limits))
    for _ in range(2 * PER_MINUTE):
        got = service.get(LIST, kind="free", **headers)
        assert (got.status, read_left(got)) == (304 if headers else 200, (PER_MINUTE, PER_MONTH))
    assert service.get(f"{LIST}?bogus=1", kind="free").status == 400
    counted = read_metrics(service.edge)["outings_uncounted_total"]
    assert counted == 2 * PER_MINUTE + 1


PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"traceparent": PARENT}, PARENT[3:35]),
        ({"traceparent": f"cc{PARENT[2:]}-more"}, PARENT[3:35]),
        ({"traceparent": PARENT, "x_trace_id": "mine"}, "mine"),
        ({"traceparent": PARENT, "x_trace_id": "not well formed"}, PARENT[3:35]),
        ({"traceparent": f"{PARENT}-more"}, None),
        ({"traceparent": f"ff{PARENT[2:]}"}, None),
        ({"traceparent": PARENT.upper()}, None),
        ({"traceparent": f"00-{'0' * 32}{PARENT[35:]}"}, None),
        ({"traceparent": f"{PARENT[:36]}{'0' * 16}-01"}, None),
        ({"traceparent": ""}, None),
    ],
)
def test_the_trace_is_the_callers_where_it_is_well_formed(
    service: Service, sent: dict[str, Any], message: str | None
) -> None:
    for target in (LIST, LIST, "/v1/nowhere"):
        got = service.get(target, **sent)
        assert got.headers["x-trace-id"] == (message or got.headers["x-request-id"])
