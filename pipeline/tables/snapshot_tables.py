"""Make the snapshot's tables from the builder's columns, in natural order, with the tables of neighborhoods and postal
codes."""

import io
from collections import Counter
from collections.abc import Sequence
from datetime import date
from io import BytesIO
from math import fsum
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import astuple
from numpy.typing import NDArray

from outings.contract.text import fold_text
from outings.contract.vocabulary import TYPES
from outings.release.snapshot import Snapshot
from outings.release.tables import NEIGHBORHOODS, PUBLISHED, TABLES, ZIPS, make_schema
from pipeline.process_memory import return_memory
from pipeline.resolve.facts.centroids import Centroid
from pipeline.resolve.listings.rows import ORIGINS
from pipeline.tables.document_buffer import DocumentBuffer
from pipeline.tables.table_builder import TableBuilder
from pipeline.tables.versions import Change

# Rows in a group: one group holds a usual metro whole; in larger ones readers skip groups by `row`. Another size would
# change the bytes.
ROW_GROUP_SIZE = 65_536
# Sorts after every real key, where "null last" is the order.
_LAST = 1 << 62
_BY_NAME = [TYPES.index(kind) for kind in ("class", "place")]

Numbers = NDArray[np.uint32]


class Tables(Struct, frozen=True, kw_only=True, eq=False):
    """A metro's new tables, before documents are packed; a row of `listings` or `organizations` without a `pack` has
    its document in `buffer`. `origins`: for each listing, a hash of its inputs, and its links. `changes` in order of
    rows."""

    tables: dict[str, pl.DataFrame]
    origins: pl.DataFrame
    changes: tuple[Change, ...]
    buffer: DocumentBuffer


def make_tables(builder: TableBuilder, neighborhoods: pl.DataFrame) -> Tables:
    """Make a metro's tables from all its rows. Listings are in natural order, one type after another; organizations are
    sorted by name. `neighborhoods`: the table of those on the map."""
    return_memory()  # of the records, which are rows now
    sessions = builder.join("sessions")
    listings, rows = _number(_order_listings(builder.join("listings"), sessions))
    organizations, organization_rows = _number(builder.join("organizations").sort("name_key", "id"))
    tables = {
        "listings": listings.select(*TABLES["listings"]),
        "organizations": organizations.select(*TABLES["organizations"]),
        "neighborhoods": join_stated(neighborhoods, listings),
        "terms": builder.index.make_terms(rows),
        "occurrences": _order_occurrences(_give_rows(builder.join("occurrences"), rows, "occurrences"), listings),
        "sections": _give_rows(builder.join("sections"), rows, "sections").sort("row", "section"),
        "sessions": _give_rows(sessions, rows, "sessions").sort("row", "session"),
    }
    changes = {
        (name, int(order[number])): change
        for name, order in (("listings", rows), ("organizations", organization_rows))
        for number, change in builder.changed[name]
    }
    return Tables(
        tables=tables,
        origins=listings.select(*ORIGINS),
        changes=tuple(changes[at] for at in sorted(changes)),
        buffer=builder.buffer,
    )


def _order_listings(listings: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Sort events by their first moment, camps by their first day, all others by name; then by id."""
    starts = sessions.group_by("number").agg(starts_on=pl.col("starts_on").min())
    first = pl.col("starts_on").fill_null(date.max).to_physical().cast(pl.Int64)
    moment = (
        pl.when(pl.col("type") == TYPES.index("event"))
        .then(pl.col("starts_at").fill_null(_LAST))
        .when(pl.col("type") == TYPES.index("camp"))
        .then(first)
        .otherwise(0)
    )
    text = pl.when(pl.col("type").is_in(_BY_NAME)).then("name_key").otherwise(pl.lit(""))
    keyed = listings.join(starts, on="number", how="left").with_columns(moment=moment, text=text)
    return keyed.sort("type", "moment", "text", "id").drop("moment", "text", "starts_on")


def _number(frame: pl.DataFrame) -> tuple[pl.DataFrame, Numbers]:
    """Return the frame with a column `row`, and an array that maps each `number` to its row."""
    rows = np.empty(frame.height, dtype=np.uint32)
    rows[frame["number"].to_numpy()] = np.arange(frame.height, dtype=np.uint32)
    return frame.with_row_index("row"), rows


def _give_rows(frame: pl.DataFrame, rows: Numbers, name: str) -> pl.DataFrame:
    row = pl.Series("row", rows[frame["number"].to_numpy()], dtype=pl.UInt32())
    return frame.with_columns(row).select(*TABLES[name])


def _order_occurrences(occurrences: pl.DataFrame, listings: pl.DataFrame) -> pl.DataFrame:
    """Sort by `starts_at`, listing id and `index`."""
    ranks = np.empty(listings.height, dtype=np.uint32)
    ranks[listings["id"].arg_sort().to_numpy()] = np.arange(listings.height, dtype=np.uint32)
    ranked = occurrences.with_columns(rank=pl.Series(ranks[occurrences["row"].to_numpy()]))
    return ranked.sort("starts_at", "rank", "index").drop("rank")


def encode_table(frame: pl.DataFrame) -> bytes:
    """Encode a table as Parquet. Equal rows in equal order give equal bytes, since the writer's settings are fixed."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", compression_level=3, statistics=True, row_group_size=ROW_GROUP_SIZE)
    return buffer.getvalue()


_STATED = ("neighborhood_slug", "neighborhood")
# Six decimals of a degree are a tenth of a metre.
_DECIMALS = 6


def join_stated(neighborhoods: pl.DataFrame, listings: pl.DataFrame) -> pl.DataFrame:
    """Add the neighborhoods that only listings state to those of the map. Earlier stated ones are replaced."""
    mapped = neighborhoods.filter(pl.col("south").is_not_null())
    slugs, keys = mapped["slug"].implode(), mapped["key"].implode()
    is_mapped = pl.col("neighborhood_slug").is_in(slugs) | pl.col("neighborhood_key").is_in(keys)
    stating = listings.filter((pl.col("status") == PUBLISHED) & ~is_mapped).drop_nulls(_STATED)
    grouped = stating.group_by("neighborhood_slug").agg("neighborhood", "lat", "lng")
    stated = [_describe(slug, *columns) for slug, *columns in grouped.iter_rows()]
    return pl.concat([mapped, pl.DataFrame(stated, schema=make_schema(NEIGHBORHOODS))]).sort("slug")


def _describe(slug: str, names: list[str], lats: list[float | None], lngs: list[float | None]) -> dict[str, Any]:
    """Make a neighborhood's row from its listings: the most common name, and the mean of the coordinates."""
    spelled = Counter(names)
    name = min(spelled, key=lambda spelling: (-spelled[spelling], spelling))
    placed = [(lat, lng) for lat, lng in zip(lats, lngs, strict=True) if lat is not None and lng is not None]
    center = [round(fsum(degrees) / len(placed), _DECIMALS) for degrees in zip(*placed, strict=True)]
    lat, lng = center or (None, None)
    return {"slug": slug, "name": name, "key": fold_text(name), "lat": lat, "lng": lng}


def make_zips(centroids: Sequence[Centroid]) -> pl.DataFrame:
    """Make the table of postal codes."""
    return pl.DataFrame([astuple(centroid) for centroid in centroids], schema=make_schema(ZIPS), orient="row")


def copy_centroids(snapshot: Snapshot) -> tuple[Centroid, ...]:
    """Return the centroids of postal codes in an older release."""
    file = snapshot.tables.get("zips")
    return () if file is None else tuple(Centroid(*row) for row in pl.read_parquet(BytesIO(file.view)).iter_rows())
