"""Parse the values of parameters, and format times.

Times are whole seconds; fractions are cut off. As numbers, dates are days since 1970-01-01, and local times are seconds
since that day's midnight by the local clock.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from outings.contract.did_you_mean import find_nearest
from outings.contract.errors import ApiError, bad_request
from outings.contract.vocabulary import INCLUDES, Vocabulary

DAY = 86_400  # seconds

_FIRST = datetime(1970, 1, 1)
_FIRST_ORDINAL = _FIRST.toordinal()


def number_day(day: date) -> int:
    return day.toordinal() - _FIRST_ORDINAL


def read_date(days: int) -> date:
    return date.fromordinal(days + _FIRST_ORDINAL)


def count_seconds(local: datetime) -> int:
    return (local - _FIRST) // timedelta(seconds=1)


def read_local(seconds: int) -> datetime:
    return _FIRST + timedelta(seconds=seconds)


# All listings that one build changed have the same stamp, and all cursors of a snapshot.
@lru_cache(maxsize=1_024)
def format_instant(value: int | datetime) -> str:
    """Format seconds since 1970 in UTC, or a time with its zone, as `2026-08-10T16:00:00Z`.

    Raises ValueError for a time without a zone, because the machine's zone would be assumed.
    """
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"an instant needs its zone: {value.isoformat()}")
    else:
        value = datetime.fromtimestamp(value, UTC)
    return value.astimezone(UTC).isoformat()[:19] + "Z"


def format_local(value: datetime) -> str:
    """Format a naive local time as `2026-08-10T09:00:00`. Raises ValueError for a time with a zone, because nothing is
    converted here."""
    if value.tzinfo is not None:
        raise ValueError(f"a local time has no zone: {value.isoformat()}")
    return value.isoformat()[:19]


def format_clock(value: int | time) -> str:
    """Format seconds of the local day, or a clock time, as `09:00:00`."""
    if isinstance(value, time):
        return value.isoformat()[:8]
    return f"{value // 3600:02}:{value // 60 % 60:02}:{value % 60:02}"


Scalar = str | int | float | bool | date | datetime | time
Value = Scalar | tuple[str, ...]
Kind = Literal[
    "text", "word", "path", "integer", "number", "boolean", "date", "date-time", "moment", "clock", "minute", "uuid",
    "cursor", "group-cursor", "expression",
]  # fmt: skip

# Bounds of all dates, so that no sum of a date and a window can overflow.
EARLIEST, LATEST = date(1900, 1, 1), date(2199, 12, 31)

# ASCII digits alone; no plus sign, no leading zero, no minus zero.
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# From 3.14 on, Python takes 24:00 for the next midnight; here no day has that hour.
_SIXTY = "[0-5][0-9]"
_TIME = f"([01][0-9]|2[0-3]):{_SIXTY}"
# A plus sign that the client did not encode arrives as a space.
_INSTANT = re.compile(
    rf"(?P<day>{_DATE.pattern})[Tt ](?P<clock>{_TIME}:{_SIXTY})(?P<fraction>\.[0-9]{{1,9}})?"
    r"(?P<offset>[Zz]|[-+ ][0-9]{2}:[0-9]{2})"
)
_CLOCK = re.compile(f"{_TIME}(:{_SIXTY})?")
_MINUTE = re.compile(_TIME)
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_GROUP_CURSOR = re.compile(r"[a-z_]{1,40}:(?:0|[1-9][0-9]{0,6})")


def parse_integer(text: str) -> int | None:
    """Parse a whole number, or return None.

    >>> parse_integer("-7"), parse_integer("007")
    (-7, None)
    """
    # 20 digits are beyond every bound, so the rest of a longer text needs no conversion.
    return int(text[:20]) if _INTEGER.fullmatch(text) else None


def parse_number(text: str) -> float | None:
    """Parse a finite number, or return None. Minus zero becomes zero.

    >>> parse_number("1e3"), parse_number("-0.0"), parse_number("1e999")
    (1000.0, 0.0, None)
    """
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number + 0.0 if math.isfinite(number) else None


def parse_date(text: str) -> date | None:
    """Parse a day, or return None.

    >>> parse_date("2026-08-10"), parse_date("2026-02-30")
    (datetime.date(2026, 8, 10), None)
    """
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def parse_instant(text: str) -> datetime | None:
    """Parse RFC 3339 with an offset into UTC, or return None. Digits after microseconds are cut off.

    >>> parse_instant("2026-08-10T09:00:00-07:00").isoformat()
    '2026-08-10T16:00:00+00:00'
    """
    parts = _INSTANT.fullmatch(text)
    if parts is None:
        return None
    day, clock, fraction, offset = (parts[name] or "" for name in ("day", "clock", "fraction", "offset"))
    zone = "+00:00" if offset in "Zz" else offset.replace(" ", "+")
    try:
        return datetime.fromisoformat(f"{day}T{clock}{fraction[:7]}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def parse_moment(text: str) -> str | None:
    """Return `now`, or a local time without seconds, or None.

    >>> parse_moment("2026-08-15T14:00:30"), parse_moment("2026-08-15")
    ('2026-08-15T14:00', None)
    """
    if text == "now":
        return text
    day, _, clock = text.partition("T")
    local = parse_date(day), parse_clock(clock)
    return None if None in local else f"{day}T{clock[:5]}"


def parse_clock(text: str) -> time | None:
    """Parse a time of the day, or return None.

    >>> parse_clock("09:30"), parse_clock("24:00")
    (datetime.time(9, 30), None)
    """
    return time.fromisoformat(text) if _CLOCK.fullmatch(text) else None


def parse_minute(text: str) -> time | None:
    """Parse a time of the day without seconds, or return None.

    >>> parse_minute("09:30:00") is None
    True
    """
    return time.fromisoformat(text) if _MINUTE.fullmatch(text) else None


def parse_uuid(text: str) -> str | None:
    """Return the UUID in lower case, or None.

    >>> parse_uuid("7F1C79FF-BDF7-53B1-894C-D11D1F7E5E17")
    '7f1c79ff-bdf7-53b1-894c-d11d1f7e5e17'
    """
    return text.lower() if _UUID.fullmatch(text) else None


def parse_text(text: str) -> str | None:
    r"""Return the trimmed text, or None if it has control characters.

    >>> parse_text("  art  "), parse_text("a\x00b")
    ('art', None)
    """
    text = text.strip()
    return None if CONTROL_CHARACTERS.search(text) else text


class ValueKind(NamedTuple):
    """A kind of value. `parse` returns None for a text of another kind. Errors describe the kind by `expected`, and
    OpenAPI by `form`."""

    parse: Callable[[str], Scalar | None]
    expected: str
    form: Mapping[str, str | int]


_TEXT = {"type": "string"}

# The kinds of parameters. Words and dotted paths are texts here; `parse_argument` compares them with what is allowed.
KINDS: Mapping[Kind, ValueKind] = {
    "text": ValueKind(
        parse_text, "text without control characters",
        {**_TEXT, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$"},
    ),
    "word": ValueKind(parse_text, "a word", _TEXT),
    "path": ValueKind(parse_text, "a dotted path", {**_TEXT, "pattern": "^[a-z_]+(\\.[a-z_]+)*$"}),
    "integer": ValueKind(parse_integer, "a whole number such as 20", {"type": "integer"}),
    "number": ValueKind(parse_number, "a number such as 0.5", {"type": "number"}),
    "boolean": ValueKind({"true": True, "false": False}.get, "true or false", {"type": "boolean"}),
    "date": ValueKind(
        parse_date, "a date YYYY-MM-DD",
        {**_TEXT, "format": "date", "pattern": "^(19|2[01])[0-9]{2}-[0-9]{2}-[0-9]{2}$"},
    ),
    "date-time": ValueKind(
        parse_instant, "an RFC 3339 date-time with Z or an offset",
        {**_TEXT, "format": "date-time", "pattern": "^(19|2[01])[0-9]{2}-"},
    ),
    "moment": ValueKind(
        parse_moment, "now or a local time YYYY-MM-DDTHH:MM",
        {**_TEXT, "pattern": f"^(now|(19|2[01])[0-9]{{2}}-[0-9]{{2}}-[0-9]{{2}}T{_CLOCK.pattern})$"},
    ),
    "clock": ValueKind(
        parse_clock, "a local time HH:MM or HH:MM:SS", {**_TEXT, "pattern": f"^{_CLOCK.pattern}$"}
    ),
    "minute": ValueKind(parse_minute, "a local time HH:MM", {**_TEXT, "pattern": f"^{_TIME}$"}),
    "uuid": ValueKind(parse_uuid, "a uuid", {**_TEXT, "format": "uuid"}),
    "cursor": ValueKind(parse_text, "the cursor of an answer", {**_TEXT, "pattern": "^[A-Za-z0-9_-]+$"}),
    "group-cursor": ValueKind(
        lambda text: text if _GROUP_CURSOR.fullmatch(text) else None, "<group>:<offset>",
        {**_TEXT, "pattern": "^[a-z_]{1,40}:(0|[1-9][0-9]{0,6})$"}
    ),
    # DuckDB parses it, where the key has the grant.
    "expression": ValueKind(parse_text, "an SQL expression such as price.max < 15", _TEXT),
}  # fmt: skip


def format_scalar(value: Scalar) -> str:
    """Return the canonical spelling of a value. Parsing it gives the same value."""
    return _SPELLINGS[type(value)](value)


# By exact type: a boolean is an integer too, and an instant a date.
_SPELLINGS: Mapping[type, Callable[[Any], str]] = {
    str: str,
    bool: lambda value: "true" if value else "false",
    datetime: lambda value: value.astimezone(UTC).isoformat().replace("+00:00", "Z"),
    date: date.isoformat,
    time: lambda value: value.isoformat(timespec="auto" if value.second else "minutes"),
    float: lambda value: str(int(value) if value.is_integer() else value),
    int: str,
}


def echo_value(value: Value) -> str | int | float | bool | list[str]:
    """Return the value as `applied_filters` shows it. A client can send that back as the parameter's value."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return value if isinstance(value, (str, int)) else format_scalar(value)


