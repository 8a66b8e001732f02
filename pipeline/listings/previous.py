"""The release before, as a build needs it: what each row was, and where its document is."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import polars as pl

from outings.contract.vocabulary import TYPES
from outings.release.snapshot import Snapshot
from outings.release.tables import HAPPENINGS, TABLES
from pipeline.dates.occurrences import Occurrences
from pipeline.feeds.rpde.reading import find_item
from pipeline.listings.happenings import split_happenings
from pipeline.listings.rows import Row

ORGANIZATION = "organization"
# Columns that a build gives anew to every row.
_ASSIGNED = {"row", "pack", "offset", "length", "object", "hash", "created_at", "updated_at", "type", "kind"}


class Previous:
    """A metro's rows in an earlier release, by id and by the feed that gave them."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        self.snapshot = snapshot
        self._rows: dict[str, dict[str, Any]] = {}
        self._happenings: dict[str, dict[int, list[tuple[Any, ...]]]] = {}
        self._occurrences: dict[int, Occurrences] | None = None
        self._by_source: dict[tuple[str, str], list[str]] = defaultdict(list)
        if snapshot is None:
            return
        for name in ("listings", "organizations"):
            for row in pl.read_parquet(snapshot.tables[name]).iter_rows(named=True):
                row["kind"] = TYPES[row["type"]] if name == "listings" else ORGANIZATION
                self._rows[row["id"]] = row
                if row["source"]:
                    feed, _, rest = row["source"].partition("/")
                    self._by_source[feed, rest.partition("/")[2]].append(row["id"])

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def get(self, row_id: str) -> Mapping[str, Any] | None:
        return self._rows.get(row_id)

    def find_source(self, feed: str, source_id: str) -> list[str]:
        """Ids of the rows that this feed's record gave (of several types, rarely)."""
        return self._by_source.get((feed, source_id), [])

    def find_feed(self, feed: str, *, but: Collection[str] = ()) -> list[str]:
        """Ids of all rows that this feed gave, but for those of these items."""
        return [
            row_id
            for (name, source_id), ids in self._by_source.items()
            if name == feed and not (but and find_item(source_id) in but)
            for row_id in ids
        ]

    def find_items(self, feed: str, items: Collection[str]) -> list[str]:
        """Ids of all rows that these items of the feed gave, parts of them too."""
        others = set(self.find_feed(feed, but=items)) if items else None
        return [] if others is None else [row_id for row_id in self.find_feed(feed) if row_id not in others]

    def list_slugs(self, kind: str) -> dict[str, str]:
        """id → slug of this type's rows, archived ones too."""
        return {row_id: row["slug"] for row_id, row in self._rows.items() if row["kind"] == kind}

    def read_document(self, row_id: str) -> bytes:
        row = self._rows[row_id]
        assert self.snapshot is not None
        return self.snapshot.read_document(row["pack"], row["offset"], row["length"])

    def carry_row(self, row_id: str) -> Row:
        """The row as it stands there, to go into the next release unless the diff says otherwise."""
        old = self._rows[row_id]
        kind = old["kind"]
        return Row(
            kind=kind,
            columns={name: value for name, value in old.items() if name not in _ASSIGNED},
            document=self.read_document(row_id),
            hash=old["hash"],
            created_at=old["created_at"],
            happenings=() if kind == "event" else self._read_happenings(kind).get(old["row"], ()),
            occurrences=self._read_occurrences().get(old["row"]) if kind == "event" else None,
        )

    def _read_happenings(self, kind: str) -> dict[int, list[tuple[Any, ...]]]:
        table = HAPPENINGS.get(kind)
        if table is None or self.snapshot is None:
            return {}
        if table not in self._happenings:
            found: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
            frame = pl.read_parquet(self.snapshot.tables[table])
            for row, *rest in frame.select(list(TABLES[table])).iter_rows():
                found[row].append(tuple(rest))
            self._happenings[table] = found
        return self._happenings[table]

    def _read_occurrences(self) -> dict[int, Occurrences]:
        if self._occurrences is None:
            assert self.snapshot is not None
            frame = pl.read_parquet(self.snapshot.tables["occurrences"])
            self._occurrences = dict(split_happenings(frame))
        return self._occurrences
