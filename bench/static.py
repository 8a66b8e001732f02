"""Measure the cost of a file under an API's address: `python -m bench.static`. Plain nginx, nginx by static.conf, the
server.

Requests a second as `wrk` counts them, and processor time by answer. One worker of each, 32 connections; the ways take
turns, so that a busy machine slows each as much. Needs nginx and wrk (Debian: nginx-light, wrk).
"""

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from bench.measuring import read_processor
from bench.servers import OUTINGS, ask, find_free_port, make_key, run_process
from command.sample_cities import write_world

CONFIGURATION = Path(__file__).parents[1] / "build/nginx/static.conf"
LIMIT, FILES, SERVER = "plain nginx", "nginx, static.conf", "server"
SIZES = (3_000, 100_000)


class Way(Struct, frozen=True):
    port: int
    process: int
    target: str
    header: tuple[str, str] = ("Accept", "*/*")


class Load(Struct, frozen=True):
    """Requests a second, and microseconds of processors for each."""

    rate: float
    processor: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.static", description=__doc__)
    parser.add_argument("--listings", type=int, default=10_000, help="in each of two metros")
    parser.add_argument("--seconds", type=int, default=5, help="of each round, size and way")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as name, contextlib.ExitStack() as running:
        folder = Path(name)
        today = datetime.now(UTC).date()
        config = write_world(folder / "outings.toml", today=today, size=options.listings, has_static=True)
        subprocess.run([*OUTINGS, "build", "-c", config], check=True, stdout=subprocess.DEVNULL)
        tree, key, port = folder / "var/public", make_key(config), find_free_port()
        words = [*OUTINGS, "serve", "-c", str(config), "--workers", "1", "--port", str(port)]
        server = running.enter_context(run_process(words, port=port))
        nginx: dict[str, tuple[int, int]] = {}
        for way in (LIMIT, FILES):
            own, listening = folder / f"nginx-{len(nginx)}", find_free_port()
            text = write_nginx(own, listening, tree=tree, server=port if way == FILES else None)
            own.mkdir()
            (own / "main.conf").write_text(text)
            command = ["nginx", "-p", str(own), "-c", "main.conf", "-e", str(own / "error.log")]
            nginx[way] = (listening, running.enter_context(run_process(command, port=listening)))
        limit = "of the limit: by the clock, in processor time"
        print(f"| kB | {LIMIT}: requests a second, µs | {FILES} | {limit} | {SERVER} |")
        print("|---|---|---|---|---|")
        for size in SIZES:
            request, file = find_page(tree, size)
            ways = {
                LIMIT: Way(*nginx[LIMIT], f"/{file}"),
                FILES: Way(*nginx[FILES], request),
                SERVER: Way(port, server, request, ("X-API-Key", key)),
            }
            bodies = {ask(way.port, way.target, [way.header]).body for way in ways.values()}
            assert len(bodies) == 1, f"{file}: not the same bytes"
            print_row((tree / file).stat().st_size, take_turns(ways, options))


def find_page(tree: Path, size: int) -> tuple[str, str]:
    """The first page of a list that comes nearest to that many bytes, and its file. It has a query without escapes."""
    listed = json.loads((tree / "v1/index.json").read_bytes())["metros"]["seattle"]["requests"]
    pages = [
        (item["request"], item["files"][0]) for item in listed if re.fullmatch(r"[a-z0-9/]+\?[a-z_=]+", item["request"])
    ]
    return min(pages, key=lambda page: abs((tree / page[1]).stat().st_size - size))


def write_nginx(own: Path, port: int, *, tree: Path, server: int | None) -> str:
    """`server`: where static.conf passes the rest; None is nginx with the folder and nothing else."""
    site = f"server {{ listen 127.0.0.1:{port}; root {tree}; access_log off; }}"
    if server is not None:
        site = (
            CONFIGURATION.read_text().replace("127.0.0.1:8080", f"127.0.0.1:{port}").replace("/srv/public", str(tree))
        )
        site = site.replace("/var/log/nginx", str(own))
        passing = f"proxy_pass http://127.0.0.1:{server}$request_uri;"
        site, count = re.subn(r"# Servers answer the rest.*\n\s*return 404;", passing, site)
        assert count == 1
    folders = "".join(
        f"{text}_temp_path {own}/{text};\n" for text in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # As the bench's own user, whose folder it is.
    user = "user root;" if os.geteuid() == 0 else ""
    return (
        f"daemon off; {user} worker_processes 1; pid {own}/pid; error_log {own}/error.log;\n"
        f"events {{ worker_connections 512; }}\nhttp {{ {folders} sendfile on; tcp_nopush on;\n{site}\n}}\n"
    )


def take_turns(ways: Mapping[str, Way], options: argparse.Namespace) -> Mapping[str, list[Load]]:
    rounds: dict[str, list[Load]] = {name: [] for name in ways}
    for _ in range(options.rounds):
        for name, way in ways.items():
            rounds[name].append(load(way, seconds=options.seconds))
    return rounds


def load(way: Way, *, seconds: int) -> Load:
    before = read_processor(way.process)
    words = [
        "wrk",
        "-t1",
        "-c32",
        f"-d{seconds}s",
        "-H",
        ": ".join(way.header),
        f"http://127.0.0.1:{way.port}{way.target}",
    ]
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert not re.search("Non-2xx|Socket errors", out), out
    count = int(re.findall(r"(\d+) requests in", out)[0])
    rate = float(re.findall(r"Requests/sec:\s+([\d.]+)", out)[0])
    return Load(rate, (read_processor(way.process) - before) / count * 1e6)


def print_row(size: int, rounds: Mapping[str, Sequence[Load]]) -> None:
    """Medians; those of the limit are of the rounds' ratios."""
    rates = {name: statistics.median(load.rate for load in loads) for name, loads in rounds.items()}
    spent = {name: statistics.median(load.processor for load in loads) for name, loads in rounds.items()}
    pairs = list(zip(rounds[FILES], rounds[LIMIT], strict=True))
    clock = statistics.median(one.rate / limit.rate for one, limit in pairs)
    processor = statistics.median(limit.processor / one.processor for one, limit in pairs)
    cells = {name: f"{rates[name]:,.0f}, {spent[name]:,.1f}" for name in rounds}
    print(
        f"| {size / 1000:,.1f} | {cells[LIMIT]} | {cells[FILES]} | {clock:.2f}, {processor:.2f} | {cells[SERVER]} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
