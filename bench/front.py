"""Measure the cost of a front: `python -m bench.front`. A server alone, nginx that only passes on, nginx that moves the
bodies.

Processor time of the server and of nginx together, by answer, which a busy machine changes less than answers a second.
One client asks one request after another; the ways take turns. Needs nginx (Debian: nginx-light).
"""

import argparse
import contextlib
import http.client
import itertools
import os
import secrets
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from bench.measuring import read_processor
from bench.servers import OUTINGS, Headers, find_free_port, make_key, run_process
from command.sample_cities import write_world

METRO = "/v1/seattle"
PLAIN, MOVING, FILES = "nginx, passing on", "nginx, moving bodies", "nginx, plain files"
ALONE = "server alone"
GZIP = ("Accept-Encoding", "gzip")

# Bodies that are asked for again and again: target, and whether in gzip.
UNITS: Mapping[str, tuple[str, bool]] = {
    "list": (f"{METRO}/events", True),
    "list of 200, no gzip": (f"{METRO}/events?limit=200", False),
    "calendar": (f"{METRO}/events.ics", False),
    "export, Parquet": (f"{METRO}/export/events.parquet", False),
    "export, JSON lines": (f"{METRO}/export/events.jsonl", True),
}
# Computed answers, each of which is new where the digits are.
COMPUTED: Mapping[str, str] = {
    "filtered list": f"{METRO}/events?age=4&free=true&limit=200&min_confidence=0.{{}}",
    "search": f"{METRO}/events?q=music&min_confidence=0.{{}}",
    "around": f"{METRO}/around?lat=47.6{{}}&lng=-122.33",
}
MOMENTS = ("first key", "another key", "again")


class Way(Struct, frozen=True):
    """A way to deliver: the address for readers, and the processes that serve it."""

    port: int
    processes: tuple[int, ...]


class Cost(Struct, frozen=True):
    """The cost of an answer: microseconds of processors, and bytes."""

    processor: float
    size: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.front", description=__doc__)
    parser.add_argument("--listings", type=int, default=10_000, help="in each of two metros")
    parser.add_argument("--requests", type=int, default=200, help="of each round, unit and way")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder, contextlib.ExitStack() as running:
        Path(folder).chmod(0o755)  # nginx's workers are another user
        config = write_world(Path(folder) / "outings.toml", today=datetime.now(UTC).date(), size=options.listings)
        subprocess.run([*OUTINGS, "build", "-c", config], check=True, stdout=subprocess.DEVNULL)
        keys = [make_key(config) for _ in range(2)]
        ways = start_ways(Path(folder), config, running=running)
        print_head(ways)
        for name, (target, is_packed) in list_units(ways[ALONE].port, keys[0]).items():
            headers = [("X-API-Key", keys[0]), *([GZIP] if is_packed else [])]
            put_file(Path(folder), name_file(name), ask_once(ways[ALONE].port, target, headers))
            targets = {way: f"/{name_file(name)}" if way == FILES else target for way in ways}
            for way, place in ways.items():
                ask_once(place.port, targets[way], headers)  # what is kept is kept from here on
            rounds: dict[str, list[Cost]] = {way: [] for way in ways}
            for _ in range(options.rounds):
                for way, place in ways.items():
                    rounds[way].append(measure(place, itertools.repeat(targets[way], options.requests), headers))
            print_row(name, rounds)
        digits = (f"7{number:08}" for number in itertools.count())
        for name, pattern in COMPUTED.items():
            for moment, costs in measure_computed(pattern, ways, keys, digits=digits, options=options).items():
                print_row(f"{name}, {moment}", costs)


def start_ways(folder: Path, config: Path, *, running: contextlib.ExitStack) -> Mapping[str, Way]:
    """One server is behind all of them. Only who says the secret is a front."""
    environ = {**os.environ, "OUTINGS_EDGE_FRONT_SECRET": secrets.token_hex(32)}
    port = find_free_port()
    words = [*OUTINGS, "serve", "-c", str(config), "--workers", "1", "--port", str(port)]
    server = running.enter_context(run_process(words, port=port, environ=environ))
    ways = {ALONE: Way(port, (server,))}
    for name, known in ((PLAIN, os.environ), (MOVING, environ), (FILES, None)):
        own = folder / f"nginx-{len(ways)}"
        own.mkdir()
        listening = find_free_port()
        (own / "main.conf").write_text(write_nginx(own, listening, server=port, environ=known))
        nginx = ["nginx", "-p", str(own), "-c", "main.conf", "-e", str(own / "error.log")]
        process = running.enter_context(run_process(nginx, port=listening))
        ways[name] = Way(listening, (process,) if name == FILES else (process, server))
    return ways


