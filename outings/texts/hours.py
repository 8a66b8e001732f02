"""Read clock times: "7–9pm", "18h-24h", "ab 15 Uhr", "dalle 15 alle 17", "Samedis 11h-12h"."""

import re
from collections.abc import Sequence
from datetime import time
from functools import cache, lru_cache
from typing import NamedTuple

from outings.texts.days import MONTH, WEEKDAY, WEEKDAYS, list_day_roles, list_month_roles
from outings.texts.tokens import NUMBER, Scanner, Token, fold, make_roles, order_languages, read_words

_NUMBER = r"\d+"
# Days in figures are no times: they are blanks while the times are read.
_DATE = re.compile(
    r"(?<![\d:])(?:\d{4}-\d{1,2}-\d{1,2}t?|\d{1,2}([./])\d{1,2}\1(?:\d{4}|\d\d(?!\d))?|\d{1,2}/\d{1,2}|(?:19|20)\d\d(?![\d:h]))(?![\d:])|"
    r"(?<!\d)\d{4}-\d{1,2}-\d{1,2}t"
)
# A moment in ISO 8601 is no text of people, and its offset looks like the end of a range.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[t ]\d{1,2}:\d\d(:\d\d(\.\d+)?)?\s?(z|[+-]\d\d(:?\d\d)?)?")
_BETWEEN = frozenset({"to", "up_to"})
_LEADS = frozenset({"at", "from", "between", "up_to", "to"})
_HALF = 12


class Hours(NamedTuple):
    """A clock time, or a span of them. `weekdays`: of days.WEEKDAYS, where the text names some. `begin`, `end`: the
    characters of the folded text that say it."""

    begins: time
    ends: time | None
    weekdays: tuple[str, ...]
    begin: int
    end: int


class _Clock(NamedTuple):
    hour: int
    minute: int
    half: str
    is_sure: bool
    begin: int
    end: int


def read_hours(text: str, language: str | None = None) -> Hours | None:
    """Read the first clock time, or span of them, that a text states, whatever else it says.

    >>> read_hours("doors at 7pm").begins
    datetime.time(19, 0)
    """
    return _read(text.strip(), language) if len(text) <= 500 else None


@lru_cache(maxsize=4096)
def _read(text: str, language: str | None) -> Hours | None:
    folded = fold(text)
    return None if _MOMENT.fullmatch(folded) else _open_reader(language).read(folded)


@cache
def _open_reader(language: str | None) -> "_HourReader":
    return _HourReader(order_languages(language))


class _HourReader:
    def __init__(self, languages: Sequence[str]) -> None:
        tables = [
            (words["shared"], words["days"], list_day_roles(code), words["hours"])
            for code in languages if (words := read_words(code))
        ]  # fmt: skip
        self._scanner = Scanner(make_roles(tables), _NUMBER, list_month_roles(languages[:1]))

    def read(self, text: str) -> Hours | None:
        tokens = self._scanner.scan(_DATE.sub(lambda match: " " * len(match[0]), text))
        weekdays = _list_weekdays(tokens)
        for at in range(len(tokens)):
            first = _parse_clock(tokens, at)
            if first is None:
                continue
            joint = first.end
            while (
                tokens[joint].role in _BETWEEN
                or tokens[joint].role == "at"
                or tokens[joint].text in "-/"
                or (tokens[joint].role == "and" and tokens[at - 1].role == "between")
            ):
                joint += 1
            last = _parse_clock(tokens, joint) if tokens[joint - 1].text != "/" else None
            if last is not None and joint == first.end and not (first.half == "am" and last.half == "pm"):
                last = None  # "10:30 11:30" are two
            begin = at
            while tokens[begin - 1].role in _LEADS:
                begin -= 1
            if last is not None and (first.is_sure or last.is_sure or weekdays or tokens[begin].role == "at"):
                hour = _guess_half(first, last)
                return Hours(
                    time(hour % 24, first.minute),
                    _make_time(last),
                    weekdays,
                    tokens[begin].start,
                    tokens[last.end - 1].end,
                )
            if first.is_sure or (tokens[begin].role == "at" and begin < at):
                return Hours(_make_time(first), None, weekdays, tokens[begin].start, tokens[first.end - 1].end)
        return None


