"""Doubles that stand before a real store or disk: they fail, die, lose replies, or forget what was not synced."""

import errno
import os
import signal
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from outings.release.folder import Disk
from outings.release.store import Outcome, StoreEntry, StoreError, VersionedBytes
from tests.release.memory import MemoryStore

Act = Callable[[], Any]
Watch = Callable[[str, Act], Any]


class WatchedObject:
    """Hands each call to `watch(operation, act)`, which may do it, or not, or do something else."""

    def __init__(self, inner: Any, watch: Watch) -> None:
        self._inner = inner
        self._watch = watch

    def __str__(self) -> str:
        return str(self._inner)

    def __getattr__(self, operation: str) -> Any:
        method = getattr(self._inner, operation)

        def call(*arguments: Any, **named: Any) -> Any:
            def act() -> Any:
                answer = method(*arguments, **named)
                return iter(list(answer)) if operation == "list" else answer

            return self._watch(operation, act)

        return call

    def delete(self, entries: Iterable[StoreEntry]) -> list[StoreEntry]:
        """One call an entry, as a store does it: `delete NAME`."""
        removed: list[StoreEntry] = []
        for entry in entries:
            removed += self._watch(f"delete {entry.name}", partial(self._inner.delete, [entry]))
        return removed


class ProcessKilledError(BaseException):
    """The process is gone: nothing of ours catches this."""


class Nth:
    """A watch that lets `fault` have its way with the n-th call (from 0), and counts the calls."""

    def __init__(self, n: int, fault: Watch) -> None:
        self.calls: list[str] = []
        self._n = n
        self._fault = fault

    def __call__(self, operation: str, act: Act) -> Any:
        self.calls.append(operation)
        return self._fault(operation, act) if len(self.calls) == self._n + 1 else act()


def fail(operation: str, act: Act) -> Any:
    raise StoreError(store="faulty", operation=operation, name="something", cause="told to")


def fail_after(operation: str, act: Act) -> Any:
    act()
    fail(operation, act)


def lose_reply(operation: str, act: Act) -> Any:
    """A swap that was done, or lost, and no one says so; other calls fail once they are done."""
    if operation != "put_if":
        return fail_after(operation, act)
    act()
    return Outcome.UNKNOWN


def lose_request(operation: str, act: Act) -> Any:
    """A swap that never arrived."""
    return Outcome.UNKNOWN if operation == "put_if" else fail(operation, act)


def die(operation: str, act: Act) -> Any:
    raise ProcessKilledError


def die_after(operation: str, act: Act) -> Any:
    act()
    raise ProcessKilledError


def kill(operation: str, act: Act) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_after(operation: str, act: Act) -> Any:
    act()
    kill(operation, act)


def fill_disk(operation: str, act: Act) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def refuse(operation: str, act: Act) -> Any:
    raise OSError(errno.EACCES, os.strerror(errno.EACCES))


class _File:
    def __init__(self, data: bytes, *, synced: bool = False) -> None:
        self.data = data
        self.synced = synced


class ForgetfulDisk(Disk):
    """Works on a real folder, and knows what a power cut would leave of it: only what was synced is certain."""

    def __init__(self) -> None:
        self._present: dict[Path, _File] = {}
        self._certain: dict[Path, _File] = {}

    def remember(self, folder: Path) -> None:
        """Count all files in the folder as written and synced before the test."""
        for path in folder.rglob("*"):
            if path.is_file():
                self._present[path] = self._certain[path] = _File(path.read_bytes(), synced=True)

    def write_file(self, path: Path, data: bytes) -> None:
        super().write_file(path, data)
        self._present[path] = _File(data)

    def sync_files(self, paths: Any) -> None:
        for path in paths:
            self._present[path].synced = True

    def replace(self, source: Path, target: Path) -> None:
        super().replace(source, target)
        self._present[target] = self._present.pop(source)

    def remove(self, path: Path) -> None:
        super().remove(path)
        self._present.pop(path, None)

    def sync_folders(self, paths: Any) -> None:
        for name in [name for name in self._certain if name.parent in paths]:
            del self._certain[name]
        self._certain.update({name: file for name, file in self._present.items() if name.parent in paths})

    def cut_power(self, folder: Path, into: Path, *, choose: Callable[[], bool]) -> None:
        """Lay out in `into` what is left of `folder`: `choose` says what becomes of each thing that was not synced."""
        for path in sorted({*self._certain, *self._present}):
            file = self._certain.get(path)
            if file is not self._present.get(path) and choose():
                file = self._present.get(path)
            if file is None:
                continue
            left = into / path.relative_to(folder)
            left.parent.mkdir(parents=True, exist_ok=True)
            left.write_bytes(file.data if file.synced or choose() else file.data[: len(file.data) // 2])


class FailingStore(MemoryStore):
    """A store that can be switched off."""

    is_off = False

    def _refuse(self, name: str) -> None:
        if self.is_off:
            raise StoreError(store="here", operation="read", name=name, cause="it is off")

    def get(self, name: str) -> bytes:
        self._refuse(name)
        return super().get(name)

    def read_versioned(self, name: str) -> VersionedBytes | None:
        self._refuse(name)
        return super().read_versioned(name)

    def list(self, prefix: str) -> Iterable[StoreEntry]:  # type: ignore[override]  # as its parent, or an error
        self._refuse(prefix)
        return super().list(prefix)
