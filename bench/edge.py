"""The edge over HTTP at 8 clients, beside a bare Starlette application that sends the same bytes and headers.

Rounds of the two are interleaved, and what counts is the median of their ratios: the machine's own moods cancel out.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.load import Load, make_request, measure_load
from bench.servers import OUTINGS, Headers, ask, find_free_port, make_key, run_process
from command.sample_cities import write_world

ACCEPTED = "gzip"


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of request: the targets that clients request in turn, and the ratio that is the goal, if any.

    The bare application sends the answers to the first `known` of them, the first one's to the rest.
    """

    name: str
    targets: tuple[str, ...]
    known: int
    goal: float | None


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.edge", description=__doc__)
    parser.add_argument("--listings", type=int, default=10_000, help="in each of two metros")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each round and server")
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder, contextlib.ExitStack() as running:
        config = write_world(Path(folder) / "outings.toml", today=datetime.now(UTC).date(), size=options.listings)
        subprocess.run([*OUTINGS, "build", "-c", config], check=True, stdout=subprocess.DEVNULL)
        headers = [("X-API-Key", make_key(config)), ("Accept-Encoding", ACCEPTED)]
        edge = find_free_port()
        serve = [*OUTINGS, "serve", "-c", str(config), "--workers", "1", "--port", str(edge)]
        running.enter_context(run_process(serve, port=edge))
        kinds = list_kinds(edge, headers)
        answers = Path(folder) / "answers.json"
        known = [target for kind in kinds for target in kind.targets[: kind.known]]
        answers.write_bytes(msgspec.json.encode({target: read_answer(edge, target, headers) for target in known}))
        bare = find_free_port()
        running.enter_context(run_process([sys.executable, "-m", "bench.bare", str(answers), str(bare)], port=bare))
        print_head(options)
        for kind in kinds:
            requests = [make_request(target, headers=headers) for target in kind.targets]
            print_row(kind, measure_rounds((edge, bare), requests, options))


def list_kinds(port: int, headers: Headers) -> list[Kind]:
    """List the kinds for a build's own listings: details, the default page, and lists with filters: 20,000 that are
    asked for once each, so that every one is a query, and 28 that are asked for again and again."""
    page = json.loads(ask(port, "/v1/seattle/events?limit=200&min_confidence=0", [headers[0]]).body)
    details = tuple(item["links"]["self"] for item in page["data"])
    filtered = "/v1/seattle/events?category=storytime_books,music_movement"
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    once = tuple(f"{filtered}&from={day}&age={age}&max_price={price}" for price in range(20, 1020) for age in range(20))
    again = tuple(f"{filtered}&from={day}&age={age}&free=true" for age in range(28))
    return [
        Kind(name=f"detail ({len(details)} of them)", targets=details, known=len(details), goal=0.6),
        Kind(name="default page", targets=("/v1/seattle/events",), known=1, goal=0.6),
        Kind(name="filtered list, once", targets=once, known=1, goal=None),
        Kind(name="filtered list, again", targets=again, known=len(again), goal=None),
    ]


def read_answer(port: int, target: str, headers: Headers) -> dict[str, object]:
    """Headers, and the body as it came, in latin-1."""
    response = ask(port, target, headers)
    return {"headers": response.headers, "body": response.body.decode("latin-1")}


def measure_rounds(ports: Sequence[int], requests: Sequence[bytes], options: argparse.Namespace) -> list[list[Load]]:
    """Each round goes on in the list where the edge's last one ended: what is to be asked once is not asked again."""
    rounds, start = [], 0
    for _ in range(options.rounds):
        measured = [
            measure_load(port, requests, clients=options.clients, seconds=options.seconds, start=start)
            for port in ports
        ]
        start += measured[0].answers
        rounds.append(measured)
    return rounds


def print_head(options: argparse.Namespace) -> None:
    print(f"{options.listings} listings a metro, {options.clients} clients, {os.cpu_count()} cores, one worker;")
    print(f"medians of {options.rounds} rounds of {options.seconds} s\n")
    print(f"{'':24}{'edge/s':>10}{'bare/s':>10}{'p50 ms':>9}{'p99 ms':>9}{'ratio':>8}  goal")


def print_row(kind: Kind, rounds: Sequence[Sequence[Load]]) -> None:
    edge, bare = ([pair[at] for pair in rounds] for at in (0, 1))
    ratio = statistics.median(ours.per_second / theirs.per_second for ours, theirs in rounds)
    figures = (
        f"{statistics.median(entry.per_second for entry in edge):10,.0f}"
        f"{statistics.median(entry.per_second for entry in bare):10,.0f}"
        f"{statistics.median(entry.p50 for entry in edge):9.2f}{statistics.median(entry.p99 for entry in edge):9.2f}"
    )
    goal = "" if kind.goal is None else f"≥ {kind.goal}"
    print(f"{kind.name:24}{figures}{ratio:8.2f}  {goal}", flush=True)


if __name__ == "__main__":
    main()
