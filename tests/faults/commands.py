"""The command in a process and group of its own, as `outings WORDS` is, with doubles before its stores and disks.

The program has no door for a test to come in by: the child puts the doubles where the command opens its stores.
"""

import contextlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from command import main
from outings.release import store as stores
from outings.release.folder import Disk, FolderStore
from outings.release.store import open_store
from tests.faults.worlds import clock_of, copy_world, write_round
from tests.forking import CONTEXT
from tests.release.doubles import Act, Watch, WatchedObject

PATIENCE = 120.0
MONTH = 30 * 86_400.0
# Of AWS, as the environment says them to a command: nothing else of this machine is read.
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
}


@dataclass(frozen=True)
class Meets:
    """Faults that a command meets. `operations` and `disk` are watches of its stores and disks; all of it is pickled.
    `make_disk` is called once, in the command's process."""

    operations: Watch | None = None
    disk: Watch | None = None
    make_disk: Callable[[], Disk] = Disk
    environ: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[], None] | None = None


@dataclass(frozen=True)
class CommandResult:
    """`trace`: every operation of a store and of a disk, in order; empty where the command was killed."""

    code: int
    out: str
    err: str
    trace: tuple[str, ...]

    def count(self, *operations: str) -> int:
        return sum(operation in operations for operation in self.trace)


STORE = ("get", "read_versioned", "exists", "list", "put", "put_many", "put_if")
DISK = ("make_folder", "write_file", "sync_files", "replace", "remove", "sync_folders")


class Command:
    """A running one."""

    def __init__(self, words: Sequence[str], *, folder: Path, meets: Meets) -> None:
        self._folder = folder / f"ran-{uuid4().hex}"
        (self._folder / "tmp").mkdir(parents=True)
        self._process = CONTEXT.Process(target=_run, args=(list(words), self._folder, meets))
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def kill(self) -> None:
        """Kill the command with all processes that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()

    def wait(self) -> CommandResult:
        self._process.join(PATIENCE)
        code = self._process.exitcode
        assert code is not None, f"still running after {PATIENCE:.0f} s: {self._read('err')}"
        return CommandResult(
            code=code, out=self._read("out"), err=self._read("err"), trace=tuple(self._read("trace").split())
        )

    def read_errors(self) -> str:
        """Return what the command has written to standard error so far."""
        return self._read("err")

    def _read(self, name: str) -> str:
        path = self._folder / name
        return path.read_text() if path.exists() else ""


@contextlib.contextmanager
def start(*words: str, config: Path, meets: Meets | None = None) -> Iterator[Command]:
    """Ended with the block, if not before."""
    command = Command([*words, "-c", str(config)], folder=config.parent / "ran", meets=meets or Meets())
    try:
        yield command
    finally:
        command.kill()


def run(*words: str, config: Path, meets: Meets | None = None) -> CommandResult:
    with start(*words, config=config, meets=meets) as command:
        return command.wait()


def build(config: Path, *words: str, as_of: str, meets: Meets | None = None) -> CommandResult:
    """One worker: all operations are in the command's own process, and in one order."""
    return run("build", "--json", "--workers", "1", "--as-of", as_of, *words, config=config, meets=meets)


def restore(config: Path) -> bool:
    """Put in force what a first build left that was killed right before its swap, as its operator is told. False where
    it left no release."""
    return run("releases", "restore", config=config).code == 0


def _run(words: list[str], folder: Path, meets: Meets) -> None:
    os.setsid()
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    for name in [name for name in os.environ if name.startswith("OUTINGS_")]:
        del os.environ[name]
    os.environ.update(meets.environ)
    tempfile.tempdir = str(folder / "tmp")
    trace: list[str] = []
    _put_doubles(meets, trace)
    if meets.prepare is not None:
        meets.prepare()
    try:
        main(words, prog_name="outings")
    finally:
        sys.stdout.flush()
        with contextlib.suppress(OSError):  # where the disk is full, that is what is tried
            (folder / "trace").write_text("\n".join(entry.replace(" ", ":") for entry in trace))


def _put_doubles(meets: Meets, trace: list[str]) -> None:
    def note(operation: str, act: Act, *, watch: Watch | None) -> Any:
        trace.append(operation)
        return act() if watch is None else watch(operation, act)

    under = meets.make_disk()

    def open_watched(url: str, **settings: Any) -> Any:
        store: Any = open_store(url, **settings)
        if isinstance(store, FolderStore):
            disk: Any = WatchedObject(under, partial(note, watch=meets.disk))
            store = FolderStore(Path(url.removeprefix("file:")), disk=disk)
        return WatchedObject(store, partial(note, watch=meets.operations))

    stores.open_store = open_watched  # commands and tasks open theirs by it, when they need it


class Pause:
    """A watch that waits once, before what `is_there` says of an operation and its number, until it may go on."""

    def __init__(self, is_there: Callable[[str, int], bool]) -> None:
        self._is_there = is_there
        self._count = 0
        self._reached = CONTEXT.Event()
        self._may_go = CONTEXT.Event()

    def __call__(self, operation: str, act: Act) -> Any:
        if not self._reached.is_set() and self._is_there(operation, self._count):
            self._reached.set()
            assert self._may_go.wait(PATIENCE)
        self._count += 1
        return act()

    def wait(self, command: Command) -> bool:
        """Wait until the command is at the operation. Return False if it ended before."""
        until = time.monotonic() + PATIENCE
        while not self._reached.wait(0.02):
            assert time.monotonic() < until
            if not command.is_alive:
                return self._reached.is_set()
        return True

    def end(self) -> None:
        self._may_go.set()


def pause_at_swap() -> Pause:
    return Pause(_is_swap)


def _is_swap(operation: str, _: int) -> bool:
    return operation == "put_if"


def pause_at(number: int) -> Pause:
    """Pause before the operation with this number, counted from 0."""
    return Pause(partial(_is_number, number=number))


def _is_number(_: str, count: int, *, number: int) -> bool:
    return count == number


class Meet:
    """A watch that waits before the first `operation` until as many processes are there."""

    def __init__(self, operation: str, *, parties: int) -> None:
        self._operation = operation
        self._barrier = CONTEXT.Barrier(parties)
        self._met = False

    def __call__(self, operation: str, act: Act) -> Any:
        if operation == self._operation and not self._met:
            self._met = True
            self._barrier.wait(PATIENCE)
        return act()


def make_old(built: Path, folder: Path) -> Path:
    """Two releases and what a build of round 2 left that was killed before its swap, all of it a month old."""
    config = copy_world(built, folder)
    config.write_text(config.read_text().replace("[store]", "[store]\nkeep_days = 1"))
    assert build(config, as_of=clock_of(1)).code == 0
    write_round(config, 2)
    pause = pause_at_swap()
    words = ("build", "--workers", "1", "--as-of", clock_of(2))
    with start(*words, config=config, meets=Meets(operations=pause)) as dying:
        assert pause.wait(dying)
    long_ago = time.time() - MONTH
    for path in (config.parent / "var/store").rglob("*"):
        os.utime(path, (long_ago, long_ago))
    return config
