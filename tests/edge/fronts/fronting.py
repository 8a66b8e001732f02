"""nginx before two servers that share a store, keys and a Redis: started, killed, asked."""

import contextlib
import getpass
import http.client
import socket
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from click.testing import CliRunner

from command import main
from tests.command.conftest import CONFIGURATION
from tests.edge.processes.serving import PATIENCE, wait_until
from tests.ports import find_free_port


@dataclass
class EdgeProcess:
    """`outings serve` on a port of its own, with a cache and a state of its own; it can be killed and begun again.
    With `socket` it has two workers, on `socket.0` and `socket.1`, and is not waited for."""

    folder: Path
    store: Path
    redis: str
    port: int = field(default_factory=find_free_port)
    socket: Path | None = None
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        config = self.folder / "outings.toml"
        shared = CONFIGURATION.replace("file:store", f"file:{self.store}")
        assert str(self.store) in shared
        config.write_text(
            f'{shared}\n[edge]\ncache = "{self.folder}/cache"\nstate = "{self.folder}/state"\n'
            f'rate_storage = "{self.redis}"\n'
        )
        words = ["serve", "-c", str(config), "--port", str(self.port), "--workers", "1"]
        if self.socket is not None:
            words = ["serve", "-c", str(config), "--host", f"unix:{self.socket}", "--workers", "2"]
        with (self.folder / "log").open("a") as lines:
            self.process = subprocess.Popen([sys.executable, "-m", "command", *words], stderr=lines)
        if self.socket is None:
            wait_until(self.is_ready, seconds=PATIENCE * 2)

    def is_ready(self) -> bool:
        with contextlib.suppress(OSError, http.client.HTTPException):
            return ask(self.port, "/readyz").status == 200
        return False

    def stop(self) -> None:
        """SIGTERM, and wait."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE * 2)

    def kill(self) -> None:
        """SIGKILL to the supervisor and, by it, to its workers: they end by themselves."""
        assert self.process is not None
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, check=False).stdout
        grand = [
            subprocess.run(["pgrep", "-P", child], capture_output=True, check=False, text=True).stdout.split()
            for child in children.decode().split()
        ]
        for number in [str(self.process.pid), *children.decode().split(), *(value for row in grand for value in row)]:
            subprocess.run(["kill", "-KILL", number], check=False, stderr=subprocess.DEVNULL)
        self.process.wait()


@dataclass
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def find(self, name: str) -> list[str]:
        return [value for entry, value in self.headers if entry.lower() == name]


def ask(port: int, target: str, *, method: str = "GET", headers: dict[str, str] | None = None) -> Answer:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request(method, target, headers=headers or {})
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())


# What differs between any two answers of the same.
MOVING = ("date", "server", "connection", "keep-alive", "x-request-id", "x-trace-id", "x-ratelimit-remaining",
          "x-ratelimit-reset", "ratelimit-remaining", "ratelimit-reset", "ratelimit", "x-quota-remaining")  # fmt: skip
# How the bytes travel is the front's own.
FRAMING = ("content-length", "transfer-encoding")


def compare_answers(port: int, edge: int, target: str, *, method: str = "GET", **headers: str) -> Answer:
    """Check that an answer through a front is the server's own, and that no header comes twice."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    direct = ask(edge, target, method=method, headers=sent)
    through = ask(port, target, method=method, headers=sent)
    assert through.status == direct.status
    names = Counter(name.lower() for name, _ in through.headers)
    assert [name for name, count in names.items() if count > 1] == []
    assert select_still(through) == select_still(direct)
    if through.status == 200:
        assert through.body == direct.body
    for length in through.find("content-length"):
        assert method == "HEAD" or through.status == 304 or int(length) == len(through.body)
    return through


def select_still(answer: Answer) -> dict[str, str]:
    names = (*MOVING, *FRAMING)
    return {name.lower(): value for name, value in answer.headers if name.lower() not in names}


class Readers:
    """Eight of them, who ask for one target after another, each time on a connection of its own, without a pause."""

    def __init__(self, port: int, key: str, targets: Sequence[str]) -> None:
        self._port, self._key, self._targets = port, key, targets
        self._stopped = threading.Event()
        self.statuses: list[int] = []
        self.bodies: dict[tuple[str, str], set[bytes]] = defaultdict(set)
        self.faults: list[Exception] = []
        self._threads = [threading.Thread(target=self._ask) for _ in range(8)]

    def __enter__(self) -> "Readers":
        for thread in self._threads:
            thread.start()
        self.wait(50)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def wait(self, more: int) -> None:
        """Wait until `more` further requests are answered."""
        until = len(self.statuses) + more
        wait_until(lambda: len(self.statuses) >= until or bool(self.faults))

    def _ask(self) -> None:
        headers = {"X-API-Key": self._key}
        try:
            for target in cycle(self._targets):
                if self._stopped.is_set():
                    return
                answer = ask(self._port, target, headers=headers)
                self.statuses.append(answer.status)
                if answer.status == 200:
                    self.bodies[target, answer.find("etag")[0]].add(answer.body)
        except Exception as fault:  # noqa: BLE001 the test asserts that there was none
            self.faults.append(fault)


@dataclass
class Nginx:
    """An nginx with the configuration that the command writes, included in a minimal one."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]

    @property
    def log(self) -> str:
        return (self.folder / "outings.log").read_text()

    def reload(self) -> None:
        subprocess.run(["nginx", "-p", str(self.folder), "-c", "main.conf", "-s", "reload"], check=True)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)


def start_nginx(folder: Path, *options: str) -> Nginx:
    """`options`: of `outings front nginx`, but for where it listens, and writes its logs."""
    folder.mkdir(exist_ok=True)
    port = find_free_port()
    words = ["front", "nginx", "--listen", f"127.0.0.1:{port}", "--log-folder", str(folder), *options]
    written = CliRunner().invoke(main, words)
    assert written.exit_code == 0, written.output
    (folder / "outings.conf").write_text(written.stdout)
    return start_configuration(folder, port)


def start_configuration(folder: Path, port: int) -> Nginx:
    """An nginx that includes the folder's `outings.conf`, which listens on that port."""
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "main.conf").write_text(
        # Only who runs the test may enter its folders.
        f"user {getpass.getuser()};\ndaemon off;\nworker_processes 2;\n"
        f"pid {folder}/pid;\nerror_log {folder}/start.log;\n"
        f"events {{ worker_connections 512; }}\nhttp {{\n{temporary}include {folder}/outings.conf;\n}}\n"
    )
    command = ["nginx", "-p", str(folder), "-c", "main.conf", "-e", str(folder / "start.log")]
    process = subprocess.Popen(command)
    wait_until(lambda: process.poll() is not None or is_listening(port))
    assert process.poll() is None, (folder / "start.log").read_text()
    return Nginx(folder, port, process)


def is_listening(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        return True
    return False
