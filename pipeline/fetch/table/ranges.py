"""Functions that SQL calls to read what people write: one end of the ages, the price or the time in a text.

`outings.texts` reads each different text once. The functions return texts that the rules of a mapping take.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, time
from functools import lru_cache, partial
from importlib.util import find_spec

from duckdb import DuckDBPyConnection
from duckdb.func import FunctionNullHandling, PythonUDFType

from outings.texts.ages import read_ages
from outings.texts.amounts import read_amount
from outings.texts.days import find_sides, names_day, read_days, read_weekdays
from outings.texts.hours import read_hours
from outings.texts.tokens import fold
from pipeline.fetch.table.weekdays import take_weekdays

CURRENCY = r"(?i:us\$|r\$|[$€£¥]|usd|eur|gbp|cad|mxn|euros?|dollars?|dolares|pesos?)"
_AROUND = re.compile(r"^[\s,;|·.:]+|[\s,;|·:]+$")
_CLOCK_BEHIND_DAY = re.compile(r"(?<=\d)[Tt]$")


def take_range(sql: str, kind: str, end: str, *, decimal: str = ".") -> str:
    """Return SQL for the `start` or `end` of the range in a text. `kind`: `ages`, `amount`, `time`, or `clock` for the
    hours of a day that stands elsewhere. `decimal`: the sign before the decimals, as the rule expects it."""
    sign = {".": "_point", ",": "_comma"}[decimal] if kind == "amount" else ""
    return f"nullif(split_part(read_{kind}{sign}({sql}), chr(9), {1 if end == 'start' else 2}), '')"


def register_readers(connection: DuckDBPyConnection, *, today: date) -> None:
    """Create the functions of `take_range`, which return both ends with a tab between them: DuckDB calls one once for
    both. `today`: days without a year are the next from two months before it on."""
    functions: dict[str, Callable[[str], str | None]] = {
        "read_ages": _take_ages, "read_amount_point": partial(_take_amount, decimal="."),
        "read_amount_comma": partial(_take_amount, decimal=","), "read_clock": _take_clock,
        "read_time": lru_cache(maxsize=4096)(partial(_take_times, today=today)),
        "weekdays": partial(take_weekdays, today=today),
    }  # fmt: skip
    for name, read in functions.items():
        connection.create_function(
            name, _read_text(read), ["VARCHAR"], "VARCHAR", type=PythonUDFType.NATIVE,
            null_handling=FunctionNullHandling.SPECIAL,
        )  # fmt: skip


@contextmanager
def run_readers() -> Iterator[None]:
    """Let queries with these functions run fast within the block.

    DuckDB looks for pandas again for each value that a function returns: 90 µs each if there is none, and 6 if the
    search ends at once. Other libraries would take what ends it for a module, so it is there within the block alone.
    """
    is_ended = "pandas" not in sys.modules and find_spec("pandas") is None
    if is_ended:
        sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if is_ended:
            sys.modules.pop("pandas", None)


def _read_text(read: Callable[[str], str | None]) -> Callable[[str | None], str | None]:
    """Return a function of one parameter, as DuckDB counts them. A function of whole columns crashes DuckDB 1.5.6 where
    a query also has windows, as one with headings has."""
    return lambda text: None if text is None else read(text)


def _join_ends(*ends: str | None) -> str:
    return "\t".join(end or "" for end in ends)


def _take_ages(text: str) -> str | None:
    ages = read_ages(text)
    return None if ages is None else _join_ends(*(None if age is None else str(age) for age in ages[:2]))


def _take_amount(text: str, *, decimal: str) -> str | None:
    amount = read_amount(text, decimal=decimal)
    ends = () if amount is None else amount[:2]
    written = (None if end is None else f"{end:.2f}".removesuffix(".00").replace(".", decimal) for end in ends)
    return _join_ends(*written) if ends else None


def _take_clock(text: str) -> str | None:
    hours = read_hours(text)
    if hours is None:
        return None
    return _join_ends(f"{hours.begins:%H:%M}", None if hours.ends is None else f"{hours.ends:%H:%M}")


def read_text(kind: str, text: str) -> object:
    """Return what the reader of this kind reads in a text, None if nothing. A column beside that of the times may have
    the day."""
    if kind == "clock":
        return read_hours(text) or read_weekdays(text) or names_day(text) or None
    return read_ages(text) if kind == "ages" else read_amount(text)


def understands(kind: str, text: str) -> bool:
    return read_text(kind, text) is not None


def _take_times(text: str, *, today: date) -> str:
    """Return both ends of the time in a text: `HH:MM` behind its day, or a day, or the text if it has no range."""
    folded = fold(text)
    written = text if len(text) == len(folded) else folded
    days = read_days(text, today=today)
    if (sides := find_sides(folded)) is not None:
        if days is not None and days.first is not None:
            return _join_ends(days.first.isoformat(), (days.last or days.first).isoformat())
        starts = (_take_times(written[begin:end].strip(), today=today).partition("\t")[0] for begin, end in sides)
        return _join_ends(*starts)
    hours = read_hours(text)
    if hours is not None:
        join = partial(_join_day, written, hours.begin, hours.end)
        return _join_ends(join(hours.begins), join(hours.ends) if hours.ends is not None else None)
    if days is None or days.first is None or days.last is None:
        return written
    return _join_ends(days.first.isoformat(), days.last.isoformat())


def _join_day(text: str, begin: int, end: int, clock: time) -> str:
    """Return the clock time behind the day of its text, which stands before it, or else behind it."""
    before, behind = (_AROUND.sub("", part) for part in (_CLOCK_BEHIND_DAY.sub("", text[:begin]), text[end:]))
    day = before if any(map(str.isdigit, before)) else behind if names_day(behind) else ""
    return f"{day} {clock:%H:%M}".strip()
