"""The listings most like a listing, as the build found them."""

from bisect import bisect_left

import polars as pl

from outings.answers.snapshot.derived import derive_table
from outings.answers.snapshot.reader import SnapshotReader
from outings.release.mapped_table import MappedTable


def make_similar(related: pl.DataFrame) -> pl.DataFrame:
    return related.sort("row")


SIMILAR = derive_table("similar", make_similar, {"related": ("row", "others")})


class Similar:
    """Of one snapshot."""

    def __init__(self, table: MappedTable) -> None:
        self._rows = table.view_array("row")
        self._ends, self._others = table.read_lists("others")

    def list_rows(self, row: int) -> list[int]:
        """The most similar first, of every type, whether they may be shown or not."""
        at = bisect_left(self._rows, row)
        if at == len(self._rows) or self._rows[at] != row:
            return []
        others: list[int] = self._others[self._ends[at] : self._ends[at + 1]].tolist()
        return others


def open_similar(reader: SnapshotReader) -> Similar:
    return Similar(reader.open_table(SIMILAR))
