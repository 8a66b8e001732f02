"""Write the Parquet file of an export: documents as rows, with nested members. Only one group of rows is in memory at a
time; the bytes are the same as for all at once."""

from collections.abc import Iterator, Mapping, Set
from functools import cache
from io import BytesIO
from typing import Any

import msgspec
import polars as pl
import pyarrow as pa
from polars.io.plugins import register_io_source
from pyarrow import json

from outings.contract.resources.listings import LISTINGS

# Rows of a group. Another number would change the bytes.
ROW_GROUP = 20_000
# Bytes to parse at once; larger than any document.
_BLOCK = 1 << 26

Columns = Mapping[str, pl.DataType]

# Python type of a member → its types in Polars and Arrow.
_KINDS: Mapping[type[Any], tuple[pl.DataType, Any]] = {
    msgspec.inspect.StrType: (pl.String(), pa.string()),
    msgspec.inspect.IntType: (pl.Int64(), pa.int64()),
    msgspec.inspect.FloatType: (pl.Float64(), pa.float64()),
    msgspec.inspect.BoolType: (pl.Boolean(), pa.bool_()),
    msgspec.inspect.DateType: (pl.String(), pa.string()),
}
_ARROW = dict(_KINDS.values())


@cache
def list_columns(listing_type: str) -> dict[str, pl.DataType]:
    """Return the columns of a resource by name, in the document's order, without members that are computed for each
    answer."""
    struct = LISTINGS[listing_type]
    absent = {field.name for field in msgspec.structs.fields(struct) if field.default is msgspec.UNSET}
    info = msgspec.inspect.type_info(struct)
    assert isinstance(info, msgspec.inspect.StructType)
    return _list_members(info, absent)


def _list_members(info: msgspec.inspect.StructType, left_out: Set[str] = frozenset()) -> dict[str, pl.DataType]:
    return {field.encode_name: _find_kind(field.type) for field in info.fields if field.name not in left_out}


def _find_kind(info: Any) -> pl.DataType:
    """Return the type of a column for a member. Raises TypeError for a kind of member that no resource has had yet."""
    if isinstance(info, msgspec.inspect.Metadata):
        return _find_kind(info.type)
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
        return _KINDS[type(info)][0]
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
    return pl.DataFrame(table).select(*columns).rechunk()


def _find_type(kind: Any) -> Any:
    """Return the Arrow type with which the JSON parser reads a column of this Polars type."""
    if isinstance(kind, pl.List):
        return pa.list_(_find_type(kind.inner))
    if isinstance(kind, pl.Struct):
        return pa.struct([(field.name, _find_type(field.dtype)) for field in kind.fields])
    return _ARROW[kind]


def encode_parquet(groups: Iterator[pl.DataFrame], columns: Columns) -> bytes:
    """Encode groups of `ROW_GROUP` rows; the last may have fewer. A group is requested when it is to be written."""
    target = BytesIO()
    register_io_source(lambda *_: groups, schema=columns, validate_schema=False).sink_parquet(
        target, compression="zstd", row_group_size=ROW_GROUP, statistics=False
    )
    return target.getvalue()
