"""Documents as the rows of a Parquet file. Rows are columns in memory a group at a time, never all of them; the bytes
are those that all at once would give."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import count
from typing import Any

import polars as pl
import pyarrow as pa
from polars.io.plugins import register_io_source
from pyarrow import json

# Rows of a group. Another number is other bytes.
ROW_GROUP = 20_000
# A group of the file before is read for at least this part of it: to make a row of its document takes eight times as
# long as to read it.
_LEAST_PART = 1 / 8

# Bytes that are parsed at once; more than a document has.
_BLOCK = 1 << 26

Columns = Mapping[str, pl.DataType]
MakeRows = Callable[[pl.DataFrame], pl.DataFrame]


class EarlierParquet:
    """The file of the release before, or none. `ids`: the listings of which it says what is to be said again."""

    def __init__(self, data: bytes = b"", ids: Collection[str] = frozenset()) -> None:
        own = pl.read_parquet(BytesIO(data), columns=["id"])["id"].to_list() if data else ()
        self._data, self._height = data, len(own)
        self._at = {row_id: number for number, row_id in enumerate(own) if row_id in ids}
        self._groups: dict[int, pl.DataFrame] = {}

    def complete(self, rows: pl.DataFrame, make: MakeRows) -> pl.DataFrame:
        """The export's rows of these listings, which have an `id`: those from here, and what `make` makes of others."""
        places = self._find([self._at.get(row_id) for row_id in rows["id"].to_list()])
        if not any(place is not None for place in places):
            return make(rows)
        frames, starts, height = list(self._groups.values()), dict[int, int](), 0
        for group, frame in self._groups.items():
            starts[group], height = height, height + frame.height
        anew = count(height)
        at = [next(anew) if place is None else starts[place // ROW_GROUP] + place % ROW_GROUP for place in places]
        if None in places:
            frames.append(make(rows.filter([place is None for place in places])))
        # To take rows of frames that are not in one piece takes twelve times as long.
        return pl.concat(frames, rechunk=True)[at]

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


def read_lines(lines: bytes, columns: Columns) -> pl.DataFrame:
    """Documents, one a line. Arrow takes a seventh of the time that Polars does where objects are in lists."""
    table = json.read_json(
        pa.BufferReader(lines),
        read_options=json.ReadOptions(use_threads=False, block_size=_BLOCK),
        parse_options=json.ParseOptions(
            explicit_schema=pa.schema([(name, _find_type(kind)) for name, kind in columns.items()]),
            unexpected_field_behavior="ignore",
        ),
    )
    return pl.DataFrame(table).select(*columns).rechunk()


def _find_type(kind: pl.DataType) -> Any:
    """Arrow's, as its parser of JSON knows it. KeyError for one that no column has."""
    if isinstance(kind, pl.List):
        return pa.list_(_find_type(_make_instance(kind.inner)))
    if isinstance(kind, pl.Struct):
        return pa.struct([(field.name, _find_type(_make_instance(field.dtype))) for field in kind.fields])
    return _TYPES[kind]


def _make_instance(kind: Any) -> pl.DataType:
    made: pl.DataType = kind() if isinstance(kind, type) else kind
    return made


_TYPES: dict[pl.DataType, Any] = {
    pl.String(): pa.string(), pl.Int64(): pa.int64(), pl.Float64(): pa.float64(), pl.Boolean(): pa.bool_(),
}  # fmt: skip


def encode_parquet(groups: Iterator[pl.DataFrame], columns: Columns) -> bytes:
    """Each but the last of `ROW_GROUP` rows; they are asked for one after the other, when they are to be written."""

    def list_groups(*_: object) -> Iterator[pl.DataFrame]:
        yield from groups

    target = BytesIO()
    register_io_source(list_groups, schema=columns, validate_schema=False).sink_parquet(
        target, compression="zstd", row_group_size=ROW_GROUP, statistics=False
    )
    return target.getvalue()
