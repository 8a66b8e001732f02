"""A command with what it took: seconds, those of processors, and the most memory that its processes had at once."""

import resource
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# Looking costs the one looked at: the kernel walks all its memory.
POLL_SECONDS = 1.0


@dataclass(frozen=True)
class RunCost:
    """`processor`: seconds of user and system of all its processes, which say more where others run beside it.
    `megabytes`: the proportional share (Pss) of them all, the largest of the sums that were looked at.
    """

    seconds: float
    processor: float
    megabytes: float
    out: str


def run_measured(words: Sequence[str]) -> RunCost:
    """CalledProcessError where it fails; standard error is the bench's own."""
    started, spent = time.perf_counter(), _read_ended()
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
    return RunCost(seconds=seconds, processor=_read_ended() - spent, megabytes=peak[0] / 1024, out=out)


def read_processor(process: int) -> float:
    """Seconds that a process and its children that live have taken, by the nanosecond."""
    spent = 0
    for thread in Path(f"/proc/{process}/task").iterdir():
        spent += int((thread / "schedstat").read_text().split()[0])
        for child in (thread / "children").read_text().split():
            spent += round(read_processor(int(child)) * 1e9)
    return spent / 1e9


def read_with(process: int) -> float:
    """Seconds that this process has taken, and another one with its children."""
    return read_processor(process) + time.process_time()


def _read_ended() -> float:
    """Read the processor time of children that ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
