"""Counters of one machine: a mapped file that its workers share.

The file has a head, then slots of 16 bytes: a key's bucket (time, load) or a client's month (used, month), each number
written whole. An operation locks the client's slot for a few microseconds, which covers the client's count and those of
its keys; the kernel releases the lock when a process dies. The counts survive a crash of the process. A power cut loses
what the kernel had not written yet, some 30 s.
"""

import asyncio
import fcntl
import mmap
import os
import secrets
import struct
import time
from collections.abc import Callable
from pathlib import Path

from edge.limits.limiter import (
    LimitState,
    LimitStore,
    LimitStoreError,
    Operation,
    Outcome,
    decide,
    find_beginning,
    find_month,
    leak,
    read_microseconds,
)
from edge.limits.principal import Allowance

# `rate_storage` of these counters.
LOCAL = "local"
NAME = "limits"
LAYOUT = 1
# Of keys and clients together; no number is used twice.
SLOTS = 2**20

_MAGIC = b"outings limits\0\0"
_HEAD = struct.Struct("<16sQQ")
_TAKE, _PASSED = Operation.TAKE, Outcome.PASSED
_HEAD_BYTES = 4096
_SLOT_BYTES = 16
_FILE_BYTES = _HEAD_BYTES + SLOTS * _SLOT_BYTES

# The lock is tried this often at once; then the loop does other things between one try and the next, for so long.
_TRIES = 32
_PAUSE_SECONDS = 0.0002
_PATIENCE_SECONDS = 0.25


class TableError(Exception):
    """The file of counters can't be used; the message names it and says why."""


class MappedLimitStore:
    """Counters in the file at `path`, created if missing (TableError); with None, in the memory of this process.

    For one event loop; its locks hold against other processes.
    """

    def __init__(self, path: Path | None = None, *, clock: Callable[[], int] = read_microseconds) -> None:
        self._file = None if path is None else open_table(path)
        self._table = mmap.mmap(-1 if self._file is None else self._file, _FILE_BYTES)
        self._numbers = memoryview(self._table)[_HEAD_BYTES:].cast("Q")
        self._clock = clock
        self._month = self._begins = self._ends = 0

    async def apply(self, allowance: Allowance, operation: Operation, *, month: int = 0) -> LimitState:
        """Apply the operation. If another process was interrupted while it held the lock, wait without blocking the
        event loop."""
        if allowance.key >= SLOTS or allowance.client >= SLOTS:
            raise LimitStoreError(f"slot {max(allowance.key, allowance.client)}: the file has {SLOTS}")
        if self._file is None:
            return self._apply(allowance, operation, month)
        byte = _HEAD_BYTES + allowance.client * _SLOT_BYTES
        if not self._try_lock(byte):
            await self._wait_for(byte)
        # Nothing is awaited here: this process's own operations are not kept apart by its locks.
        try:
            return self._apply(allowance, operation, month)
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)

    async def _wait_for(self, byte: int) -> None:
        until = time.monotonic() + _PATIENCE_SECONDS
        while not self._try_lock(byte):
            if time.monotonic() > until:
                client = (byte - _HEAD_BYTES) // _SLOT_BYTES
                raise LimitStoreError(
                    f"the slot of client {client} is held by another process since {_PATIENCE_SECONDS} s"
                )
            await asyncio.sleep(_PAUSE_SECONDS)

    async def close(self) -> None:
        self._numbers.release()
        self._table.close()
        if self._file is not None:
            os.close(self._file)

    def _try_lock(self, byte: int) -> bool:
        assert self._file is not None
        for _ in range(_TRIES):
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
            except OSError:
                continue
            return True
        return False

    def _apply(self, allowance: Allowance, operation: Operation, refunded: int) -> LimitState:
        now = self._clock()  # under the lock, so that no operation comes before one that it follows
        if not self._begins <= now < self._ends:
            self._month = find_month(now)
            self._begins, self._ends = find_beginning(self._month), find_beginning(self._month + 1)
        numbers, key, client = self._numbers, 2 * allowance.key, 2 * allowance.client
        # After the clock was set back, the counts are those of now: they end by this clock, not when it has caught up.
        if numbers[key] > now:
            numbers[key] = now
        if numbers[client + 1] > self._month:
            numbers[client + 1] = self._month
        load = leak(numbers[key + 1], then=numbers[key], now=now, limit=allowance.per_minute)
        used = numbers[client] if numbers[client + 1] == self._month else 0  # another month's count is gone
        after = decide(allowance, operation, load=load, used=used, now=now, month=self._month, refunded=refunded)
        if operation is _TAKE and after.outcome is _PASSED:
            # In this order: whoever is killed in between leaves a bucket too full, or a month without its first count.
            numbers[key], numbers[key + 1] = now, after.load
            numbers[client], numbers[client + 1] = after.used, after.month
        elif operation is Operation.REFUND and numbers[client + 1] == self._month:
            numbers[client] = after.used
        return after


def open_table(path: Path) -> int:
    """Open the file, created if missing and checked, and return its descriptor. Raises TableError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _make_table(path)
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise TableError(f"{path}: can't be written: {error.strerror}") from error
    magic, layout, slots = _HEAD.unpack(os.pread(file, _HEAD.size, 0).ljust(_HEAD.size, b"\0"))
    size = os.fstat(file).st_size
    if magic == _MAGIC and (layout, slots, size) == (LAYOUT, SLOTS, _FILE_BYTES):
        return file
    os.close(file)
    fault = "is not a file of counters" if magic != _MAGIC else f"has layout {layout}, {slots} slots and {size} bytes"
    wanted = f"layout {LAYOUT}, {SLOTS} slots and {_FILE_BYTES} bytes"
    raise TableError(f"{path}: {fault}; this program reads {wanted}: move the file away to count from zero")


def _make_table(path: Path) -> None:
    """Whole or not at all; where two make it at once, the first one's stays."""
    made = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    file = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(file, 0, _FILE_BYTES)  # a disk that is full says so here, not when a page is touched
        os.pwrite(file, _HEAD.pack(_MAGIC, LAYOUT, SLOTS), 0)
        os.fsync(file)
        os.link(made, path)
    except FileExistsError:
        pass
    finally:
        os.close(file)
        made.unlink()


def open_limits(rate_storage: str, *, state: Path) -> LimitStore:
    """Open the store of counters that the configuration names. `state`: the folder of this machine's counters. Raises
    TableError, and ImportError without the extra `redis`."""
    if rate_storage == LOCAL:
        return MappedLimitStore(state / NAME)
    from edge.limits.redis_store import RedisLimitStore

    return RedisLimitStore(rate_storage)
