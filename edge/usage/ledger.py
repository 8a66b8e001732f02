"""The ledger: how often each key requested which route on which day, in one SQLite file that a machine's workers
share."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path

import structlog
from msgspec import Struct

log = structlog.get_logger()

NAME = "usage.sqlite"
LAYOUT = 1
# Another worker's batch takes milliseconds; a disk that hangs may take longer.
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
    """What is counted by itself. `route` is a route's name, `key` an id."""

    day: date
    client: str
    key: str
    route: str


class UsageCounts(Struct):
    """`billed`: successes and 304; `refused`: all else. `bytes`: of bodies as they were sent."""

    billed: int = 0
    refused: int = 0
    bytes: int = 0


class DailyUsage(Struct, frozen=True, kw_only=True):
    """A row of the ledger; `day` is in UTC."""

    day: date
    client: str
    key: str
    route: str
    billed: int
    refused: int
    bytes: int


class TotalUsage(Struct, frozen=True):
    """A key's, over all days."""

    client: str
    key: str
    route: str
    billed: int
    refused: int
    bytes: int


class Ledger:
    """`totals` are the days' sums, kept beside them: a scrape reads as many rows as keys have asked for routes.

    A batch is added whole or not at all, and is on the disk when `add` returns. OSError where the file can't be used.
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
        rows = [
            (each.day.isoformat(), each.client, each.key, each.route, tally.billed, tally.refused, tally.bytes)
            for each, tally in tallies.items()
        ]
        with self._connect() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(_ADD_DAY, rows)
            connection.executemany(_ADD_TOTAL, [row[1:] for row in rows])
            connection.execute("COMMIT")

    def read_days(self, *, first: date, last: date) -> Sequence[DailyUsage]:
        """In the order of day, client, key and route."""
        query = "SELECT * FROM days WHERE day BETWEEN ? AND ? ORDER BY day, client, key, route"
        with self._connect() as connection:
            rows = connection.execute(query, (first.isoformat(), last.isoformat())).fetchall()
        names = DailyUsage.__struct_fields__[1:]
        return [DailyUsage(day=date.fromisoformat(day), **dict(zip(names, rest, strict=True))) for day, *rest in rows]

    def read_totals(self) -> Sequence[TotalUsage]:
        """Since the ledger began, in the order of client, key and route."""
        with self._connect() as connection:
            rows = connection.execute("SELECT * FROM totals ORDER BY client, key, route").fetchall()
        return [TotalUsage(*row) for row in rows]

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """A connection for one act: no thread keeps one that another might use, and none is open across a fork."""
        try:
            with closing(sqlite3.connect(self._path, timeout=PATIENCE_SECONDS, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = FULL")
                yield connection
        except sqlite3.Error as error:
            raise OSError(f"{self._path}: {error}") from error


def open_ledger(folder: Path, *, is_required: bool) -> Ledger | None:
    """None where the folder can't be used and need not be: an edge whose counters are elsewhere may have no disk.
    OSError where it must."""
    try:
        return Ledger(folder)
    except OSError as error:
        if is_required:
            raise
        log.warning("usage_not_kept", reason=str(error))
        return None
