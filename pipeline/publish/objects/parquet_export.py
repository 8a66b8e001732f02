"""Write the Parquet file of an export: documents as rows, with nested members. Only one group of rows is in memory at a
time; the bytes are the same as for all at once."""

from collections.abc import Iterator, Mapping, Set
from functools import cache
from io import BytesIO
from typing import Any, get_args

import msgspec
import polars as pl
import pyarrow as pa
from polars.io.plugins import register_io_source
from pyarrow import json

from outings.contract.resources.listings import LISTINGS, Organization
from outings.contract.resources.shared import Clock, Day, Instant, Local
from outings.contract.resources.sync import EventOccurrence

# Rows of a group, small enough that a reader of a month of a large file leaves out most of it.
ROW_GROUP = 10_000
# Bytes to parse at once; larger than any document.
_BLOCK = 1 << 26

Columns = Mapping[str, pl.DataType]

_INSTANT, _LOCAL = pl.Datetime("us", "UTC"), pl.Datetime("us")
# The type of a column by the Python type of its member, or by its note if its text is a time.
_KINDS: Mapping[type[Any], pl.DataType] = {
    msgspec.inspect.StrType: pl.String(),
    msgspec.inspect.IntType: pl.Int64(),
    msgspec.inspect.FloatType: pl.Float64(),
    msgspec.inspect.BoolType: pl.Boolean(),
    msgspec.inspect.DateType: pl.Date(),
}
_FORMS = tuple(
    (get_args(form)[1].extra_json_schema, kind)
    for form, kind in ((Instant, _INSTANT), (Local, _LOCAL), (Clock, pl.Time()), (Day, pl.Date()))
)
# How JSON is read for a column. Arrow reads timestamps, and dates and times of day only as texts.
_ARROW: Mapping[pl.DataType, Any] = {
    pl.Int64(): pa.int64(), pl.Float64(): pa.float64(), pl.Boolean(): pa.bool_(),
    _INSTANT: pa.timestamp("us", "UTC"), _LOCAL: pa.timestamp("us"),
}  # fmt: skip
_STRUCTS: Mapping[str, type[msgspec.Struct]] = {**LISTINGS, "organization": Organization, "occurrence": EventOccurrence}


@cache
def list_columns(listing_type: str) -> dict[str, pl.DataType]:
    """Return the columns of a resource by name, in the document's order, without members that are computed for each
    answer."""
    struct = _STRUCTS[listing_type]
    absent = {field.name for field in msgspec.structs.fields(struct) if field.default is msgspec.UNSET}
    info = msgspec.inspect.type_info(struct)
    assert isinstance(info, msgspec.inspect.StructType)
    return _list_members(info, absent)


def _list_members(info: msgspec.inspect.StructType, left_out: Set[str] = frozenset()) -> dict[str, pl.DataType]:
    return {field.encode_name: _find_kind(field.type) for field in info.fields if field.name not in left_out}


def _find_kind(info: Any) -> pl.DataType:
    """Return the type of a column for a member. Raises TypeError for a kind of member that no resource has had yet."""
    if isinstance(info, msgspec.inspect.Metadata):
        notes = info.extra_json_schema
        return next((kind for form, kind in _FORMS if form.items() <= (notes or {}).items()), _find_kind(info.type))
    if isinstance(info, msgspec.inspect.UnionType):
        (stated,) = (kind for kind in info.types if not isinstance(kind, msgspec.inspect.NoneType))
        return _find_kind(stated)
    if isinstance(info, msgspec.inspect.StructType):
        return pl.Struct(_list_members(info))
    if isinstance(info, msgspec.inspect.DictType):  # Parquet stores maps as lists of pairs
        return pl.List(pl.Struct({"key": _find_kind(info.key_type), "value": _find_kind(info.value_type)}))
    if isinstance(info, msgspec.inspect.VarTupleType):
        return pl.List(_find_kind(info.item_type))
    try:
        return _KINDS[type(info)]
    except KeyError:
        raise TypeError(f"no column holds {info}") from None


def read_lines(lines: bytes, columns: Columns) -> pl.DataFrame:
    """Read documents, one a line. Arrow takes a seventh of the time that Polars does where objects are in lists."""
    table = json.read_json(
        pa.BufferReader(lines),
        read_options=json.ReadOptions(use_threads=False, block_size=_BLOCK),
        parse_options=json.ParseOptions(
            explicit_schema=pa.schema([(name, _find_type(kind)) for name, kind in columns.items()]),
            unexpected_field_behavior="ignore",
        ),
    )
    read = (_read_texts(pl.col(name), kind).alias(name) for name, kind in columns.items())
    return pl.DataFrame(table).select(read).rechunk()


def _read_texts(column: pl.Expr, kind: Any) -> pl.Expr:
    """Return the column with dates and times of day, also nested ones, in place of their texts."""
    if kind == pl.Date():
        return column.str.to_date("%Y-%m-%d")
    if kind == pl.Time():
        return column.str.to_time("%H:%M:%S")
    if isinstance(kind, pl.List) and _has_texts(kind):
        return column.list.eval(_read_texts(pl.element(), kind.inner))
    if isinstance(kind, pl.Struct) and _has_texts(kind):
        members = [_read_texts(column.struct.field(field.name), field.dtype).alias(field.name) for field in kind.fields]
        return pl.when(column.is_not_null()).then(pl.struct(members))
    return column


def _has_texts(kind: Any) -> bool:
    if isinstance(kind, pl.List):
        return _has_texts(kind.inner)
    if isinstance(kind, pl.Struct):
        return any(_has_texts(field.dtype) for field in kind.fields)
    return kind in (pl.Date(), pl.Time())


def shape_occurrences(dates: pl.DataFrame) -> pl.DataFrame:
    """Return the export's columns of a table of occurrences, which has `event_id` beside its own ones."""
    key = pl.format("{}_{}", "event_id", pl.col("starts_local").dt.strftime("%Y%m%dT%H%M%S"))
    instants = (pl.from_epoch(name, "s").dt.replace_time_zone("UTC") for name in ("starts_at", "ends_at"))
    columns = list_columns("occurrence")
    return dates.with_columns(*instants, key=key).select(pl.col(name).cast(kind) for name, kind in columns.items())


def format_times(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with times as texts, as JSON has them."""
    formats: Mapping[Any, str] = {_INSTANT: "%Y-%m-%dT%H:%M:%SZ", _LOCAL: "%Y-%m-%dT%H:%M:%S"}
    return rows.with_columns(
        pl.col(name).dt.strftime(formats[kind]) for name, kind in rows.schema.items() if kind in formats
    )


def _find_type(kind: Any) -> Any:
    """Return the Arrow type with which the JSON parser reads a column of this Polars type."""
    if isinstance(kind, pl.List):
        return pa.list_(_find_type(kind.inner))
    if isinstance(kind, pl.Struct):
        return pa.struct([(field.name, _find_type(field.dtype)) for field in kind.fields])
    return _ARROW.get(kind, pa.string())


def encode_parquet(groups: Iterator[pl.DataFrame], columns: Columns) -> bytes:
    """Encode groups of `ROW_GROUP` rows; the last may have fewer. A group is requested when it is to be written."""
    target = BytesIO()
    register_io_source(lambda *_: groups, schema=columns, validate_schema=False).sink_parquet(
        target, compression="zstd", row_group_size=ROW_GROUP, statistics=True
    )
    return target.getvalue()
