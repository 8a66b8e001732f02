"""Measure the cost of a new release for a server: seconds to open it, latencies meanwhile, and memory of its workers.

`python -m bench.release`. Each round builds the next day's release beside the store that is served (every table and
page of the metro is another), moves its objects over, and replaces the pointer in the middle of a load.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

from bench.load import Load, make_request, measure_load
from bench.peers.units import list_windows
from bench.peers.world import METRO, World, make_world
from bench.servers import OUTINGS, Headers, ask, find_free_port, make_key, run_process
from edge.app import Edge
from outings.release.store import open_store

_WORKERS = 2
_MEMORY = ("Rss", "Pss", "Anonymous")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.release", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each load, with and without a swap")
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder:
        world = make_world(Path(folder) / "served", listings=options.listings)
        print(f"{options.listings:,} listings, {options.clients} clients, {os.cpu_count()} cores, {_WORKERS} workers\n")
        print_opening(world, Path(folder))
        following = [build_following(world, number, Path(folder)) for number in range(1, options.rounds + 1)]
        headers = (("X-API-Key", make_key(world.config)), ("Accept-Encoding", "gzip"))
        port = find_free_port()
        serve = [*OUTINGS, "serve", "-c", str(world.config), "--workers", str(_WORKERS), "--port", str(port)]
        with run_process(serve, port=port) as pid:
            measure_rounds(world, following, port=port, headers=headers, options=options)
            print_memory(pid, world)


def print_opening(world: World, folder: Path) -> None:
    """Print how long a new edge takes to open without its objects, and again with them."""
    spent = []
    for _ in range(2):
        edge = Edge(open_store(f"file:{_find_store(world)}"), cache=folder / "opening")
        began = time.perf_counter()
        edge.poll()
        spent.append(time.perf_counter() - began)
        edge.close()
    print(f"opened in {spent[0]:.2f} s, fetched and checked; in {spent[1]:.2f} s from the edge's own cache\n")


def _find_store(world: World) -> Path:
    return world.config.parent / "var/store"


def build_following(world: World, days: int, folder: Path) -> bytes:
    """The pointer to the release of a later day, whose objects are in the store that is served."""
    beside = folder / "beside"
    if not beside.exists():
        shutil.copytree(world.config.parent, beside, copy_function=_link_object)
    day = (world.today + timedelta(days=days)).isoformat()
    words = [*OUTINGS, "build", "-c", str(beside / world.config.name), "--as-of", day]
    subprocess.run(words, check=True, capture_output=True)
    store = beside / "var/store"
    shutil.copytree(store / "objects", _find_store(world) / "objects", copy_function=_link_object, dirs_exist_ok=True)
    return (store / "current.json").read_bytes()


def _link_object(source: str, target: str) -> None:
    """Objects never change; all else is copied."""
    if "/objects/" not in source:
        shutil.copy2(source, target)
    elif not Path(target).exists():
        os.link(source, target)


def measure_rounds(
    world: World, following: Sequence[bytes], *, port: int, headers: Headers, options: argparse.Namespace
) -> None:
    requests = [
        make_request(f"/v1/{METRO.slug}/events?from={window['from']}&to={window['to']}", headers=headers)
        for window in list_windows(world)
    ]

    def load() -> Load:
        return measure_load(port, requests, clients=options.clients, seconds=options.seconds)

    load()
    print("| Round | p50 ms | p99 ms | with a swap: p50 | p99 | p99 ratio | taken up after s |")
    print("|---|---|---|---|---|---|---|")
    ratios = []
    for number, pointer in enumerate(following, 1):
        usual = load()
        with ThreadPoolExecutor(1) as thread:
            loading = thread.submit(load)
            time.sleep(options.seconds / 4)
            spent = replace_pointer(world, pointer, port=port, headers=headers)
            swapped = loading.result()
        ratios.append(swapped.p99 / usual.p99)
        cells = (usual.p50, usual.p99, swapped.p50, swapped.p99, ratios[-1], spent)
        print(f"| {number} | {' | '.join(f'{cell:.2f}' for cell in cells)} |", flush=True)
    print(f"\np99 with a swap ÷ without: {statistics.median(ratios):.2f} (median)\n")


def replace_pointer(world: World, pointer: bytes, *, port: int, headers: Headers) -> float:
    """Seconds until a worker answers from another release; polling for it is part of them."""
    store = _find_store(world)
    before = _read_release(port, headers)
    new = store / "current.json.new"
    new.write_bytes(pointer)
    began = time.perf_counter()
    new.replace(store / "current.json")
    while _read_release(port, headers) == before:
        time.sleep(0.1)
    return time.perf_counter() - began


def _read_release(port: int, headers: Headers) -> str:
    return ask(port, f"/v1/{METRO.slug}/events?limit=1", headers).get_header("x-release")


def print_memory(pid: int, world: World) -> None:
    """Print the memory of the workers after all that. Pages of mapped files are shared and the kernel's to drop;
    anonymous ones not."""
    mapped = sum(Path(value).stat().st_size for value in _list_mapped(world))
    print(f"mapped files of one release: {mapped / 2**20:.0f} MiB\n\n| Worker | {' | '.join(_MEMORY)} (MiB) |")
    print(f"|---|{'---|' * len(_MEMORY)}")
    for worker in list_workers(pid):
        measured = read_memory(worker)
        print(f"| {worker} | {' | '.join(f'{measured[name] / 1024:.0f}' for name in _MEMORY)} |")


def _list_mapped(world: World) -> Iterator[Path]:
    snapshot = world.snapshot
    yield from (file.path for file in snapshot.mapped.values())


def list_workers(pid: int) -> list[int]:
    """Processes below this one that hold a release: those of the supervisor's own are small."""
    below = [int(part) for part in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [value for value in below if read_memory(value)["Rss"] > 100 * 1024]


def read_memory(pid: int) -> Mapping[str, int]:
    """Kilobytes by name (proc(5), smaps_rollup)."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {name: int(rest.split()[0]) for name, rest in (line.split(":", 1) for line in lines)}


if __name__ == "__main__":
    main()
