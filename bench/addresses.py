"""Measure how long a worker's first address takes and the memory it needs, from the build's mapped files and without
them.

`python -m bench.addresses -c outings.toml "Bryant Park"`: each metro of the newest release, each way in a new process
that has opened the release and nothing else. Milliseconds of a processor, and megabytes of the process's own.
"""

import argparse
import os
import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from outings.answers.gazetteer.address_finder import locate_types
from outings.answers.gazetteer.address_parsing import list_readings, open_streets
from outings.answers.gazetteer.listing_points import POINTS
from outings.answers.snapshot.reader import open_snapshot
from outings.configuration import read_configuration
from outings.contract.vocabulary import TYPES
from outings.release.pointer import list_releases
from outings.release.snapshot import Release, open_release
from outings.release.store import open_store

_REQUESTS = 200
_open_gazetteer = locate_types(frozenset(TYPES))


class Timing(Struct, frozen=True, kw_only=True):
    """`first` is opening and the first answer; `others` is one of the next."""

    first: float
    others: float
    megabytes: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.addresses", description=__doc__)
    parser.add_argument("-c", "--config", type=Path, required=True)
    parser.add_argument("address")
    options = parser.parse_args(arguments)
    print(f"{'metro':14} {'':8} {'first ms':>10} {'others ms':>10} {'own MB':>8}")
    for metro in open_newest(options.config).metros:
        for is_mapped in (True, False):
            with get_context("spawn").Pool(1) as process:
                took = process.apply(measure_first, (options.config, metro, options.address), {"is_mapped": is_mapped})
            way = "mapped" if is_mapped else "derived"
            print(f"{metro:14} {way:8} {took.first:10.1f} {took.others:10.2f} {took.megabytes:8.1f}")


def open_newest(config: Path) -> Release:
    configuration = read_configuration(config, os.environ)
    store = open_store(configuration.store.url)
    return open_release(store, next(list_releases(store)), cache=configuration.edge.cache)


def measure_first(config: Path, metro: str, address: str, *, is_mapped: bool) -> Timing:
    snapshot = open_newest(config).metros[metro]
    if is_mapped and POINTS not in snapshot.mapped:
        raise SystemExit(f"metro {metro}: the release is from before its places were mapped: build it anew")
    if not is_mapped:
        mapped = {name: file for name, file in snapshot.mapped.items() if name != POINTS}
        snapshot = replace(snapshot, mapped=mapped)
    opened = open_snapshot(snapshot)
    list(list_readings("1 Main St, Springfield", open_streets(opened.language)))
    memory, started = read_own(), time.process_time()
    opened.open_index(_open_gazetteer).find_address(address)
    first, memory = time.process_time() - started, read_own() - memory
    started = time.process_time()
    for number in range(_REQUESTS):
        opened.open_index(_open_gazetteer).find_address(f"{number} {address}")
    others = (time.process_time() - started) / _REQUESTS
    return Timing(first=first * 1000, others=others * 1000, megabytes=memory)


def read_own() -> float:
    """Megabytes that this process shares with no other and no file."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1024


if __name__ == "__main__":
    main()
