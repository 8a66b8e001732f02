"""A Dask cluster of a test's own, on loopback: a scheduler and workers as processes, with free ports and no pages."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.ports import find_free_port

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 60.0
HERE = ("--host", "127.0.0.1", "--no-dashboard")


@dataclass
class Cluster:
    """`executor`: as `--executor` takes it."""

    port: int
    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def executor(self) -> str:
        return f"dask://127.0.0.1:{self.port}"

    def start(self, *words: str, environ: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        with (self.folder / f"{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, *HERE], env={**os.environ, **(environ or {})}, stderr=log
            )
        self.processes.append(process)
        return process

    def start_worker(self, *, environ: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Nobody starts it again when it dies."""
        words = ("--no-nanny", "--nthreads", "1", "--local-directory", str(self.folder))
        return self.start("worker", f"tcp://127.0.0.1:{self.port}", *words, environ=environ)

    @contextlib.contextmanager
    def connect(self) -> "Iterator[Client]":
        from distributed import Client

        client = Client(f"tcp://127.0.0.1:{self.port}", timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
        with contextlib.closing(client):
            yield client

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def start_cluster(folder: Path, *, workers: int) -> Iterator[Cluster]:
    """Start a cluster with this many workers, and wait for all of them."""
    cluster = Cluster(find_free_port(), folder)
    try:
        cluster.start("scheduler", "--port", str(cluster.port), "--no-show")
        for _ in range(workers):
            cluster.start_worker()
        with cluster.connect() as client:
            until = time.monotonic() + PATIENCE
            while len(client.nthreads()) < workers:  # type: ignore[no-untyped-call]
                assert time.monotonic() < until, "the workers did not come"
                time.sleep(0.05)
        yield cluster
    finally:
        cluster.stop()
