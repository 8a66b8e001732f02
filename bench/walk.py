"""The walk of a request through the program: `python -m bench.walk`.

A list requested for the first time and once more, a `304`, and a search: how many files of `edge` and `outings` the
answer enters, how many functions it calls there, and how often the next call is in another file. What a thread does for
the answer is counted too. `--files` names the files in order.
"""

import argparse
import asyncio
import contextlib
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from bench.peers.world import make_world
from bench.servers import make_key
from edge.app import Edge
from edge.serving.http_protocol import HttpProtocol
from outings.configuration import read_configuration
from outings.release.store import open_store

_ROOT = Path(sys.modules[Edge.__module__].__file__ or "").parents[1]
_ROOMS = (f"{_ROOT}/edge/", f"{_ROOT}/outings/")
_LIST, _SEARCH = "/v1/seattle/events?category=arts_creative&max_price=2{}", "/v1/seattle/search?q=music+{}"


class Walk:
    """The files of the calls between `begin` and `end`, in order."""

    def __init__(self) -> None:
        self.files: list[str] = []

    def begin(self) -> None:
        threading.setprofile(self._note)  # of threads that begin meanwhile
        sys.setprofile(self._note)

    def end(self) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(_ROOMS):
            self.files.append(file.removeprefix(f"{_ROOT}/"))

    def describe(self) -> str:
        changes = sum(one != other for one, other in zip(self.files, self.files[1:], strict=False))
        return f"{len(set(self.files))} | {len(self.files)} | {changes}"


class _Transport(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def close(self) -> None: ...


async def send(edge: Edge, key: str, target: str, *, etag: str = "") -> tuple[Walk, bytes]:
    """Send a request through the server's own protocol, without a socket."""
    config = uvicorn.Config(edge, http=HttpProtocol, proxy_headers=False)
    config.load()
    protocol, transport = HttpProtocol(config=config, server_state=ServerState(), app_state={}), _Transport()
    protocol.connection_made(transport)
    tag = f"If-None-Match: {etag}\r\n" if etag else ""
    walk = Walk()
    walk.begin()
    protocol.data_received(f"GET {target} HTTP/1.1\r\nHost: a\r\nX-API-Key: {key}\r\n{tag}\r\n".encode())
    await asyncio.gather(*protocol.tasks)
    walk.end()
    protocol.connection_lost(None)
    return walk, transport.written


async def walk_all(edge: Edge, key: str, *, shows_files: bool) -> None:
    for warming in (_LIST, _SEARCH):
        await send(edge, key, warming.format("0"))
    print("| Answer | files | calls | changes of file |\n|---|---|---|---|")
    etag = ""
    for name, target in (("list, computed", _LIST), ("list, cached", _LIST), ("list, 304", _LIST), ("search", _SEARCH)):
        walk, written = await send(edge, key, target.format("1"), etag=etag if name.endswith("304") else "")
        etag = next(line[6:].decode() for line in written.split(b"\r\n") if line.startswith(b"etag: "))
        print(f"| {name} | {walk.describe()} |")
        if shows_files:
            print("\n".join(f"  {file}" for file in dict.fromkeys(walk.files)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.walk", description=__doc__)
    parser.add_argument("--listings", type=int, default=2_000)
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="outings-bench-")))
        world = make_world(folder, listings=options.listings)
        configuration = read_configuration(world.config, {})
        edge = Edge(open_store(configuration.store.url), cache=configuration.edge.cache)
        running.callback(edge.close)
        key = make_key(world.config)
        edge.poll()
        asyncio.run(walk_all(edge, key, shows_files=options.files))


if __name__ == "__main__":
    main()
