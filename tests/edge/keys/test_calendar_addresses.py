"""Signed addresses of calendars: what they open, for how long, and what they never open."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from msgspec.structs import replace as change
from structlog.testing import capture_logs

from edge.app import Edge
from edge.authentication import KeyRing
from edge.calendar_addresses import CalendarAddresses
from edge.usage import AccessLog, Ledger, UsageRecorder
from outings.keys.registry import Registry, change_registry, revoke_key
from tests.edge.asking import ask
from tests.edge.conftest import CALENDAR_SECRETS, Service
from tests.edge.publishing import NOW, make_world, publish_worlds

ICS = "/v1/harbor/events.ics"
FILTERS = "q=story+time&category=music_movement,storytime_books&start_after=09:30&from=2026-08-10"
MakeService = Callable[..., Service]


def get_address(service: Service, filters: str = "", *, kind: str = "all", metro: str = "harbor") -> str:
    got = service.get(f"/v1/{metro}/events.ics/address" + (f"?{filters}" if filters else ""), kind=kind)
    assert got.status == 200, got.body
    (url,) = got.read_json()["data"].values()
    assert isinstance(url, str)
    return url


def read_signature(url: str) -> str:
    (signature,) = parse_qs(urlsplit(url).query)["signature"]
    return signature


@pytest.mark.parametrize("filters", ["", "age=4", FILTERS, "ids=3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f"])
def test_an_address_opens_the_calendar_that_the_key_reads_under_the_same_filters(
    service: Service, filters: str
) -> None:
    url = get_address(service, filters)
    assert url.startswith(f"{ICS}?")
    got, own = ask(service.edge, url), service.get(f"{ICS}?{filters}")
    assert (got.status, got.headers["content-type"]) == (200, "text/calendar; charset=utf-8")
    assert (got.read_body(), got.headers["etag"]) == (own.read_body(), own.headers["etag"])


def test_the_same_filters_have_one_address_however_they_are_asked_for(service: Service) -> None:
    url = get_address(
        service, "category=storytime_books&free=true&category=arts_creative&to=2026-08-30&min_confidence=0"
    )
    assert url == get_address(
        service, "to=2026-08-30&category=arts_creative,storytime_books,arts_creative&free=true&min_confidence=0.0"
    )
    assert url == get_address(
        service,
        "category=%61rts_creative,storytime_books&free=true&min_confidence=0&to=2026-08-30",
        metro="harbor-city",
    )
    assert url != get_address(service, "category=storytime_books&free=true", kind="other")


@pytest.mark.parametrize(
    "write",
    [
        lambda path, pairs: path + "?" + "&".join(reversed(pairs)),
        lambda path, pairs: path + "?" + "&".join(pairs).replace(",", "%2C").replace(":", "%3a"),
        lambda path, pairs: path + "?&" + "&&".join(pairs).replace("%20", "+") + "&",
        lambda path, pairs: path.replace("events", "%65vents") + "?" + "&".join(pairs),
        lambda path, pairs: path + "?" + "&".join("".join(f"%{ord(c):02X}" if c.isalpha() else c for c in pair)
                                                  if "%" not in pair else pair for pair in pairs),
    ],
    ids=["in another order", "encoded further", "with empty pairs", "its path encoded", "its letters encoded"],
)  # fmt: skip
def test_a_program_may_write_an_address_otherwise(service: Service, write: Callable[[str, list[str]], str]) -> None:
    path, _, query = get_address(service, FILTERS).partition("?")
    got = ask(service.edge, write(path, query.split("&")))
    assert (got.status, got.read_body()) == (200, service.get(f"{ICS}?{FILTERS}").read_body())


def tamper(url: str, service: Service) -> dict[str, str]:
    path, _, query = url.partition("?")
    signature, other = read_signature(url), get_address(service, "age=4", kind="other")
    mine, theirs = (parse_qs(urlsplit(value).query)["key_id"][0] for value in (url, other))
    return {
        "another metro": f"/v1/lakeside/events.ics?{query}",
        "an alias of its metro": f"/v1/harbor-city/events.ics?{query}",
        "the list": f"/v1/harbor/events?{query}",
        "the export": f"/v1/harbor/export/events.ics?{query}",
        "the address itself": f"{path}/address?{query}",
        "all metros": f"/v1/metros?{query}",
        "changes": f"/v1/changes?{query}",
        "one more filter": f"{url}&free=true",
        "an unknown parameter": f"{url}&x=1",
        "another value": url.replace("age=4", "age=5"),
        "a value more": f"{url}&age=4",
        "a filter less": f"{path}?{query.replace('age=4&', '')}",
        "another key": url.replace(mine, theirs),
        "an unknown key": url.replace(mine, "00000000"),
        "the signature of another key": url.replace(signature, read_signature(other)),
        "one digit": url.replace(signature, signature[:-1] + ("0" if signature[-1] != "0" else "1")),
        "upper case": url.replace(signature, signature.upper()),
        "no signature": url.replace(f"&signature={signature}", ""),
        "an empty signature": url.replace(signature, ""),
        "half a signature": url.replace(signature, signature[:32]),
        "two signatures": f"{url}&signature={signature}",
        "two key ids": f"{url}&key_id={mine}",
        "a key's text": url.replace(mine, service.keys["all"]),
        "bytes that are no text": url.replace(mine, "%ff%fe"),
    }


@pytest.mark.parametrize("what", ["another metro", "an alias of its metro", "the list", "the export",
    "the address itself", "all metros", "changes", "one more filter", "an unknown parameter", "another value",
    "a value more", "a filter less", "another key", "an unknown key",
    "the signature of another key", "one digit", "upper case", "no signature", "an empty signature",
    "half a signature", "two signatures", "two key ids", "a key's text", "bytes that are no text"])  # fmt: skip
def test_an_address_is_refused_for_anything_else(service: Service, what: str) -> None:
    url = get_address(service, "age=4")
    assert ask(service.edge, url).status == 200
    got = ask(service.edge, tamper(url, service)[what])
    assert (got.status, got.error["code"]) == (401, "unauthorized")
    assert "x-ratelimit-limit" not in got.headers


def test_an_address_beside_a_key_is_refused_since_one_of_them_would_not_count(service: Service) -> None:
    got = service.get(get_address(service))
    assert (got.status, got.error["details"]) == (400, {"param": "signature", "reason": "contradictory"})
    assert ask(service.edge, get_address(service), key="nobody's").status == 401


def test_an_address_reads_what_its_key_reads(make_own: MakeService) -> None:
    own = make_own()
    refused = own.get("/v1/lakeside/events.ics/address", kind="harbor")
    assert (refused.status, refused.error["details"]) == (403, {"metros": ["harbor"]})
    assert own.get("/v1/harbor/events.ics/address", kind="places").status == 403
    url = get_address(own, kind="harbor")
    assert ask(own.edge, url).status == 200
    key_id = own.keys["harbor"][4:12]

    def move(registry: Registry) -> Registry:
        keys = (change(key, metros=("lakeside",)) if key.id == key_id else key for key in registry.keys)
        return change(registry, keys=tuple(keys))

    change_registry(own.store, move)
    own.edge.poll()
    assert ask(own.edge, url).status == 403


def test_an_address_ends_with_its_key(make_own: MakeService) -> None:
    own = make_own()
    url, other = get_address(own), get_address(own, kind="other")
    change_registry(own.store, lambda registry: revoke_key(registry, own.keys["all"][4:12], now=NOW))
    own.edge.poll()
    assert (ask(own.edge, url).status, ask(own.edge, other).status) == (401, 200)
    expiring = get_address(own, kind="expiring")
    own.clock.now = NOW + timedelta(seconds=1)
    assert ask(own.edge, expiring).status == 401


def test_what_an_address_answers_counts_on_its_key(make_own: MakeService) -> None:
    own = make_own()
    url = get_address(own, kind="other")
    left = [int(ask(own.edge, url).headers["x-ratelimit-remaining"]) for _ in range(3)]
    assert left == [left[0], left[0] - 1, left[0] - 2]
    assert int(own.get(ICS, kind="other").headers["x-ratelimit-remaining"]) == left[0] - 3
    failed = ask(own.edge, f"{url}&x=1")
    assert failed.status == 401
    assert int(own.get(ICS, kind="other").headers["x-ratelimit-remaining"]) == left[0] - 4


def test_a_tag_saves_the_body_and_a_change_of_the_listings_does_not(make_own: MakeService) -> None:
    own = make_own()
    url = get_address(own)
    first = ask(own.edge, url)
    again = ask(own.edge, url, if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert "max-age=60" in first.headers["cache-control"]
    later = [make_world("harbor", timezone="America/New_York", events=6)]
    publish_worlds(own.store, later, folder=own.folder, stamp=NOW + timedelta(minutes=1))
    own.edge.poll()
    changed = ask(own.edge, url, if_none_match=first.headers["etag"])
    assert changed.status == 200
    assert changed.read_body().count(b"BEGIN:VEVENT") == first.read_body().count(b"BEGIN:VEVENT") + 1


def test_the_address_of_an_address_has_a_tag_and_is_reported_to_its_key_alone(service: Service) -> None:
    target = "/v1/harbor/events.ics/address?age=4"
    first, other = service.get(target), service.get(target, kind="other")
    assert first.body != other.body
    assert first.headers["etag"] != other.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    assert service.get(target, if_none_match=first.headers["etag"]).status == 304
    assert service.get(target, method="HEAD").headers["content-length"] == first.headers["content-length"]


@pytest.mark.parametrize(
    "filters", ["limit=5", "release=1-00000000", "category=nonsense", "from=2026-09-01&to=2026-08-01", "x=1",
    "to=2026-08-01", "key_id=a", "signature=a", "zip=98101"],
)  # fmt: skip
def test_filters_that_the_calendar_refuses_have_no_address(service: Service, filters: str) -> None:
    refused = service.get(f"{ICS}/address?{filters}")
    assert refused.status in (400, 501)
    assert b"signature=" not in refused.body


def test_the_first_secret_signs_and_each_verifies(make_own: MakeService) -> None:
    old, new = CALENDAR_SECRETS[0], "another secret of thirty-two letters or more"
    own = make_own(calendar_secrets=(old,))
    before = get_address(own)
    both = restart(own, old, new)
    assert get_address(both) == before
    turned = restart(own, new, old)
    after = get_address(turned)
    assert after != before
    assert [ask(turned.edge, url).status for url in (before, after)] == [200, 200]
    assert [ask(restart(own, new).edge, url).status for url in (before, after)] == [401, 200]


def restart(own: Service, *secrets: str) -> Service:
    edge = Edge(own.store, cache=own.folder / "cache", clock=own.clock, calendar_secrets=secrets)
    own.others.append(edge)
    edge.poll()
    return replace(own, edge=edge)


def test_without_a_secret_there_are_no_addresses(make_own: MakeService) -> None:
    own = make_own()
    url = get_address(own)
    bare = restart(own)
    got = bare.get(f"{ICS}/address")
    assert (got.status, got.error["code"]) == (501, "not_implemented")
    assert ask(bare.edge, url).status == 401
    assert bare.get(f"{ICS}/address?x=1").status == 400


def test_no_line_of_a_log_and_no_metric_has_a_signature(
    make_own: MakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = make_own()
    with (tmp_path / "log").open("ab") as lines, capture_logs() as logged:
        usage = UsageRecorder(ledger=Ledger(tmp_path / "state"), access_log=AccessLog(lines.fileno()), shows_keys=True)
        edge = Edge(
            own.store, cache=tmp_path / "cache", clock=own.clock, usage=usage, calendar_secrets=CALENDAR_SECRETS
        )
        edge.poll()
        usage.start()
        url = get_address(replace(own, edge=edge), "age=4")
        signature = read_signature(url)
        answers = [ask(edge, target) for target in (url, *tamper(url, own).values(), f"{url}&q={signature}")]
        answers += [ask(edge, target, key=own.keys["all"]) for target in (url, url.replace(ICS, "/v1/harbor/events"))]
        monkeypatch.setattr(KeyRing, "find_active_id", crash)
        answers.append(ask(edge, url))
        metrics = ask(edge, "/metrics")
        edge.close()
    assert [got.status for got in answers].count(500) == 1
    assert [line["raised"][0] for line in logged if line["event"] == "crash"] == ["ZeroDivisionError"]
    written = [path.read_bytes() for path in (tmp_path / "log", *(tmp_path / "state").iterdir())]
    outputs = [json.dumps(logged).encode(), metrics.read_body(), *written]
    outputs += [repr((got.headers, got.body)).encode() for got in answers if got.status >= 400]
    for output in outputs:
        assert signature[:12].encode() not in output.lower()
    assert b"/v1/{metro}/events.ics" in written[0]


def crash(ring: KeyRing, id_: str) -> None:
    raise ZeroDivisionError(f"{id_} of {vars(ring)}")


def test_a_signature_is_of_one_key_path_and_set_of_parameters_and_nothing_can_be_moved_between_them() -> None:
    addresses = CalendarAddresses(CALENDAR_SECRETS)

    def is_open(path: str, query: str) -> bool:
        return addresses.verify(path, query.encode()) is not None

    for one, another in [
        ("/v1/a/events.ics?q=b%26c%3Dd", "/v1/a/events.ics?q=b&c=d"),
        ("/v1/a%2Fb/events.ics", "/v1/a/b/events.ics"),
        ("/v1/a/events.ics?q=b%0Ac%3Dd", "/v1/a/events.ics?c=d&q=b"),
        ("/v1/a/events.ics?q=%2B", "/v1/a/events.ics?q=+"),
        ("/v1/a/events.ics", "/v1/a/events.ics?q="),
    ]:
        path, _, query = addresses.sign(one, key_id="k").partition("?")
        assert is_open(path, query)
        other_path, _, other_query = another.partition("?")
        own = query[query.index("key_id=") :]
        assert not is_open(other_path, f"{other_query}&{own}"), another
    path, _, query = addresses.sign("/v1/a/events.ics?q=x", key_id="k\n/v1").partition("?")
    assert is_open(path, query)
    assert not is_open("/v1" + path, query.replace(quote("k\n/v1", safe=""), "k"))
