"""`outings serve` in a process of its own, over a folder: started, asked, put under load, looked into."""

import contextlib
import http.client
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from outings.release.folder import FolderStore
from tests.command.conftest import CONFIGURATION
from tests.edge.publishing import KEY_KINDS, add_keys, make_worlds, publish_worlds

LIST = "/v1/harbor/events?from=2026-08-10"
PATIENCE = 60.0
KINDS = {name: KEY_KINDS[name] for name in ("all", "other", "harbor")}


@dataclass
class Server:
    """A running one: its port, its process, the store that it reads, and keys by kind."""

    port: int
    process: subprocess.Popen[bytes]
    store: FolderStore
    folder: Path
    keys: dict[str, str]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def get(self, target: str, *, kind: str = "all") -> http.client.HTTPResponse:
        with contextlib.closing(self.connect()) as connection:
            connection.request("GET", target, headers={"X-API-Key": self.keys[kind]})
            response = connection.getresponse()
            response.read()
            return response


def wait_until(is_so: Callable[[], bool], *, seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, f"not so after {seconds} s"
        time.sleep(0.05)


def start_server(
    folder: Path,
    *,
    workers: int = 1,
    edge: str = "",
    kinds: Mapping[str, Mapping[str, object]] = KINDS,
    descriptors: int | None = None,
) -> Server:
    """The port is the server's own choice, read from its first line. `edge`: more of that table; `descriptors`: how
    many each process may have."""
    config = folder / "outings.toml"
    config.write_text(CONFIGURATION + f'\n[edge]\ncache = "{folder}/cache"\n{edge}\n')
    store = FolderStore(folder / "store")
    publish_worlds(store, make_worlds(), folder=folder)
    keys = add_keys(store, kinds)
    log = folder / "log"
    words = ["serve", "-c", str(config), "--port", "0", "--workers", str(workers)]
    bound = [] if descriptors is None else ["prlimit", f"--nofile={descriptors}:{descriptors}"]
    with log.open("w") as lines:
        process = subprocess.Popen([*bound, sys.executable, "-m", "command", *words], stderr=lines)
    wait_until(lambda: "\n" in log.read_text(), seconds=60)
    port = int(log.read_text().partition("127.0.0.1:")[2].partition(",")[0])
    server = Server(port, process, store, folder, keys)
    wait_until(lambda: is_ready(server), seconds=60)
    return server


def stop_server(server: Server) -> None:
    if server.process.poll() is None:
        server.process.terminate()
        server.process.wait(PATIENCE * 2)


def is_ready(server: Server) -> bool:
    with contextlib.suppress(OSError):
        return server.get("/readyz").status == 200
    return False


def read_uncounted(port: int) -> int:
    """Requests that were answered uncounted, by all workers: on a busy machine Redis may answer too late."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
    return int(float(next(line.split()[1] for line in lines if line.startswith("outings_uncounted_total "))))


@dataclass
class Load:
    """Clients that ask without a pause until they are told to stop: every status and release that they saw."""

    server: Server
    kind: str = "all"
    clients: int = 4
    answers: list[tuple[int, str | None]] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list)

    def __enter__(self) -> "Load":
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(self.clients)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        try:
            with contextlib.closing(self.server.connect()) as connection:
                while not self._stopped.is_set():
                    for target in (LIST, "/v1/harbor/events", f"{LIST}&limit=2", "/v1/metros"):
                        connection.request("GET", target, headers={"X-API-Key": self.server.keys[self.kind]})
                        response = connection.getresponse()
                        response.read()
                        self.answers.append((response.status, response.headers["x-release"]))
        except Exception as fault:  # noqa: BLE001 the test asserts that there was none
            self.faults.append(fault)


def list_workers(server: Server) -> set[str]:
    """Numbers of the processes that serve: forked by a child of the supervisor's."""
    return {worker for value in list_forking(server) for worker in list_children(value)}


def list_forking(server: Server) -> list[str]:
    return [child for child in list_children(str(server.process.pid)) if b"forkserver" in read_command(child)]


def list_children(process: str) -> list[str]:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return []


def read_command(process: str) -> bytes:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def list_sockets(state: str, *, process: str = "self") -> list[list[str]]:
    """Rows of TCP's sockets in a state, as proc(5) numbers them."""
    rows = Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]
    return [row.split() for row in rows if row.split()[3] == state]


def count_connections(process: str) -> int:
    """Sockets of TCP that are established."""
    established = {row[9] for row in list_sockets("01", process=process)}
    opened = set()
    for path in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            opened.add(str(path.readlink()).removeprefix("socket:[").removesuffix("]"))
    return len(established & opened)
