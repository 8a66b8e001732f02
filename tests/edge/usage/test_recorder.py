"""Usage: what is counted of whom, what the log says of a request, and what it never says."""

import json
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from edge.app import Edge
from edge.usage import NAME, AccessLog, Ledger, UsageCounts, UsageKey, UsageRecorder, join_lines, open_ledger
from outings.contract.routes import match_route
from tests.edge.asking import ask
from tests.edge.conftest import Clock, Service, make_service
from tests.edge.publishing import NOW, make_id

LIST = "/v1/harbor/events"
EVENT = make_id("harbor-event-1")
TODAY = NOW.date()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@dataclass
class CountingService(Service):
    """`usage` is what its edge records with; once closed it has written all."""

    usage: UsageRecorder = field(kw_only=True)


@pytest.fixture
def service(tmp_path: Path, state: Path) -> Iterator[CountingService]:
    """Make a service that counts in `state` and writes its lines to the file `log` beside it."""
    plain = make_service(tmp_path / "plain")
    with (tmp_path / "log").open("ab") as log:
        usage = UsageRecorder(ledger=Ledger(state), access_log=AccessLog(log.fileno()), shows_keys=True)
        edge = Edge(plain.store, cache=tmp_path / "cache", clock=plain.clock, usage=usage)
        edge.poll()
        usage.start()
        yield CountingService(**vars(replace(plain, edge=edge, folder=tmp_path)), usage=usage)
        edge.close()
    plain.close()


def read_counts(
    state: Path, *, first: date = TODAY, last: date = TODAY
) -> dict[tuple[date, str, str], tuple[int, int]]:
    """Day, client and route → billed and refused."""
    rows = Ledger(state).read_days(first=first, last=last)
    return {(row.day, row.client, row.route): (row.billed, row.refused) for row in rows}


def read_lines(service: CountingService) -> list[Any]:
    service.usage.close()
    return [json.loads(line) for line in (service.folder / "log").read_text().splitlines()]


def test_successes_and_304_are_billed_to_the_client_and_no_other_answer(service: CountingService, state: Path) -> None:
    tag = service.get(LIST).headers["etag"]
    assert service.get(LIST, if_none_match=tag).status == 304
    assert service.get(LIST).status == 200
    assert service.get(f"{LIST}?limit=9").status == 200
    assert service.get(LIST, method="HEAD").status == 200
    assert service.get(f"{LIST}?nope=1").status == 400
    assert service.get(f"/v1/events/{EVENT}", kind="lakeside").status == 403
    assert service.get("/v1/nowhere/events", kind="lakeside").status == 404
    service.usage.close()
    assert read_counts(state) == {
        (TODAY, "all", "events.list"): (5, 1),
        (TODAY, "lakeside", "events.detail"): (0, 1),
        (TODAY, "lakeside", "events.list"): (0, 1),
    }


def test_nobody_is_counted_for_what_no_key_asked(service: CountingService, state: Path) -> None:
    assert ask(service.edge, LIST).status == 401
    assert service.get(LIST, kind="revoked").status == 401
    assert service.get(LIST, method="OPTIONS").status == 204
    assert ask(service.edge, "/healthz").status == 200
    service.usage.close()
    assert read_counts(state) == {}


def test_a_request_counts_for_the_day_in_utc_on_which_it_was_answered(service: CountingService, state: Path) -> None:
    for day in range(3):
        service.clock.now = NOW + timedelta(days=day)
        service.get(LIST)
    service.usage.close()
    assert read_counts(state, last=TODAY + timedelta(days=1)) == {
        (TODAY + timedelta(days=day), "all", "events.list"): (1, 0) for day in range(2)
    }


def test_bytes_are_those_of_the_bodies_that_were_sent(service: CountingService, state: Path) -> None:
    sizes = [len(service.get(LIST, accept_encoding=coding).body) for coding in ("identity", "gzip", "gzip")]
    sizes.append(len(service.get(f"{LIST}?nope=1").body))
    service.usage.close()
    (row,) = Ledger(state).read_days(first=TODAY, last=TODAY)
    assert row.bytes == sum(sizes)
    assert [line["bytes"] for line in read_lines(service)] == sizes


