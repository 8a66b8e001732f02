"""Record requests in threads: as counts in a ledger, and as lines of the access log."""

import os
import sqlite3
import stat
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import astuple

from outings.contract.routes import Route
from outings.keys.registry import Key

log = structlog.get_logger()

# The most lines that wait for a slow reader of the log. More are dropped, and a line of the log says how many.
MOST_WAITING = 100_000
# A write of at most this is not divided in a pipe, however many workers write to it (PIPE_BUF).
WHOLE_BYTES = 4_096
_LINES_AT_A_TIME = 128


class RequestRecord(Struct, frozen=True, gc=False):
    """An answered request. `seconds`: the time it took. `size`: its body's bytes. `key`: None without an active key.

    Path and query are not recorded, because they contain people's home addresses.
    """

    at: datetime
    seconds: float
    key: Key | None
    route: Route | None
    method: str
    status: int
    size: int
    request_id: bytes
    release: bytes | None


def render_line(record: RequestRecord) -> bytes:
    """Render a record as a line of the access log. `route` is the path in the contract, `key` an id."""
    members = {
        "event": "request",
        "request_id": record.request_id.decode(),
        "key": None if record.key is None else record.key.id,
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
    """Writes lines to an open file in its own thread, so that a slow reader of the file delays nothing else."""

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
        """Queue records, but drop those beyond `MOST_WAITING`. Only one thread may call this at a time."""
        kept = records[: max(0, MOST_WAITING - len(self._waiting))]
        self._dropped += len(records) - len(kept)
        self._waiting.extend(kept)
        self._changed.set()

    def close(self) -> None:
        """Wait until all lines are written, or some seconds if nobody reads them."""
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
        """Write the queued lines. Called by the thread, or by a caller without one. Blocks while nobody reads the
        log."""
        while self._waiting:
            records = [self._waiting.popleft() for _ in range(min(len(self._waiting), _LINES_AT_A_TIME))]
            try:
                for text in join_lines(map(render_line, records), most_bytes=self._most_bytes):
                    rest = memoryview(text)
                    while rest:
                        rest = rest[os.write(self._file, rest) :]
            except OSError as error:
                log.warning("access_lines_not_written", lines=len(records), reason=str(error))
            # By this thread, because the log's other lines may wait for the same reader.
            dropped, self._reported = self._dropped - self._reported, self._dropped
            if dropped:
                log.warning("access_lines_dropped", lines=dropped)


def join_lines(lines: Iterable[bytes], *, most_bytes: int) -> Iterator[bytes]:
    """Join lines into texts of at most `most_bytes`. A longer line is a text of its own."""
    text = b""
    for line in lines:
        if text and len(text) + len(line) + 1 > most_bytes:
            yield text
            text = b""
        text += line + b"\n"
    if text:
        yield text


NAME = "usage.sqlite"
LAYOUT = 1
# How long to wait for other workers' writes, which take milliseconds unless the disk hangs.
PATIENCE_SECONDS = 10.0

_SCHEMA = """
CREATE TABLE IF NOT EXISTS days (
    day TEXT, client TEXT, key TEXT, route TEXT,
    billed INTEGER NOT NULL, refused INTEGER NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (day, client, key, route)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS totals (
    client TEXT, key TEXT, route TEXT,
    billed INTEGER NOT NULL, refused INTEGER NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (client, key, route)
) WITHOUT ROWID;
"""
_ADD = """ON CONFLICT DO UPDATE SET
    billed = billed + excluded.billed, refused = refused + excluded.refused, bytes = bytes + excluded.bytes"""
_ADD_DAY = f"INSERT INTO days VALUES (?, ?, ?, ?, ?, ?, ?) {_ADD}"
_ADD_TOTAL = f"INSERT INTO totals VALUES (?, ?, ?, ?, ?, ?) {_ADD}"


class UsageKey(Struct, frozen=True):
    """The combination that requests are counted by. `route` is a route's name, `key` an id."""

    day: date
    client: str
    key: str
    route: str


class UsageCounts(Struct):
    """Counts of requests. `billed`: successes and 304; `refused`: all others. `bytes`: bodies as sent."""

    billed: int = 0
    refused: int = 0
    bytes: int = 0


class UsageRow(Struct, frozen=True, kw_only=True):
    """A row of the ledger. `day` is in UTC, and None in totals."""

    day: date | None = None
    client: str
    key: str
    route: str
    billed: int
    refused: int
    bytes: int


class Ledger:
    """Counts of requests by day, in SQLite. `totals` over all days are stored too, so a scrape reads one row for each
    key and route.

    A batch is added whole or not at all, and is on the disk when `add` returns. Raises OSError if the file can't be
    used.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        folder.mkdir(parents=True, exist_ok=True)
        with self._connect() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            (layout,) = connection.execute("PRAGMA user_version").fetchone()
            if layout not in (0, LAYOUT):
                raise OSError(f"{self._path}: its layout is {layout}; this program reads {LAYOUT}")
            connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {LAYOUT}; COMMIT;")

    def add(self, tallies: Mapping[UsageKey, UsageCounts]) -> None:
        """Add counts to those in the ledger."""
        rows = [(usage.day.isoformat(), *astuple(usage)[1:], *astuple(tally)) for usage, tally in tallies.items()]
        with self._connect() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(_ADD_DAY, rows)
            connection.executemany(_ADD_TOTAL, [row[1:] for row in rows])
            connection.execute("COMMIT")

    def read_days(self, *, first: date, last: date) -> Sequence[UsageRow]:
        """Return the rows of these days, ordered by day, client, key and route."""
        query = "SELECT * FROM days WHERE day BETWEEN ? AND ? ORDER BY day, client, key, route"
        with self._connect() as connection:
            rows = connection.execute(query, (first.isoformat(), last.isoformat())).fetchall()
        return [_read_row(row, day=date.fromisoformat(day)) for day, *row in rows]

    def read_totals(self) -> Sequence[UsageRow]:
        """Return the sums since the ledger began, ordered by client, key and route."""
        with self._connect() as connection:
            rows = connection.execute("SELECT * FROM totals ORDER BY client, key, route").fetchall()
        return [_read_row(row) for row in rows]

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection for one operation, so that none is shared between threads or open across a fork."""
        try:
            with closing(sqlite3.connect(self._path, timeout=PATIENCE_SECONDS, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = FULL")
                yield connection
        except sqlite3.Error as error:
            raise OSError(f"{self._path}: {error}") from error


def _read_row(row: Sequence[Any], *, day: date | None = None) -> UsageRow:
    return UsageRow(day=day, **dict(zip(UsageRow.__struct_fields__[1:], row, strict=True)))


def open_ledger(folder: Path, *, is_required: bool) -> Ledger | None:
    """Open the ledger in `folder`. If that can't be used, raise OSError if the ledger `is_required`; else log it and
    return None, since an edge with its counters elsewhere may have no disk."""
    try:
        return Ledger(folder)
    except OSError as error:
        if is_required:
            raise
        log.warning("usage_not_kept", reason=str(error))
        return None


# The pause between two writes. A killed worker loses at most the counts of this time and of the running write.
FLUSH_SECONDS = 1.0


class UsageRecorder:
    """Records requests by `record`. One thread writes counts, another one lines. Without a `ledger` nothing is counted,
    without an `access_log` no line is written. `shows_keys`: `/metrics`, which anyone may read, has counts by key."""

    def __init__(
        self, *, ledger: Ledger | None = None, access_log: AccessLog | None = None, shows_keys: bool = False
    ) -> None:
        self.ledger = ledger
        self.shows_keys = shows_keys
        self._records: deque[RequestRecord] = deque(maxlen=None if ledger or access_log else 0)
        self.record = self._records.append  # called on the event loop, so it only appends
        self._uncounted: dict[UsageKey, UsageCounts] = {}
        self._access_log = access_log
        self._flushing = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="usage", daemon=True)

    def start(self) -> None:
        self._thread.start()
        if self._access_log is not None:
            self._access_log.start()

    def close(self) -> None:
        """Write everything that was recorded to the ledger and the log, and stop the threads."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        self.flush()
        if self._access_log is not None:
            self._access_log.close()

    def write(self) -> None:
        """Write everything that was recorded to the ledger and the log: for a caller that has started no threads."""
        self.flush()
        if self._access_log is not None:
            self._access_log.write_waiting()

    def flush(self) -> None:
        """Write the counts to the ledger. If that fails, keep them for the next time. Blocks, so do not call it on the
        event loop."""
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
    """Add the requests with a known key to the counts. Successes and 304 are billed."""
    for record in records:
        if record.key is None:
            continue
        route = "none" if record.route is None else record.route.name
        tally = into.setdefault(UsageKey(record.at.date(), record.key.client, record.key.id, route), UsageCounts())
        if record.status < 300 or record.status == 304:
            tally.billed += 1
        else:
            tally.refused += 1
        tally.bytes += record.size
