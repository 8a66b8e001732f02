"""A SQLite file of all that a key may read: update it from the API, and compare it with the API."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct

from command.mirror.client import ApiClient, ApiResponse, MirrorError
from outings.contract.vocabulary import COLLECTIONS
from outings.release.manifest import NO_ROWS, add_rows

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
    """A row of the file. `metro` is null for an organization; `document` is the JSON of its own page."""

    id: str
    type: str
    metro: str | None
    updated_at: str
    document: str


class Progress(Struct, frozen=True, kw_only=True):
    """The state of reading the feed of changes. `scope`: that of the key, None before the first page; `cursor`: the
    last version that is in the file."""

    url: str
    scope: str | None = None
    cursor: int = 0


class MirrorFile:
    """The SQLite file. Opening it raises sqlite3.Error if it is no mirror, or if another process has locked it."""

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
        """Write the records of `put`, delete those of `dropped` and store the progress, in one transaction."""
        with self._database:
            self._database.executemany("DELETE FROM records WHERE id = ?", ((row_id,) for row_id in dropped))
            self._database.executemany(
                "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)",
                ((record.id, record.type, record.metro, record.updated_at, record.document) for record in put),
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
        """Return each pair of metro and type for which the file has listings."""
        return self._database.execute("SELECT DISTINCT metro, type FROM records WHERE metro IS NOT NULL").fetchall()

    def read_rows(self, metro: str, listing_type: str) -> Iterator[tuple[str, str]]:
        """Yield the id and `updated_at` of each listing, without loading all of them into memory."""
        query = "SELECT id, updated_at FROM records WHERE metro = ? AND type = ?"
        yield from self._database.execute(query, (metro, listing_type))

    def _write(self, progress: Progress) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO progress VALUES (1, ?, ?, ?)", (progress.url, progress.scope, progress.cursor)
        )


_PAGE = 200
_IDS = 100
_ORGANIZATION = "organization"
# Members that depend on the day or on other records: they change without a change of the record.
_MOVING = {"event": ("occurrence",), _ORGANIZATION: ("categories", "metros", "counts")}

# Called after each page with the last version in the file and the latest version of the API.
Tell = Callable[[int, int], None]


class SyncResult(Struct, frozen=True, kw_only=True):
    """The result of catching up: the number of changes read, and the release whose changes are all in the file now."""

    changes: int
    release: str | None


def catch_up(client: ApiClient, file: MirrorFile, *, url: str, tell: Tell = lambda *_: None) -> SyncResult:
    """Apply changes until there are no more. Raises MirrorError if the server can't be reached, or is not the one that
    the file mirrors."""
    progress, changes = file.read_progress() or Progress(url=url), 0
    if progress.url != url:
        raise MirrorError(f"this file is a mirror of {progress.url}, not of {url}: give another file")
    while True:
        answer = client.ask("/v1/changes", cursor=progress.cursor, limit=_PAGE)
        meta = _check_page(answer, progress)["meta"]
        if progress.scope not in (None, meta["scope"]):
            # The key's scope changed: the file lacks changes that the key may see now.
            progress = Progress(url=url, scope=meta["scope"])
            file.clear(progress)
            continue
        page = answer.body["data"]
        progress = Progress(url=url, scope=meta["scope"], cursor=meta["next_cursor"])
        _apply_page(client, file, page, progress=progress)
        changes += len(page)
        tell(progress.cursor, meta["latest_version_id"])
        if not meta["has_more"]:
            return SyncResult(changes=changes, release=answer.release)


def _check_page(answer: ApiResponse, progress: Progress) -> Mapping[str, Any]:
    if answer.status == 200:
        body: Mapping[str, Any] = answer.body
        return body
    error = answer.body["error"]
    if error.get("details", {}).get("reason") == "cursor_ahead":
        raise MirrorError(
            f"version {progress.cursor} no longer exists there: the API has other releases. Start with a new file"
        )
    raise MirrorError(f"/v1/changes: {answer.status} {error['message']}")


def _apply_page(client: ApiClient, file: MirrorFile, page: Sequence[Any], *, progress: Progress) -> None:
    """Apply a page of changes to the file. Only the last change of a listing in a metro counts. A listing that moved to
    another metro is not deleted by its removal from the old one."""
    last = {(change["listing_id"], _name_home(change)): change for change in page}
    wanted = [change for change in last.values() if change["kind"] != "removed"]
    put = {record.id: record for record in _fetch(client, wanted)}
    missing = [change for change in last.values() if change["listing_id"] not in put]
    dropped = [
        change["listing_id"] for change in missing if file.find_metro(change["listing_id"]) == _name_home(change)
    ]
    file.apply(put=put.values(), dropped=dropped, progress=progress)


def _name_home(change: Mapping[str, Any]) -> str | None:
    """Return the metro of a change, or None for an organization, because all metros share its one record."""
    metro: str | None = change["metro"]
    return None if change["type"] == _ORGANIZATION else metro


def _fetch(client: ApiClient, changes: Sequence[Mapping[str, Any]]) -> Iterator[MirroredRecord]:
    """Fetch the current state of the changed listings that still exist."""
    by_list: defaultdict[str, list[str]] = defaultdict(list)
    for change in changes:
        if change["type"] == _ORGANIZATION:
            answer = client.ask(change["links"]["self"])
            if answer.status == 200:
                yield _make_record(answer.body["data"], metro=None)
        else:
            by_list[f"/v1/{change['metro']}/{COLLECTIONS[change['type']]}"].append(change["listing_id"])
    for path, ids in by_list.items():
        for at in range(0, len(ids), _IDS):
            answer = client.ask(path, ids=",".join(ids[at : at + _IDS]))
            if answer.status == 200:
                yield from (_make_record(item, metro=item["metro"]) for item in answer.body["data"])


def _make_record(item: dict[str, Any], *, metro: str | None) -> MirroredRecord:
    moving = _MOVING.get(item["type"], ())
    kept = {name: value for name, value in item.items() if name not in moving}
    return MirroredRecord(
        id=item["id"],
        type=item["type"],
        metro=metro,
        updated_at=item["updated_at"],
        document=orjson.dumps(kept).decode(),
    )


# Attempts to compare: a new release makes the comparison start again.
ATTEMPTS = 10


class Difference(Struct, frozen=True, kw_only=True):
    """A metro and type in which file and API differ, with the hashes of both. None: that side has no rows."""

    metro: str
    type: str
    here: str | None
    there: str | None


def check_mirror(client: ApiClient, file: MirrorFile, *, url: str) -> list[Difference]:
    """Catch up, and compare the file's listings with an export of the same release. Raises MirrorError."""
    for _ in range(ATTEMPTS):
        caught = catch_up(client, file, url=url)
        there = _read_hashes(client, release=caught.release)
        if there is not None:
            here = {kind: add_rows(NO_ROWS, file.read_rows(*kind)) for kind in file.list_kinds()}
            return [
                Difference(metro=kind[0], type=kind[1], here=here.get(kind), there=there.get(kind))
                for kind in sorted({*here, *there})
                if here.get(kind, NO_ROWS) != there.get(kind, NO_ROWS)
            ]
    raise MirrorError(f"{ATTEMPTS} releases were published while the mirror was compared; try again")


def _read_hashes(client: ApiClient, *, release: str | None) -> dict[tuple[str, str], str] | None:
    """Read the hash of the rows of each metro and type; None if the API has changed to another release meanwhile."""
    metros = client.ask("/v1/metros")
    hashes: dict[tuple[str, str], str] = {}
    for metro in metros.body["data"]:
        if not metro["accessible"]:
            continue
        answer = client.ask(f"/v1/{metro['slug']}/export", format="jsonl")
        if answer.status != 200 or answer.release != release:
            return None
        entries = [entry for entry in answer.body["data"] if entry["type"] in COLLECTIONS]
        hashes |= {(metro["slug"], entry["type"]): entry["rows_hash"] for entry in entries}
    return hashes
