"""`outings serve` beside FastAPI with PostgreSQL and beside Datasette: the same listings, the same answers, one run.

`python -m bench.peers`. Short rounds of the three take turns, so that the machine's own moods cancel out; a ratio is
the median of the rounds' ratios. "fresh" is ours with requests that were never asked before: what no cache helps with.
A second table has the processor's time: of a server's processes and its database's, without the load's.
"""

import argparse
import contextlib
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.load import Load, make_request, measure_load
from bench.measuring import read_processor
from bench.peers.cluster import find_programs, read_process, run_cluster
from bench.peers.comparing import compare_unit
from bench.peers.loading import load_postgresql
from bench.peers.sqlite import write_sqlite
from bench.peers.units import SETS, Unit, list_units
from bench.peers.world import World, make_world
from bench.servers import OUTINGS, Headers, ask, find_free_port, make_key, run_process

_UVICORN = (sys.executable, "-m", "uvicorn", "--factory", "--loop", "uvloop", "--http", "httptools", "--no-access-log")
_WORKERS = 2
_COSTS = ("Unit", "outings", "fresh", "fastapi", "datasette", "fastapi ÷ outings", "fastapi ÷ fresh")
_RATIOS = ("÷ fastapi", "fresh ÷ fastapi", "goal", "÷ datasette")


class Servers(Struct, frozen=True, kw_only=True):
    """Ports by name, with the processes behind each, and what every request says."""

    ports: Mapping[str, int]
    processes: Mapping[str, Sequence[int]]
    headers: Headers


class Round(Struct, frozen=True, kw_only=True):
    """`processor`: microseconds for an answer, of the server's processes and its database's."""

    load: Load
    processor: float


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    programs = find_programs()
    if programs is None and not options.only_ours:
        print("PostgreSQL is not installed (no initdb): the bench beside FastAPI and Datasette is left out.")
        return
    with contextlib.ExitStack() as running:
        folder = Path(options.keep or running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-")))
        say(f"making {options.listings:,} listings …")
        world = make_world(folder, listings=options.listings)
        servers = start_servers(world, programs=None if options.only_ours else programs, running=running)
        print_head(options, servers)
        known = list_units(world, lambda target: follow_list(servers, target))
        costs: dict[str, Mapping[str, Sequence[Round]]] = {}
        for name in options.units or known:
            unit = known[name]()
            if len(servers.ports) > 1:
                compare_unit(unit, lambda server, target: read_body(servers, server, target), sample=options.sample)
            costs[unit.name] = measure_unit(unit, servers, options)
            print_row(unit, {name: [cost.load for cost in rounds] for name, rounds in costs[unit.name].items()})
        print_costs(costs)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round and server")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--units", type=lambda text: text.split(","), help="such as filtered,facets; all if not given")
    parser.add_argument("--sample", type=int, default=30, help="answers a unit that are compared")
    parser.add_argument("--only-ours", action="store_true", help="no peers, nothing compared")
    parser.add_argument("--gzip", action="store_true", help="Accept-Encoding: gzip, which of the three only ours does")
    parser.add_argument("--keep", help="a folder for the release, used again by the next run of the same day")
    return parser.parse_args(arguments)


def start_servers(world: World, *, programs: Path | None, running: contextlib.ExitStack) -> Servers:
    """Ours, and the peers where there is a PostgreSQL."""
    key = make_key(world.config)
    ports = {"outings": find_free_port()}
    serve = [*OUTINGS, "serve", "-c", str(world.config), "--workers", str(_WORKERS), "--port", str(ports["outings"])]
    processes = {"outings": [running.enter_context(run_process(serve, port=ports["outings"]))]}
    if programs is not None:
        say("loading PostgreSQL …")
        dsn = running.enter_context(run_cluster(programs))
        load_postgresql(dsn, world)
        say("loading SQLite …")
        file = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-sqlite-"))) / "bench.db"
        write_sqlite(file, world)
        environ = {**os.environ, "BENCH_DSN": dsn, "BENCH_KEYS": key, "BENCH_SQLITE": str(file)}
        for name, module in (("fastapi", "bench.peers.api"), ("datasette", "bench.peers.datasette")):
            ports[name] = find_free_port()
            words = [*_UVICORN, "--workers", str(_WORKERS), "--port", str(ports[name]), f"{module}:make_app"]
            processes[name] = [running.enter_context(run_process(words, port=ports[name], environ=environ))]
        processes["fastapi"].append(read_process(dsn))
    return Servers(ports=ports, processes=processes, headers=(("X-API-Key", key),))


def read_body(servers: Servers, server: str, target: str) -> bytes:
    return ask(servers.ports[server], target, servers.headers).body


def follow_list(servers: Servers, target: str) -> Iterator[dict[str, Any]]:
    """Pages of a walk in sync mode: the cursor that asks for each, and what its last item is known by."""
    cursor: str | None = ""
    while cursor is not None:
        address = f"{target}&cursor={cursor}" if cursor else target
        answer = json.loads(read_body(servers, "outings", address))
        last = answer["data"][-1]
        stamp = int(datetime.fromisoformat(last["updated_at"]).timestamp())
        yield {"cursor": cursor, "stamp": stamp, "last": last["id"]}
        cursor = answer["meta"]["next_cursor"]


