"""Find the notation of a column's dates and times: the formats that read most of its texts."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import product
from typing import Any

from duckdb import DuckDBPyConnection
from msgspec import Struct
from msgspec.structs import replace

from outings.configuration.mapping import has_clock, has_day
from outings.texts.days import list_month_names, list_weekday_names
from pipeline.fetch.table.ranges import run_readers, take_range
from pipeline.fetch.table.time_formats import read_clock, read_day, read_moment, squeeze_date
from pipeline.words import fold

_READERS = {"moment": read_moment, "day": read_day, "clock": read_clock}
_SPAN = re.compile(r"\d\s*[–—]\s*\d")
_ORDINAL = re.compile(r"\b(\d+)(st|nd|rd|th|er)\b")
_WORD = re.compile(r"[^\W\d_]+")
_MONTHS = {name: "%B" for names in list_month_names() for name in names}
_WEEKDAYS = dict.fromkeys(list_weekday_names(), "%A")
_CLOCK = re.compile(r"\b\d{1,2}:\d{2}(:\d{2})?\b")
# A longer text is no time.
_LONGEST = 80
_MOST = 3
_SAMPLE = 100
# So many formats of a sample are tried, the most frequent.
_TRIED = 12
# A format has to read this share of what the others left.
_LEAST = 0.02
# A column of which less is a time is none.
_LEAST_READ = 0.3
# A cell with a month and a year alone, as a mapping says it.
_HEADING = r"^\D+ \d{4}$"


class TimeNotation(Struct, frozen=True, kw_only=True):
    """The notation of times in a column. `kind`: `moment`, `day`, `clock`, `unix` or none (empty). `formats` beside
    ISO 8601; `read`: how many of the `values` texts they read. `is_range`: the texts have ranges, of which `ends` state
    an end. `heading`: the pattern of cells with a month and year for the rows below. `is_ambiguous`: day and month
    could be swapped."""

    kind: str = ""
    formats: tuple[str, ...] = ()
    read: int = 0
    values: int = 0
    is_range: bool = False
    ends: int = 0
    heading: str = ""
    is_ambiguous: bool = False


def find_writing(connection: DuckDBPyConnection, values: Sequence[str], *, months_first: bool) -> TimeNotation:
    """Find the notation of a column's times. `months_first`: prefer the month before the day if both fit."""
    if unix := _find_unix(values):
        return TimeNotation(kind="unix", formats=(unix,), read=len(values), values=len(values))
    none = TimeNotation(values=len(values))
    if sum(re.search(r"\d", value) is not None and len(value) < _LONGEST for value in values) < _LEAST_READ * len(
        values
    ):
        return none
    best = _find_notation(connection, values, months_first=months_first)
    if best.read < len(values) and (headed := _add_headings(values)):
        under = _find_notation(connection, headed, months_first=months_first)
        if under.read > best.read:
            best = replace(under, heading=_HEADING)
    return best if best.read and best.read >= _LEAST_READ * best.values else none


def read_times(
    connection: DuckDBPyConnection, values: Sequence[str | None], writing: TimeNotation
) -> list[datetime | None]:
    """Parse texts by a notation that was found. Return None for a text that it does not read."""
    text = take_range("value", "time", "start") if writing.is_range else "value"
    read = _READERS.get(writing.kind)
    if read is None:
        return [None] * len(values)
    taken = [start for (start,) in evaluate(connection, text, values)]
    return [time for (time,) in evaluate(connection, read("value", writing.formats, "UTC"), taken)]


def evaluate(connection: DuckDBPyConnection, sql: str, values: Sequence[str | None]) -> list[tuple[Any, ...]]:
    """Evaluate SQL over each text, which is called `value`, or over all of them if it aggregates."""
    query = f"SELECT {sql} FROM (SELECT unnest(?::VARCHAR[]) AS value)"
    with run_readers():
        return connection.execute(query, [list(values)]).fetchall()


def _find_unix(values: Sequence[str]) -> str:
    """Return `unix` or `unix_ms` if all texts are seconds or milliseconds from about 1990 to 2100; else ""."""
    if values and all(re.fullmatch(r"\d{12,13}", value) for value in values):
        return "unix_ms"
    return "unix" if values and all(re.fullmatch(r"[6-9]\d{8}|[1-3]\d{9}", value) for value in values) else ""


def _add_headings(values: Sequence[str]) -> list[str]:
    """Append to each text the month and year of the heading above it. Texts without a heading are left out."""
    months = {name for names in list_month_names() for name in names}
    headed, above = [], ""
    for value in values:
        if re.search(_HEADING, value) and fold(value.split()[0]).rstrip(".") in months:
            above = value
        elif above:
            headed.append(f"{value} {above}")
    return headed


def _find_notation(connection: DuckDBPyConnection, values: Sequence[str], *, months_first: bool) -> TimeNotation:
    plain = _find_kind(connection, values, months_first=months_first)
    if plain.read == len(values) and not any(map(_SPAN.search, values[:_SAMPLE])):
        return plain
    ends = ", ".join(take_range("value", "time", end) for end in ("start", "end"))
    taken = evaluate(connection, ends, values)
    ranged = _find_kind(connection, [start or "" for start, _ in taken], months_first=months_first)
    if ranged.read <= plain.read:
        return plain
    return replace(ranged, is_range=True, ends=sum(end is not None for _, end in taken))


