"""Settled rows → the snapshot's tables, numbered in natural order."""

import io
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import polars as pl
from msgspec import Struct

from outings.contract.vocabulary import TYPES
from outings.release.tables import HAPPENINGS, TABLES
from pipeline.changes.diff import Settled
from pipeline.listings.happenings import join_happenings
from pipeline.listings.previous import Previous
from pipeline.tables.terms import make_terms

# Rows a group: one group holds a metro of today whole; larger ones are pruned by `row`.
# The size is fixed because another one is other bytes.
ROW_GROUP_SIZE = 65_536
# Sorts after every real key, where "null last" is the order.
_LAST = 1 << 62


class Place(Struct, frozen=True, kw_only=True):
    """Where a row's document is, and the hash of its detail object when there is one."""

    pack: int
    offset: int
    length: int
    object: bytes | None = None


def order_rows(settled: Sequence[Settled]) -> list[Settled]:
    """Natural order (decisions: Lists), types one after the other; organizations last."""
    return sorted(settled, key=_natural_key)


def _natural_key(each: Settled) -> tuple[int, Any, str]:
    row = each.row
    if row.kind == "organization":
        return len(TYPES), row.columns["name_key"], row.id
    position = TYPES.index(row.kind)
    if row.kind == "event":
        starts_at = row.columns["starts_at"]
        return position, _LAST if starts_at is None else starts_at, row.id
    if row.kind == "camp":
        starts = [happening[1] for happening in row.happenings if happening[1] is not None]
        return position, min(starts, default=date.max), row.id
    return position, row.columns["name_key"], row.id


def make_tables(
    ordered: Sequence[Settled],
    places: Mapping[str, Place],
    *,
    previous: Previous,
    neighborhoods: pl.DataFrame,
) -> dict[str, pl.DataFrame]:
    """`ordered` as `order_rows` gives it; `places` by id; `previous` has the documents that did not change."""
    listings = [each for each in ordered if each.row.kind != "organization"]
    organizations = [each for each in ordered if each.row.kind == "organization"]
    tables = {
        "listings": _make_rows("listings", listings, places),
        "organizations": _make_rows("organizations", organizations, places),
        "neighborhoods": neighborhoods,
        "terms": make_terms(listings, previous),
    }
    for kind, name in HAPPENINGS.items():
        tables[name] = _make_happenings(name, kind, listings)
    return tables


def _make_rows(name: str, settled: Sequence[Settled], places: Mapping[str, Place]) -> pl.DataFrame:
    schema = dict(TABLES[name])
    columns: dict[str, list[Any]] = {column: [] for column in schema}
    for number, each in enumerate(settled):
        place = places[each.row.id]
        assigned = {
            "row": number,
            "hash": each.hash,
            "created_at": each.created_at,
            "updated_at": each.updated_at,
            "pack": place.pack,
            "offset": place.offset,
            "length": place.length,
        }
        if name == "listings":
            assigned |= {"type": TYPES.index(each.row.kind), "object": place.object}
        values = each.row.columns | assigned
        for column, into in columns.items():
            into.append(values.get(column))
    return pl.DataFrame(columns, schema=schema)


def _make_happenings(name: str, kind: str, listings: Sequence[Settled]) -> pl.DataFrame:
    """Archived and draft rows keep theirs: a restored row is the same row."""
    if name == "occurrences":
        return join_happenings([(number, each.row) for number, each in enumerate(listings) if each.row.kind == kind])
    schema = dict(TABLES[name])
    rows = [
        (number, *happening)
        for number, each in enumerate(listings)
        if each.row.kind == kind
        for happening in each.row.happenings
    ]
    return pl.DataFrame(rows, schema=schema, orient="row").sort(list(schema)[:2])


def encode_table(frame: pl.DataFrame) -> bytes:
    """Parquet whose bytes depend on the rows alone: a total order is the caller's, the writer's settings are fixed."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", compression_level=3, statistics=True, row_group_size=ROW_GROUP_SIZE)
    return buffer.getvalue()