def measure_unit(unit: Unit, servers: Servers, options: argparse.Namespace) -> dict[str, list[Round]]:
    """Column → its rounds."""
    columns = list_columns(unit, servers, options)
    starts = dict.fromkeys(columns, 0)
    rounds: dict[str, list[Round]] = {name: [] for name in columns}
    # The first, short one warms up: connections, plans, pages of files.
    for number in range(options.rounds + 1):
        for name, (port, requests) in columns.items():
            processes = servers.processes["outings" if name == "fresh" else name]
            spent = sum(map(read_processor, processes))
            load = measure_load(
                port,
                requests,
                clients=options.clients,
                seconds=options.seconds if number else min(0.5, options.seconds),
                start=starts[name],
                expected=(b"304",) if unit.not_modified else (b"200",),
            )
            spent = sum(map(read_processor, processes)) - spent
            starts[name] += load.answers
            if number:
                rounds[name].append(Round(load=load, processor=spent / load.answers * 1e6))
    return rounds


def list_columns(unit: Unit, servers: Servers, options: argparse.Namespace) -> dict[str, tuple[int, Sequence[bytes]]]:
    """Column → port and requests."""
    cases = unit.cases[:SETS]
    targets = {
        "outings": [case.outings for case in cases],
        "fresh": [case.fresh for case in unit.cases if case.fresh],
        "fastapi": [case.fastapi for case in cases],
        "datasette": [case.datasette for case in cases if case.datasette is not None],
    }
    columns: dict[str, tuple[int, Sequence[bytes]]] = {}
    for name, chosen in targets.items():
        server = "outings" if name == "fresh" else name
        if not chosen or server not in servers.ports:
            continue
        columns[name] = (servers.ports[server], make_requests(unit, servers, server, chosen, options))
    return columns


def make_requests(
    unit: Unit, servers: Servers, server: str, targets: Sequence[str], options: argparse.Namespace
) -> list[bytes]:
    coding = "gzip" if options.gzip and server == "outings" else "identity"
    headers = [*servers.headers, ("Accept-Encoding", coding)]
    if not unit.not_modified:
        return [make_request(target, headers=headers) for target in targets]
    port = servers.ports[server]
    return [
        make_request(target, headers=[*headers, ("If-None-Match", ask(port, target, headers).get_header("etag"))])
        for target in targets
    ]


def print_head(options: argparse.Namespace, servers: Servers) -> None:
    print(f"{options.listings:,} listings, {options.clients} clients, {os.cpu_count()} cores, {_WORKERS} workers each;")
    print(f"answers a second, medians of {options.rounds} rounds of {options.seconds} s; {', '.join(servers.ports)}\n")
    columns = ("Unit", "kB", "outings", "p50 ms", "p99 ms", "fresh", "fastapi", "datasette", *_RATIOS)
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|", flush=True)


def print_row(unit: Unit, rounds: Mapping[str, Sequence[Load]]) -> None:
    ours = rounds["outings"]
    rates = {name: [entry.per_second for entry in measured] for name, measured in rounds.items()}
    size = statistics.median(our.bytes_read / our.answers for our in ours) / 1000
    cells = [
        unit.name,
        f"{size:.1f}",
        format_median(rates["outings"]),
        f"{statistics.median(our.p50 for our in ours):.2f}",
        f"{statistics.median(our.p99 for our in ours):.2f}",
        *(format_median(rates.get(name)) for name in ("fresh", "fastapi", "datasette")),
        format_ratio(rates["outings"], rates.get("fastapi")),
        format_ratio(rates.get("fresh"), rates.get("fastapi")),
        "" if unit.goal is None else f"≥ {unit.goal:g}",
        format_ratio(rates["outings"], rates.get("datasette")),
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


def print_costs(costs: Mapping[str, Mapping[str, Sequence[Round]]]) -> None:
    print(f"\nprocessor, µs an answer\n\n| {' | '.join(_COSTS)} |\n{'|---' * len(_COSTS)}|")
    for unit, rounds in costs.items():
        spent = {name: [entry.processor for entry in measured] for name, measured in rounds.items()}
        cells = [format_median(spent.get(name)) for name in ("outings", "fresh", "fastapi", "datasette")]
        ratios = [format_ratio(spent.get("fastapi"), spent.get(name)) for name in ("outings", "fresh")]
        print(f"| {' | '.join([unit, *cells, *ratios])} |", flush=True)


def format_median(rounds: Sequence[float] | None) -> str:
    return "" if not rounds else f"{statistics.median(rounds):,.0f}"


def format_ratio(ones: Sequence[float] | None, others: Sequence[float] | None) -> str:
    """The median over the rounds, each of which measured both within seconds."""
    if not ones or not others:
        return ""
    return f"{statistics.median(one / other for one, other in zip(ones, others, strict=True)):.2f}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
