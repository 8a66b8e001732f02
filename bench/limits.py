"""Measure the cost of counting a request: `python -m bench.limits`. Microseconds each: the store, and the header
fields.

The file by one process, by two for clients of their own, and by two for one client; Redis, where `redis-server` is
installed, asked one after another and sixteen at once.
"""

import argparse
import asyncio
import multiprocessing
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.servers import find_free_port
from edge.limits.limiter import Allowance, LimitStore, LimitStoreError, MappedLimitStore, Operation, encode_fields

AT_ONCE = 16


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.limits", description=__doc__)
    parser.add_argument("--requests", type=int, default=50_000)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder:
        path = Path(folder) / "limits"
        print_row("fields", measure_fields(options.requests))
        print_row("this process's own table", asyncio.run(measure_store(MappedLimitStore(), options.requests)))
        print_row("file", measure_file(path, 0, options.requests))
        print_row("file, two processes, two clients", measure_together(path, (2, 4), options.requests))
        print_row("file, two processes, one client", measure_together(path, (6, 6), options.requests))
        if shutil.which("redis-server") is None:
            print("redis-server is not installed: nothing measured of Redis")
        else:
            print_redis(Path(folder), requests=options.requests // 10)


def print_row(name: str, microseconds: float) -> None:
    print(f"{name:36}{microseconds:8.1f}", flush=True)


def make_allowance(client: int) -> Allowance:
    return Allowance(key=client + 1, client=client, per_minute=10**9, per_month=10**12)


def measure_fields(requests: int) -> float:
    allowance = make_allowance(0)
    reading = asyncio.run(MappedLimitStore().apply(allowance, Operation.TAKE))
    began = time.perf_counter()
    for _ in range(requests):
        encode_fields(allowance, reading)
    return (time.perf_counter() - began) / requests * 1e6


async def measure_store(limits: LimitStore, requests: int, *, client: int = 0, at_once: int = 1) -> float:
    allowance = make_allowance(client)

    async def take() -> None:
        for _ in range(requests // at_once):
            await limits.apply(allowance, Operation.TAKE)

    began = time.perf_counter()
    await asyncio.gather(*(take() for _ in range(at_once)))
    spent = (time.perf_counter() - began) / requests * 1e6
    await limits.close()
    return spent


def measure_file(path: Path, client: int, requests: int) -> float:
    return asyncio.run(measure_store(MappedLimitStore(path), requests, client=client))


def measure_together(path: Path, clients: Sequence[int], requests: int) -> float:
    """Measure each of several processes at once: what exceeds the time alone is waiting for another process or a
    core."""
    with multiprocessing.get_context("spawn").Pool(len(clients)) as processes:
        spent = processes.starmap(measure_file, [(path, client, requests) for client in clients], chunksize=1)
    return sum(spent) / len(spent)


def print_redis(folder: Path, *, requests: int) -> None:
    from edge.limits.redis_store import RedisLimitStore

    port = find_free_port()
    words = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    url = f"redis://127.0.0.1:{port}/0"

    async def measure(at_once: int) -> float:
        limits = RedisLimitStore(url)
        while True:
            try:
                await limits.apply(make_allowance(0), Operation.PEEK)
            except LimitStoreError:
                await asyncio.sleep(0.1)
            else:
                return await measure_store(limits, requests, at_once=at_once)

    try:
        print_row("Redis", asyncio.run(measure(1)))
        print_row(f"Redis, {AT_ONCE} at once", asyncio.run(measure(AT_ONCE)))
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
