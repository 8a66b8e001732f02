"""A load as it is: `python -m bench.mix`, beside the peers of `bench.peers`.

What an app's readers request, in its proportions, over 100,000 different requests. Of each kind the n-th most popular
one comes as often as 1/n (Zipf's law), so that some are always in memory and some were never requested. Before each
round of ours a release with 1 % of the listings changed is published, and nothing that was in memory is of use. The
peers' tables stay as they are, which is in their favour. Rounds take turns.
"""

import argparse
import contextlib
import itertools
import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random

from msgspec import Struct

from bench.build import SHARE, change_feeds
from bench.load import UNIQUE, Load, make_request, measure_load
from bench.measuring import read_processor
from bench.peers.__main__ import Servers, follow_list, say, start_servers
from bench.peers.cluster import find_programs
from bench.peers.units import Case, list_units
from bench.peers.world import World, make_world
from bench.servers import OUTINGS, ask

# Of a hundred requests of an app: its first screens, then what was tapped.
PARTS = {
    "detail": 45, "list": 20, "filtered": 12, "q": 6, "walk": 5, "facets4": 4, "calendar31": 4, "sync": 4,
}  # fmt: skip
# Of these the distinct requests are as many as there are cases: apps show the same months, mirrors the same pages.
_CLOSED = frozenset({"detail", "calendar31", "sync"})
_DRAWS = 40_000
_SOURCES = re.compile(rb'^outings_answers_total\{source="(\w+)"\} ([\d.e+]+)$', re.MULTILINE)


class Round(Struct, frozen=True, kw_only=True):
    """`processor`: microseconds of the server's processes, and its database's, for an answer. `cached`: the share of
    answers that a worker had in memory, of ours alone."""

    load: Load
    processor: float
    cached: float = 0.0


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    with contextlib.ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-")))
        say(f"making {options.listings:,} listings …")
        world = make_world(folder, listings=options.listings)
        servers = start_servers(world, programs=None if options.only_ours else find_programs(), running=running)
        cases = list_cases(world, servers, count=options.requests)
        print_head(options, count=sum(map(len, cases.values())))
        rounds = measure_rounds(world, servers, cases, options)
    print_rounds(rounds)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mix", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=100_000, help="how many different ones")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each round and server")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--only-ours", action="store_true", help="no peers")
    return parser.parse_args(arguments)


def list_cases(world: World, servers: Servers, *, count: int) -> Mapping[str, Sequence[Case]]:
    """Unit → its requests, the most popular first."""
    units = list_units(world, partial(follow_list, servers))
    return {name: list(vary_cases(name, units[name]().cases, count * part // 100)) for name, part in PARTS.items()}


def vary_cases(name: str, cases: Sequence[Case], count: int) -> Iterator[Case]:
    """Return so many requests that differ: for ours by digits of a filter that changes nothing. A peer keeps no
    answers, so that to it they need not differ."""
    if name in _CLOSED:
        yield from cases[:count]
        return
    for number, case in zip(range(count), itertools.cycle(cases), strict=False):
        target = case.outings if number < len(cases) else case.fresh.replace(UNIQUE.decode(), f"{number:010d}")
        yield Case(outings=target, fastapi=case.fastapi, datasette=None)


def measure_rounds(
    world: World, servers: Servers, cases: Mapping[str, Sequence[Case]], options: argparse.Namespace
) -> Mapping[str, Sequence[Round]]:
    names = [name for name in ("outings", "fastapi") if name in servers.ports]
    rounds: dict[str, list[Round]] = {name: [] for name in names}
    for number, name in itertools.product(range(options.rounds), names):
        if name == "outings":
            publish(world, servers, turn=number % SHARE)
        targets = (getattr(case, name) for case in draw_cases(cases, seed=number))
        sent = [make_request(target, headers=servers.headers) for target in targets]
        rounds[name].append(measure_round(servers, name, sent, options))
        say(f"round {number + 1}, {name}: {rounds[name][-1].load.per_second:,.0f} answers a second")
    return rounds


def draw_cases(cases: Mapping[str, Sequence[Case]], *, seed: int) -> Iterator[Case]:
    """A kind by its part, then one of its requests by Zipf's law with the exponent 1."""
    random = Random(seed)
    drawn = {
        name: iter(random.choices(known, [1 / rank for rank in range(1, len(known) + 1)], k=_DRAWS))
        for name, known in cases.items()
    }
    return (next(drawn[name]) for name in random.choices(list(PARTS), list(PARTS.values()), k=_DRAWS))


def publish(world: World, servers: Servers, *, turn: int) -> None:
    """A release with 1 % changed, and until all workers answer by it."""
    before = read_release(servers)
    change_feeds(world.config, turn=turn)
    subprocess.run([*OUTINGS, "build", "-c", str(world.config)], check=True, capture_output=True)
    until = time.monotonic() + 60
    while before in {read_release(servers) for _ in range(20)}:
        if time.monotonic() > until:
            raise SystemExit(f"the servers did not take up the release after {before} within a minute")
        time.sleep(0.5)


def read_release(servers: Servers) -> str:
    return ask(servers.ports["outings"], "/v1/metros", servers.headers).get_header("x-release")


def measure_round(servers: Servers, name: str, sent: Sequence[bytes], options: argparse.Namespace) -> Round:
    counted, spent = read_answers(servers), sum(map(read_processor, servers.processes[name]))
    load = measure_load(servers.ports[name], sent, clients=options.clients, seconds=options.seconds)
    spent = sum(map(read_processor, servers.processes[name])) - spent
    made = {source: number - counted[source] for source, number in read_answers(servers).items()}
    cached = made["cached"] / sum(made.values()) if name == "outings" else 0.0
    return Round(load=load, processor=spent / load.answers * 1e6, cached=cached)


def read_answers(servers: Servers) -> Mapping[str, float]:
    """Ours, by where they came from."""
    text = ask(servers.ports["outings"], "/metrics", servers.headers).body
    return {source.decode(): float(number) for source, number in _SOURCES.findall(text)}


def print_head(options: argparse.Namespace, *, count: int) -> None:
    print(f"{options.listings:,} listings, {count:,} different requests, {options.clients} clients,")
    print(f"{os.cpu_count()} cores, 2 workers each; medians of {options.rounds} rounds of {options.seconds} s\n")


def print_rounds(rounds: Mapping[str, Sequence[Round]]) -> None:
    print("| | answers a second | processor, µs an answer | p50 ms | p99 ms | kB an answer | from memory |")
    print("|---|---|---|---|---|---|---|")
    for name, measured in rounds.items():
        loads = [entry.load for entry in measured]
        cells = [
            f"{statistics.median(load.per_second for load in loads):,.0f}",
            f"{statistics.median(entry.processor for entry in measured):,.0f}",
            f"{statistics.median(load.p50 for load in loads):.2f}",
            f"{statistics.median(load.p99 for load in loads):.1f}",
            f"{statistics.median(load.bytes_read / load.answers for load in loads) / 1000:.1f}",
            f"{statistics.median(entry.cached for entry in measured):.0%}" if name == "outings" else "",
        ]
        print(f"| {name} | {' | '.join(cells)} |")
    if "fastapi" in rounds:
        pairs = list(zip(rounds["outings"], rounds["fastapi"], strict=True))
        clock = statistics.median(one.load.per_second / other.load.per_second for one, other in pairs)
        work = statistics.median(other.processor / one.processor for one, other in pairs)
        print(f"\n÷ fastapi: {clock:.2f} by the clock, {work:.2f} by the processor (its own and PostgreSQL's)")


if __name__ == "__main__":
    main()
