"""The access log: one JSON line for each request, written outside the event loop."""

import os
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import msgspec
import structlog
from msgspec import Struct

from edge.principal import Principal
from outings.contract.route import Route

log = structlog.get_logger()

# Lines that wait while whoever reads the log does not; more are dropped, and a line of the log says how many.
MOST_WAITING = 100_000
# A write of at most this stays whole in a pipe, however many workers write to it (PIPE_BUF).
WHOLE_BYTES = 4_096
# Of one write to a file.
BATCH_BYTES = 262_144

_encoder = msgspec.json.Encoder()


class RequestRecord(Struct, frozen=True, gc=False):
    """A request that was answered, in `seconds`. `size`: bytes of the body sent. `principal`: None without a key.

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


class AccessLogLine(Struct, frozen=True, kw_only=True, gc=False):
    """Of the log, its members in this order. `route` is a path as the contract has it, `key` an id."""

    event: str = "request"
    request_id: str
    key: str | None
    method: str
    route: str | None
    status: int
    bytes: int
    milliseconds: float
    release: str | None
    level: str = "info"
    timestamp: datetime


def render_line(record: RequestRecord) -> AccessLogLine:
    return AccessLogLine(
        request_id=record.request_id.decode(),
        key=None if record.principal is None else record.principal.key.id,
        method=record.method,
        route=None if record.route is None else record.route.path,
        status=record.status,
        bytes=record.size,
        milliseconds=round(record.seconds * 1000, 3),
        release=None if record.release is None else record.release.decode(),
        timestamp=record.at,
    )


class AccessLog:
    """Writes whole lines to an open file, by a thread of its own: a reader who does not read holds up nothing else."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._most_bytes = BATCH_BYTES if stat.S_ISREG(os.fstat(file).st_mode) else WHOLE_BYTES
        self._batches: list[Sequence[RequestRecord]] = []
        self._waiting = self._dropped = 0
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="access-log", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, records: Sequence[RequestRecord]) -> None:
        """Leaves out what would make more than `MOST_WAITING` wait."""
        with self._changed:
            kept = records[: MOST_WAITING - self._waiting]
            self._dropped += len(records) - len(kept)
            if kept:
                self._batches.append(kept)
                self._waiting += len(kept)
                self._changed.notify()

    def close(self) -> None:
        """Returns when all lines are written, or after some seconds if nobody reads them."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._has_work)
                has_ended = not self._batches
            if has_ended:
                return
            self.write_waiting()

    def write_waiting(self) -> None:
        """For the thread, or for a caller that has started none. Blocks while nobody reads the log."""
        with self._changed:
            batches, self._batches = self._batches, []
        for batch in batches:
            try:
                self._write(batch)
            except OSError as error:
                log.warning("access_lines_not_written", lines=len(batch), reason=str(error))
            with self._changed:
                self._waiting -= len(batch)
                dropped, self._dropped = self._dropped, 0
            # Said by this thread: the log's other lines go where these go, and may wait for the same reader.
            if dropped:
                log.warning("access_lines_dropped", lines=dropped)

    def _has_work(self) -> bool:
        return self._is_closed or len(self._batches) > 0

    def _write(self, batch: Iterable[RequestRecord]) -> None:
        for text in join_lines(map(_encoder.encode, map(render_line, batch)), most_bytes=self._most_bytes):
            rest = memoryview(text)
            while rest:
                rest = rest[os.write(self._file, rest) :]


def join_lines(lines: Iterable[bytes], *, most_bytes: int) -> Iterator[bytes]:
    """Texts of whole lines, each as long as `most_bytes` allows; a longer line is a text of its own."""
    buffer: list[bytes] = []
    size = 0
    for line in lines:
        if buffer and size + len(line) + 1 > most_bytes:
            yield b"".join(buffer)
            buffer, size = [], 0
        buffer.append(line + b"\n")
        size += len(line) + 1
    if buffer:
        yield b"".join(buffer)