class DateDefault(Enum):
    """A default that depends on the metro's local date."""

    LOCAL_DATE = "today"
    FROM_PLUS_30_DAYS = "from + 30 days"


Constant = str | int | float | bool | tuple[str, ...]
Default = Constant | DateDefault
Stability = Literal["stable", "beta", "experimental"]


class Parameter(Struct, frozen=True, kw_only=True):
    """A query parameter.

    Attributes:
        example: a value as in a query string.
        ordered: True if the order of an array's values has a meaning.
        is_filter: True if it selects rows. The canonical request keeps a filter's default value, because
            `meta.defaults_applied` tells sent values from defaults.
        allowed: the words that the kind `word` takes, if not those of the `vocabulary` of this name.
        minimum, maximum: bounds of a number, or of the length of a text.
        most: the most values of an array.
        is_optional: True if some deployments answer 501.
        is_tryable: False if the example would be refused without another parameter, or in other deployments. OpenAPI
            then has it only in words, because tools send each `example`.
        column: the one column of the snapshot's tables that a filter compares.
        member: the listing's member that fills the column. Without it, a rule of the build does.
        compares: whether the column's value must equal the filter's, or be at least or at most that.
        grant: the grant without which an API key may not send the parameter.
        prepares: what a server does before it plans the answer to a request that sends it: `center`, ask the geocoder
            for the point of an address; `thread`, parse and evaluate an expression in a thread.
    """

    name: str
    kind: Kind
    meaning: str
    example: str
    array: bool = False
    ordered: bool = False
    is_filter: bool = True
    required: bool = False
    allowed: tuple[str, ...] | None = None
    vocabulary: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    most: int | None = None
    default: Default | None = None
    replaced_by: str | None = None
    stability: Stability = "stable"
    is_optional: bool = False
    is_tryable: bool = True
    column: str | None = None
    member: str | None = None
    compares: Literal["equal", "least", "most"] = "equal"
    grant: str | None = None
    prepares: Literal["center", "thread"] | None = None


