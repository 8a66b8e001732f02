"""Fifth in the chain: every request of a key in force is counted, and told what is left."""

import structlog
from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.chain.keys import KeyRing
from edge.exchange import Exchange
from edge.holder import Holder
from edge.limits.counting import Act, Allowance, Limits, Outcome, Reading, UncountedError
from edge.limits.fields import Field, find_wait, list_fields
from edge.limits.mapped import read_microseconds
from edge.limits.months import find_month
from edge.usage.counts import Counter, Counts
from outings.contract.errors import ApiError, quota_exceeded, rate_limited

log = structlog.get_logger()

_PASSED = Outcome.PASSED


class Metered(Struct, frozen=True, kw_only=True):
    """What was counted of a holder's request; `reading` is None where nothing could be."""

    allowance: Allowance
    reading: Reading | None

    @property
    def has_passed(self) -> bool:
        return self.reading is None or self.reading.outcome is _PASSED

    def list_fields(self) -> tuple[Field, ...]:
        """Of an untouched allowance where nothing is known."""
        if self.reading is not None:
            return list_fields(self.allowance, self.reading)
        now = read_microseconds()
        fresh = Reading(outcome=Outcome.PASSED, now=now, load=0, month=find_month(now), used=0)
        return list_fields(self.allowance, fresh)

    def make_refusal(self) -> ApiError:
        assert self.reading is not None
        wait = find_wait(self.allowance, self.reading)
        return rate_limited(wait) if self.reading.outcome is Outcome.RATE_SPENT else quota_exceeded(wait)


class Metering:
    """Where the store of the counters is out of reach, reads go on; the log and a metric say so."""

    def __init__(self, limits: Limits, *, counts: Counts) -> None:
        self._limits = limits
        self._counts = counts
        self._is_down = False

    async def take(self, holder: Holder) -> Metered:
        return await self._count(make_allowance(holder), Act.TAKE)

    def take_now(self, holder: Holder) -> Metered | None:
        """`take` without an event loop's help; None, and nothing is counted, where that can't be."""
        if not self._limits.is_local:
            return None
        taking = self.take(holder)
        try:
            taking.send(None)
        except StopIteration as done:
            taken: Metered = done.value
            return taken
        taking.close()
        return None

    async def show(self, holder: Holder) -> Metered:
        return await self._count(make_allowance(holder), Act.SHOW)

    async def refund(self, taken: Metered) -> Metered:
        """What was not counted is not given back."""
        if taken.reading is None:
            return taken
        return await self._count(taken.allowance, Act.REFUND, month=taken.reading.month)

    async def _count(self, allowance: Allowance, act: Act, *, month: int = 0) -> Metered:
        try:
            reading = await self._limits.count(allowance, act, month=month)
        except UncountedError as error:
            self._counts.add(Counter.UNCOUNTED)
            if not self._is_down:
                log.error("limits_down", reason=str(error))
            self._is_down = True
            return Metered(allowance=allowance, reading=None)
        if self._is_down:
            log.info("limits_back")
            self._is_down = False
        return Metered(allowance=allowance, reading=reading)


def make_allowance(holder: Holder) -> Allowance:
    return Allowance(
        key=holder.slots.key, client=holder.slots.client, per_minute=holder.per_minute, per_month=holder.per_month
    )


class Charge:
    """429 to whoever has spent the rate or the quota. A success and a 304 are billed, no other answer."""

    def __init__(self, app: ASGIApp, *, metering: Metering) -> None:
        self._app = app
        self._metering = metering

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange: Exchange = scope["exchange"]
        assert exchange.holder is not None
        taken = await self._metering.take(exchange.holder)
        exchange.limits = taken.list_fields()
        if not taken.has_passed:
            raise taken.make_refusal()
        try:
            await self._app(scope, receive, send)
        except Exception:
            # Billed before, so that no two take the last one; what fails is given back.
            exchange.limits = (await self._metering.refund(taken)).list_fields()
            raise


class Mention:
    """Tells a known key what it has left, uncounted, where its request failed before it was counted."""

    def __init__(self, app: ASGIApp, *, ring: KeyRing, metering: Metering) -> None:
        self._app = app
        self._ring = ring
        self._metering = metering

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except Exception:
            exchange: Exchange = scope["exchange"]
            holder = self._find_uncounted(exchange)
            if holder is not None:
                exchange.limits = (await self._metering.show(holder)).list_fields()
            raise

    def _find_uncounted(self, exchange: Exchange) -> Holder | None:
        if exchange.holder is not None or len(exchange.key_texts) != 1 or exchange.method == "OPTIONS":
            return None
        return self._ring.find_active(exchange.key_texts[0])