def _find_kind(connection: DuckDBPyConnection, values: Sequence[str], *, months_first: bool) -> TimeNotation:
    notations = [_find(connection, values, kind, months_first=months_first) for kind in ("moment", "day", "clock")]
    return max(notations, key=lambda notation: notation.read)


def _find(connection: DuckDBPyConnection, values: Sequence[str], kind: str, *, months_first: bool) -> TimeNotation:
    left = [value for value, read in zip(values, _try(connection, values, kind, ()), strict=True) if not read]
    chosen: list[str] = []
    is_ambiguous = False
    while left and len(chosen) < _MOST:
        sample = list(dict.fromkeys(left))[:_SAMPLE]
        counts = _count(connection, sample, kind, months_first=months_first)
        best = max(counts, key=lambda format_: counts[format_], default="")
        read = _try(connection, left, kind, (best,)) if best and counts[best] else [False]
        if sum(read) <= _LEAST * len(values) * bool(chosen):
            break
        is_ambiguous |= not chosen and counts.get(_turn(best)) == counts[best] and _turn(best) != best
        chosen.append(best)
        left = [value for value, is_read in zip(left, read, strict=True) if not is_read]
    return TimeNotation(
        kind=kind, formats=tuple(chosen), read=len(values) - len(left), values=len(values), is_ambiguous=is_ambiguous
    )


def _turn(format_: str) -> str:
    """Return the format with day and month swapped."""
    return format_.translate(str.maketrans("dm", "md")) if "%B" not in format_ and "%b" not in format_ else format_


def _read(kind: str, formats: Sequence[str]) -> str:
    read = _READERS[kind]("value", formats, "UTC")
    return f"coalesce(({read}) BETWEEN TIMESTAMP '1899-01-01' AND TIMESTAMP '2200-01-01', false)"


def _try(connection: DuckDBPyConnection, values: Sequence[str], kind: str, formats: Sequence[str]) -> list[bool]:
    return [value for (value,) in evaluate(connection, _read(kind, formats), values)]


def _count(connection: DuckDBPyConnection, sample: list[str], kind: str, *, months_first: bool) -> dict[str, int]:
    """Return how many texts each format reads, of those that the texts themselves suggest."""
    suggested = Counter(format_ for text in sample for format_ in list_formats(text, months_first=months_first))
    formats = [format_ for format_, _ in suggested.most_common() if _find_format_kind(format_) == kind][:_TRIED]
    if not formats:
        return {}
    counts = ", ".join(f"count(*) FILTER ({_read(kind, (format_,))})" for format_ in formats)
    ((*matches,),) = evaluate(connection, counts, sample)
    return dict(zip(formats, matches, strict=True))


def _find_format_kind(format_: str) -> str:
    return "clock" if not has_day(format_) else "moment" if has_clock(format_) else "day"


def list_formats(text: str, *, months_first: bool) -> list[str]:
    """List the formats by which a text may be a time. Where day and month could be swapped, the first is the one that
    `months_first` prefers.

    >>> list_formats("Sonntag, den 5.12.2026", months_first=False)
    ['%A %d.%m.%Y', '%A %m.%d.%Y']
    """
    if len(text) > _LONGEST or "%" in text:
        return []
    folded = _ORDINAL.sub(r"\1", fold(text))
    has_name = any(word in _MONTHS or word in _WEEKDAYS for word in _WORD.findall(folded))
    written = squeeze_date(folded) if has_name else text
    # "mar" is a Tuesday and in March.
    orders = product((months_first, not months_first), (_WEEKDAYS | _MONTHS, _MONTHS | _WEEKDAYS))
    made = (_make_format(written, names, months_first=is_first) for is_first, names in orders)
    return list(dict.fromkeys(filter(None, made)))


def _make_format(text: str, names: Mapping[str, str], *, months_first: bool) -> str:
    """Return the format of a text whose words are only names of days and months; "" for another."""
    format_ = _WORD.sub(lambda word: names.get(word[0], word[0]), text)
    if any(len(word) > 1 for word in _WORD.findall(re.sub("%[AB]", "", format_))) or format_.count("%B") > 1:
        return ""
    format_ = _CLOCK.sub(lambda clock: "%H:%M:%S" if clock[1] else "%H:%M", format_)
    numbers = re.findall(r"\d+", format_)
    # Two times are a range.
    if format_.count("%H") > 1 or any(len(number) not in (1, 2, 4, 8) for number in numbers):
        return ""
    year_first = bool(numbers) and len(numbers[0]) == 4
    parts = ["%d"] if "%B" in format_ else ["%m", "%d"] if months_first or year_first else ["%d", "%m"]
    parts += [] if any(len(number) == 4 for number in numbers) else ["%y"]
    left = iter([*parts, *([] if "%H" in format_ else ["%H", "%M", "%S"])])
    made = [{4: "%Y", 8: "%Y%m%d"}.get(len(number)) or next(left, "") for number in numbers]
    if not all(made) or len(set(made)) < len(made):
        return ""
    written = re.sub(r"\d+", lambda _: made.pop(0), format_)
    return written if _names_day(written) or not re.search("%[ABYymd]", written) else ""


def _names_day(format_: str) -> bool:
    """Return True if a format has a day and its month, and something that tells it from ages (6-12) and prices (12.50):
    a year, a name, or a point behind the month."""
    is_whole = "%d" in format_ and ("%m" in format_ or "%B" in format_)
    return "%Y%m%d" in format_ or (is_whole and re.search(r"%[YyBA]|%[dm]\.%[dm]\.", format_) is not None)
