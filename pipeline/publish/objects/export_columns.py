"""Members of a resource → columns of its export, nested as they are in its document."""

from collections.abc import Set
from functools import cache
from typing import Any

import msgspec
import polars as pl

from outings.contract.resources.listings import LISTINGS

_KINDS: dict[type[Any], pl.DataType] = {
    msgspec.inspect.StrType: pl.String(),
    msgspec.inspect.IntType: pl.Int64(),
    msgspec.inspect.FloatType: pl.Float64(),
    msgspec.inspect.BoolType: pl.Boolean(),
    msgspec.inspect.DateType: pl.String(),
}


@cache
def list_columns(listing_type: str) -> dict[str, pl.DataType]:
    """By name, in the document's order: its members but those that are made when answering."""
    struct = LISTINGS[listing_type]
    absent = {field.name for field in msgspec.structs.fields(struct) if field.default is msgspec.UNSET}
    info = msgspec.inspect.type_info(struct)
    assert isinstance(info, msgspec.inspect.StructType)
    return _list_members(info, absent)


def _list_members(info: msgspec.inspect.StructType, left_out: Set[str] = frozenset()) -> dict[str, pl.DataType]:
    return {field.encode_name: _find_kind(field.type) for field in info.fields if field.name not in left_out}


def _find_kind(info: Any) -> pl.DataType:
    """TypeError for a member of a kind that no resource has had yet."""
    if isinstance(info, msgspec.inspect.Metadata):
        return _find_kind(info.type)
    if isinstance(info, msgspec.inspect.UnionType):
        (stated,) = (each for each in info.types if not isinstance(each, msgspec.inspect.NoneType))
        return _find_kind(stated)
    if isinstance(info, msgspec.inspect.StructType):
        return pl.Struct(_list_members(info))
    if isinstance(info, msgspec.inspect.DictType):  # as Parquet has maps: a list of their pairs
        return pl.List(pl.Struct({"key": _find_kind(info.key_type), "value": _find_kind(info.value_type)}))
    if isinstance(info, msgspec.inspect.VarTupleType):
        return pl.List(_find_kind(info.item_type))
    try:
        return _KINDS[type(info)]
    except KeyError:
        raise TypeError(f"no column holds {info}") from None
