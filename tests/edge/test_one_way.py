"""The protocol on a socket and the ASGI application give the same answers to the same requests, and count, bill, limit
and log them alike."""

import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

import pytest
from msgspec.structs import replace
from prometheus_client import Metric
from starlette.types import Message
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from edge.app import Edge
from edge.usage import AccessLog, Ledger, UsageRecorder, UsageRow
from outings.contract.pricing_plans import PLANS, Offer
from tests.edge.conftest import Service, make_service
from tests.edge.generated_targets import generate_targets
from tests.edge.processes.connections import connect_protocol
from tests.edge.publishing import TODAY, add_keys, make_id
from tests.edge.routes import ANSWERED, READS

REQUESTS = 700
ROOT = Path(__file__).parents[2]
PROGRAM = (f"{ROOT}/edge/", f"{ROOT}/outings/")
MOVING = {"date", "x-request-id"}
PATHS = {name: [READS[name][0].partition("?")[0]] for name in ANSWERED}
IDS = [make_id(f"harbor-{name}") for name in ("event-1", "event-2", "class", "camp", "place", "org")]
# Few enough for some of them to be over their limits, of the rate and of the quota.
LIMITED: Mapping[str, Mapping[str, object]] = {
    "slow": {"per_minute": 20},
    "free": {"plan": "free"},
}
OFFER = Offer(plans={**PLANS, "free": replace(PLANS["free"], per_month=25)})
KINDS_OF_KEYS = ("all", "all", "all", "all", "harbor", "events", "revoked", *LIMITED)


@dataclass
class Outcome:
    """All answers of one way in, and what was counted."""

    requests: list[str] = field(default_factory=list)
    answers: list[tuple[bytes, list[tuple[bytes, bytes]], bytes]] = field(default_factory=list)
    counts: list[Metric] = field(default_factory=list)
    usage: list[UsageRow] = field(default_factory=list)
    lines: list[Mapping[str, object]] = field(default_factory=list)


def write_requests(keys: Mapping[str, str]) -> Iterator[tuple[str, Callable[[bytes], str]]]:
    """Targets, each with what writes its request beside the last tag that its answer had. Some are sent twice, so that
    some answers are from memory."""
    random = Random(5)
    targets = generate_targets(REQUESTS, seed=11, paths=PATHS, ids=IDS)
    for target in [target for target in targets for _ in range(random.choice((1, 1, 2)))]:
        key = keys[random.choice(KINDS_OF_KEYS)]
        lines = [f"GET {target} HTTP/1.1", "Host: a", f"X-API-Key: {key}", "X-Trace-Id: t"]
        lines += [f"Accept-Encoding: {random.choice(('gzip', 'zstd'))}"] if random.random() < 0.5 else []
        head, has_tag = "\r\n".join(lines) + "\r\n", random.random() < 0.3

        def write(tag: bytes, head: str = head, has_tag: bool = has_tag) -> str:
            return f"{head}If-None-Match: {tag.decode()}\r\n" if tag and has_tag else head

        yield target, write


def split_answer(written: bytes) -> tuple[bytes, list[tuple[bytes, bytes]], bytes]:
    head, _, body = written.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    pairs = [line.partition(b": ")[::2] for line in lines]
    own = dict(pairs).get(b"x-request-id", b"none")
    return status, [(name, value) for name, value in pairs if name.decode() not in MOVING], body.replace(own, b"own")


async def ask_application(edge: Edge, request: str) -> bytes:
    """Sends the request by ASGI; the answer as a socket would get it."""
    line, *lines = request.rstrip().split("\r\n")
    method, target, _ = line.split(" ")
    path, _, query = target.partition("?")
    pairs = [line.split(": ", 1) for line in lines]
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in pairs], "client": None,
    }  # fmt: skip
    written: list[bytes] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            fields = [b"%b: %b\r\n" % field for field in message["headers"]]
            written.append(STATUS_LINE[message["status"]] + b"".join(fields) + b"\r\n")
        else:
            written.append(message.get("body", b""))

    async def receive() -> Message:
        return {"type": "http.request"}

    await edge(scope, receive, send)
    return b"".join(written)


