"""Records requests in the ledger and the access log, outside the event loop."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime
from time import perf_counter

import structlog

from edge.principal import Principal
from edge.usage.access_log import AccessLog, RequestRecord
from edge.usage.ledger import Ledger, UsageCounts, UsageKey
from outings.contract.routes import Route

log = structlog.get_logger()

# What a killed worker loses of its counts at most: those of this long, and of the batch being written.
FLUSH_SECONDS = 1.0


class UsageRecorder:
    """`record` appends and no more; one thread writes counts, another lines. Without a `ledger` nothing is counted,
    without an `access_log` no line is written. `shows_keys`: `/metrics`, which anyone may ask, tells of each key.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], datetime],
        ledger: Ledger | None = None,
        access_log: AccessLog | None = None,
        shows_keys: bool = False,
    ) -> None:
        self.ledger = ledger
        self.shows_keys = shows_keys
        self._clock = clock
        self._is_recording = ledger is not None or access_log is not None
        self._records: deque[RequestRecord] = deque()
        self._uncounted: dict[UsageKey, UsageCounts] = {}
        self._access_log = access_log
        self._flushing = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="usage", daemon=True)

    def record(
        self,
        *,
        started: float,
        principal: Principal | None,
        route: Route | None,
        method: str,
        status: int,
        size: int,
        request_id: bytes,
        release: bytes | None,
    ) -> None:
        """For the event loop: a microsecond. `started` is `perf_counter()`'s, `size` the body's as it was sent."""
        if self._is_recording:
            seconds = perf_counter() - started
            self._records.append(
                RequestRecord(self._clock(), seconds, principal, route, method, status, size, request_id, release)
            )

    def start(self) -> None:
        self._thread.start()
        if self._access_log is not None:
            self._access_log.start()

    def close(self) -> None:
        """Whatever was recorded is in the ledger and in the log."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        self.flush()
        if self._access_log is not None:
            self._access_log.close()

    def write(self) -> None:
        """For a caller that has started no threads: when it returns, what was recorded is in the ledger and the log."""
        self.flush()
        if self._access_log is not None:
            self._access_log.write_waiting()

    def flush(self) -> None:
        """Writes what was counted. If the ledger cannot be written, the counts stay for the next time. Blocks, so do
        not call it on the event loop."""
        with self._flushing:
            records = [self._records.popleft() for _ in range(len(self._records))]
            if self._access_log is not None:
                self._access_log.put(records)
            if self.ledger is None:
                return
            count_requests(records, into=self._uncounted)
            if self._uncounted:
                try:
                    self.ledger.add(self._uncounted)
                except OSError as error:
                    log.warning("usage_not_written", reason=str(error), accounts=len(self._uncounted))
                else:
                    self._uncounted = {}

    def _run(self) -> None:
        while not self._stopping.wait(FLUSH_SECONDS):
            try:
                self.flush()
            except Exception:
                log.exception("usage_crashed")


def count_requests(records: Iterable[RequestRecord], *, into: dict[UsageKey, UsageCounts]) -> None:
    """Requests by a known key; successes and 304 are billed."""
    for each in records:
        if each.principal is None:
            continue
        key = each.principal.key
        account = UsageKey(each.at.date(), key.client, key.id, "none" if each.route is None else each.route.name)
        tally = into.get(account)
        if tally is None:
            tally = into[account] = UsageCounts()
        if each.status < 300 or each.status == 304:
            tally.billed += 1
        else:
            tally.refused += 1
        tally.bytes += each.size
