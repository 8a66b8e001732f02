"""Rows by id and by slug, and what is said of a row without a query: binary searches over sorted arrays.

Arrays and no dicts: a row takes about 115 bytes and its slug.
"""

from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.arrays import view_array
from outings.contract.vocabulary import STATUSES

_PUBLISHED, _ARCHIVED = STATUSES.index("published"), STATUSES.index("archived")
_HASH_BYTES = 32
_HALF = (1 << 64) - 1
# Stands for a time that is not stated.
_NEVER = -1

_COLUMNS = ("id", "slug", "status", "pack", "offset", "length", "hash", "created_at", "updated_at")


class Names:
    """One table's rows: `listings`, or `organizations` (whose rows have no type: theirs is 0)."""

    def __init__(self, path: Path) -> None:
        """Raises what Polars raises where the file is missing, broken, or an id is no uuid."""
        schema = pl.read_parquet_schema(path)
        frame = pl.read_parquet(path, columns=[*_COLUMNS, *(["type"] if "type" in schema else [])])
        if "type" not in frame.columns:
            frame = frame.with_columns(type=pl.lit(0, pl.UInt8()))
        self._count = frame.height
        self._index_ids(frame)
        self._index_slugs(frame)
        self._types = view_array(frame["type"])
        self._statuses = view_array(frame["status"])
        self._packs = view_array(frame["pack"])
        self._offsets = view_array(frame["offset"])
        self._lengths = view_array(frame["length"])
        self._created = view_array(frame["created_at"].fill_null(_NEVER))
        self._updated = view_array(frame["updated_at"].fill_null(_NEVER))
        self._hashes = b"".join(frame["hash"].to_list())

    def __len__(self) -> int:
        return self._count

    def _index_ids(self, frame: pl.DataFrame) -> None:
        raw = frame["id"].str.replace_all("-", "", literal=True).str.decode("hex")
        halves = np.frombuffer(b"".join(raw.to_list()), dtype=">u8").reshape(-1, 2).astype(np.uint64)
        order = np.argsort(halves[:, 0], kind="stable")
        self._id_rows = view_array(order.astype(np.uint32))
        self._highs = view_array(np.ascontiguousarray(halves[order, 0]))
        self._lows = view_array(np.ascontiguousarray(halves[order, 1]))

    def _index_slugs(self, frame: pl.DataFrame) -> None:
        named = frame.select("type", "slug").with_row_index("row").sort("type", "slug", "row")
        lengths = named["slug"].str.len_bytes().to_numpy()
        self._slug_rows = view_array(named["row"])
        self._slug_ends = view_array(np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))))
        self._slugs = "".join(named["slug"].to_list()).encode()
        counts = np.bincount(named["type"].to_numpy(), minlength=256)
        self._slug_starts = view_array(np.concatenate(([0], np.cumsum(counts))))

    def find_id(self, row_id: str, *, type_code: int = 0) -> int | None:
        """The row of that type with this uuid (lower case), whatever its status."""
        number = int(row_id.replace("-", ""), 16)
        high, low = number >> 64, number & _HALF
        at = bisect_left(self._highs, high)
        while at < self._count and self._highs[at] == high:
            row = self._id_rows[at]
            if self._lows[at] == low and self._types[row] == type_code:
                return row
            at += 1
        return None

    def find_slug(self, slug: str, *, type_code: int) -> Iterator[int]:
        """The rows of that type with this slug, whatever their status."""
        sought = slug.encode()
        first, last = self._slug_starts[type_code], self._slug_starts[type_code + 1]
        at = bisect_left(range(first, last), sought, key=self._read_slug) + first
        while at < last and self._read_slug(at) == sought:
            yield self._slug_rows[at]
            at += 1

    def _read_slug(self, at: int) -> bytes:
        return self._slugs[self._slug_ends[at] : self._slug_ends[at + 1]]

    def is_visible(self, row: int, *, include_archived: bool) -> bool:
        """Published rows are; archived ones where they are asked for; drafts never."""
        status = self._statuses[row]
        return status == _PUBLISHED or (include_archived and status == _ARCHIVED)

    def locate_document(self, row: int) -> tuple[int, int, int]:
        """Pack, offset, length."""
        return self._packs[row], self._offsets[row], self._lengths[row]

    def read_hash(self, row: int) -> bytes:
        """The row's hash, 32 bytes."""
        return self._hashes[row * _HASH_BYTES : (row + 1) * _HASH_BYTES]

    def read_stamps(self, row: int) -> tuple[int, int]:
        """`created_at` and `updated_at` in seconds; -1 where not stated."""
        return self._created[row], self._updated[row]


def read_points(path: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Latitudes and longitudes by row; NaN where not stated."""
    frame = pl.read_parquet(path, columns=["lat", "lng"])
    lats, lngs = (frame[name].fill_null(float("nan")).to_numpy() for name in ("lat", "lng"))
    return lats, lngs
