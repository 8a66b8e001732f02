"""Which server runs the edge: `python -m bench.serving`. uvicorn as `outings serve` starts it, beside granian.

granian is no dependency: `pip install granian` first, in an environment of the bench's own. Each runs one worker over
the same release; rounds are interleaved. What counts is the processor's time an answer, which a busy machine does not
change as it changes answers a second.
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec import Struct

from bench.load import Load, make_request, measure_load
from bench.servers import OUTINGS, Headers, ask, find_free_port, make_key, run_process
from outings.demo import write_world

SERVERS = ("uvicorn", "granian")
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = "/v1/seattle/events"


class Measurement(Struct, frozen=True, kw_only=True):
    """One round: what the clients saw, and the processor's time in microseconds an answer."""

    load: Load
    cpu: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.serving", description=__doc__)
    parser.add_argument("--listings", type=int, default=2_000, help="in each of two metros")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round and server")
    parser.add_argument("--clients", type=int, default=8)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as folder, contextlib.ExitStack() as running:
        config = write_world(Path(folder) / "outings.toml", today=datetime.now(UTC).date(), size=asked.listings)
        subprocess.run([*OUTINGS, "build", "-c", config], check=True, stdout=subprocess.DEVNULL)
        headers = [("X-API-Key", make_key(config))]
        ports = {server: find_free_port() for server in SERVERS}
        started = {
            server: running.enter_context(run_process(_name_command(server, config, port), port=port))
            for server, port in ports.items()
        }
        print(f"{'':16}" + "".join(f"{f'{server}/s':>14}{'p99 ms':>9}{'CPU µs':>9}" for server in SERVERS) + "   CPU")
        for name, requests in list_units(ports["uvicorn"], headers).items():
            rounds: dict[str, list[Measurement]] = {server: [] for server in SERVERS}
            for _ in range(asked.rounds):
                for server in SERVERS:
                    measure = partial(measure_load, ports[server], requests, clients=asked.clients)
                    before = read_cpu(started[server])
                    load = measure(seconds=asked.seconds, expected=(b"200", b"304"))
                    spent = read_cpu(started[server]) - before
                    rounds[server].append(Measurement(load=load, cpu=spent / load.answers * 1e6))
            print_row(name, rounds)


def list_units(port: int, headers: Headers) -> Mapping[str, list[bytes]]:
    """A detail of 3 kB and a page of 50, as they are and in gzip; and a `304`."""
    details = [each["links"]["self"] for each in _read_items(port, headers)]
    packed = [*headers, ("Accept-Encoding", "gzip")]
    known = ("If-None-Match", ask(port, PAGE, headers).get_header("etag"))
    return {
        "detail": [make_request(target, headers=headers) for target in details],
        "detail, gzip": [make_request(target, headers=packed) for target in details],
        "page": [make_request(PAGE, headers=headers)],
        "page, gzip": [make_request(PAGE, headers=packed)],
        "304": [make_request(PAGE, headers=[*packed, known])],
    }


def read_cpu(process: int) -> float:
    """Seconds of the processor that a process and its children that live have taken."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS + sum(read_cpu(int(child)) for child in children)


def print_row(name: str, rounds: Mapping[str, Sequence[Measurement]]) -> None:
    cells = ""
    for measured in rounds.values():
        per_second = statistics.median(each.load.per_second for each in measured)
        p99 = statistics.median(each.load.p99 for each in measured)
        cpu = statistics.median(each.cpu for each in measured)
        cells += f"{per_second:14,.0f}{p99:9.2f}{cpu:9.1f}"
    ratio = statistics.median(
        theirs.cpu / ours.cpu for ours, theirs in zip(rounds["uvicorn"], rounds["granian"], strict=True)
    )
    print(f"{name:16}{cells}{ratio:6.2f}", flush=True)


def _read_items(port: int, headers: Headers) -> list[dict[str, dict[str, str]]]:
    import msgspec

    page = msgspec.json.decode(ask(port, f"{PAGE}?limit=200&min_confidence=0", headers).body)
    items: list[dict[str, dict[str, str]]] = page["data"]
    return items


def _name_command(server: str, config: Path, port: int) -> list[str]:
    if server == "uvicorn":
        return [*OUTINGS, "serve", "-c", str(config), "--workers", "1", "--port", str(port)]
    return [sys.executable, "-m", "bench.serving", "granian", str(config), str(port)]


def run_granian(config: str, port: str) -> None:
    """One worker, as fast as it goes: uvloop, no access log."""
    from granian import Granian  # type: ignore[import-not-found]

    os.environ["OUTINGS_BENCH_CONFIG"] = config
    Granian(
        "bench.serving:make_app",
        address="127.0.0.1",
        port=int(port),
        interface="asgi",
        loop="uvloop",
        factory=True,
        websockets=False,
        log_access=False,
    ).serve()


def make_app() -> object:
    """For granian's worker, which is given no argument."""
    from edge.processes.worker import make_served_edge

    return make_served_edge(Path(os.environ["OUTINGS_BENCH_CONFIG"]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["granian"]:
        run_granian(*sys.argv[2:])
    else:
        main()