_SHOWN_CHARACTERS = 60


def parse_argument(
    row: Parameter, texts: Sequence[str], *, vocabulary: Vocabulary, paths: frozenset[str] | None = None
) -> Value:
    """Parse and check the value of a parameter. `texts`: all texts that were sent for it. `paths`: what a parameter of
    kind `path` may take; None allows any. Raises ApiError.

    Arrays have no duplicates. They are sorted unless their order has a meaning.
    """
    allowed = paths if row.kind == "path" else list_allowed(row, vocabulary)
    if not row.array:
        if len(texts) > 1:
            message = f"{row.name} takes one value, and was sent {len(texts)} times; send it once."
            raise bad_request(param=row.name, reason="contradictory", message=message)
        return _parse_one(row, texts[0], allowed)
    items = [item.strip() for text in texts for item in text.split(",")]
    parsed = dict.fromkeys(str(_parse_one(row, item, allowed)) for item in items)
    if row.most is not None and len(parsed) > row.most:
        message = f"{row.name} has {len(parsed)} values; it takes at most {row.most}."
        raise bad_request(param=row.name, reason="out_of_range", message=message, max=row.most)
    if row.kind == "path":
        return normalize_paths(frozenset(parsed))
    return tuple(parsed) if row.ordered else tuple(sorted(parsed))