def write_nginx(own: Path, port: int, *, server: int, environ: Mapping[str, str] | None) -> str:
    """`environ`: of the command that writes it; None is one that serves the folder above."""
    if environ is None:
        site = f"server {{ listen 127.0.0.1:{port}; root {own.parent}/files; access_log {own}/log; }}"
    else:
        words = ["front", "nginx", "--edge", f"127.0.0.1:{server}", "--listen", f"127.0.0.1:{port}"]
        words += ["--log-folder", str(own), "--cache", f"{own}/cache"]
        site = subprocess.run([*OUTINGS, *words], check=True, capture_output=True, text=True, env=environ).stdout
    folders = "".join(
        f"{name}_temp_path {own}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # As the bench's own user: the folder of a release is nobody else's.
    user = "user root;" if os.geteuid() == 0 else ""
    return (
        f"daemon off; {user} worker_processes 1; pid {own}/pid; error_log {own}/error.log;\n"
        f"events {{ worker_connections 512; }}\nhttp {{ {folders} sendfile on;\n{site}\n}}\n"
    )


def list_units(port: int, key: str) -> Mapping[str, tuple[str, bool]]:
    """List the units, with a detail whose address is in a list."""
    import msgspec

    page = msgspec.json.decode(ask_once(port, f"{METRO}/events", [("X-API-Key", key)]))
    return {"detail": (page["data"][0]["links"]["self"], True), **UNITS}


def ask_once(port: int, target: str, headers: Headers) -> bytes:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        return ask(connection, target, headers)


def ask(connection: http.client.HTTPConnection, target: str, headers: Headers) -> bytes:
    connection.request("GET", target, headers=dict(headers))
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise SystemExit(f"{target} answered {response.status}: {body[:300]!r}")
    return body


def measure(way: Way, targets: Iterator[str], headers: Headers) -> Cost:
    count = size = 0
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", way.port, timeout=60)) as connection:
        before = sum(map(read_processor, way.processes))
        for target in targets:
            size += len(ask(connection, target, headers))
            count += 1
        spent = sum(map(read_processor, way.processes)) - before
    return Cost(processor=spent / count * 1e6, size=size / count)


def measure_computed(
    pattern: str, ways: Mapping[str, Way], keys: Sequence[str], *, digits: Iterator[str], options: argparse.Namespace
) -> Mapping[str, Mapping[str, list[Cost]]]:
    """Each way has requests of its own: the server would know them from the one before."""
    made: dict[str, dict[str, list[Cost]]] = {moment: {} for moment in MOMENTS}
    for _, (way, place) in itertools.product(range(options.rounds), ways.items()):
        if way == FILES:
            continue
        targets = [pattern.format(next(digits)) for _ in range(options.requests // 4)]
        for moment, key in zip(MOMENTS, (keys[0], keys[1], keys[0]), strict=True):
            cost = measure(place, iter(targets), [("X-API-Key", key), GZIP])
            made[moment].setdefault(way, []).append(cost)
    return made


def name_file(unit: str) -> str:
    return unit.replace(" ", "-").replace(",", "")


def put_file(folder: Path, name: str, data: bytes) -> None:
    (folder / "files").mkdir(exist_ok=True)
    (folder / "files" / name).write_bytes(data)


def print_head(ways: Mapping[str, Way]) -> None:
    print("| Answer | kB |" + "".join(f" {way}, µs |" for way in ways) + " MB a processor second |")
    print("|---|---|" + "---|" * len(ways) + "---|")


def print_row(name: str, rounds: Mapping[str, Sequence[Cost]]) -> None:
    """Medians; the last column has the ways in their order."""
    cells, rates = "", []
    for costs in rounds.values():
        spent = statistics.median(cost.processor for cost in costs)
        cells += f" {spent:,.0f} |"
        rates.append(f"{costs[0].size / spent:,.0f}")
    missing = " |" if len(rounds) == 3 else ""
    size = next(iter(rounds.values()))[0].size
    print(f"| {name} | {size / 1000:,.1f} |{cells}{missing} {' · '.join(rates)} |", flush=True)


if __name__ == "__main__":
    main()