def test_the_count_goes_on_where_a_server_left_it(service: CountingService, state: Path) -> None:
    service.get(LIST)
    service.usage.close()
    usage = UsageRecorder(ledger=Ledger(state))
    edge = Edge(service.store, cache=service.folder / "second", clock=service.clock, usage=usage)
    edge.poll()
    ask(edge, LIST, key=service.keys["all"])
    edge.close()
    assert read_counts(state) == {(TODAY, "all", "events.list"): (2, 0)}


def test_a_line_has_who_what_and_how_and_nothing_of_where(service: CountingService) -> None:
    service.get(f"{LIST}?lat=40.6892&lng=-74.0445&radius_m=900")
    got = service.get(f"{LIST}?lat=40.6892&lng=-74.0445&radius_m=900")
    assert service.get("/v1/harbor/around?address=12+Elm+Street").status == 501
    assert service.get(f"{LIST}?lng=-74.0445").status == 400
    lines = read_lines(service)
    match = match_route(LIST)
    assert match is not None
    line = lines[1]
    assert line.pop("milliseconds") >= 0
    assert line == {
        "event": "request",
        "request_id": got.headers["x-request-id"],
        "key": service.keys["all"][4:12],
        "method": "GET",
        "route": match.route.path,
        "status": 200,
        "bytes": len(got.body),
        "release": got.headers["x-release"],
        "level": "info",
        "timestamp": "2026-08-10T12:00:00Z",
    }
    assert [(line["route"], line["status"]) for line in lines] == [
        ("/v1/{metro}/events", 200), ("/v1/{metro}/events", 200),
        ("/v1/{metro}/around", 501), ("/v1/{metro}/events", 400),
    ]  # fmt: skip
    text = (service.folder / "log").read_text()
    assert all(word not in text for word in ("40.6892", "74.0445", "Elm", "radius", "?", service.keys["all"]))


def test_every_answer_has_its_line_whatever_it_was(service: CountingService) -> None:
    statuses = [
        ask(service.edge, LIST).status,
        ask(service.edge, "/healthz").status,
        ask(service.edge, "/v9").status,
        service.get(LIST, method="POST").status,
        service.get(LIST, method="HEAD").status,
    ]
    assert statuses == [401, 200, 404, 405, 200]
    lines = read_lines(service)
    assert [line["status"] for line in lines] == statuses
    assert [line["route"] for line in lines] == ["/v1/{metro}/events", "/healthz", None, *["/v1/{metro}/events"] * 2]
    assert [line["key"] for line in lines[:3]] == [None] * 3
    assert len({line["request_id"] for line in lines}) == 5


def test_metrics_tell_of_each_key_where_that_was_asked_for(service: CountingService) -> None:
    service.get(LIST)
    service.get(f"{LIST}?nope=1", kind="harbor")
    service.usage.close()
    families = text_string_to_metric_families(ask(service.edge, "/metrics").body.decode())
    samples = {
        (
            sample.name,
            sample.labels.get("client"),
            sample.labels.get("key"),
            sample.labels["route"],
            sample.labels["result"],
        ): (sample.value)
        for family in families
        for sample in family.samples
        if "route" in sample.labels
    }
    ids = {kind: service.keys[kind][4:12] for kind in ("all", "harbor")}
    assert {name: value for name, value in samples.items() if value} == {
        ("outings_requests_total", None, None, "events.list", "billed"): 1,
        ("outings_requests_total", None, None, "events.list", "refused"): 1,
        ("outings_usage_total", "all", ids["all"], "events.list", "billed"): 1,
        ("outings_usage_total", "harbor", ids["harbor"], "events.list", "refused"): 1,
    }


def test_metrics_tell_strangers_of_no_key_unless_it_was_asked_for(tmp_path: Path, state: Path) -> None:
    plain = make_service(tmp_path / "plain")
    ledger = Ledger(state)
    ledger.add(
        {
            UsageKey(TODAY, "acme", "k1", "metros"): UsageCounts(billed=3),
            UsageKey(TODAY, "bolt", "k2", "metros"): UsageCounts(1),
        }
    )
    edge = Edge(plain.store, cache=tmp_path / "c", clock=plain.clock, usage=UsageRecorder(ledger=ledger))
    text = ask(edge, "/metrics").body.decode()
    edge.close()
    plain.close()
    assert 'outings_requests_total{result="billed",route="metros"} 4.0' in text
    assert "acme" not in text
    assert "k1" not in text


