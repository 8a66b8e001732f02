"""A key's limits: the algorithm, its header fields, the counting of each request, and the counters of one machine.

The rate is GCRA in its form of a leaky bucket (ITU-T I.371), in whole numbers and so exact:

    load(now) = max(0, load(then) - limit × (now - then)), times in microseconds
    a request passes if load + MINUTE ≤ limit × MINUTE, and adds MINUTE

A request weighs `MINUTE`, so that the bucket leaks `limit` a microsecond and holds `limit` requests: a full allowance
passes at once, and in any t seconds never more than limit × (1 + t/60). A refused request adds nothing. The quota
counts requests by calendar month in UTC, which has a number: 12 × year + month - 1.

The counters of one machine are a mapped file that its workers share: a head, then slots of 16 bytes, a key's bucket
(time, load) or a client's month (used, month), each number written whole. An operation locks the client's slot for a
few microseconds, which covers the client's count and those of its keys; the kernel releases the lock when a process
dies. The counts survive a crash of the process. A power cut loses what the kernel had not written yet, some 30 s.
"""

import asyncio
import fcntl
import mmap
import os
import secrets
import struct
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import structlog
from msgspec import Struct

from outings.contract.errors import ApiError, quota_exceeded, rate_limited
from outings.contract.pricing_plans import PricingPlan
from outings.contract.query import Entitlement
from outings.keys.registry import Key, Registry

if TYPE_CHECKING:  # it imports engines, which the process that makes workers does without
    from edge.metrics import Counts

log = structlog.get_logger()

# Times are in microseconds.
SECOND, MINUTE = 1_000_000, 60_000_000


class Allowance(Struct, frozen=True, kw_only=True):
    """The limits of a key. `key`, `client`: the slots of its counters. `per_month`: the quota; None is unlimited."""

    key: int
    client: int
    per_minute: int
    per_month: int | None


class Principal(Struct, frozen=True, kw_only=True):
    """An authenticated key, its limits and its rights. `entitlement`: what it may read, with the add-ons of its plan
    and those granted to the key."""

    key: Key
    allowance: Allowance
    entitlement: Entitlement


def make_principal(registry: Registry, key: Key, *, plans: Mapping[str, PricingPlan]) -> Principal:
    """Make the principal of a key. Its limits are the key's own, or its client's, or else its plan's."""
    plan, (key_slot, client_slot) = plans[key.plan], registry.find_slots(key)
    allowance = Allowance(
        key=key_slot, client=client_slot, per_minute=key.get_rate(plan), per_month=registry.get_quota(key, plan)
    )
    return Principal(key=key, allowance=allowance, entitlement=key.make_entitlement(plan))


def find_month(now: int) -> int:
    when = datetime.fromtimestamp(now // SECOND, UTC)
    return 12 * when.year + when.month - 1


def find_beginning(month: int) -> int:
    return int(datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC).timestamp()) * SECOND


def leak(load: int, *, then: int, now: int, limit: int) -> int:
    """Return the load as of `now`. A clock that went back leaks nothing; a limit that was lowered caps the load."""
    most = limit * MINUTE
    left = (load if load < most else most) - (limit * (now - then) if now > then else 0)
    return left if left > 0 else 0


def has_room(load: int, limit: int) -> bool:
    return load + MINUTE <= limit * MINUTE