async def ask_all(service: Service, *, by_socket: bool) -> Outcome:
    outcome, tags = Outcome(), dict[str, bytes]()
    wire, transport = connect_protocol(service)
    for target, write in write_requests(service.keys):
        request = write(tags.get(target, b"")) + "\r\n"
        transport.writes.clear()
        if by_socket:
            wire.data_received(request.encode())
            await asyncio.gather(*wire.tasks)
            answer = split_answer(transport.written)
        else:
            answer = split_answer(await ask_application(service.edge, request))
        tags[target] = dict(answer[1]).get(b"etag", b"")
        outcome.requests.append(request)
        outcome.answers.append(answer)
    wire.connection_lost(None)
    return outcome


def ask_one_way(service: Service, *, by_socket: bool) -> Outcome:
    """Asks an edge of its own, over the service's store and keys."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        ledger = Ledger(Path(folder))
        usage = UsageRecorder(ledger=ledger, access_log=AccessLog(log.fileno()))
        edge = Edge(
            service.store, cache=service.folder / f"cache{by_socket}", clock=service.clock,
            usage=usage, offer=OFFER,
        )  # fmt: skip
        edge.poll()
        service.others.append(edge)
        own = Service(service.store, edge, service.keys, service.folder, service.clock)
        outcome = asyncio.run(ask_all(own, by_socket=by_socket))
        usage.write()
        outcome.usage = list(ledger.read_days(first=TODAY, last=TODAY))
        log.seek(0)
        outcome.lines = [json.loads(line) for line in log]
    outcome.counts = list(edge.counts.registry.collect())
    return outcome


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Outcome, Outcome]]:
    service = make_service(tmp_path_factory.mktemp("twins"))
    service.keys |= add_keys(service.store, LIMITED)
    yield ask_one_way(service, by_socket=True), ask_one_way(service, by_socket=False)
    service.close()


def test_the_same_requests_get_the_same_answers(outcomes: tuple[Outcome, Outcome]) -> None:
    wired, called = outcomes
    pairs = zip(wired.requests, wired.answers, called.answers, strict=True)
    assert [pair for pair in pairs if pair[1] != pair[2]][:1] == []
    statuses = [status.split()[1].decode() for status, *_ in wired.answers]
    assert {*statuses} >= {"200", "304", "400", "401", "403", "404", "429"}


def test_they_count_the_same(outcomes: tuple[Outcome, Outcome]) -> None:
    wired, called = outcomes
    assert wired.counts == called.counts
    assert {"outings_answers", "outings_errors"} <= {family.name for family in wired.counts if family.samples}


def test_they_are_billed_and_logged_the_same(outcomes: tuple[Outcome, Outcome]) -> None:
    wired, called = outcomes
    assert wired.usage == called.usage
    for line in (*wired.lines, *called.lines):
        for own in ("request_id", "milliseconds"):
            assert line.pop(own)  # type: ignore[attr-defined]
    assert wired.lines == called.lines
    assert len(wired.lines) == len(wired.answers)


async def list_files(service: Service, target: str) -> set[str]:
    """Return the files of the program that the answer to a request enters, in threads too."""
    wire, _ = connect_protocol(service)
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PROGRAM):
            files.add(frame.f_code.co_filename)

    threading.setprofile(note)  # of threads that begin meanwhile
    sys.setprofile(note)
    try:
        wire.data_received(f"GET {target} HTTP/1.1\r\nHost: a\r\nX-API-Key: {service.keys['all']}\r\n\r\n".encode())
        await asyncio.gather(*wire.tasks)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    wire.connection_lost(None)
    return files


def test_a_list_passes_through_few_files(service: Service) -> None:
    """Few enough for a reader to follow a request."""
    target = "/v1/harbor/events?category=arts_creative&max_price={}"

    async def list_sizes() -> list[int]:
        await list_files(service, target.format(30))  # opens what every list needs
        return [len(await list_files(service, target.format(20))) for _ in range(2)]

    computed, cached = asyncio.run(list_sizes())
    assert computed <= 25  # with the turns of what is not cached, `open_at=now` and forecasts
    assert cached <= 9
