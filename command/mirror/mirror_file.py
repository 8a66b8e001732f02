"""The mirror's SQLite file: a row for each record with its JSON, and the position in the feed, in one transaction."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, metro TEXT, updated_at TEXT NOT NULL, document TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS records_by_kind ON records (metro, type);
CREATE TABLE IF NOT EXISTS progress (
    one INTEGER PRIMARY KEY CHECK (one = 1), url TEXT NOT NULL, scope TEXT, cursor INTEGER NOT NULL
);
"""


class MirroredRecord(Struct, frozen=True, kw_only=True):
    """`metro` is null for an organization; `document` its JSON as its detail has it."""

    id: str
    type: str
    metro: str | None
    updated_at: str
    document: str


class Progress(Struct, frozen=True, kw_only=True):
    """`scope`: the key's, null before the first page; `cursor`: the last version that is in the file."""

    url: str
    scope: str | None = None
    cursor: int = 0


class MirrorFile:
    """sqlite3.Error where the file is none of ours, or held by another."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path)
        try:
            self._database.executescript(_SCHEMA)
        except sqlite3.Error:
            self._database.close()
            raise

    def close(self) -> None:
        self._database.close()

    def read_progress(self) -> Progress | None:
        row = self._database.execute("SELECT url, scope, cursor FROM progress").fetchone()
        return None if row is None else Progress(url=row[0], scope=row[1], cursor=row[2])

    def find_metro(self, row_id: str) -> str | None:
        row = self._database.execute("SELECT metro FROM records WHERE id = ?", (row_id,)).fetchone()
        return None if row is None else row[0]

    def apply(self, *, put: Iterable[MirroredRecord], dropped: Iterable[str], progress: Progress) -> None:
        """In one transaction."""
        with self._database:
            self._database.executemany("DELETE FROM records WHERE id = ?", ((row_id,) for row_id in dropped))
            self._database.executemany(
                "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)",
                ((each.id, each.type, each.metro, each.updated_at, each.document) for each in put),
            )
            self._write(progress)

    def clear(self, progress: Progress) -> None:
        with self._database:
            self._database.execute("DELETE FROM records")
            self._write(progress)

    def count(self) -> int:
        counted: int = self._database.execute("SELECT count(*) FROM records").fetchone()[0]
        return counted

    def list_kinds(self) -> list[tuple[str, str]]:
        """Every metro and type that there are listings of."""
        return self._database.execute("SELECT DISTINCT metro, type FROM records WHERE metro IS NOT NULL").fetchall()

    def walk_rows(self, metro: str, listing_type: str) -> Iterator[tuple[str, str]]:
        """Ids, each with its `updated_at`; never all in memory."""
        query = "SELECT id, updated_at FROM records WHERE metro = ? AND type = ?"
        yield from self._database.execute(query, (metro, listing_type))

    def _write(self, progress: Progress) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO progress VALUES (1, ?, ?, ?)", (progress.url, progress.scope, progress.cursor)
        )
