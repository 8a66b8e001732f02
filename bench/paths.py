"""Measure the cost of one answer in the edge, without a server and without a client: `python -m bench.paths`.

Each unit of `bench.peers` by three paths, in microseconds: made now, from memory, and `304`. `--profile unit` shows
what the first of them is made of. `--pause 1` waits a millisecond before each request: as of a server's, others have
had the processor's caches then.
"""

import argparse
import asyncio
import contextlib
import cProfile
import itertools
import pstats
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from starlette.types import Message, Scope

from bench.load import UNIQUE
from bench.peers.units import Case, Unit, list_units
from bench.peers.world import World, make_world
from bench.servers import make_key
from edge.app import Edge
from edge.limits.limiter import open_limits
from outings.configuration import read_configuration
from outings.release.store import open_store

_SHOWN = 30
# Their cases are pages of a walk, which only a server that answers can be asked for, or another unit's, or hold for a
# minute.
_LEFT_OUT = ("sync", "304", "nearby")


async def send_request(edge: Edge, target: str, headers: Sequence[tuple[bytes, bytes]]) -> tuple[float, list[Message]]:
    """Microseconds, and what the application sent."""
    path, _, query = target.partition("?")
    scope: Scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "headers": list(headers), "scheme": "http", "http_version": "1.1", "client": ("127.0.0.1", 1),
    }  # fmt: skip
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    began = time.perf_counter()
    await edge(scope, receive, send)
    return (time.perf_counter() - began) * 1e6, sent


class RequestSender:
    """One application, asked one request at a time."""

    def __init__(self, edge: Edge, *, key: str, coding: bytes) -> None:
        self._edge = edge
        self._headers = ((b"x-api-key", key.encode()), (b"accept-encoding", coding))

    async def ask(self, target: str, *, etag: bytes | None = None) -> tuple[float, bytes]:
        """Microseconds, and the tag of the answer. RuntimeError for an answer that is not the one expected."""
        headers = self._headers if etag is None else (*self._headers, (b"if-none-match", etag))
        spent, sent = await send_request(self._edge, target, headers)
        if sent[0]["status"] != (200 if etag is None else 304):
            raise RuntimeError(f"{target} answered {sent}")
        return spent, dict(sent[0]["headers"])[b"etag"]


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    with contextlib.ExitStack() as running:
        folder = Path(options.keep or running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-")))
        world = make_world(folder, listings=options.listings)
        asking = running.enter_context(run_edge(world, coding=options.coding))
        known = {name: make for name, make in list_units(world, _follow_pages).items() if name not in _LEFT_OUT}
        if options.profile:
            profile_unit(known[options.profile](), asking)
        else:
            print(f"{options.listings:,} listings; microseconds, medians of {options.requests} requests;", end=" ")
            print(f"{options.coding}\n")
            print("| Unit | made now | from memory | `304` |\n|---|---|---|---|")
            for name in options.units or known:
                print_unit(known[name](), asking, requests=options.requests, pause=options.pause / 1000)


@contextlib.contextmanager
def run_edge(world: World, *, coding: str = "identity") -> Iterator[RequestSender]:
    configuration = read_configuration(world.config, {})
    limits = open_limits(configuration.edge.rate_storage, state=configuration.edge.state)
    edge = Edge(open_store(configuration.store.url), cache=configuration.edge.cache, limits=limits)
    sender = RequestSender(edge, key=make_key(world.config), coding=coding.encode())
    edge.poll()
    try:
        yield sender
    finally:
        edge.close()


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.paths", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=300, help="of each unit and path")
    parser.add_argument("--units", type=lambda text: text.split(","), help="such as filtered,facets; all if not given")
    parser.add_argument("--coding", default="identity", help="gzip, zstd, br or identity")
    parser.add_argument("--pause", type=float, default=0.0, help="milliseconds before each request")
    parser.add_argument("--profile", help="a unit: where the time goes")
    parser.add_argument("--keep", help="a folder for the release, used again by the next run of the same day")
    return parser.parse_args(arguments)


def _follow_pages(target: str) -> Iterator[dict[str, Any]]:
    raise NotImplementedError(target)


def name_requests(cases: Sequence[Case]) -> Iterator[str]:
    """Yield a unit's requests that no cache helps with, without end."""
    fresh = [case.fresh for case in cases if case.fresh]
    for number in itertools.count():
        target = fresh[number % len(fresh)]
        yield target.replace(UNIQUE.decode(), f"{number + 1:010}")


def print_unit(unit: Unit, asking: RequestSender, *, requests: int, pause: float) -> None:
    async def ask(target: str, etag: bytes | None = None) -> tuple[float, bytes]:
        await asyncio.sleep(pause)
        return await asking.ask(target, etag=etag)

    async def measure() -> tuple[list[float], ...]:
        targets = name_requests(unit.cases)
        await asking.ask(next(targets))
        made: list[float] = []
        samples: list[float] = []
        matched: list[float] = []
        for target in itertools.islice(targets, requests):
            spent, etag = await ask(target)
            made.append(spent)
            samples.append((await ask(target))[0])
            matched.append((await ask(target, etag))[0])
        return made, samples, matched

    cells = (f"{statistics.median(value):,.0f}" for value in asyncio.run(measure()))
    print(f"| {unit.name} | {' | '.join(cells)} |", flush=True)


def profile_unit(unit: Unit, asking: RequestSender) -> None:
    """Profile the requests in this thread alone: work in other threads is seen as waiting."""
    targets = name_requests(unit.cases)

    async def ask_all() -> None:
        for target in itertools.islice(targets, 300):
            await asking.ask(target)

    asyncio.run(ask_all())
    profile = cProfile.Profile()
    profile.runcall(asyncio.run, ask_all())
    pstats.Stats(profile).sort_stats("tottime").print_stats(_SHOWN)


if __name__ == "__main__":
    main()
