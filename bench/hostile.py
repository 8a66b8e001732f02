"""Hostile clients beside ordinary ones: `python -m bench.hostile`.

A server with several open releases and few descriptors is sent what `bench.attacks` draws, all of it with one key,
while a reader asks for ordinary things at a steady pace. Ends with 1 where an answer was a 5xx, a forged cursor that
names an open release was answered, a worker was replaced, or the reader did not get an answer. `503` with `Retry-After`
is counted apart: by it the server keeps what the attackers ask for from taking others' turns. The attackers share the
machine with what they attack, so they stand back behind it (`nice`); even so the reader waits longer than beside
attackers from elsewhere.
"""

import argparse
import contextlib
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from bench.attacks import FORGED, LATER, Tally, Target, list_walks, run_attack
from bench.load import UNIQUE
from bench.servers import OUTINGS, Headers, Response, ask, find_free_port, make_key, run_process
from command.sample_cities import write_world
from edge.app import POLL_SECONDS
from outings.configuration import read_configuration
from outings.contract.values import format_instant
from outings.release.pointer import list_releases
from outings.release.store import open_store

GOAL = 2.0
Made = TypeVar("Made")
_PACE_SECONDS = 0.02
_SPAWN = multiprocessing.get_context("spawn")
_UNIQUE = UNIQUE.decode()


class Health(Struct, frozen=True):
    """The health of the workers: the greatest value of any worker."""

    memory: int
    descriptors: int
    maps: int


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.hostile", description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--attackers", type=int, default=6, help="processes")
    parser.add_argument("--listings", type=int, default=1_000, help="in each of two metros")
    parser.add_argument("--releases", type=int, default=4, help="that are open")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--descriptors", type=int, default=256, help="that each process may have")
    parser.add_argument("--calm", type=float, default=10.0, help="seconds that the reader is measured alone")
    parser.add_argument("--only", action="append", default=[], metavar="KIND", help="of attack, such as 'random path'")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder:
        config = Path(folder) / "outings.toml"
        write_world(config, today=datetime.now(UTC).date(), size=options.listings)
        publish_release(config)
        port, keys = find_free_port(), (make_key(config), make_key(config))
        bound = ["prlimit", f"--nofile={options.descriptors}:{options.descriptors}"]
        words = [*OUTINGS, "serve", "-c", str(config), "--workers", str(options.workers), "--port", str(port)]
        with run_process([*bound, *words], port=port) as supervisor:
            sys.exit(measure(supervisor, config, port=port, keys=keys, options=options))


def publish_release(config: Path) -> None:
    """Publish a release. The next one will not have some of its listings, so that every one has tables of its own."""
    subprocess.run([*OUTINGS, "build", "-c", str(config)], check=True, capture_output=True)
    for feed in (config.parent / "data").glob("*.ndjson"):
        feed.write_text("".join(feed.read_text().splitlines(keepends=True)[3:]))


def measure(supervisor: int, config: Path, *, port: int, keys: tuple[str, str], options: argparse.Namespace) -> int:
    wait_for_workers(supervisor, port, count=options.workers)
    target = find_target(config, port, keys[0], releases=options.releases)
    headers = (("X-API-Key", keys[1]),)
    requests = list_requests(port, headers)
    workers, before = list_workers(supervisor), read_health(supervisor)
    print(
        f"{options.requests:,} requests of {options.attackers} attackers, {options.releases} open releases,",
        end=" ",
    )
    print(f"{options.workers} worker(s) with {options.descriptors} descriptors\n", flush=True)
    calm, _ = read_beside(port, headers, requests, lambda: time.sleep(options.calm))
    most = [before]

    def attack() -> Tally:
        with _SPAWN.Pool(options.attackers) as pool:
            share = options.requests // options.attackers
            running = [
                pool.apply_async(run_attack, (target, seed, share, options.only)) for seed in range(options.attackers)
            ]
            while not all(entry.ready() for entry in running):
                time.sleep(0.5)
                most.append(read_health(supervisor))
            tally: Tally = Counter()
            return sum((entry.get() for entry in running), tally)

    attacked, tally = read_beside(port, headers, requests, attack)
    print_tally(tally)
    # 501 is an answer: that there is no such feature here.
    answered, missing, later = (count_responses(tally, beginning) for beginning in ("5", "501", LATER))
    failed = max(answered, count_failures(port)) - missing - later
    believed = sum(number for (kind, status), number in tally.items() if (kind, status[0]) == (FORGED, "2"))
    replaced = len(workers - list_workers(supervisor))
    lost = sum(value is None for value in attacked + calm)
    print(f"\n5xx: {failed}; 503 with Retry-After: {later}; forged cursors answered: {believed};", end=" ")
    print(f"workers replaced: {replaced}; requests of the reader without an answer: {lost}")
    print_latencies(calm, attacked)
    print_health(before, most, options.descriptors)
    return int(bool(failed or believed or replaced or lost))


def count_responses(tally: Mapping[tuple[str, str], int], beginning: str) -> int:
    return sum(number for (_, status), number in tally.items() if status.startswith(beginning))


def find_target(config: Path, port: int, key: str, *, releases: int) -> Target:
    """Begin walks in each of so many releases, which stay open in every worker."""
    store = open_store(read_configuration(config, {}).store.url)
    headers = (("X-API-Key", key),)
    cursors = []
    for number in range(releases):
        if number:
            publish_release(config)
            time.sleep(2 * POLL_SECONDS)
        cursors += [(path, read_cursor(ask(port, path, headers))) for path in list_walks()]
    kept = list(list_releases(store))
    stamps = {format_instant(part.stamp) for entry in kept for part in entry.root.parts.values()}
    return Target(
        port=port,
        key=key,
        stamps=tuple(sorted(stamps)),
        cursors=tuple((path, cursor) for path, cursor in cursors if cursor is not None),
    )


