"""nginx before two servers that share a store, keys and a Redis: started, killed, asked."""

import contextlib
import http.client
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

from outings.command import main
from tests.command.conftest import CONFIGURATION
from tests.edge.processes.serving import PATIENCE, wait_until


def find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class EdgeProcess:
    """`outings serve` on a port of its own, with a cache and a state of its own; it can be killed and begun again."""

    folder: Path
    store: Path
    redis: str
    port: int = field(default_factory=find_port)
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
        with (self.folder / "log").open("a") as lines:
            self.process = subprocess.Popen([sys.executable, "-m", "outings.command", *words], stderr=lines)
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
        for number in [str(self.process.pid), *children.decode().split(), *(each for row in grand for each in row)]:
            subprocess.run(["kill", "-KILL", number], check=False, stderr=subprocess.DEVNULL)
        self.process.wait()


@dataclass
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def find(self, name: str) -> list[str]:
        return [value for each, value in self.headers if each.lower() == name]


def ask(port: int, target: str, *, method: str = "GET", headers: dict[str, str] | None = None) -> Answer:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request(method, target, headers=headers or {})
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())


@dataclass
class Nginx:
    """With the configuration that the command writes, inside a smallest one of its own."""

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
    """`options`: of `outings front nginx`, but for where it listens and writes its logs."""
    folder.mkdir(exist_ok=True)
    port = find_port()
    words = ["front", "nginx", "--listen", f"127.0.0.1:{port}", "--log-folder", str(folder), *options]
    written = CliRunner().invoke(main, words)
    assert written.exit_code == 0, written.output
    (folder / "outings.conf").write_text(written.stdout)
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "main.conf").write_text(
        f"daemon off;\nworker_processes 2;\npid {folder}/pid;\nerror_log {folder}/start.log;\n"
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
