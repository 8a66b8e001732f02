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
    return f"{kind}_{end}{sign}({sql})"


def register_readers(connection: DuckDBPyConnection, *, today: date) -> None:
    """Create the functions of `take_range`. `today`: days without a year are the next from two months before it on."""
    functions: dict[str, Callable[[str], str | None]] = {"weekdays": partial(take_weekdays, today=today)}
    for end in ("start", "end"):
        functions |= {
            f"ages_{end}": partial(_take_age, end=end),
            f"amount_{end}_point": partial(_take_amount, decimal=".", end=end),
            f"amount_{end}_comma": partial(_take_amount, decimal=",", end=end),
            f"time_{end}": lru_cache(maxsize=4096)(partial(_take_time, end=end, today=today)),
            f"clock_{end}": partial(_take_clock, end=end),
        }
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


def _take_age(text: str, *, end: str) -> str | None:
    ages = read_ages(text)
    age = None if ages is None else ages.min if end == "start" else ages.max
    return None if age is None else str(age)


def _take_amount(text: str, *, decimal: str, end: str) -> str | None:
    amount = read_amount(text, decimal=decimal)
    value = None if amount is None else amount.min if end == "start" else amount.max
    return None if value is None else f"{value:.2f}".removesuffix(".00").replace(".", decimal)


def _take_clock(text: str, *, end: str) -> str | None:
    hours = read_hours(text)
    clock = None if hours is None else hours.begins if end == "start" else hours.ends
    return None if clock is None else f"{clock:%H:%M}"


def read_text(kind: str, text: str) -> object:
    """Return what the reader of this kind reads in a text, None if nothing."""
    if kind == "clock":
        return read_hours(text) or read_weekdays(text) or None
    return read_ages(text) if kind == "ages" else read_amount(text)


def understands(kind: str, text: str) -> bool:
    return read_text(kind, text) is not None


def _take_time(text: str, *, end: str, today: date) -> str | None:
    """Return one end of the time in a text: `HH:MM` behind its day, or a day, or the whole text if it has no range."""
    folded = fold(text)
    written = text if len(text) == len(folded) else folded
    if (sides := find_sides(folded)) is not None:
        days = read_days(text, today=today)
        if days is not None and days.first is not None:
            return (days.first if end == "start" else days.last or days.first).isoformat()
        begin, stop = sides[end == "end"]
        return _take_time(written[begin:stop].strip(), end="start", today=today)
    hours = read_hours(text)
    if hours is not None:
        clock = hours.begins if end == "start" else hours.ends
        return None if clock is None else _join_day(written, hours.begin, hours.end, clock)
    days = read_days(text, today=today)
    if days is None or days.first is None or days.last is None:
        return written if end == "start" else None
    return (days.first if end == "start" else days.last).isoformat()


def _join_day(text: str, begin: int, end: int, clock: time) -> str:
    """Return the clock time behind the day of its text, which stands before it, or else behind it."""
    before, behind = (_AROUND.sub("", part) for part in (_CLOCK_BEHIND_DAY.sub("", text[:begin]), text[end:]))
    day = before if any(map(str.isdigit, before)) else behind if names_day(behind) else ""
    return f"{day} {clock:%H:%M}".strip()
