"""Answers to a front: the address of a body that is large enough, and the body itself for a fill."""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from edge.app import Edge
from edge.front_protocol import KINDS, render_front
from edge.usage import Ledger, UsageRecorder
from outings.release.store import hash_of
from tests.edge.asking import Response, ask, ask_as_front, read_metrics
from tests.edge.conftest import Service, make_service
from tests.edge.publishing import NOW, TODAY, make_id, make_world, publish_worlds

SECRET, OLD_SECRET = "a-secret-of-fronts-of-thirty-two-letters", "an-older-secret-of-thirty-two-letters"
LIST = "/v1/harbor/events"
FILTERED = f"{LIST}?max_price=20"
DETAIL = f"/v1/events/{make_id('harbor-event-1')}"
LINES = "/v1/harbor/export/events.jsonl"
CALENDAR = "/v1/harbor/events.ics"
WORKER = render_front(SECRET, follows=KINDS, least=0, pointer="own")
MakeService = Callable[..., Service]


@pytest.fixture(scope="module")
def fronted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = make_service(tmp_path_factory.mktemp("fronted"), front_secrets=(SECRET, OLD_SECRET))
    yield made
    made.close()


def get(service: Service, target: str, *, front: str = WORKER, kind: str = "all", **sent: str) -> Response:
    return ask_as_front(service.edge, target, front=front, key=service.keys[kind], **sent)


def count_left(got: Response) -> int:
    return int(got.headers["x-ratelimit-remaining"])


def read_object(service: Service, address: str) -> bytes:
    return service.store.get(address.removeprefix("/.outings/").replace("exports/", "objects/"))


# What moves from one answer to the next, and what a pointer says in another way.
MOVING = ("x-request-id", "x-trace-id", "x-ratelimit-remaining", "x-ratelimit-reset", "ratelimit-remaining",
          "ratelimit-reset", "ratelimit", "content-length", "content-encoding", "outings-coding",
          "outings-body", "x-accel-redirect")  # fmt: skip


def select_still(got: Response) -> dict[str, str]:
    still = {name: value for name, value in got.headers.items() if name not in MOVING}
    if "outings-cache-control" in still:
        still["cache-control"] = still.pop("outings-cache-control")
    return still


def test_a_page_that_the_build_wrote_is_the_address_of_its_object(fronted: Service) -> None:
    plain = fronted.get(LIST)
    got = get(fronted, LIST, accept_encoding="gzip")
    assert (got.status, got.body, got.headers["content-length"]) == (200, b"", "0")
    assert got.headers["outings-coding"] == "gzip"
    packed = read_object(fronted, got.headers["outings-body"])
    assert got.headers["outings-body"].endswith(hash_of(packed))
    assert gzip.decompress(packed) == plain.body
    assert select_still(got) == select_still(plain)


@pytest.mark.parametrize("coding", ["gzip", "identity"])
def test_a_file_of_an_export_is_an_address_of_its_own_kind(fronted: Service, coding: str) -> None:
    plain = fronted.get(LINES)
    got = get(fronted, LINES, front=WORKER.replace("own", "accel"), accept_encoding=coding)
    assert got.headers["x-accel-redirect"].startswith("/.outings/exports/")
    assert gzip.decompress(read_object(fronted, got.headers["x-accel-redirect"])) == plain.body
    assert select_still(got) == select_still(plain)


def test_a_page_that_the_build_wrote_is_not_unpacked_for_each_reader_without_gzip(fronted: Service) -> None:
    plain = fronted.get(LIST)
    got = get(fronted, LIST, accept_encoding="identity")
    assert got.headers["outings-body"].endswith(".identity")
    filled = get(fronted, LIST, fill=got.headers["etag"], accept_encoding="identity")
    assert filled.read_body() == plain.body
    assert select_still(got) == select_still(plain)


@pytest.mark.parametrize("target", [FILTERED, DETAIL, CALENDAR])
@pytest.mark.parametrize("coding", ["gzip", "br", "identity"])
def test_any_other_body_is_an_address_that_a_fill_makes(fronted: Service, target: str, coding: str) -> None:
    plain = fronted.get(target)
    for _ in range(2):  # before the worker has made it, and after
        got = get(fronted, target, accept_encoding=coding)
        address = got.headers["outings-body"]
        assert address.startswith("/.outings/answers/")
        assert address.endswith(f".{coding}")
        assert select_still(got) == select_still(plain)
        filled = get(fronted, target, fill=got.headers["etag"], accept_encoding=coding)
        assert (filled.status, filled.headers["etag"], filled.read_body()) == (200, got.headers["etag"], plain.body)
        assert "outings-body" not in filled.headers


def test_keys_with_the_same_rights_share_an_address_and_others_have_their_own(fronted: Service) -> None:
    addresses = {kind: get(fronted, FILTERED, kind=kind).headers["outings-body"] for kind in ("all", "other", "events")}
    assert addresses["all"] == addresses["other"] != addresses["events"]


def test_a_fill_is_counted_once_with_the_request_that_it_is_for(fronted: Service) -> None:
    first = get(fronted, FILTERED)
    assert get(fronted, FILTERED, fill=first.headers["etag"]).status == 200
    whole = get(fronted, FILTERED, fill="any")
    assert count_left(whole) == count_left(first)
    assert count_left(get(fronted, FILTERED)) == count_left(first) - 1