def read_cursor(response: Response) -> str | None:
    cursor: str | None = msgspec.json.decode(response.body)["meta"]["next_cursor"]
    return cursor


def wait_for_workers(supervisor: int, port: int, *, count: int) -> None:
    """The first that serves is not the last."""
    for _ in range(600):
        if len(list_workers(supervisor)) == count:
            with contextlib.suppress(SystemExit, OSError):
                for _ in range(20):
                    ask(port, "/readyz", ())
                return
        time.sleep(0.1)
    raise SystemExit("the server's workers are not ready")


def list_requests(port: int, headers: Headers) -> list[str]:
    """List the requests of readers: a page, details, and a list and a search that nobody requested before."""
    page = msgspec.json.decode(ask(port, "/v1/seattle/events", headers).body)
    details = [item["links"]["self"] for item in page["data"]]
    return [
        request
        for detail in details
        for request in (
            "/v1/seattle/events", detail, f"/v1/seattle/events?category=storytime_books&min_confidence=0.0{_UNIQUE}",
            f"/v1/seattle/search?q=music&min_confidence=0.0{_UNIQUE}",
        )
    ]  # fmt: skip


def read_beside(
    port: int, headers: Headers, requests: Sequence[str], work: Callable[[], Made]
) -> tuple[list[float | None], Made]:
    """The reader's latencies in milliseconds while the work is done, None where it got no answer; and what was made."""
    stopped, taken = _SPAWN.Event(), _SPAWN.SimpleQueue()
    reader = _SPAWN.Process(target=read_on, args=(port, headers, requests, stopped, taken))
    reader.start()
    try:
        made = work()
    finally:
        stopped.set()
    latencies = taken.get()
    reader.join()
    return latencies, made


def read_on(port: int, headers: Headers, requests: Sequence[str], stopped: Event, taken: Any) -> None:
    """A process: a request each pace, on a connection of its own, as most readers' are."""
    took: list[float | None] = []
    first = int(time.time() * 1000) % 10**9
    while not stopped.is_set():
        request = requests[len(took) % len(requests)].replace(_UNIQUE, f"{first + len(took):010d}")
        began = time.perf_counter()
        try:
            ask(port, request, headers)
        except (OSError, SystemExit) as error:
            print(f"the reader: {request}: {error!r}", flush=True)
            took.append(None)
        else:
            took.append((time.perf_counter() - began) * 1e3)
        stopped.wait(max(0.0, _PACE_SECONDS - (time.perf_counter() - began)))
    taken.put(took)


def count_failures(port: int) -> int:
    """Count failures by the server's own metrics, over all workers."""
    lines = ask(port, "/metrics", ()).body.decode().splitlines()
    return sum(int(float(line.split()[1])) for line in lines if line.startswith('outings_errors_total{status="5xx"}'))


def list_workers(supervisor: int) -> set[int]:
    """Forked by a child of the supervisor's."""
    return {worker for child in _list_children(supervisor) for worker in _list_children(child)}


def _list_children(process: int) -> list[int]:
    return [int(part) for part in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def read_health(supervisor: int) -> Health:
    health = [
        Health(
            memory=_read_memory(worker),
            descriptors=len(list(Path(f"/proc/{worker}/fd").iterdir())),
            maps=len(Path(f"/proc/{worker}/maps").read_text().splitlines()),
        )
        for worker in list_workers(supervisor)
    ]
    return find_most(health)


def _read_memory(process: int) -> int:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Anonymous:"))


def find_most(readings: Sequence[Health]) -> Health:
    return Health(
        *(max((getattr(reading, name) for reading in readings), default=0) for name in Health.__struct_fields__)
    )


def print_tally(tally: Mapping[tuple[str, str], int]) -> None:
    print("| Sent | " + " | ".join(statuses := sorted({status for _, status in tally})) + " |")
    print("|---|" + "---|" * len(statuses))
    for kind in sorted({kind for kind, _ in tally}):
        print(f"| {kind} | " + " | ".join(f"{tally[kind, status]:,}" for status in statuses) + " |")


def print_latencies(calm: Sequence[float | None], attacked: Sequence[float | None]) -> None:
    print("\n| The reader | answers | median ms | p99 ms |\n|---|---|---|---|")
    medians = []
    for name, latencies in (("alone", calm), ("beside the attack", attacked)):
        took = sorted(latency for latency in latencies if latency is not None)
        medians.append(statistics.median(took))
        print(f"| {name} | {len(took):,} | {medians[-1]:.2f} | {took[int(len(took) * 0.99)]:.2f} |")
    print(f"\nmedian beside ÷ alone: {medians[1] / medians[0]:.2f}  (goal: at most {GOAL})")


def print_health(before: Health, most: Sequence[Health], descriptors: int) -> None:
    peak = find_most(most)
    print(f"\nmemory of a worker: {before.memory / 2**20:.0f} MiB before, {peak.memory / 2**20:.0f} at most;", end=" ")
    print(f"descriptors: {before.descriptors}, {peak.descriptors} of {descriptors}; maps: {before.maps}, {peak.maps}")


if __name__ == "__main__":
    main()
