"""A load as it is: `python -m bench.mix`, beside FastAPI and PostgreSQL, and by `--before` beside an earlier program.

What an app's readers request, in its proportions, over 100,000 different requests. Of each kind the n-th most popular
one comes as often as 1/n (Zipf's law), so that some are always in memory and some were never requested. Before each
round of ours a release with 1 % of the listings changed is published, and nothing that was in memory is of use. The
peer's tables stay as they are, which is in its favour. Rounds take turns.
"""

import argparse
import contextlib
import itertools
import os
import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random

from msgspec import Struct

from bench.build import SHARE, change_feeds
from bench.load import UNIQUE, make_request
from bench.peers.__main__ import start_servers
from bench.peers.cluster import find_programs
from bench.peers.units import Case, list_units
from bench.peers.world import World, make_world
from bench.rounds import (
    WORKERS,
    Program,
    Round,
    Server,
    build_earlier,
    build_release,
    find_earlier,
    follow_list,
    measure_round,
    say,
    serve,
)
from bench.servers import ask

# Of a hundred requests of an app: its first screens, then what was tapped.
PARTS = {
    "detail": 45, "list": 20, "filtered": 12, "q": 6, "walk": 5, "facets4": 4, "calendar31": 4, "sync": 4,
}  # fmt: skip
# Of these the distinct requests are as many as there are cases: apps show the same months, mirrors the same pages.
_CLOSED = frozenset({"detail", "calendar31", "sync"})
_DRAWS = 40_000
_SOURCES = re.compile(rb'^outings_answers_total\{source="(\w+)"\} ([\d.e+]+)$', re.MULTILINE)


# Unit → its requests, the most popular first.
Cases = Mapping[str, Sequence[Case]]


class Contestant(Struct, frozen=True, kw_only=True):
    """A server with the requests that it is sent. `config`: of the releases that `program` publishes; a peer has none.
    `spelling`: the member of a case."""

    server: Server
    cases: Cases
    spelling: str = "outings"
    config: Path | None = None
    program: Program = Program()


class MixRound(Struct, frozen=True, kw_only=True):
    """`cached`: the share of answers that a worker had in memory, of ours alone."""

    measured: Round
    cached: float


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    with contextlib.ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-")))
        contestants = start_contestants(folder, options, running)
        count = sum(map(len, contestants["outings"].cases.values()))
        print(f"{options.listings:,} listings, {count:,} different requests, {options.clients} clients,")
        print(f"{os.cpu_count()} cores, {WORKERS} workers each;", end=" ")
        print(f"medians of {options.rounds} rounds of {options.seconds} s\n")
        rounds: dict[str, list[MixRound]] = {name: [] for name in contestants}
        for number, (name, contestant) in itertools.product(range(options.rounds), contestants.items()):
            rounds[name].append(measure_contestant(contestant, number, options))
            say(f"round {number + 1}, {name}: {rounds[name][-1].measured.load.per_second:,.0f} answers a second")
    print_rounds(rounds)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mix", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=100_000, help="how many different ones")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each round and server")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--only-ours", action="store_true", help="no peer")
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="of an earlier program, with its .venv")
    return parser.parse_args(arguments)


def start_contestants(
    folder: Path, options: argparse.Namespace, running: contextlib.ExitStack
) -> dict[str, Contestant]:
    say(f"making {options.listings:,} listings …")
    world = make_world(folder / "now", listings=options.listings)
    servers = start_servers(world, programs=None if options.only_ours else find_programs(), running=running)
    ours = servers["outings"]
    cases = list_cases(world, ours, count=options.requests)
    contestants = {"outings": Contestant(server=ours, cases=cases, config=world.config)}
    if "fastapi" in servers:
        contestants["fastapi"] = Contestant(server=servers["fastapi"], cases=cases, spelling="fastapi")
    if options.before:
        say("making them by the earlier program …")
        program = find_earlier(options.before)
        config = build_earlier(folder / "before", program, listings=options.listings, today=world.today)
        server = running.enter_context(serve(config, program))
        # Cursors are those that it sealed.
        own = list_cases(world, server, count=options.requests)
        contestants["before"] = Contestant(server=server, cases=own, config=config, program=program)
    return contestants