def test_a_fill_for_another_tag_is_412_and_one_for_any_is_whole(make_own: MakeService) -> None:
    service = make_own(front_secrets=(SECRET,))
    before = get(service, FILTERED).headers["etag"]
    world = make_world("harbor", timezone="America/New_York", events=2)
    publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=1))
    service.edge.poll()
    gone = get(service, FILTERED, fill=before)
    assert (gone.status, gone.body) == (412, b"")
    whole = get(service, FILTERED, fill="any", if_none_match=before)
    plain = service.get(FILTERED)
    assert whole.headers["etag"] == plain.headers["etag"] != before
    assert (whole.status, whole.body, select_still(whole)) == (200, plain.body, select_still(plain))


def test_what_is_small_or_quick_or_kept_for_nobody_comes_inline(fronted: Service) -> None:
    large = render_front(SECRET, follows=KINDS, least=10**6, pointer="own")
    for target in (LIST, DETAIL, LINES):
        assert get(fronted, target, front=large).body == fronted.get(target).body
    for target in ("/v1/changes", "/v1/harbor/events.ics/address", "/openapi.json"):
        assert get(fronted, target).body == fronted.get(target).body
    head = get(fronted, LIST, method="HEAD")
    assert (head.body, head.headers["content-length"]) == (b"", fronted.get(LIST).headers["content-length"])
    assert get(fronted, LIST, if_match="*").body == fronted.get(LIST).body
    deaf = render_front(SECRET, follows=(), least=0, pointer="own")
    assert get(fronted, FILTERED, front=deaf).body == fronted.get(FILTERED).body


def test_a_body_that_is_quick_to_make_is_an_address_from_its_size_on(make_own: MakeService) -> None:
    """This holds whether the server has the body in memory or computes it."""
    size = len(make_own().get(FILTERED, accept_encoding="gzip").body)
    for least, count in ((size + 1, 0), (size, 1)):
        service = make_own(front_secrets=(SECRET,))
        front = render_front(SECRET, follows=KINDS, least=least, pointer="own")
        for _ in range(2):
            got = get(service, FILTERED, front=front, accept_encoding="gzip")
            assert list(got.headers).count("outings-body") == count


def test_the_ledger_has_the_bytes_that_a_front_moves_and_no_fill(tmp_path: Path, make_own: MakeService) -> None:
    service = make_own()
    usage = UsageRecorder(ledger=Ledger(tmp_path / "state"))
    edge = Edge(service.store, cache=tmp_path / "cache", clock=service.clock, usage=usage, front_secrets=(SECRET,))
    service.others.append(edge)
    edge.poll()
    fronted = replace(service, edge=edge)
    size = int(service.get(LINES, accept_encoding="gzip").headers["content-length"])
    etag = get(fronted, LINES, accept_encoding="gzip").headers["etag"]
    get(fronted, LINES, accept_encoding="gzip", fill=etag)
    get(fronted, LINES, accept_encoding="gzip", fill="any")
    usage.close()
    [row] = Ledger(tmp_path / "state").read_days(first=TODAY, last=TODAY)
    assert (row.billed, row.bytes) == (1, size)


def test_two_such_headers_are_none(fronted: Service) -> None:
    got = get(fronted, LIST)
    assert "outings-body" in got.headers
    twice = get(fronted, LIST, outings_front=WORKER)
    assert "outings-body" not in twice.headers


def test_a_304_and_errors_are_the_servers_own(fronted: Service) -> None:
    etag = fronted.get(LIST).headers["etag"]
    assert get(fronted, LIST, if_none_match=etag).status == 304
    assert get(fronted, LIST, fill=etag, if_none_match=etag).body == fronted.get(LIST).body
    assert get(fronted, f"{LIST}?limit=0").status == 400
    assert get(fronted, LIST, kind="revoked").status == get(fronted, LIST, kind="revoked", fill=etag).status == 401


@pytest.mark.parametrize("front", ["x" * 40, f"{SECRET}x; follows=objects; from=0", ""])
def test_who_makes_up_the_headers_of_a_front_is_counted_and_gets_bodies(fronted: Service, front: str) -> None:
    plain = fronted.get(FILTERED)
    for fill in ("", "any", 'W/"0"', plain.headers["etag"]):
        got = get(fronted, FILTERED, front=front, fill=fill)
        assert (got.body, select_still(got)) == (plain.body, select_still(plain))
    assert count_left(got) <= count_left(plain) - 4


def test_both_of_two_secrets_are_valid_and_without_any_there_is_no_front(fronted: Service, service: Service) -> None:
    older = WORKER.replace(SECRET, OLD_SECRET)
    assert get(fronted, FILTERED, front=older).headers["outings-body"]
    assert get(service, FILTERED, fill="any").body == service.get(FILTERED).body
    assert not any(name.startswith("outings-") for name in get(service, FILTERED).headers)


def test_metrics_say_of_each_route_what_fronts_got(make_own: MakeService) -> None:
    service = make_own(front_secrets=(SECRET,))
    get(service, FILTERED)
    for _ in range(2):
        got = get(service, FILTERED)
    get(service, FILTERED, fill=got.headers["etag"])
    get(service, "/v1/changes")
    lines = ask(service.edge, "/metrics").body.decode().splitlines()
    assert [line for line in lines if line.startswith("outings_front_answers_total")] == [
        'outings_front_answers_total{kind="pointer",route="events.list"} 3.0',
        'outings_front_answers_total{kind="fill",route="events.list"} 1.0',
        'outings_front_answers_total{kind="inline",route="changes"} 1.0',
    ]
    assert read_metrics(service.edge)["4xx"] == 0
