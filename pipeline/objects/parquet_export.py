"""Documents as the rows of a Parquet file. Rows are columns in memory a group at a time, never all of them; the bytes
are those that all at once would give."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import count

import polars as pl
from polars.io.plugins import register_io_source

# Rows of a group. Another number is other bytes.
ROW_GROUP = 20_000
# A group of the file before is read for at least this part of it: to make a row of its document takes eight times as
# long as to read it.
_LEAST_PART = 1 / 8

Columns = Mapping[str, pl.DataType]
MakeRows = Callable[[pl.DataFrame], pl.DataFrame]


class EarlierParquet:
    """The file of the release before, or none. `ids`: the listings of which it says what is to be said again."""

    def __init__(self, data: bytes = b"", ids: Collection[str] = frozenset()) -> None:
        own = pl.read_parquet(BytesIO(data), columns=["id"])["id"] if data else ()
        self._data, self._height = data, len(own)
        self._at = {row_id: number for number, row_id in enumerate(own) if row_id in ids}
        self._groups: dict[int, pl.DataFrame] = {}

    def complete(self, rows: pl.DataFrame, make: MakeRows) -> pl.DataFrame:
        """The export's rows of these listings, which have an `id`: those from here, and what `make` makes of others."""
        places = self._find([self._at.get(row_id) for row_id in rows["id"]])
        if not any(place is not None for place in places):
            return make(rows)
        frames, starts, height = list(self._groups.values()), dict[int, int](), 0
        for group, frame in self._groups.items():
            starts[group], height = height, height + frame.height
        anew = count(height)
        at = [next(anew) if place is None else starts[place // ROW_GROUP] + place % ROW_GROUP for place in places]
        if None in places:
            frames.append(make(rows.filter([place is None for place in places])))
        return pl.concat(frames)[at].rechunk()

    def _find(self, places: Sequence[int | None]) -> Sequence[int | None]:
        """None in place of those that are made sooner than read. The groups of the others are read then."""
        counts = Counter(place // ROW_GROUP for place in places if place is not None)
        wanted = [
            group for group, number in sorted(counts.items())
            if group in self._groups or number >= _LEAST_PART * min(ROW_GROUP, self._height - group * ROW_GROUP)
        ]  # fmt: skip
        known, self._groups = self._groups, {}
        for group in wanted:
            self._groups[group] = known[group] if group in known else self._read(group)
        return [None if place is None or place // ROW_GROUP not in self._groups else place for place in places]

    def _read(self, group: int) -> pl.DataFrame:
        return pl.scan_parquet(BytesIO(self._data)).slice(group * ROW_GROUP, ROW_GROUP).collect()


def encode_parquet(groups: Iterator[pl.DataFrame], columns: Columns) -> bytes:
    """Each but the last of `ROW_GROUP` rows; they are asked for one after the other, when they are to be written."""

    def list_groups(*_: object) -> Iterator[pl.DataFrame]:
        yield from groups

    target = BytesIO()
    register_io_source(list_groups, schema=columns, validate_schema=False).sink_parquet(
        target, compression="zstd", row_group_size=ROW_GROUP, statistics=False
    )
    return target.getvalue()
