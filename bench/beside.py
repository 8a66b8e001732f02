"""Measure how a build slows readers on the same machine: `python -m bench.beside`.

Two workers, and a reader that asks at a steady pace for what both have in memory: alone, and while the same listings
are built from nothing in another folder, with the build as it is started by hand and behind everything else (`nice`).
Rounds take turns.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.hostile import read_beside, wait_for_workers
from bench.peers.units import list_units
from bench.peers.world import METRO, World, make_world
from bench.servers import OUTINGS, ask, find_free_port, make_key, run_process
from command.sample_cities import write_world

_WORKERS = 2
# Of each unit so many: both workers have them soon.
_REQUESTS = {"detail": 50, "list": 30, "filtered": 20}
_WARMING = 12


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.beside", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--calm", type=float, default=30.0, help="seconds of the reader alone, each round")
    parser.add_argument("--keep", help="a folder for the release, used again by the next run of the same day")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as scratch:
        world = make_world(Path(options.keep or f"{scratch}/served"), listings=options.listings)
        config = Path(scratch) / "beside/outings.toml"
        write_world(config, today=world.today, size=options.listings, metros=(METRO,))
        works: Mapping[str, Callable[[], None]] = {
            "alone": partial(time.sleep, options.calm),
            "beside a build": partial(build, config, niceness=0),
            "beside a build with `nice`": partial(build, config, niceness=19),
        }
        print_rows(measure_rounds(world, works, rounds=options.rounds), options)


def measure_rounds(
    world: World, works: Mapping[str, Callable[[], None]], *, rounds: int
) -> Mapping[str, Sequence[float]]:
    """Latencies in milliseconds, all rounds of a work together."""
    headers, port = (("X-API-Key", make_key(world.config)), ("Accept-Encoding", "gzip")), find_free_port()
    requests = list(list_requests(world))
    latencies: dict[str, list[float]] = {name: [] for name in works}
    serve = [*OUTINGS, "serve", "-c", str(world.config), "--workers", str(_WORKERS), "--port", str(port)]
    with run_process(serve, port=port) as supervisor:
        wait_for_workers(supervisor, port, count=_WORKERS)
        for request in requests * _WARMING:
            ask(port, request, headers)
        for _ in range(rounds):
            for name, work in works.items():
                taken, _ = read_beside(port, headers, requests, work)
                latencies[name] += [value for value in taken if value is not None]
    return latencies


def list_requests(world: World) -> Iterator[str]:
    units = list_units(world, _follow_pages)
    for name, count in _REQUESTS.items():
        yield from (case.outings for case in units[name]().cases[:count])


def _follow_pages(target: str) -> Iterator[dict[str, Any]]:
    raise NotImplementedError(target)


def build(config: Path, *, niceness: int) -> None:
    """Build from nothing."""
    shutil.rmtree(config.parent / "var", ignore_errors=True)
    subprocess.run(["nice", "-n", str(niceness), *OUTINGS, "build", "-c", str(config)], check=True, capture_output=True)


def print_rows(latencies: Mapping[str, Sequence[float]], options: argparse.Namespace) -> None:
    print(f"{options.listings:,} listings, {os.cpu_count()} cores, {_WORKERS} workers, {options.rounds} rounds\n")
    print("| The reader | answers | p50 ms | p99 ms | most ms |\n|---|---|---|---|---|")
    for name, taken in latencies.items():
        took = sorted(taken)
        cells = (statistics.median(took), took[int(len(took) * 0.99)], took[-1])
        print(f"| {name} | {len(took):,} | {' | '.join(f'{cell:.1f}' for cell in cells)} |", flush=True)


if __name__ == "__main__":
    main()