def list_cases(world: World, server: Server, *, count: int) -> Cases:
    units = list_units(world, partial(follow_list, server))
    return {name: list(vary_cases(name, units[name]().cases, count * part // 100)) for name, part in PARTS.items()}


def vary_cases(name: str, cases: Sequence[Case], count: int) -> Iterator[Case]:
    """Return so many requests that differ: for ours by digits of a filter that changes nothing. A peer keeps no
    answers, so that to it they need not differ."""
    if name in _CLOSED:
        yield from cases[:count]
        return
    for number, case in zip(range(count), itertools.cycle(cases), strict=False):
        target = case.outings if number < len(cases) else case.fresh.replace(UNIQUE.decode(), f"{number:010d}")
        yield Case(outings=target, fastapi=case.fastapi)


def measure_contestant(contestant: Contestant, number: int, options: argparse.Namespace) -> MixRound:
    server = contestant.server
    if contestant.config is not None:
        publish(contestant.config, contestant.program, server, turn=number % SHARE)
    targets = (getattr(case, contestant.spelling) for case in draw_cases(contestant.cases, seed=number))
    sent = [make_request(target, headers=server.headers) for target in targets]
    is_ours = contestant.config is not None
    counted = read_answers(server) if is_ours else {}
    measured = measure_round((server, sent), seconds=options.seconds, clients=options.clients)
    made = {source: count - counted[source] for source, count in (read_answers(server) if is_ours else {}).items()}
    return MixRound(measured=measured, cached=made.get("cached", 0.0) / max(1.0, sum(made.values())))


def draw_cases(cases: Cases, *, seed: int) -> Iterator[Case]:
    """A kind by its part, then one of its requests by Zipf's law with the exponent 1."""
    random = Random(seed)
    drawn = {
        name: iter(random.choices(known, [1 / rank for rank in range(1, len(known) + 1)], k=_DRAWS))
        for name, known in cases.items()
    }
    return (next(drawn[name]) for name in random.choices(list(PARTS), list(PARTS.values()), k=_DRAWS))


def publish(config: Path, program: Program, server: Server, *, turn: int) -> None:
    """Publish a release with 1 % changed, and wait until all workers answer by it."""
    before = read_release(server)
    change_feeds(config, turn=turn)
    build_release(config, program)
    until = time.monotonic() + 60
    while before in {read_release(server) for _ in range(20)}:
        if time.monotonic() > until:
            raise SystemExit(f"the servers did not take up the release after {before} within a minute")
        time.sleep(0.5)


def read_release(server: Server) -> str:
    return ask(server.port, "/v1/metros", server.headers).get_header("x-release")


def read_answers(server: Server) -> Mapping[str, float]:
    """Count the answers of ours by where they came from."""
    text = ask(server.port, "/metrics", server.headers).body
    return {source.decode(): float(number) for source, number in _SOURCES.findall(text)}


def print_rounds(rounds: Mapping[str, Sequence[MixRound]]) -> None:
    print("| | answers a second | processor, µs an answer | p50 ms | p99 ms | kB an answer | from memory |")
    print("|---|---|---|---|---|---|---|")
    for name, entries in rounds.items():
        loads = [entry.measured.load for entry in entries]
        cells = [
            f"{statistics.median(load.per_second for load in loads):,.0f}",
            f"{statistics.median(entry.measured.processor for entry in entries):,.0f}",
            f"{statistics.median(load.p50 for load in loads):.2f}",
            f"{statistics.median(load.p99 for load in loads):.1f}",
            f"{statistics.median(load.bytes_read / load.answers for load in loads) / 1000:.1f}",
            "" if name == "fastapi" else f"{statistics.median(entry.cached for entry in entries):.0%}",
        ]
        print(f"| {name} | {' | '.join(cells)} |")
    for name in rounds.keys() - {"outings"}:
        pairs = [(one.measured, other.measured) for one, other in zip(rounds["outings"], rounds[name], strict=True)]
        clock = statistics.median(one.load.per_second / other.load.per_second for one, other in pairs)
        work = statistics.median(other.processor / one.processor for one, other in pairs)
        print(f"\n÷ {name}: {clock:.2f} by the clock, {work:.2f} by the processor (its database's included)")


if __name__ == "__main__":
    main()