def test_a_ledger_that_can_not_be_written_gets_its_counts_later(state: Path, service: CountingService) -> None:
    service.get(LIST)
    usage = UsageRecorder(ledger=Ledger(state / "other"))
    edge = Edge(service.store, cache=service.folder / "third", clock=service.clock, usage=usage)
    edge.poll()
    ask(edge, LIST, key=service.keys["all"])
    hidden = (state / "other").rename(state / "hidden")
    usage.flush()
    usage.flush()
    hidden.rename(state / "other")
    ask(edge, LIST, key=service.keys["all"])
    edge.close()
    assert read_counts(state / "other") == {(TODAY, "all", "events.list"): (2, 0)}


def test_batches_of_several_workers_all_count(state: Path) -> None:
    account = UsageKey(TODAY, "acme", "k1", "metros")
    ledgers = [Ledger(state) for _ in range(4)]
    for _ in range(5):
        for ledger in ledgers:
            ledger.add({account: UsageCounts(billed=1, refused=2, bytes=3)})
    (total,) = ledgers[0].read_totals()
    assert (total.billed, total.refused, total.bytes) == (20, 40, 60)
    assert read_counts(state) == {(TODAY, "acme", "metros"): (20, 40)}


def test_a_batch_that_fails_in_its_middle_counts_nothing(state: Path) -> None:
    ledger = Ledger(state)
    good, bad = UsageKey(TODAY, "acme", "k1", "metros"), UsageKey(TODAY, "acme", None, "metros")  # type: ignore[arg-type]
    with pytest.raises(OSError, match=NAME):
        ledger.add({good: UsageCounts(billed=1), bad: UsageCounts(billed=1)})
    assert read_counts(state) == {}
    assert list(ledger.read_totals()) == []


def test_what_was_added_is_there_without_the_process(state: Path) -> None:
    """The batch is in the file when `add` returns: a child that ends at once, as if killed, has counted."""
    child = os.fork()
    if child == 0:
        Ledger(state).add({UsageKey(TODAY, "acme", "k1", "metros"): UsageCounts(billed=1)})
        os._exit(9)
    os.waitpid(child, 0)
    assert read_counts(state) == {(TODAY, "acme", "metros"): (1, 0)}


def test_a_ledger_of_another_layout_or_a_folder_that_is_a_file_is_said_so(state: Path, tmp_path: Path) -> None:
    Ledger(state)
    with closing(sqlite3.connect(state / NAME)) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(OSError, match="layout is 7"):
        Ledger(state)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        open_ledger(tmp_path / "file", is_required=True)
    assert open_ledger(tmp_path / "file", is_required=False) is None


def test_lines_are_joined_whole_up_to_what_a_pipe_takes_at_once() -> None:
    lines = [b"a" * 40, b"b" * 50, b"c" * 8, b"d" * 200, b"e"]
    assert list(join_lines(lines, most_bytes=100)) == [
        b"a" * 40 + b"\n" + b"b" * 50 + b"\n", b"c" * 8 + b"\n", b"d" * 200 + b"\n", b"e\n",
    ]  # fmt: skip


def test_a_log_that_nobody_reads_holds_up_no_count_and_keeps_its_bound(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.usage.MOST_WAITING", 1_000)
    reading, writing = os.pipe()
    clock = Clock()
    usage = UsageRecorder(ledger=Ledger(state), access_log=AccessLog(writing))
    plain = make_service(tmp_path / "plain")
    edge = Edge(plain.store, cache=tmp_path / "cache", clock=clock, usage=usage)
    edge.poll()
    usage.start()
    for _ in range(15):
        for _ in range(100):
            ask(edge, "/v1/metros", key=plain.keys["all"])
        usage.flush()
    assert read_counts(state) == {(TODAY, "all", "metros"): (1500, 0)}
    texts: list[bytes] = []
    reader = threading.Thread(target=lambda: texts.extend(iter(lambda: os.read(reading, 65_536), b"")))
    reader.start()
    edge.close()
    os.close(writing)
    reader.join()
    os.close(reading)
    plain.close()
    lines = b"".join(texts).splitlines()
    # Those that a pipe holds were written, a thousand more waited, and the rest was dropped.
    assert 1_000 <= len(lines) < 1_500
    assert all(json.loads(line)["route"] == "/v1/metros" for line in lines)
