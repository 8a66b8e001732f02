"""A command with what it took: seconds, and the most memory that it and its children had at once."""

import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

POLL_SECONDS = 0.25


@dataclass(frozen=True)
class Took:
    """`megabytes`: the proportional share (Pss) of all its processes, the largest of the sums that were looked at."""

    seconds: float
    megabytes: float
    out: str


def run_measured(words: Sequence[str]) -> Took:
    """CalledProcessError where it fails; standard error is the bench's own."""
    started = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
    peak, done = [0], threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, peak, done))
    watcher.start()
    out, _ = process.communicate()
    seconds = time.perf_counter() - started
    done.set()
    watcher.join()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(words), output=out)
    return Took(seconds=seconds, megabytes=peak[0] / 1024, out=out)


def _watch(leader: int, peak: list[int], done: threading.Event) -> None:
    while not done.wait(POLL_SECONDS):
        peak[0] = max(peak[0], sum(_read_shares(leader)))


def _read_shares(leader: int) -> Iterator[int]:
    """Kilobytes of each process of its session."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text().rpartition(")")[2].split()[3]) == leader:
                lines = (folder / "smaps_rollup").read_text().splitlines()
                yield next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except (OSError, StopIteration):
            continue  # it ended meanwhile
