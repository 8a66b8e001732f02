"""An index of rows by id and by slug, and what is known of a row without a query: binary searches over sorted arrays.

Arrays and no dicts: a row takes about 100 bytes and its slug, mapped where the build made them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.snapshot.derived import derive_table
from outings.answers.snapshot.texts import HashedTexts, make_texts
from outings.release.mapped_table import MappedTable
from outings.release.tables import ARCHIVED, PUBLISHED

_HASH_BYTES = 32
_HALF = (1 << 64) - 1
# Stands for a time that is not stated.
_NEVER = -1

# What they are made of: of listings, and of organizations, whose rows have no type: theirs is 0.
_ROWS = ("id", "slug", "status", "categories", "pack", "offset", "length", "hash", "created_at", "updated_at")
_LISTING_COLUMNS, _ORGANIZATION_COLUMNS = ("type", *_ROWS), ("home", *_ROWS)


def make_row_index(frame: pl.DataFrame) -> pl.DataFrame:
    """In the table's order but for the rows by id. Raises what Polars raises where an id is no uuid."""
    types = frame["type"] if "type" in frame.columns else pl.zeros(frame.height, pl.UInt8(), eager=True)
    is_lent = pl.col("home").is_not_null() if "home" in frame.columns else pl.lit(value=False)
    frame = frame.with_columns(types.alias("type"), is_lent.cast(pl.UInt8()).alias("is_lent"))
    raw = frame["id"].str.replace_all("-", "", literal=True).str.decode("hex")
    halves = np.frombuffer(b"".join(raw.to_list()), dtype=">u8").reshape(-1, 2).astype(np.uint64)
    order = np.argsort(halves[:, 0], kind="stable")
    return pl.DataFrame(
        [
            *frame.select("type", "status", "is_lent", "pack", "offset", "length", "hash"),
            *frame.select(pl.col("categories").fill_null(0), pl.col("created_at", "updated_at").fill_null(_NEVER)),
            *make_texts(frame["slug"]),
            pl.Series("by_id", order, dtype=pl.UInt32()),
            pl.Series("id_high", halves[order, 0], dtype=pl.UInt64()),
            pl.Series("id_low", halves[order, 1], dtype=pl.UInt64()),
        ]
    )


LISTING_INDEX = derive_table("names", make_row_index, {"listings": _LISTING_COLUMNS})
ORGANIZATION_INDEX = derive_table("organization_names", make_row_index, {"organizations": _ORGANIZATION_COLUMNS})


class RowIndex:
    """One table's rows: `listings`, or `organizations`."""

    def __init__(self, table: MappedTable) -> None:
        self._count = len(table)
        self._id_rows = table.view_array("by_id")
        self._highs, self._lows = table.view_array("id_high"), table.view_array("id_low")
        self._slugs = HashedTexts(table, "slug")
        self._types, self._statuses = table.view_array("type"), table.view_array("status")
        self._packs, self._offsets = table.view_array("pack"), table.view_array("offset")
        self._lengths = table.view_array("length")
        self._created, self._updated = table.view_array("created_at"), table.view_array("updated_at")
        self._categories, self._lent = table.view_array("categories"), table.view_array("is_lent")
        _, self._hashes = table.view_texts("hash")

    def __len__(self) -> int:
        return self._count

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

    def find_visible(self, row_id: str, *, type_code: int = 0, include_archived: bool = False) -> int | None:
        """`find_id`, of what `is_visible`."""
        row = self.find_id(row_id, type_code=type_code)
        return row if row is not None and self.is_visible(row, include_archived=include_archived) else None

    def count_ids(self, row_id: str) -> int:
        """How many rows, of all types, have this uuid or one before it."""
        number = int(row_id.replace("-", ""), 16)
        high, low = number >> 64, number & _HALF
        first = bisect_left(self._highs, high)
        return first + sum(self._lows[at] <= low for at in range(first, bisect_right(self._highs, high, first)))

    def read_id(self, row: int, *, rank: int) -> str:
        """`rank`: its place in the order of ids. Here ids with one first half stand in the order of rows."""
        at = bisect_left(self._highs, self._highs[rank]) if self._id_rows[rank] != row else rank
        while self._id_rows[at] != row:
            at += 1
        digits = f"{self._highs[at]:016x}{self._lows[at]:016x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    def find_slug(self, slug: str, *, type_code: int) -> Iterator[int]:
        """The rows of that type with this slug, whatever their status."""
        return (row for row in self._slugs.find(slug) if self._types[row] == type_code)

    def is_visible(self, row: int, *, include_archived: bool) -> bool:
        """Published rows are; archived ones where they are asked for; drafts never."""
        status = self._statuses[row]
        return status == PUBLISHED or (include_archived and status == ARCHIVED)

    def is_lent(self, row: int) -> bool:
        """Whether it is an organization's whose own record is in another metro."""
        return bool(self._lent[row])

    def find_published(self) -> NDArray[np.bool_]:
        """By row."""
        published: NDArray[np.bool_] = np.asarray(self._statuses) == PUBLISHED
        return published

    def share_categories(self, bits: int) -> NDArray[np.bool_]:
        """By row: whether it has any of a bit set over the vocabulary."""
        shared: NDArray[np.bool_] = (np.asarray(self._categories) & np.uint64(bits)) != 0
        return shared

    def locate_document(self, row: int) -> tuple[int, int, int]:
        """Pack, offset, length."""
        return self._packs[row], self._offsets[row], self._lengths[row]

    def view_documents(self, rows: Sequence[int], packs: Sequence[memoryview]) -> list[memoryview]:
        """Where they lie in the packs."""
        numbers, offsets, lengths = self._packs, self._offsets, self._lengths
        return [packs[numbers[row]][(at := offsets[row]) : at + lengths[row]] for row in rows]

    def read_hash(self, row: int) -> bytes:
        """The row's hash, 32 bytes."""
        return bytes(self._hashes[row * _HASH_BYTES : (row + 1) * _HASH_BYTES])

    def read_stamps(self, row: int) -> tuple[int, int]:
        """`created_at` and `updated_at` in seconds; -1 where not stated."""
        return self._created[row], self._updated[row]
