"""Leases on paper: points far from the edge take requests ahead and count them by themselves for some seconds, over the
program's own counter. No code of the program does this.

A lease is a tenth of a minute's limit, for 8 s from when it was requested. What is unused is given back to the quota,
not to the rate: a tenth of a limit leaks away in 6 s. The rate is then exceeded by 13 % of a minute's limit at most,
the quota never, and a revoked key works for 10 s at most. Build it when the round trip is most of what distant readers
wait for.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

from edge.limits.limiter import Allowance, LimitState, MappedLimitStore, Operation, Outcome

SECOND = 1_000_000
# A point that far away asks once for this share of a minute's limit.
SHARE = 10
# A revocation is known to the edge 2 s later at most, and readers are told: within 10 s.
POLL = 2 * SECOND
LEASE = 8 * SECOND
# 2026-08-31T23:59:00Z: a minute before a month ends.
BEGIN = 1_788_220_740 * SECOND


@dataclass(frozen=True)
class LeaseRequest:
    """`sent`: when the point asked, by its clock. `life`: which of the point's lives; a crash begins the next."""

    point: int
    life: int
    sent: int


@dataclass(frozen=True)
class Lease:
    """`count` requests that were taken ahead in these months, one number each."""

    point: int
    life: int
    sent: int
    months: tuple[int, ...]


@dataclass(frozen=True)
class Return:
    """Requests that a point took and did not answer."""

    months: tuple[int, ...]


Message = LeaseRequest | Lease | Return


@dataclass
class Point:
    """A point of presence: what is left of its lease and until when, and how many readers wait while it requests a new
    one."""

    life: int = 0
    months: tuple[int, ...] = ()
    until: int = 0
    waiting: int = 0
    is_asking: bool = False


@dataclass
class World:
    """One key, its edge, points, and messages that may be late, lost or out of order. `answered`: when requests were
    answered. A step is a word, a number and microseconds; `live` takes them as they were drawn."""

    per_minute: int
    per_month: int
    points: list[Point]
    now: int = BEGIN
    messages: list[Message] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)
    refused: int = 0
    revoked: int | None = None

    def __post_init__(self) -> None:
        self._store = MappedLimitStore(clock=lambda: self.now)
        self._runner = asyncio.Runner()
        self._allowance = Allowance(key=1, client=2, per_minute=self.per_minute, per_month=self.per_month)

    def close(self) -> None:
        self._runner.run(self._store.close())
        self._runner.close()

    def live(self, word: str, number: int, pause: int) -> None:
        self.now += pause
        if word == "ask":
            self.ask(number % len(self.points))
        elif word == "burst":
            for _ in range(self.per_minute):
                self.ask(number % len(self.points))
        elif word == "end":
            self.end(self.points[number % len(self.points)])
        elif word == "crash":
            crashed = self.points[number % len(self.points)]
            self.points[number % len(self.points)] = Point(life=crashed.life + 1)
        elif word == "revoke":
            self.revoked = self.now if self.revoked is None else self.revoked
        elif self.messages:
            message = self.messages.pop(number % len(self.messages))
            if word == "deliver":
                self.deliver(message)

    def ask(self, index: int) -> None:
        """A reader at a point: answered from its lease, or waiting for the next one."""
        point = self.points[index]
        if self.now >= point.until:
            self.end(point)
        if point.months:
            point.months = point.months[1:]
            self.answered.append(self.now)
            return
        point.waiting += 1
        if not point.is_asking:
            point.is_asking = True
            self.messages.append(LeaseRequest(index, point.life, self.now))

    def end(self, point: Point) -> None:
        """The point stops first, then says what it did not use."""
        unused, point.months, point.until = point.months, (), 0
        if unused:
            self.messages.append(Return(unused))

    def deliver(self, message: Message) -> None:
        if isinstance(message, LeaseRequest):
            self.messages.append(Lease(message.point, message.life, message.sent, tuple(self.grant())))
        elif isinstance(message, Return):
            for month in message.months:
                self.count(Operation.REFUND, month)
        else:
            self.begin(self.points[message.point], message)

    def grant(self) -> Iterator[int]:
        """A tenth of a minute's limit, or what is left of it."""
        if self.revoked is not None and self.now >= self.revoked + POLL:
            return
        for _ in range(-(-self.per_minute // SHARE)):
            reading = self.count(Operation.TAKE)
            if reading.outcome is not Outcome.PASSED:
                return
            yield reading.month

    def begin(self, point: Point, lease: Lease) -> None:
        """Begin a lease. It counts from when it was requested, which is earlier than when the edge granted it."""
        if point.life != lease.life:
            return
        point.is_asking = False
        point.months, point.until = lease.months, lease.sent + LEASE
        waiting, point.waiting = point.waiting, 0
        if self.now >= point.until:
            self.end(point)
        answered = min(waiting, len(point.months))
        point.months = point.months[answered:]
        self.answered += [self.now] * answered
        self.refused += waiting - answered

    def settle(self) -> None:
        """All leases end, and everything that is under way arrives."""
        while self.messages or any(point.months for point in self.points):
            for point in self.points:
                self.end(point)
            self.deliver_all()

    def deliver_all(self) -> None:
        while self.messages:
            self.deliver(self.messages.pop(0))

    def count(self, operation: Operation, month: int = 0) -> LimitState:
        return self._runner.run(self._store.apply(self._allowance, operation, month=month))

    def read_used(self) -> int:
        return self.count(Operation.PEEK).used
