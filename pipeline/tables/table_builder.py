"""Build the columns of the next release's tables from a few thousand rows at a time: a million rows as objects would
not fit in memory.

Listings are numbered as they are added; `pipeline.tables.snapshot_tables` sorts them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Self

import numpy as np
import polars as pl

from outings.contract.vocabulary import TYPES
from outings.release.tables import OCCURRENCE_TABLES, PUBLISHED, TABLES, make_schema
from pipeline.records.record import ORGANIZATION
from pipeline.resolve.listings.rows import ORIGINS, Row
from pipeline.resolve.occurrence_table import join_occurrence_table
from pipeline.resolve.previous_rows import WAS_PUBLISHED, PreviousSnapshot
from pipeline.resolve.websites import encode_links
from pipeline.tables.diff import VersionedRow, make_versioned_row, rename_metro, withdraw_row
from pipeline.tables.document_buffer import DocumentBuffer
from pipeline.tables.terms import TermIndexWriter
from pipeline.tables.versions import Change

_CHUNK = 4_096
_DOCUMENT = ("pack", "offset", "length")

# The builder's columns: those of each table with `number` in place of `row`, and ORIGINS of listings.
_NUMBER = {"number": pl.UInt32()}
_SCHEMAS: dict[str, dict[str, Any]] = {
    name: {**_NUMBER, **{column: kind for column, kind in make_schema(TABLES[name]).items() if column != "row"}}
    for name in ("listings", "organizations", "terms", *OCCURRENCE_TABLES.values())
}
_SCHEMAS["listings"] |= ORIGINS


class TableBuilder:
    """The rows of one metro, compared with the previous release, as columns; open it in a `with` block.

    `stamp` (seconds) becomes `updated_at` of changed rows. `is_ours`: True if this program would write the documents of
    the previous release the same. `categories`: names of categories in the metro's language. `metro`: its slug, which
    may be a new one. `changed`: the changes by table, with the number of the row. `buffer`: the documents without a
    `pack`, as long as the block is open.
    """

    def __init__(
        self,
        previous: PreviousSnapshot,
        *,
        stamp: int,
        is_ours: bool,
        categories: Mapping[str, str],
        metro: str,
    ) -> None:
        snapshot = previous.snapshot
        self._metro = metro if snapshot is not None and snapshot.metro.slug != metro else None
        self._previous, self._stamp, self._is_ours = previous, stamp, is_ours
        self.buffer = DocumentBuffer(snapshot)
        self._frames: dict[str, list[pl.DataFrame]] = {name: [] for name in _SCHEMAS if name != "terms"}
        self._sizes = {"listings": 0, "organizations": 0}
        self._present: set[str] = set()
        self.index = TermIndexWriter(categories)
        self.changed: dict[str, list[tuple[int, Change]]] = {name: [] for name in self._sizes}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.buffer.close()

    def add(self, rows: Iterable[Row], unchanged: Mapping[str, bytes | None]) -> None:
        """Add all rows of the metro: new and changed ones, then `unchanged` listings, by id with their origin, then
        those of the previous release that are neither. `rows` is iterated to its end before `unchanged` is read."""
        self._add_rows(rows)
        self._add_unchanged(unchanged)
        self._add_withdrawn()

    def _add_rows(self, rows: Iterable[Row]) -> None:
        remaining = iter(rows)
        while chunk := list(islice(remaining, _CHUNK)):
            self._present.update(row.id for row in chunk)
            if self._metro is not None:
                chunk = [rename_metro(row, self._metro) for row in chunk]
            versioned = [
                make_versioned_row(row, self._previous, stamp=self._stamp, is_ours=self._is_ours) for row in chunk
            ]
            self._add("listings", [entry for entry in versioned if entry.row.kind != ORGANIZATION])
            self._add("organizations", [entry for entry in versioned if entry.row.kind == ORGANIZATION])

    def _add_unchanged(self, unchanged: Mapping[str, bytes | None]) -> None:
        """Copy the columns, dates and words of unchanged listings from the previous release."""
        if not unchanged:
            return
        previous, first = self._previous, self._sizes["listings"]
        self._sizes["listings"] += len(unchanged)
        self._present.update(unchanged)
        at = previous.find_rows(unchanged)
        numbers = pl.Series("number", np.arange(first, first + len(unchanged), dtype=np.uint32))
        origins = pl.Series("origin", [*unchanged.values()], dtype=pl.Binary())
        rows = previous.listings[at].with_columns(numbers, origins, previous.links[at])
        self._frames["listings"].append(rows.select(*_SCHEMAS["listings"]))
        # By the row of the previous release, the new number, -1 if the listing is not unchanged.
        to = np.full(previous.listings.height, -1, dtype=np.int64)
        to[at.to_numpy()] = numbers.to_numpy()
        self.index.add_terms(_renumber(previous.read_table("terms"), to, _SCHEMAS["terms"]))
        for name in OCCURRENCE_TABLES.values():
            self._frames[name].append(_renumber(previous.read_table(name), to, _SCHEMAS[name]))

    def _add_withdrawn(self) -> None:
        """Add the rows of the previous release that were not added: published ones as archived, hidden ones unchanged.
        Drafts are dropped."""
        gone = [row_id for row_id in self._previous if row_id not in self._present]
        if self._previous.origins is not None:
            # Copied, because a metro may have many.
            is_hidden = pl.col("id").is_in(gone) & (pl.col("status") != PUBLISHED) & WAS_PUBLISHED
            self._add_unchanged(dict.fromkeys(self._previous.listings.filter(is_hidden)["id"]))
        self._add_rows(self._withdraw(row_id for row_id in gone if row_id not in self._present))

    def join(self, name: str) -> pl.DataFrame:
        """Return the chunks of a table as one frame, and remove them from the builder."""
        frames, self._frames[name] = self._frames[name], []
        return pl.concat([pl.DataFrame(schema=_SCHEMAS[name]), *frames])

    def _withdraw(self, ids: Iterable[str]) -> Iterator[Row]:
        for row_id in ids:
            row = withdraw_row(self._previous.copy_row(row_id))
            if row is not None:
                yield row

    def _add(self, name: str, versioned: Sequence[VersionedRow]) -> None:
        if not versioned:
            return
        first = self._sizes[name]
        self._sizes[name] += len(versioned)
        documents = [
            self._previous.read_document(entry.row.id) if entry.document is None else entry.document
            for entry in versioned
        ]
        rows = [
            entry.row.columns | self._assign(entry, document, number)
            for number, (entry, document) in enumerate(zip(versioned, documents, strict=True), first)
        ]
        schema = _SCHEMAS[name]
        self._frames[name].append(
            pl.DataFrame({column: [row.get(column) for row in rows] for column in schema}, schema=schema)
        )
        self.changed[name] += [
            (number, entry.change) for number, entry in enumerate(versioned, first) if entry.change is not None
        ]
        if name == "listings":
            self._add_dates(versioned, first=first)
            self.index.add_documents(
                (number, document, entry.row.columns.get("keywords"))
                for number, (entry, document) in enumerate(zip(versioned, documents, strict=True), first)
                if entry.row.columns["status"] == PUBLISHED
            )

    def _assign(self, versioned: VersionedRow, document: bytes, number: int) -> dict[str, Any]:
        assigned = {
            "number": number,
            "hash": versioned.hash,
            "created_at": versioned.created_at,
            "updated_at": versioned.updated_at,
            "length": len(document),
            "origin": versioned.row.origin,
        }
        if versioned.row.kind != ORGANIZATION:
            assigned["type"] = TYPES.index(versioned.row.kind)
            assigned["links"] = versioned.row.links or encode_links(versioned.row)
        if versioned.document is not None:
            return assigned | {"offset": self.buffer.put(document)}
        old = self._previous.get(versioned.row.id)
        assert old is not None
        return assigned | {name: old[name] for name in _DOCUMENT}

    def _add_dates(self, versioned: Sequence[VersionedRow], *, first: int) -> None:
        """Add occurrences, sections and sessions, also of archived and draft rows: a restored row is the same."""
        rows = [(number, entry.row) for number, entry in enumerate(versioned, first)]
        for kind in ("class", "camp"):
            parts = [(number, *part) for number, row in rows if row.kind == kind for part in row.parts]
            name = OCCURRENCE_TABLES[kind]
            self._frames[name].append(pl.DataFrame(parts, schema=_SCHEMAS[name], orient="row"))
        dated = [
            (number, row.occurrences, row.columns["has_time"]) for number, row in rows if row.occurrences is not None
        ]
        self._frames["occurrences"].append(join_occurrence_table(dated))


def _renumber(frame: pl.DataFrame, to: "np.ndarray[Any, np.dtype[np.int64]]", schema: dict[str, Any]) -> pl.DataFrame:
    """Replace `row` with the new number of the listing, and drop rows of listings that have none."""
    number = pl.Series("number", to[frame["row"].to_numpy()])
    renumbered = frame.with_columns(number).filter(pl.col("number") >= 0)
    return renumbered.with_columns(pl.col("number").cast(pl.UInt32())).select(*schema)
