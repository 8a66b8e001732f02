"""The previous release as a build needs it: the columns, inputs and document of each row."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from functools import cached_property
from typing import Any

import msgspec
import polars as pl
from msgspec import Struct

from outings.contract.resources.shared import Location
from outings.contract.vocabulary import SETS, TYPES, Vocabulary
from outings.release.snapshot import Snapshot
from outings.release.tables import ARCHIVED, DRAFT, PUBLISHED, read_columns
from pipeline.dates.recurrence import Occurrences
from pipeline.records.record import ORGANIZATION
from pipeline.resolve.listings.resolved_record import Facts
from pipeline.resolve.listings.rows import Row, pack_bits, unpack_bits
from pipeline.resolve.occurrence_table import split_occurrence_table

# Columns that each build sets in every row.
_ASSIGNED = {"row", "pack", "offset", "length", "hash", "created_at", "updated_at", "type", "kind"}
# Columns to read for look-ups of single rows.
_ROW_COLUMNS = (
    "row", "id", "status", "slug", "name", "hash", "created_at", "updated_at", "reason", "source", "pack", "offset",
    "length",
)  # fmt: skip
_IS_FOREIGN = pl.col("home").is_not_null()
# A draft that was published before has a reason.
WAS_PUBLISHED = (pl.col("status") != DRAFT) | pl.col("reason").is_not_null()


class PreviousSnapshot:
    """A metro's rows in the previous release, by id and by the feed that they come from.

    `vocabulary`: the build's, to which rows are translated; if None, the release's own. `origins`: for each listing, by
    row, a hash of its inputs and its `links`; if None, because another program made them or they are lost, every
    listing is made again. `horizon`: the first and last date of the release's occurrences, inclusive.
    """

    def __init__(
        self,
        snapshot: Snapshot | None,
        *,
        vocabulary: Vocabulary | None = None,
        origins: pl.DataFrame | None = None,
        horizon: tuple[date, date] | None = None,
    ) -> None:
        self.snapshot, self.horizon, self._vocabulary = snapshot, horizon, vocabulary
        self.listings, self.organizations = (_read_table(snapshot, name) for name in ("listings", "organizations"))
        self._row_tables = (
            self.listings.select(*_ROW_COLUMNS, "type", *Facts.__struct_fields__),
            self.organizations.select(*_ROW_COLUMNS, "home"),
        )  # fmt: skip
        # Organizations have negative indexes, from -1 down.
        ids = self.listings["id"].to_list()
        self._at: dict[str, int] = {row_id: at for at, row_id in enumerate(ids)}
        self._at |= dict(zip(self.organizations["id"], range(-1, -1 - self.organizations.height, -1), strict=True))
        self.origins: Mapping[str, bytes | None] | None = None
        if origins is not None:
            self.origins = dict(zip(ids, origins["origin"].to_list(), strict=True))
        nothing = pl.repeat(None, self.listings.height, dtype=pl.String(), eager=True).alias("links")
        self.links = nothing if origins is None else origins["links"]

    def drop_rows(self, ids: Collection[str]) -> None:
        """Leave out these rows from now on, as if the release did not have them."""
        for row_id in ids:
            self._at.pop(row_id, None)

    def __len__(self) -> int:
        return len(self._at)

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __contains__(self, row_id: object) -> bool:
        return row_id in self._at

    def get(self, row_id: str) -> Mapping[str, Any] | None:
        """Return the columns of one row that a build needs, and its `kind`; None if the release does not have it."""
        at = self._at.get(row_id)
        if at is None:
            return None
        if at < 0:
            return {**self._row_tables[1].row(-1 - at, named=True), "kind": ORGANIZATION}
        row = self._row_tables[0].row(at, named=True)
        return {**row, "kind": TYPES[row["type"]]}

    def list_shown(self) -> Iterator[tuple[str, str]]:
        """Yield id and source of each row except withdrawn ones, to which nothing may refer, and organizations of other
        metros."""
        return self._list_sources((pl.col("status") != ARCHIVED) | pl.col("reason").ne_missing("withdrawn"))

    def list_published(self) -> Iterator[tuple[str, str]]:
        """Yield id and source of each published row, without organizations of other metros."""
        return self._list_sources(pl.col("status") == PUBLISHED)

    def _list_sources(self, wanted: pl.Expr) -> Iterator[tuple[str, str]]:
        for frame in (self._row_tables[0], self._row_tables[1].filter(~_IS_FOREIGN)):
            own = frame.filter(wanted)
            yield from zip(own["id"].to_list(), own["source"].fill_null("").to_list(), strict=True)

    def find_row(self, row_id: str) -> int:
        """Return the number of a listing's row. Raises KeyError."""
        return self._at[row_id]

    def find_rows(self, ids: Iterable[str]) -> pl.Series:
        """Return the row numbers of listings. Raises KeyError."""
        return pl.Series("at", [*map(self._at.__getitem__, ids)], dtype=pl.UInt32())

    def list_moving(self, horizon: tuple[date, date]) -> frozenset[str]:
        """Return the ids of event series that may have other dates within the new horizon."""
        if self.horizon == horizon:
            return frozenset()
        series_dates = self.read_table("occurrences").group_by("row").agg(
            count=pl.len(), first=pl.col("date").min(), last=pl.col("date").max()
        )  # fmt: skip
        is_whole = (
            (pl.col("count") == pl.col("occurrences_total"))
            & (pl.col("first") >= horizon[0])
            & (pl.col("last") <= horizon[1])
        )
        series = self.listings.filter(pl.col("is_recurring")).join(series_dates, on="row", how="left")
        return frozenset(series.filter(~is_whole.fill_null(value=False))["id"])

    @cached_property
    def _by_source(self) -> Mapping[tuple[str, str], list[str]]:
        ids: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row_id, source in self._list_sources(pl.col("source") != ""):
            feed, _, rest = source.partition("/")
            ids[feed, rest.partition("/")[2]].append(row_id)
        return ids

    def find_source(self, feed: str, source_id: str) -> list[str]:
        """Return the ids of the rows that this record of a feed gave, rarely several of different types."""
        return self._by_source.get((feed, source_id), [])

    def find_foreign(self, ids: Collection[str]) -> list[str]:
        """Return the ids of other metros' organizations to which these listings refer."""
        return self._list_organizations(ids, _IS_FOREIGN)["id"].to_list()

    def find_named(self, ids: Collection[str]) -> dict[str, str]:
        """Return the names by id of organizations without a record that these listings name."""
        return dict(self._list_organizations(ids, pl.col("source").str.starts_with("/")).iter_rows())

    def _list_organizations(self, ids: Collection[str], wanted: pl.Expr) -> pl.DataFrame:
        """Return id and name of the organizations of these listings that match the condition."""
        at = [number for row_id in ids if (number := self._at[row_id]) >= 0]
        named = self.listings[at]["organization_id"].drop_nulls().unique().to_list() if at else []
        return self.organizations.filter(pl.col("id").is_in(named) & wanted).select("id", "name").sort("id")

    def choose_sources(self, is_unchanged: Callable[[str, str], bool]) -> frozenset[str]:
        """Return the ids of rows for whose feed and source id `is_unchanged` returns True."""
        return frozenset(row_id for source, ids in self._by_source.items() if is_unchanged(*source) for row_id in ids)

    def list_slugs(self, kind: str) -> dict[str, str]:
        """Return the slugs by id of this type's rows, archived ones too, but without drafts that were never
        published."""
        own = self.listings.filter(pl.col("type") == TYPES.index(kind)) if kind != ORGANIZATION else self.organizations
        return dict(own.filter(WAS_PUBLISHED).select("id", "slug").iter_rows())

    def read_document(self, row_id: str) -> bytes:
        """Return the JSON of a row as the release stores it."""
        row = self.get(row_id)
        assert row is not None
        assert self.snapshot is not None
        return self.snapshot.read_document(row["pack"], row["offset"], row["length"])

    def read_location(self, row_id: str) -> Location:
        return _location_decoder.decode(self.read_document(row_id)).location

    def copy_row(self, row_id: str) -> Row:
        """Return the row unchanged, for the next release."""
        at = self._at[row_id]
        frame = self.listings if at >= 0 else self.organizations
        old = frame.row(at if at >= 0 else -1 - at, named=True)
        kind = TYPES[old["type"]] if at >= 0 else ORGANIZATION
        columns = {name: value for name, value in old.items() if name not in _ASSIGNED}
        return Row(
            kind=kind,
            columns=columns | self._translate(columns),
            document=self.read_document(row_id),
            hash=old["hash"],
            created_at=old["created_at"],
            parts=self._parts.get(old["row"], ()) if kind in ("class", "camp") else (),
            occurrences=self._occurrences.get(old["row"]) if kind == "event" else None,
        )

    def _translate(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Translate the columns of words to the build's vocabulary, if it has changed. Words that it no longer has are
        dropped; the document keeps them."""
        assert self.snapshot is not None
        before, now = self.snapshot.vocabulary, self._vocabulary
        if now is None or before == now:
            return {}
        moved: dict[str, Any] = {}
        for name in SETS:
            if columns.get(name):
                allowed = getattr(now, name)
                words = unpack_bits(columns[name], getattr(before, name))
                moved[name] = pack_bits((word for word in words if word in allowed), allowed)
        if columns.get("type_hint") is not None:
            word = before.type_hints[columns["type_hint"]]
            moved["type_hint"] = now.type_hints.index(word) if word in now.type_hints else None
        return moved

    def read_table(self, name: str) -> pl.DataFrame:
        """Read a table, empty if the release has none of this name."""
        known = {"listings": self.listings, "organizations": self.organizations}
        return known[name] if name in known else _read_table(self.snapshot, name)

    @cached_property
    def _parts(self) -> dict[int, list[tuple[Any, ...]]]:
        """Return the rows of sections and sessions by the number of their listing."""
        parts: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        for name in ("sections", "sessions"):
            for row, *columns in self.read_table(name).iter_rows():
                parts[row].append(tuple(columns))
        return parts

    @cached_property
    def _occurrences(self) -> dict[int, Occurrences]:
        return dict(split_occurrence_table(self.read_table("occurrences")))


class _LocatedDocument(Struct):
    location: Location


_location_decoder = msgspec.json.Decoder(_LocatedDocument)


def _read_table(snapshot: Snapshot | None, name: str) -> pl.DataFrame:
    return read_columns(None if snapshot is None else snapshot.tables.get(name), name)
