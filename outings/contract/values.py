"""Parses the text of a single value strictly, and formats a value in its one canonical spelling."""

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from typing import Any, Literal, NamedTuple

Scalar = str | int | float | bool | date | datetime | time
Value = Scalar | tuple[str, ...]
Kind = Literal[
    "text", "word", "path", "integer", "number", "boolean", "date", "date-time", "clock", "minute", "uuid", "cursor",
    "group-cursor",
]  # fmt: skip

# Everything that is compared with a date lies inside; so no sum of a date and a window can overflow.
EARLIEST, LATEST = date(1900, 1, 1), date(2199, 12, 31)

# ASCII digits alone; no plus sign, no leading zero, no minus zero.
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# From 3.14 on, Python takes 24:00 for the next midnight; here no day has that hour.
_TIME = "(?:[01][0-9]|2[0-3]):[0-9]{2}"
# A plus sign that the client did not encode arrives as a space.
_INSTANT = re.compile(
    rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})[Tt ]({_TIME}:[0-9]{{2}})(\.[0-9]{{1,9}})?([Zz]|[-+ ][0-9]{{2}}:[0-9]{{2}})"
)
_CLOCK = re.compile(rf"{_TIME}(?::[0-9]{{2}})?")
_MINUTE = re.compile(_TIME)
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_GROUP_CURSOR = re.compile(r"[a-z_]{1,40}:(?:0|[1-9][0-9]{0,6})")


def parse_integer(text: str) -> int | None:
    # No bound of the contract has 20 digits; a longer text is out of every range, and costs no conversion.
    if not _INTEGER.fullmatch(text):
        return None
    return int(text[:20])


def parse_number(text: str) -> float | None:
    """Parses a finite number. Minus zero becomes zero."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number + 0.0 if math.isfinite(number) else None


def parse_boolean(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text)


def parse_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def parse_instant(text: str) -> datetime | None:
    """Parses RFC 3339 with an offset into UTC. Digits after microseconds are cut off, which only looks slightly further
    back."""
    parts = _INSTANT.fullmatch(text)
    if parts is None:
        return None
    day, clock, fraction, offset = parts.groups(default="")
    zone = "+00:00" if offset in "Zz" else offset.replace(" ", "+")
    try:
        return datetime.fromisoformat(f"{day}T{clock}{fraction[:7]}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def parse_clock(text: str) -> time | None:
    return _read_time(text) if _CLOCK.fullmatch(text) else None


def parse_minute(text: str) -> time | None:
    return _read_time(text) if _MINUTE.fullmatch(text) else None


def parse_uuid(text: str) -> str | None:
    """Returns the uuid in lower case."""
    return text.lower() if _UUID.fullmatch(text) else None


def parse_text(text: str) -> str | None:
    """Trims the text. Control characters are refused."""
    text = text.strip()
    return None if CONTROL_CHARACTERS.search(text) else text


def parse_group_cursor(text: str) -> str | None:
    return text if _GROUP_CURSOR.fullmatch(text) else None


def _read_time(text: str) -> time | None:
    try:
        return time.fromisoformat(text)
    except ValueError:
        return None


class ValueKind(NamedTuple):
    """`parse` gives None for what is no such value, `expected` are the words of the refusal, `form` is OpenAPI's."""

    parse: Callable[[str], Scalar | None]
    expected: str
    form: Mapping[str, str | int]


_HOUR, _SIXTY = "([01][0-9]|2[0-3])", "[0-5][0-9]"
_TEXT = {"type": "string"}

# The kinds of parameters. Values of a vocabulary and dotted paths are texts here; `argument` compares them with what
# is allowed. Dates are from EARLIEST to LATEST.
KINDS: Mapping[Kind, ValueKind] = {
    "text": ValueKind(
        parse_text, "text without control characters",
        {**_TEXT, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$"},
    ),
    "word": ValueKind(parse_text, "a word", _TEXT),
    "path": ValueKind(parse_text, "a dotted path", {**_TEXT, "minLength": 1}),
    "integer": ValueKind(parse_integer, "a whole number such as 20", {"type": "integer"}),
    "number": ValueKind(parse_number, "a number such as 0.5", {"type": "number"}),
    "boolean": ValueKind(parse_boolean, "true or false", {"type": "boolean"}),
    "date": ValueKind(
        parse_date, "a date YYYY-MM-DD",
        {**_TEXT, "format": "date", "pattern": "^(19|2[01])[0-9]{2}-[0-9]{2}-[0-9]{2}$"},
    ),
    "date-time": ValueKind(
        parse_instant, "an RFC 3339 date-time with Z or an offset",
        {**_TEXT, "format": "date-time", "pattern": "^(19|2[01])[0-9]{2}-"},
    ),
    "clock": ValueKind(
        parse_clock, "a local time HH:MM or HH:MM:SS", {**_TEXT, "pattern": f"^{_HOUR}:{_SIXTY}(:{_SIXTY})?$"}
    ),
    "minute": ValueKind(parse_minute, "a local time HH:MM", {**_TEXT, "pattern": f"^{_HOUR}:{_SIXTY}$"}),
    "uuid": ValueKind(parse_uuid, "a uuid", {**_TEXT, "format": "uuid"}),
    "cursor": ValueKind(parse_text, "the cursor of an answer", {**_TEXT, "pattern": "^[A-Za-z0-9_-]+$"}),
    "group-cursor": ValueKind(
        parse_group_cursor, "<group>:<offset>", {**_TEXT, "pattern": "^[a-z_]{1,40}:(0|[1-9][0-9]{0,6})$"}
    ),
}  # fmt: skip


def format_scalar(value: Scalar) -> str:
    """The canonical spelling of a value. Parsing it gives the same value."""
    return _SPELLINGS[type(value)](value)


def _format_instant(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _format_time(value: time) -> str:
    return value.isoformat(timespec="auto" if value.second else "minutes")


def _format_number(value: float) -> str:
    return str(int(value) if value.is_integer() else value)


# By the type itself: a boolean is an integer too, and an instant a date.
_SPELLINGS: Mapping[type, Callable[[Any], str]] = {
    str: str,
    bool: lambda value: "true" if value else "false",
    datetime: _format_instant,
    date: date.isoformat,
    time: _format_time,
    float: _format_number,
    int: str,
}


def echo_value(value: Value) -> str | int | float | bool | list[str]:
    """The value as `applied_filters` shows it. Sent back as a parameter it means the same."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return value if isinstance(value, (str, int)) else format_scalar(value)
