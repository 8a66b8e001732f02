"""A PostgreSQL cluster of the bench's own: made by initdb in a temporary folder, reached by a socket in it."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

USER = "bench"
_SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "512MB",
    "effective_cache_size": "4GB",
    "work_mem": "64MB",
    "maintenance_work_mem": "512MB",
    "max_connections": "50",
    "max_wal_size": "4GB",
    "random_page_cost": "1.1",
    "jit": "off",
    # Eight clients on two cores: a query that takes both would only wait for itself.
    "max_parallel_workers_per_gather": "0",
    # Nothing here has to outlive the bench.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
}


def find_programs() -> Path | None:
    """The folder of initdb and postgres; Debian keeps each version in one of its own. None: not installed."""
    path = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    known = [Path(path).resolve().parent] if path else [folder for folder in folders if (folder / "initdb").exists()]
    return known[-1] if known else None


@contextlib.contextmanager
def run_cluster(programs: Path) -> Iterator[str]:
    """Gives the data source's name. SystemExit where it does not start."""
    folder = Path(tempfile.mkdtemp(prefix="outings-bench-pg-"))
    user = _choose_user()
    try:
        if user is not None:
            shutil.chown(folder, user)
        data = folder / "data"
        _run([programs / "initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"], user=user)
        settings = [f"--{name}={value}" for name, value in _SETTINGS.items()]
        words = [str(setting) for setting in (programs / "postgres", "-D", data, "-k", folder, *settings)]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(words, user=user, cwd=folder, stdout=log, stderr=log)
        try:
            _wait(programs, folder, server)
            yield f"postgresql://{USER}@/postgres?host={folder}"
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_process(dsn: str) -> int:
    """The number of the process that started all others of the cluster."""
    folder = Path(dsn.partition("?host=")[2])
    return int((folder / "data" / "postmaster.pid").read_text().split()[0])


def _choose_user() -> str | None:
    """PostgreSQL does not run as root."""
    if os.geteuid():
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _run(words: Sequence[str | Path], *, user: str | None) -> None:
    done = subprocess.run(words, user=user, cwd="/", capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words[0]} failed: {done.stderr}")


def _wait(programs: Path, folder: Path, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while subprocess.run([programs / "pg_isready", "-q", "-h", folder], check=False).returncode:
        if server.poll() is not None or time.monotonic() > until:
            raise SystemExit(f"PostgreSQL did not start: {(folder / 'log').read_text()[-2000:]}")
        time.sleep(0.1)
