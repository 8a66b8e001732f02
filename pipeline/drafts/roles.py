"""Find the role of each column: by its name, if its values agree. Find the format of its dates and times."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from duckdb import DuckDBPyConnection
from msgspec import Struct

from pipeline.drafts.columns import Column, rank_name, read_words
from pipeline.fetch.table.mapping import MONTHS, WEEKDAYS, read_clock, read_day, read_moment

# Where both fit, the one in front is taken: a caller in a country that writes months first turns them round.
DAYS = (
    "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%Y", "%Y/%m/%d", "%Y%m%d", "%d/%m/%y", "%m/%d/%y",
    "%d-%m-%y", "%d de %B de %Y", "%d de %B %Y", "%d %B %Y", "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%B %d, %Y",
    "%b %d, %Y", "%B %d %Y",
    "%A, %B %d, %Y", "%A, %d de %B de %Y", "%A %d de %B de %Y", "%A %d %B %Y", "%A, %d %B %Y",
)  # fmt: skip
CLOCKS = (
    "%H:%M", "%I:%M %p", "%H:%M:%S", "%I:%M:%S %p", "%I:%M%p", "%I %p", "%I%p", "%H:%M h", "%H:%M hs", "%H.%M", "%Hh%M",
)  # fmt: skip
_BETWEEN = (" ", ", ", " - ", "T", " a las ", " at ")
_MOST = 3
# A format has to read this share of what the others left.
_LEAST = 0.02
_SHAPES = {
    "%d": r"\d{1,2}", "%m": r"\d{1,2}", "%Y": r"\d{4}", "%y": r"\d{2}", "%H": r"\d{1,2}", "%I": r"\d{1,2}",
    "%M": r"\d{2}", "%S": r"\d{2}", "%p": r"[ap]\.?\s?m\.?",
}  # fmt: skip


class TimeNotation(Struct, frozen=True, kw_only=True):
    """`kind`: `moment`, `day`, `clock`, `unix` or none (empty). `formats` beside ISO 8601; `read`: how many of the
    `values` they read. `is_ambiguous`: day and month could be the other way round in all of them."""

    kind: str = ""
    formats: tuple[str, ...] = ()
    read: int = 0
    values: int = 0
    is_ambiguous: bool = False


def find_writing(connection: DuckDBPyConnection, values: Sequence[str], *, months_first: bool) -> TimeNotation:
    """Find the format in which these texts, one for each row, state dates or times."""
    if unix := _find_unix(values):
        return TimeNotation(kind="unix", formats=(unix,), read=len(values), values=len(values))
    writings = [_find(connection, values, kind, months_first=months_first) for kind in ("moment", "day", "clock")]
    best = max(writings, key=lambda each: each.read)
    return best if best.read * 2 > len(values) else TimeNotation(values=len(values))


def _find_unix(values: Sequence[str]) -> str:
    """Numbers that are moments of 1990 to 2100 in seconds or thousandths of them, or nothing."""
    if values and all(re.fullmatch(r"\d{12,13}", value) for value in values):
        return "unix_ms"
    return "unix" if values and all(re.fullmatch(r"[6-9]\d{8}|[1-3]\d{9}", value) for value in values) else ""


def _find(connection: DuckDBPyConnection, values: Sequence[str], kind: str, *, months_first: bool) -> TimeNotation:
    left = [value for value, read in zip(values, _try(connection, values, kind, ()), strict=True) if not read]
    chosen: list[str] = []
    ambiguous = False
    while left and len(chosen) < _MOST:
        fitting = _list_fitting(kind, left, months_first=months_first)
        fits = {each: _try(connection, left, kind, (each,)) for each in fitting}
        counts = {each: sum(read) for each, read in fits.items()}
        best = max(counts, key=lambda each: counts[each], default="")
        if not best or counts[best] <= _LEAST * len(values) * bool(chosen):
            break
        ambiguous |= not chosen and counts.get(_turn(best)) == counts[best] and _turn(best) != best
        chosen.append(best)
        left = [value for value, read in zip(left, fits[best], strict=True) if not read]
    return TimeNotation(
        kind=kind, formats=tuple(chosen), read=len(values) - len(left), values=len(values), is_ambiguous=ambiguous
    )


def _turn(format_: str) -> str:
    """Return the format with day and month swapped."""
    return format_.translate(str.maketrans("dm", "md")) if "%B" not in format_ and "%b" not in format_ else format_


def _try(connection: DuckDBPyConnection, values: Sequence[str], kind: str, formats: tuple[str, ...]) -> list[bool]:
    read = {"moment": read_moment, "day": read_day, "clock": read_clock}[kind]("value", formats, "UTC")
    bound = f"({read}) BETWEEN TIMESTAMP '1899-01-01' AND TIMESTAMP '2200-01-01'"
    query = f"SELECT coalesce({bound}, false) FROM (SELECT unnest(?::VARCHAR[]) AS value)"
    return [value for (value,) in connection.execute(query, [list(values)]).fetchall()]


def _list_fitting(kind: str, values: Sequence[str], *, months_first: bool) -> list[str]:
    sample = [" ".join(value.split()) for value in values[:200]]
    days = sorted(DAYS, key=lambda each: not each.startswith("%m")) if months_first else list(DAYS)
    if kind == "clock":
        candidates = list(CLOCKS)
    elif kind == "day":
        candidates = days
    else:
        candidates = [f"{day}{between}{clock}" for day in days for between in _BETWEEN for clock in CLOCKS]
    return [each for each in candidates if any(_shape(each).fullmatch(value) for value in sample)]


@cache
def _shape(format_: str) -> re.Pattern[str]:
    months = "|".join(month[2] for month in MONTHS)
    days = "|".join(word for pair in WEEKDAYS for word in (pair[0].lower(), pair[1])) + "|miércoles|sábado"
    shapes = {**_SHAPES, "%B": f"(?:{months})", "%b": rf"(?:{months})\.?", "%A": f"(?:{days})"}
    parts = re.split(r"(%.)", format_)
    return re.compile("".join(shapes.get(part, re.escape(part)) for part in parts), re.IGNORECASE)


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
    """Return the role and its column by the names of roles in `words.toml`. A column has one role. `stated`: roles that
    the caller knows, each with the paths of columns that may have it; they need not exist."""
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
    """Return whether what stands in the column may be it."""
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
    """Return the number, or 0 if the text is none."""
    try:
        return float((value or "0").replace(",", "."))
    except ValueError:
        return 0.0
