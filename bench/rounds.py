"""Serve a release and measure rounds of requests: what `bench.peers`, `bench.mix` and `bench.before` share."""

import contextlib
import json
import statistics
import subprocess
import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from bench.load import Load, make_request, measure_load
from bench.measuring import read_processor
from bench.peers.units import SETS, Case
from bench.servers import OUTINGS, Headers, ask, find_free_port, make_key, run_process
from command.sample_cities import write_world
from command.sample_cities.geography import SEATTLE

WORKERS = 2
ColumnName = TypeVar("ColumnName", bound=Hashable)


class Program(Struct, frozen=True, kw_only=True):
    """A command line of outings: `command`, run in the folder `cwd`."""

    command: Sequence[str] = OUTINGS
    cwd: Path | None = None


class Server(Struct, frozen=True, kw_only=True):
    """A server that runs: `processes` are the first of its own and of its database; `headers` are what it is sent."""

    port: int
    processes: Sequence[int]
    headers: Headers


class Round(Struct, frozen=True, kw_only=True):
    """`processor`: microseconds for an answer, of the server's processes and its database's, without the load's."""

    load: Load
    processor: float


# Requests of one kind to one server.
Column = tuple[Server, Sequence[bytes]]


def find_earlier(checkout: Path) -> Program:
    """Return the program of an older checkout that has its own `.venv`."""
    return Program(command=(str(checkout.absolute() / ".venv/bin/outings"),), cwd=checkout)


def build_earlier(folder: Path, program: Program, *, listings: int, today: Any) -> Path:
    """Return the configuration of the earlier program, whose release is built if it is not there yet."""
    config, made = folder.absolute() / "outings.toml", folder / "made.txt"
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_world(config, today=today, size=listings, metros=(SEATTLE,))
        build_release(config, program)
        made.touch()
    return config


def build_release(config: Path, program: Program) -> None:
    words = [*program.command, "build", "-c", str(config)]
    subprocess.run(words, check=True, capture_output=True, cwd=program.cwd)


@contextlib.contextmanager
def serve(config: Path, program: Program) -> Iterator[Server]:
    port, file = find_free_port(), config.absolute()
    words = [*program.command, "serve", "-c", str(file), "--workers", str(WORKERS), "--port", str(port)]
    headers = (("X-API-Key", make_key(file, command=program.command, cwd=program.cwd)),)
    with run_process(words, port=port, cwd=program.cwd) as process:
        yield Server(port=port, processes=[process], headers=headers)


def follow_list(server: Server, target: str) -> Iterator[dict[str, Any]]:
    """Pages of a walk in sync mode: the cursor that asks for each, and what its last item is known by."""
    cursor: str | None = ""
    while cursor is not None:
        address = f"{target}&cursor={cursor}" if cursor else target
        answer = json.loads(ask(server.port, address, server.headers).body)
        last = answer["data"][-1]
        stamp = int(datetime.fromisoformat(last["updated_at"]).timestamp())
        yield {"cursor": cursor, "stamp": stamp, "last": last["id"]}
        cursor = answer["meta"]["next_cursor"]


def list_fresh(cases: Sequence[Case], server: Server, *, coding: str = "identity") -> list[bytes]:
    """List requests that were never sent before, so that no cache of answers helps."""
    headers = [*server.headers, ("Accept-Encoding", coding)]
    return [make_request(case.fresh, headers=headers) for case in cases if case.fresh]


def list_repeated(
    cases: Sequence[Case], server: Server, *, name: str = "outings", coding: str = "identity", not_modified: bool
) -> list[bytes]:
    """List the requests that a server is sent again and again: `name` chooses the spelling of its own."""
    headers = [*server.headers, ("Accept-Encoding", coding)]
    targets = [getattr(case, name) for case in cases[:SETS]]
    if not not_modified:
        return [make_request(target, headers=headers) for target in targets if target]
    tags = [("If-None-Match", ask(server.port, target, headers).get_header("etag")) for target in targets]
    return [make_request(target, headers=[*headers, tag]) for target, tag in zip(targets, tags, strict=True)]


def measure_rounds(
    columns: Mapping[ColumnName, Column], *, rounds: int, seconds: float, clients: int, not_modified: bool
) -> dict[ColumnName, list[Round]]:
    """Measure the columns in turns, after a first, short round that warms up connections, plans and files."""
    starts = dict.fromkeys(columns, 0)
    measured: dict[ColumnName, list[Round]] = {name: [] for name in columns}
    for number in range(rounds + 1):
        for name, column in columns.items():
            wait = seconds if number else min(0.5, seconds)
            expected = b"304" if not_modified else b"200"
            made = measure_round(column, seconds=wait, clients=clients, start=starts[name], expected=expected)
            starts[name] += made.load.answers
            if number:
                measured[name].append(made)
    return measured


def measure_round(column: Column, *, seconds: float, clients: int, start: int = 0, expected: bytes = b"200") -> Round:
    server, requests = column
    spent = sum(map(read_processor, server.processes))
    load = measure_load(server.port, requests, clients=clients, seconds=seconds, start=start, expected=(expected,))
    spent = sum(map(read_processor, server.processes)) - spent
    return Round(load=load, processor=spent / load.answers * 1e6)


def format_median(rounds: Sequence[float] | None) -> str:
    return "" if not rounds else f"{statistics.median(rounds):,.0f}"


def format_ratio(ones: Sequence[float] | None, others: Sequence[float] | None) -> str:
    """The median over the rounds, each of which measured both within seconds."""
    if not ones or not others:
        return ""
    return f"{statistics.median(one / other for one, other in zip(ones, others, strict=True)):.2f}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
