"""Measure how long a reader waits for an edge that was just started, over a store that is far away.

`python -m bench.cold`.

The store is a folder behind a double of S3: each request takes `--wait` milliseconds, and all of them share a line of
`--line` megabytes a second. Each measurement runs in a process of its own, with an empty cache, as a function starts.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

from msgspec.structs import replace

_LIST = "/v1/{metro}/events"
# The text of a key, beside the configuration: then the release is built.
_KEY = "key.txt"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.cold", description=__doc__)
    parser.add_argument("--listings", type=int, default=10_000, help="of each metro")
    parser.add_argument("--metros", type=int, default=1)
    parser.add_argument("--wait", type=float, default=20.0, help="milliseconds of a request to the store")
    parser.add_argument("--line", type=float, default=60.0, help="megabytes a second")
    parser.add_argument("--server", action="store_true", help="as a server starts, which opens a whole metro at once")
    parser.add_argument("--path", default=_LIST, help="of the first list")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", help="a folder for the release, used again by the next run")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        print(json.dumps(measure(Path(options.child), options, wait=options.wait / 1000, line=options.line * 1e6)))
        return
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as scratch:
        config = make_store(Path(options.keep or scratch), listings=options.listings, metros=options.metros)
        rows = [run_child(config, options) for _ in range(options.rounds)]
        names = rows[0].keys()
        print(f"{options.metros} metros of {options.listings:,} listings; {options.wait:g} ms, {options.line:g} MB/s\n")
        print(f"| {' | '.join(names)} |\n|{'---|' * len(names)}")
        for row in rows:
            print(f"| {' | '.join(f'{row[name]:.2f}' for name in names)} |", flush=True)


def make_store(folder: Path, *, listings: int, metros: int) -> Path:
    """Return the configuration of a built release, with its metros named metro-0, metro-1 and so on."""
    from bench.servers import make_key
    from command.sample_cities import write_world
    from command.sample_cities.geography import SEATTLE

    config = folder / "outings.toml"
    if not (folder / _KEY).exists():
        folder.mkdir(parents=True, exist_ok=True)
        today = datetime.now(ZoneInfo(SEATTLE.timezone)).date()
        cities = [replace(SEATTLE, slug=f"metro-{number}", alias=f"m-{number}") for number in range(metros)]
        write_world(config, today=today, size=listings, metros=cities)
        subprocess.run([sys.executable, "-m", "command", "build", "-c", str(config)], check=True, capture_output=True)
        (folder / _KEY).write_text(make_key(config))
    return config


def run_child(config: Path, options: argparse.Namespace) -> dict[str, float]:
    words = [sys.executable, "-m", "bench.cold", "--child", str(config), "--wait", f"{options.wait}"]
    words += ["--line", f"{options.line}", "--path", options.path, *["--server"] * options.server]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


class FarStore:
    """A store whose requests take a while, and whose bytes share one line."""

    def __init__(self, store: Any, *, wait: float, line: float) -> None:
        self._store, self._wait, self._line = store, wait, line
        self._lock = threading.Lock()
        self.requests, self.bytes = 0, 0

    def get(self, name: str) -> bytes:
        return self._delay(self._store.get(name))

    def read_versioned(self, name: str) -> Any:
        versioned = self._store.read_versioned(name)
        self._delay(b"" if versioned is None else versioned.data)
        return versioned

    def _delay(self, data: bytes) -> bytes:
        time.sleep(self._wait)
        with self._lock:
            self.requests += 1
            self.bytes += len(data)
            time.sleep(len(data) / self._line)
        return data


def measure(config: Path, options: argparse.Namespace, *, wait: float, line: float) -> dict[str, float]:
    """Return seconds, requests and bytes up to the first list, and memory after it."""
    began = time.perf_counter()
    from edge.app import Edge  # the imports are a part of what is measured
    from edge.serving import function  # noqa: F401
    from outings.configuration import read_configuration
    from outings.release.store import open_store

    imported = time.perf_counter()
    configuration = read_configuration(config, {})
    store = FarStore(open_store(configuration.store.url), wait=wait, line=line)
    slug = configuration.metros[-1].slug
    with tempfile.TemporaryDirectory(prefix="outings-cold-") as cache:
        edge = Edge(cast("Any", store), cache=Path(cache), is_ahead=options.server)
        key = (config.parent / _KEY).read_text()
        edge.begin()
        ready, polled, processor = time.perf_counter(), store.requests, time.process_time()
        asyncio.run(_ask(edge, options.path.format(metro=slug), key))
        listed = time.perf_counter()
        measured = {
            "imports s": imported - began,
            "ready s": ready - imported,
            "first list s": listed - ready,
            "in all s": listed - began,
            "requests until ready": float(polled),
            "requests": float(store.requests),
            "MB": store.bytes / 1e6,
            "processor s": time.process_time(),
            "of it ready s": processor,
            "memory MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "own memory MB": read_own_memory(),
        }
        edge.close()
    return measured


def read_own_memory() -> float:
    """Megabytes that belong to this process alone, beside the files that it maps."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Anonymous:"))


async def _ask(edge: Any, path: str, key: str) -> None:
    from edge.request_headers import read_scope

    path, _, query = path.partition("?")
    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "headers": [(b"x-api-key", key.encode())], "client": ("127.0.0.1", 1), "http_version": "1.1",
    }  # fmt: skip
    response = await edge.respond(read_scope(scope))
    assert response.status == 200, response.body


if __name__ == "__main__":
    main()
