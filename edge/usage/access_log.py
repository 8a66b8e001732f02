"""The access log: one JSON line for each request, written outside the event loop."""

import os
import stat
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import msgspec
import structlog
from msgspec import Struct

from edge.principal import Principal
from outings.contract.routes import Route

log = structlog.get_logger()

# Lines that wait while whoever reads the log does not; more are dropped, and a line of the log says how many.
MOST_WAITING = 100_000
# A write of at most this stays whole in a pipe, however many workers write to it (PIPE_BUF).
WHOLE_BYTES = 4_096
_LINES_AT_A_TIME = 128


class RequestRecord(Struct, frozen=True, gc=False):
    """A request that was answered, in `seconds`. `size` is of the body; `principal` is None without a key.

    It has no path and no query: these name people's homes.
    """

    at: datetime
    seconds: float
    principal: Principal | None
    route: Route | None
    method: str
    status: int
    size: int
    request_id: bytes
    release: bytes | None


def render_line(record: RequestRecord) -> bytes:
    """Return a line of the log. `route` is a path as the contract has it, `key` an id."""
    members = {
        "event": "request",
        "request_id": record.request_id.decode(),
        "key": None if record.principal is None else record.principal.key.id,
        "method": record.method,
        "route": None if record.route is None else record.route.path,
        "status": record.status,
        "bytes": record.size,
        "milliseconds": round(record.seconds * 1000, 3),
        "release": None if record.release is None else record.release.decode(),
        "level": "info",
        "timestamp": record.at,
    }
    return msgspec.json.encode(members)


class AccessLog:
    """Writes whole lines to an open file, by a thread of its own: a reader who does not read holds up nothing else."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._most_bytes = sys.maxsize if stat.S_ISREG(os.fstat(file).st_mode) else WHOLE_BYTES
        self._waiting: deque[RequestRecord] = deque()
        self._dropped = self._reported = 0
        self._changed = threading.Event()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="access-log", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, records: Sequence[RequestRecord]) -> None:
        """Add lines, but not those that would make more than `MOST_WAITING` wait. For one thread at a time."""
        kept = records[: max(0, MOST_WAITING - len(self._waiting))]
        self._dropped += len(records) - len(kept)
        self._waiting.extend(kept)
        self._changed.set()

    def close(self) -> None:
        """Return when all lines are written, or after some seconds if nobody reads them."""
        self._is_closed = True
        self._changed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def _run(self) -> None:
        while not self._is_closed or self._waiting:
            self._changed.wait()
            self._changed.clear()
            self.write_waiting()

    def write_waiting(self) -> None:
        """Write the lines: for the thread, or for a caller that has started none. Blocks while nobody reads the log."""
        while self._waiting:
            records = [self._waiting.popleft() for _ in range(min(len(self._waiting), _LINES_AT_A_TIME))]
            try:
                for text in join_lines(map(render_line, records), most_bytes=self._most_bytes):
                    rest = memoryview(text)
                    while rest:
                        rest = rest[os.write(self._file, rest) :]
            except OSError as error:
                log.warning("access_lines_not_written", lines=len(records), reason=str(error))
            # Said by this thread: the log's other lines go where these go, and may wait for the same reader.
            dropped, self._reported = self._dropped - self._reported, self._dropped
            if dropped:
                log.warning("access_lines_dropped", lines=dropped)


def join_lines(lines: Iterable[bytes], *, most_bytes: int) -> Iterator[bytes]:
    """Yield texts of whole lines, each as long as `most_bytes` allows; a longer line is a text of its own."""
    text = b""
    for line in lines:
        if text and len(text) + len(line) + 1 > most_bytes:
            yield text
            text = b""
        text += line + b"\n"
    if text:
        yield text
