"""Tell if a worker's memory stays level: `python -m bench.memory`.

Of each kind a new server with one worker is sent requests that differ all, and every 10,000 of them its own memory is
read (`RssAnon`: mapped files are shared and the kernel's to drop). The first readings fill what is held; from
`--warm` requests on it should not grow.
"""

import argparse
import contextlib
import itertools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from bench.hostile import list_workers, wait_for_workers
from bench.load import BUFFER_BYTES, Client, make_request
from bench.mix import PARTS, vary_cases
from bench.peers.units import Case, list_units
from bench.peers.world import METRO, World, make_world
from bench.servers import OUTINGS, Headers, find_free_port, make_key, run_process

# Of the kind `mix`: as in bench.mix, without the pages of a mirror, which are few.
_PARTS = {name: part for name, part in PARTS.items() if name != "sync"}
KINDS = ("mix", *_PARTS, "nearby")
_STEP = 10_000


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_arguments(arguments)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as scratch:
        world = make_world(Path(options.keep or scratch), listings=options.listings)
        headers = (("X-API-Key", make_key(world.config)), ("Accept-Encoding", options.coding))
        steps = range(0, options.requests + 1, _STEP)
        print(f"{options.listings:,} listings, one worker, {options.coding}; MiB of its own after so many requests\n")
        print(f"| Kind | {' | '.join(f'{step:,}' for step in steps)} | grown since {options.warm:,} |")
        print(f"|---|{'---|' * (len(steps) + 1)}", flush=True)
        for kind in options.kinds:
            targets = itertools.islice(list_targets(world, kind, count=options.requests), options.requests)
            readings = list(read_memory(world, targets, headers=headers))
            grown = f"{readings[-1] - readings[min(options.warm // _STEP, len(readings) - 1)]:+.1f}"
            cells = [f"{reading:.0f}" for reading in readings] + [""] * (len(steps) - len(readings))
            print(f"| {kind} | {' | '.join(cells)} | {grown} |", flush=True)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=100_000, help="of each kind, all different")
    parser.add_argument("--warm", type=int, default=50_000, help="requests that fill what is held")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS, help="such as list,nearby")
    parser.add_argument("--coding", default="gzip", help="gzip, zstd, br or identity")
    parser.add_argument("--keep", help="a folder for the release, used again by the next run of the same day")
    return parser.parse_args(arguments)


def list_targets(world: World, kind: str, *, count: int) -> Iterator[str]:
    """Each once."""
    if kind == "mix":
        return draw_mix({part: list_targets(world, part, count=count) for part in _PARTS})
    if kind == "nearby":
        return draw_points(world)
    return (case.outings for case in list_cases(world, kind, count=count))


def draw_mix(targets: Mapping[str, Iterator[str]]) -> Iterator[str]:
    """Draw requests of all kinds until one kind has no more."""
    draw = Random(1)
    while True:
        [name] = draw.choices(list(_PARTS), list(_PARTS.values()))
        target = next(targets[name], None)
        if target is None:
            return
        yield target


def list_cases(world: World, kind: str, *, count: int) -> Iterator[Case]:
    """Details with their organization and without: there are fewer listings than requests."""
    cases = list_units(world, _follow_pages)[kind]().cases
    if kind != "detail":
        return vary_cases("", cases, count)
    pairs = ((case.outings, f"{case.outings}?expand=organization") for case in cases)
    return itertools.islice((Case(outings=path, fastapi="", datasette=None) for pair in pairs for path in pair), count)


def _follow_pages(target: str) -> Iterator[dict[str, Any]]:
    raise NotImplementedError(target)


def draw_points(world: World) -> Iterator[str]:
    draw, bounds = Random(2), world.snapshot.metro.bounds
    while True:
        lat, lng = draw.uniform(bounds.south, bounds.north), draw.uniform(bounds.west, bounds.east)
        yield f"/v1/{METRO.slug}/nearby?lat={lat:.6f}&lng={lng:.6f}"


def read_memory(world: World, targets: Iterator[str], *, headers: Headers) -> Iterator[float]:
    """MiB before the first request, and after every 10,000."""
    port = find_free_port()
    serve = [*OUTINGS, "serve", "-c", str(world.config), "--workers", "1", "--port", str(port)]
    with run_process(serve, port=port) as supervisor:
        wait_for_workers(supervisor, port, count=1)
        [worker] = list_workers(supervisor)
        yield read_anonymous(worker)
        client = Client(port, (make_request(target, headers=headers) for target in targets), expected=(b"200",))
        buffer = memoryview(bytearray(BUFFER_BYTES))
        with contextlib.closing(client.socket), contextlib.suppress(StopIteration):
            for number in itertools.count(1):
                client.send()
                while not client.read(buffer):
                    pass
                if number % _STEP == 0:
                    yield read_anonymous(worker)


def read_anonymous(process: int) -> float:
    """MiB of its own (proc(5), status)."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon:"))


if __name__ == "__main__":
    main()
