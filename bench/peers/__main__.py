"""`outings serve` beside FastAPI with PostgreSQL: the same listings, the same answers, one run.

`python -m bench.peers`. Short rounds of both take turns, so that the machine's own moods cancel out; a ratio is the
median of the rounds' ratios. "fresh" is ours with requests that were never asked before: what no cache helps with. A
second table has the processor's time: of a server's processes and its database's, without the load's.
"""

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from bench.peers.cluster import find_programs, read_process, run_cluster
from bench.peers.comparing import compare_unit
from bench.peers.loading import load_postgresql
from bench.peers.units import Unit, list_units
from bench.peers.world import World, make_world
from bench.rounds import (
    WORKERS,
    Column,
    Program,
    Round,
    Server,
    follow_list,
    format_median,
    format_ratio,
    list_fresh,
    list_repeated,
    measure_rounds,
    say,
    serve,
)
from bench.servers import ask, find_free_port, run_process

_UVICORN = (sys.executable, "-m", "uvicorn", "--factory", "--loop", "uvloop", "--http", "httptools", "--no-access-log")
_NAMES = ("outings", "fresh", "fastapi")
_RATES = ("Unit", "kB", "outings", "p50 ms", "p99 ms", "fresh", "fastapi", "÷ fastapi", "fresh ÷ fastapi")
_COSTS = ("Unit", *_NAMES, "fastapi ÷ outings", "fastapi ÷ fresh")


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    programs = find_programs()
    if programs is None and not options.only_ours:
        print("PostgreSQL is not installed (no initdb): the bench beside FastAPI is left out.")
        return
    with contextlib.ExitStack() as running:
        folder = Path(options.keep or running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-")))
        say(f"making {options.listings:,} listings …")
        world = make_world(folder, listings=options.listings)
        servers = start_servers(world, programs=None if options.only_ours else programs, running=running)
        print(f"{options.listings:,} listings, {options.clients} clients, {os.cpu_count()} cores, {WORKERS} workers;")
        print(f"answers a second, medians of {options.rounds} rounds of {options.seconds} s\n")
        print(f"| {' | '.join(_RATES)} |\n{'|---' * len(_RATES)}|", flush=True)
        known = list_units(world, partial(follow_list, servers["outings"]))
        costs: dict[str, Mapping[str, Sequence[Round]]] = {}
        for name in options.units or known:
            unit = known[name]()
            if len(servers) > 1:
                compare_unit(unit, partial(read_body, servers), sample=options.sample)
            costs[unit.name] = measure_rounds(
                list_columns(unit, servers, coding="gzip" if options.gzip else "identity"),
                rounds=options.rounds,
                seconds=options.seconds,
                clients=options.clients,
                not_modified=unit.not_modified,
            )
            print_row(unit, costs[unit.name])
        print_costs(costs)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round and server")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--units", type=lambda text: text.split(","), help="such as filtered,facets4; all if not given")
    parser.add_argument("--sample", type=int, default=30, help="answers a unit that are compared")
    parser.add_argument("--only-ours", action="store_true", help="no peer, nothing compared")
    parser.add_argument("--gzip", action="store_true", help="Accept-Encoding: gzip, which the peer does not do")
    parser.add_argument("--keep", help="a folder for the release, used again by the next run of the same day")
    return parser.parse_args(arguments)


def start_servers(world: World, *, programs: Path | None, running: contextlib.ExitStack) -> dict[str, Server]:
    """Start ours, and the peer if there is a PostgreSQL."""
    servers = {"outings": running.enter_context(serve(world.config, Program()))}
    if programs is not None:
        say("loading PostgreSQL …")
        dsn = running.enter_context(run_cluster(programs))
        load_postgresql(dsn, world)
        port, headers = find_free_port(), servers["outings"].headers
        environ = {**os.environ, "BENCH_DSN": dsn, "BENCH_KEYS": headers[0][1]}
        words = [*_UVICORN, "--workers", str(WORKERS), "--port", str(port), "bench.peers.api:make_app"]
        process = running.enter_context(run_process(words, port=port, environ=environ))
        servers["fastapi"] = Server(port=port, processes=[process, read_process(dsn)], headers=headers)
    return servers


def read_body(servers: Mapping[str, Server], name: str, target: str) -> bytes:
    return ask(servers[name].port, target, servers[name].headers).body


def list_columns(unit: Unit, servers: Mapping[str, Server], *, coding: str) -> dict[str, Column]:
    """Column's name → its requests."""
    ours = servers["outings"]
    columns: dict[str, Column] = {"fresh": (ours, list_fresh(unit.cases, ours, coding=coding))}
    for name, server in servers.items():
        own = coding if name == "outings" else "identity"
        requests = list_repeated(unit.cases, server, name=name, coding=own, not_modified=unit.not_modified)
        columns[name] = (server, requests)
    return {name: columns[name] for name in _NAMES if name in columns and columns[name][1]}


def print_row(unit: Unit, rounds: Mapping[str, Sequence[Round]]) -> None:
    ours = [entry.load for entry in rounds["outings"]]
    rates = {name: [entry.load.per_second for entry in measured] for name, measured in rounds.items()}
    cells = [
        unit.name,
        f"{statistics.median(our.bytes_read / our.answers for our in ours) / 1000:.1f}",
        format_median(rates["outings"]),
        f"{statistics.median(our.p50 for our in ours):.2f}",
        f"{statistics.median(our.p99 for our in ours):.2f}",
        *(format_median(rates.get(name)) for name in ("fresh", "fastapi")),
        *(format_ratio(rates.get(name), rates.get("fastapi")) for name in ("outings", "fresh")),
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


def print_costs(costs: Mapping[str, Mapping[str, Sequence[Round]]]) -> None:
    print(f"\nprocessor, µs an answer\n\n| {' | '.join(_COSTS)} |\n{'|---' * len(_COSTS)}|")
    for unit, rounds in costs.items():
        spent = {name: [entry.processor for entry in measured] for name, measured in rounds.items()}
        cells = [format_median(spent.get(name)) for name in _NAMES]
        ratios = [format_ratio(spent.get("fastapi"), spent.get(name)) for name in ("outings", "fresh")]
        print(f"| {' | '.join([unit, *cells, *ratios])} |", flush=True)


if __name__ == "__main__":
    main()