def list_allowed(row: Parameter, vocabulary: Vocabulary) -> tuple[str, ...] | None:
    """Return the words that the parameter allows, or None if it is not limited to words."""
    if row.vocabulary is None:
        return row.allowed
    words: tuple[str, ...] = getattr(vocabulary, row.vocabulary)
    return words


def show_text(text: str) -> str:
    """Return a client's text for a message: quoted and shortened."""
    return repr(text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…")


def _parse_one(row: Parameter, text: str, allowed: Collection[str] | None) -> Scalar:
    kind = KINDS[row.kind]
    value = kind.parse(text) if text.strip() else None
    if value is None:
        raise bad_request(
            param=row.name,
            reason="invalid_value",
            message=f"{row.name} is {show_text(text) if text.strip() else 'empty'}; it takes {kind.expected}.",
            allowed=["true", "false"] if row.kind == "boolean" else None,
        )
    if isinstance(value, str) and allowed is not None and value not in allowed:
        raise _refuse_word(row, value, allowed)
    _check_bounds(row, value)
    return value


def _refuse_word(row: Parameter, word: str, allowed: Collection[str]) -> ApiError:
    """Make the error for a word or path that the parameter does not take."""
    if row.name == "include" and word in INCLUDES:
        hint = f"allowed: {', '.join(allowed)}." if allowed else "leave include out."
        message = f"include={word} is not available here; {hint}"
        return bad_request(param="include", reason="include_not_supported", message=message, allowed=list(allowed))
    # A resource has too many members to list all.
    shown = None if row.kind == "path" else list(allowed)
    meant = find_nearest(word, allowed)
    hint = f"allowed: {', '.join(shown)}." if shown else f"did you mean {meant}?" if meant else "/openapi.json has all."
    message = f"{row.name} has no {show_text(word)}; {hint}"
    return bad_request(param=row.name, reason="invalid_value", message=message, allowed=shown, did_you_mean=meant)


def _check_bounds(row: Parameter, value: Scalar) -> None:
    if isinstance(value, date):
        day = value.date() if isinstance(value, datetime) else value
        if not EARLIEST <= day <= LATEST:
            raise _out_of_range(row, f"{day}", least=EARLIEST.isoformat(), most=LATEST.isoformat())
    elif isinstance(value, str):
        # `parse_cursor` refuses a cursor that is too long.
        if row.maximum is not None and len(value) > row.maximum and row.kind != "cursor":
            size = f"{len(value)} characters long"
            raise _out_of_range(row, size, least=int(row.minimum or 0), most=int(row.maximum))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        least, most = row.minimum, row.maximum
        if (least is not None and value < least) or (most is not None and value > most):
            raise _out_of_range(row, f"{value:.12g}", least=least, most=most)


def _out_of_range(row: Parameter, what: str, *, least: object, most: object) -> ApiError:
    message = f"{row.name} is {what}; it takes {least} to {most}."
    return bad_request(param=row.name, reason="out_of_range", message=message, min=least, max=most)


ALWAYS_KEPT = ("id", "type")


def normalize_paths(paths: frozenset[str]) -> tuple[str, ...]:
    """Return the canonical form of a choice of fields: sorted, with `id` and `type`, and without paths whose parent is
    chosen."""
    chosen = paths.union(ALWAYS_KEPT)
    return tuple(sorted(path for path in chosen if not any(path.startswith(f"{parent}.") for parent in chosen)))