def count_left(load: int, limit: int) -> int:
    """Return how many requests would pass at once."""
    return limit - -(-load // MINUTE)


def wait_for_room(load: int, limit: int) -> int:
    """Return the microseconds until one request passes, if none is sent meanwhile."""
    return max(0, -(-(load + MINUTE - limit * MINUTE) // limit))


def wait_for_all(load: int, limit: int) -> int:
    """Return the microseconds until a whole allowance is left, if no request passes meanwhile."""
    return -(-load // limit)


def read_microseconds() -> int:
    return time.time_ns() // 1000


def count_microseconds(clock: Callable[[], datetime]) -> Callable[[], int]:
    return lambda: round(clock().timestamp() * SECOND)


class Operation(IntEnum):
    """An operation on counters: `TAKE` counts a request in rate and quota, `PEEK` counts nothing and reads what is
    left, `REFUND` gives a failed request back to the quota."""

    TAKE = 0
    PEEK = 1
    REFUND = 2


class Outcome(IntEnum):
    """The result of a `TAKE`: passed, or refused by which limit. Other operations always pass. A refusal changes no
    count."""

    PASSED = 0
    RATE_SPENT = 1
    QUOTA_SPENT = 2


class LimitState(Struct, frozen=True, kw_only=True, gc=False):
    """The counts after an operation. `now`: microseconds since 1970. `load`: that of the key's bucket. `used`: the
    requests billed to the client in `month`, also if it has no quota."""

    outcome: Outcome
    now: int
    load: int
    month: int
    used: int


class LimitStoreError(Exception):
    """The store can't count now; the message says why."""


class LimitStore(Protocol):
    async def apply(self, allowance: Allowance, operation: Operation, *, month: int = 0) -> LimitState:
        """Apply an operation atomically, also beside other processes. Raises LimitStoreError.

        `month`: the month of the `TAKE` that a `REFUND` undoes; one of another month is not refunded.
        An implementation must not block the event loop.
        """

    async def close(self) -> None:
        """Release the store. Nothing may be counted after this."""


# A name of an enumeration costs as much as the rule itself.
_TAKE, _REFUND, _PASSED = Operation.TAKE, Operation.REFUND, Outcome.PASSED


def decide(
    allowance: Allowance, operation: Operation, *, load: int, used: int, now: int, month: int, refunded: int = 0
) -> LimitState:
    """Return a key's counts after an operation. `load`: that of its bucket at `now`. `used`: the client's requests in
    `month`, the current one. `refunded`: the month of the request that a `REFUND` gives back."""
    outcome = _PASSED
    if operation is _TAKE:
        if not has_room(load, allowance.per_minute):
            outcome = Outcome.RATE_SPENT
        elif allowance.per_month is not None and used >= allowance.per_month:
            outcome = Outcome.QUOTA_SPENT
        else:
            load, used = load + MINUTE, used + 1
    elif operation is _REFUND and refunded == month:
        used = max(0, used - 1)
    return LimitState(outcome=outcome, now=now, load=load, month=month, used=used)


# The fields that differ between responses, written by one template: one by one they take three times as long.
_MOVING = (
    b"%bx-ratelimit-remaining: %d\r\nx-ratelimit-reset: %d\r\nratelimit-remaining: %d\r\nratelimit-reset: %d\r\n"
    b'ratelimit: "minute";r=%d;t=%d'
)
_PER_MINUTE = _MOVING + b"\r\n"
_PER_MONTH = _MOVING + b', "month";r=%d;t=%d\r\nx-quota-remaining: %d\r\nx-quota-reset: %d\r\n'

FIELDS = (
    "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
    "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy", "RateLimit",
    "X-Quota-Limit", "X-Quota-Remaining", "X-Quota-Reset",
)  # fmt: skip


def encode_fields(allowance: Allowance, reading: LimitState) -> bytes:
    """Return the rate-limit headers of a response to a known key, as lines, for the counts in `reading`.

    A reset is when the whole allowance is left again, if no request comes before. `RateLimit` and its policy follow
    draft-ietf-httpapi-ratelimit-headers-10.
    """
    limit, per_month = allowance.per_minute, allowance.per_month
    left, wait = count_left(reading.load, limit), wait_for_all(reading.load, limit)
    seconds, reset = -(-wait // SECOND), -(-(reading.now + wait) // SECOND)
    if per_month is None:
        return _PER_MINUTE % (_encode_fixed(limit, per_month), left, reset, left, seconds, left, seconds)
    ends = _find_end(reading.month)
    unused = max(0, per_month - reading.used)
    until = -(-(ends * SECOND - reading.now) // SECOND)
    return _PER_MONTH % (
        _encode_fixed(limit, per_month), left, reset, left, seconds, left, seconds, unused, until, unused, ends,
    )  # fmt: skip


def find_wait(allowance: Allowance, reading: LimitState) -> int:
    """Return `Retry-After` of a refused request: whole seconds, at least 1, and enough for rate and quota both."""
    wait = wait_for_room(reading.load, allowance.per_minute)
    if allowance.per_month is not None and reading.used >= allowance.per_month:
        wait = max(wait, _find_end(reading.month) * SECOND - reading.now)
    return max(1, -(-wait // SECOND))


@lru_cache(maxsize=1024)
def _encode_fixed(per_minute: int, per_month: int | None) -> bytes:
    """Encode the lines that are the same in each response to a key."""
    policy = b'"minute";q=%d;w=60' % per_minute
    quota = b""
    if per_month is not None:
        policy = b'%b, "month";q=%d' % (policy, per_month)
        quota = b"x-quota-limit: %d\r\n" % per_month
    fixed = b"x-ratelimit-limit: %d\r\nratelimit-limit: %d\r\nratelimit-policy: %b\r\n%b"
    return fixed % (per_minute, per_minute, policy, quota)


@lru_cache(maxsize=4)
def _find_end(month: int) -> int:
    """Return when the month ends, in Unix seconds."""
    return find_beginning(month + 1) // SECOND


class LimitDecision(Struct, frozen=True, kw_only=True, gc=False):
    """The result of counting one request. `reading` is None if the store could not count it: then the request
    passes."""

    allowance: Allowance
    reading: LimitState | None

    @property
    def has_passed(self) -> bool:
        return self.reading is None or self.reading.outcome is _PASSED

    def encode_fields(self) -> bytes:
        """Return the header fields, as lines. They show a full allowance if nothing could be counted."""
        if self.reading is not None:
            return encode_fields(self.allowance, self.reading)
        now = read_microseconds()
        fresh = LimitState(outcome=_PASSED, now=now, load=0, month=find_month(now), used=0)
        return encode_fields(self.allowance, fresh)

    def make_refusal(self) -> ApiError:
        assert self.reading is not None
        wait = find_wait(self.allowance, self.reading)
        return rate_limited(wait) if self.reading.outcome is Outcome.RATE_SPENT else quota_exceeded(wait)


class RateLimiter(Struct):
    """Counts requests. If the store of counters fails, requests pass uncounted, and the log and a metric say so."""

    limits: LimitStore
    counts: "Counts"
    is_down: bool = False

    def take(self, principal: Principal) -> Awaitable[LimitDecision]:
        """Count a request in its key's rate and its client's quota, and return whether it passes."""
        return self._count(principal.allowance, Operation.TAKE)

    async def show(self, principal: Principal) -> LimitDecision:
        return await self._count(principal.allowance, Operation.PEEK)

    async def refund(self, taken: LimitDecision) -> LimitDecision:
        """Give a request back to the quota, unless it was never counted, and return the new counts."""
        if taken.reading is None:
            return taken
        return await self._count(taken.allowance, Operation.REFUND, month=taken.reading.month)

    async def _count(self, allowance: Allowance, operation: Operation, *, month: int = 0) -> LimitDecision:
        try:
            reading = await self.limits.apply(allowance, operation, month=month)
        except LimitStoreError as error:
            self.counts.uncounted.inc()
            if not self.is_down:
                log.error("limits_down", reason=str(error))
            self.is_down = True
            return LimitDecision(allowance=allowance, reading=None)
        if self.is_down:
            log.info("limits_back")
            self.is_down = False
        return LimitDecision(allowance=allowance, reading=reading)


# The setting `rate_storage` for the counters of one machine.
LOCAL = "local"
_FILE_NAME = "limits"
_LAYOUT = 1
# The most slots, of keys and clients together.
SLOTS = 2**20

_MAGIC = b"outings limits\0\0"
_HEAD = struct.Struct("<16sQQ")
_HEAD_BYTES = 4096
_SLOT_BYTES = 16
_FILE_BYTES = _HEAD_BYTES + SLOTS * _SLOT_BYTES

# The lock is tried this often at once, and then after pauses in which the event loop does other things.
_TRIES = 32
_PAUSE_SECONDS = 0.0002
_PATIENCE_SECONDS = 0.25


class TableError(Exception):
    """The file of counters can't be used; the message names it and says why."""


class MappedLimitStore:
    """A store of counters in the file at `path`, created if missing (TableError), or in this process's memory if None.

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
        byte, until = _HEAD_BYTES + allowance.client * _SLOT_BYTES, None
        while not self._try_lock(byte):
            until = until or time.monotonic() + _PATIENCE_SECONDS
            if time.monotonic() > until:
                raise LimitStoreError(
                    f"the slot of client {allowance.client} is held by another process since {_PATIENCE_SECONDS} s"
                )
            await asyncio.sleep(_PAUSE_SECONDS)
        # Nothing is awaited here: this process's own operations are not kept apart by its locks.
        try:
            return self._apply(allowance, operation, month)
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)

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
            # In this order, a kill in between leaves a bucket too full, or a month without its first count.
            numbers[key], numbers[key + 1] = now, after.load
            numbers[client], numbers[client + 1] = after.used, after.month
        elif operation is _REFUND and numbers[client + 1] == self._month:
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
    if magic == _MAGIC and (layout, slots, size) == (_LAYOUT, SLOTS, _FILE_BYTES):
        return file
    os.close(file)
    fault = "is not a file of counters" if magic != _MAGIC else f"has layout {layout}, {slots} slots and {size} bytes"
    wanted = f"layout {_LAYOUT}, {SLOTS} slots and {_FILE_BYTES} bytes"
    raise TableError(f"{path}: {fault}; this program reads {wanted}: move the file away to count from zero")


def _make_table(path: Path) -> None:
    """Create the file of counters atomically. If another process creates it first, keep that one."""
    made = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    file = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(file, 0, _FILE_BYTES)  # a disk that is full says so here, not when a page is touched
        os.pwrite(file, _HEAD.pack(_MAGIC, _LAYOUT, SLOTS), 0)
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
        return MappedLimitStore(state / _FILE_NAME)
    from edge.limits.redis_store import RedisLimitStore

    return RedisLimitStore(rate_storage)