def _parse_clock(tokens: Sequence[Token], at: int) -> _Clock | None:
    token = tokens[at]
    if token.role in ("noon", "midnight"):
        return _Clock(_HALF if token.role == "noon" else 0, 0, "", is_sure=True, begin=at, end=at + 1)
    if token.role != NUMBER or len(token.text) > 4:
        return None
    hour, minute, end = int(token.text), 0, at + 1
    if len(token.text) > 2:  # "430pm"
        hour, minute = divmod(hour, 100)
        if tokens[end].role not in ("am", "pm", "unit") or minute > 59:
            return None
    if hour > 24 or _is_day(tokens, at) or _is_duration(tokens, at):
        return None
    while end <= at + 3 and (written := _read_minute(tokens, end)) is not None:  # the second time it is of seconds
        minute, end = written if end == at + 1 else minute, end + 2
    half, end = _read_half(tokens, end, is_short=1 <= hour <= _HALF)
    is_sure = end > at + 1
    if tokens[end - 1].text == "h" and not _is_glued(tokens, end) and _is_minute(tokens, end):
        minute, end = int(tokens[end].text), end + 1  # "14 h 30"
    return _Clock(hour, minute, half, is_sure=is_sure, begin=at, end=end)


def _read_half(tokens: Sequence[Token], at: int, *, is_short: bool) -> tuple[str, int]:
    """Return `am`, `pm` or "", and the next token. `is_short`: the hour is one of 1 to 12."""
    half = ""
    for _ in range(2):
        own = _find_half(tokens, at) if not half and is_short else ""
        is_letter = _is_glued(tokens, at) and tokens[at].text in ("h", "u")
        if own or is_letter or tokens[at].role == "unit":
            half, at = own or half, at + 1
    return half, at


def _read_minute(tokens: Sequence[Token], at: int) -> int | None:
    """Return the minutes behind a sign: "10:30", "10,30", "10h30", "10u30"."""
    if not _is_glued(tokens, at) or tokens[at].text not in (":", ".", ",", "h", "u") or not _is_glued(tokens, at + 1):
        return None
    written = tokens[at + 1]
    is_minute = written.role == NUMBER and len(written.text) == 2 and int(written.text) < 60
    return int(written.text) if is_minute else None


def _is_duration(tokens: Sequence[Token], at: int) -> bool:
    """Return True for "Durée : 1h30"."""
    while tokens[at - 1].text in ":." or tokens[at - 1].role == "fill":
        at -= 1
    return tokens[at - 1].role == "duration"


def _is_minute(tokens: Sequence[Token], at: int) -> bool:
    is_hour = tokens[at + 1].role in ("unit", "am", "pm") or tokens[at + 1].text in ":."
    return tokens[at].role == NUMBER and len(tokens[at].text) == 2 and int(tokens[at].text) < 60 and not is_hour


def _find_half(tokens: Sequence[Token], at: int) -> str:
    """Return `am` or `pm`, or "". One letter counts only behind its number: "6p", but not "10 a 12"."""
    if tokens[at].role in ("am", "pm"):
        return tokens[at].role
    return {"a": "am", "p": "pm"}.get(tokens[at].text, "") if _is_glued(tokens, at) else ""


def _is_glued(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at].start == tokens[at - 1].end


def _is_day(tokens: Sequence[Token], at: int) -> bool:
    """Return True for the number of a day of a month: "5. Dezember", "Dec 5"."""
    behind = at + 1
    while tokens[behind].text == "." or tokens[behind].role == "fill":
        behind += 1
    is_clock = _is_glued(tokens, at + 1) and tokens[at + 1].text in ":h"
    return tokens[behind].role.startswith(MONTH) or (tokens[at - 1].role.startswith(MONTH) and not is_clock)


def _make_time(clock: _Clock) -> time:
    hour = clock.hour % _HALF + (_HALF if clock.half == "pm" else 0) if clock.half else clock.hour
    return time(hour % 24, clock.minute)


def _guess_half(first: _Clock, last: _Clock) -> int:
    """Return the hour of a span's start: "6 - 8 PM" is one half of the day, and "11 - 1 PM" is two."""
    half = first.half
    if not half and last.half and first.hour <= _HALF:
        is_other = first.hour % _HALF > last.hour % _HALF
        half = {"am": "pm", "pm": "am"}[last.half] if is_other else last.half
    return _make_time(first._replace(half=half)).hour


def _list_weekdays(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the weekdays of a text, with those between two that a dash joins: "Mon-Fri 9am-5pm"; () if it says when
    something is closed."""
    roles = [token.role for token in tokens]
    if "closed" in roles:
        return ()
    if "except" in roles:
        at = roles.index("except")
        return tuple(day for day in _list_weekdays(tokens[:at]) if day not in _list_weekdays(tokens[at + 1 :]))
    days = tuple(code for role in roles if role.startswith(WEEKDAY) for code in role.removeprefix(WEEKDAY).split())
    for one, dash, other in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (
            one.role.startswith(WEEKDAY)
            and other.role.startswith(WEEKDAY)
            and (dash.text == "-" or dash.role in ("to", "up_to"))
        ):
            first, last = (WEEKDAYS.index(token.role.removeprefix(WEEKDAY).split()[0]) for token in (one, other))
            days += tuple(WEEKDAYS[(first + step) % 7] for step in range((last - first) % 7 + 1))
    return tuple(sorted(set(days), key=WEEKDAYS.index))
