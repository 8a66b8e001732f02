"""The example of two cities with its pages, served on a day of its season: the files are past, so a server of today
would show nothing. `python -m tests.pages.real_cities CONFIG INSTANT` is that server."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import uvicorn

from edge.app import Edge
from edge.services.geocoder import LocalGeocoder
from outings.release.folder import FolderStore
from tests.edge.processes.serving import wait_until
from tests.examples.cities import copy_example, read_printed
from tests.pages.conftest import answers


@contextmanager
def serve_cities(folder: Path, *, now: datetime) -> Iterator[str]:
    """Yields the address of the server. Its clock stands still at `now`."""
    example = copy_example(folder / "example")
    config = example / "outings.toml"
    terms = ("--client", "visitors", "--plan", "partner", "--per-minute", "1000000000")
    key = read_printed("keys", "create", *terms, example=example)["key"]
    settings = config.read_text().replace('[static]\nurl = "file:var/public"\n', "")
    config.write_text(f'{settings}\n[site]\nkey = "{key}"\n')
    read_printed("build", "--as-of", now.date().isoformat(), example=example)
    with serve_built(config, now=now) as url:
        yield url


@contextmanager
def serve_built(config: Path, *, now: datetime) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.pages.real_cities", str(config), now.isoformat()]
    printed = config.with_name("printed.txt")
    with printed.open("w") as output:
        process = subprocess.Popen(command, stdout=output)
    try:
        wait_until(lambda: "\n" in printed.read_text())
        url = printed.read_text().partition("\n")[0]
        wait_until(lambda: answers(f"{url}/readyz"))
        yield url
    finally:
        process.terminate()
        process.wait(timeout=60)


def _serve(config: Path, now: datetime) -> None:
    edge = Edge(
        FolderStore(config.parent / "var" / "store"),
        cache=config.parent / "cache",
        clock=lambda: now,
        geocoder=LocalGeocoder(),
    )
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(edge, log_level="error")).run([listening])


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]))
