"""Which column is what: by its name, if what stands in it agrees."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from duckdb import DuckDBPyConnection
from msgspec import Struct

from pipeline.drafts.columns import Column
from pipeline.drafts.formats import TimeNotation, find_writing
from pipeline.drafts.words import rank_name, read_words

_NUMBER = re.compile(r"[^\d-]{0,5}-?\d[\d.,\s]*[^\d]{0,8}")
_DEGREES = re.compile(r"-?\d{1,3}[.,]\d+|-?\d{1,3}")
_TIMES = ("start_date", "start_time", "end_date", "end_time")
_ADDRESS = re.compile(r"https?://\S+")


class Role(Struct, frozen=True, kw_only=True):
    """`writing`: of a time, how it is written."""

    column: Column
    writing: TimeNotation = TimeNotation()

    @property
    def path(self) -> str:
        return self.column.path


Roles = Mapping[str, Role]


def find_roles(
    columns: Sequence[Column],
    connection: DuckDBPyConnection,
    *,
    months_first: bool,
    stated: Mapping[str, Sequence[str]] = {},
) -> dict[str, Role]:
    """By role, as `words.toml` names them. A column has one role, save that `stated` ones are what the caller says:
    each role with the columns that may have it, whichever are there."""
    by_path = {column.path: column for column in columns}

    @cache
    def read_writing(path: str) -> TimeNotation:
        return find_writing(connection, by_path[path].filled, months_first=months_first)

    def make_role(role: str, path: str) -> Role:
        return Role(column=by_path[path], writing=read_writing(path) if role in _TIMES else TimeNotation())

    roles = {role: make_role(role, path) for role, paths in stated.items() for path in paths if path in by_path}
    taken = {role.path for role in roles.values()}
    ranked = sorted(
        (rank, place, role, column.path)
        for place, column in enumerate(columns)
        for role in read_words()["names"]
        if column.filled and (rank := rank_name(role, column.path)) is not None
    )
    for _, _, role, path in ranked:
        if role in roles or path in taken:
            continue
        made = make_role(role, path)
        if fits(role, made.column, made.writing):
            roles[role] = made
            taken.add(path)
    return roles


def fits(role: str, column: Column, writing: TimeNotation) -> bool:
    """Whether what stands in the column may be it."""
    values = column.filled
    if role == "source_id":
        return not column.many and len(set(values)) == len(values) and len(values) * 20 >= len(column.values) * 19
    if role in ("start_date", "end_date"):
        return writing.kind in ("moment", "day", "unix")
    if role in ("start_time", "end_time"):
        return writing.kind == "clock"
    if role in ("lat", "lng"):
        most = 90 if role == "lat" else 180
        degrees = [value for value in values if _DEGREES.fullmatch(value.strip()) and abs(read_number(value)) <= most]
        return len(degrees) > 0.9 * len(values)
    if role in ("age_min", "age_max"):
        return _share(values, re.compile(r"\d{1,3}(\.0)?")) > 0.9
    if role == "price":
        return _share(values, _NUMBER) > 0.3 or any(not re.search(r"\d", value) for value in values)
    if role in ("link", "registration_link", "image"):
        return _share(values, _ADDRESS) > 0.5
    if role in ("is_free", "registration", "all_day"):
        return len({value.casefold() for value in values}) <= 3 and not column.many
    if role == "category":
        return len(column.distinct) <= max(40, len(values) // 2)
    return role != "name" or _share(values, _NUMBER) < 0.5


def _share(values: Sequence[str], pattern: re.Pattern[str]) -> float:
    return sum(pattern.fullmatch(value.strip()) is not None for value in values) / max(1, len(values))


def read_number(value: str | None) -> float:
    """0 of what is no number."""
    try:
        return float((value or "0").replace(",", "."))
    except ValueError:
        return 0.0
