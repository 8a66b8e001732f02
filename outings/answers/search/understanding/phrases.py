"""Phrases of a query that filter in `match=auto`: "in december", "open now", "under $20", "camps"."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import count

from msgspec import Struct

from outings.contract.errors import ApiError
from outings.contract.languages.language import NO_MATCH
from outings.contract.languages.word_lists import FILTER_PARTS, CalendarWords, FilterWords, Span, fill_parts
from outings.contract.parameters import PARAMETERS
from outings.contract.values import Value, parse_argument
from outings.contract.vocabulary import WEEKDAYS, Vocabulary

_PART = re.compile(r"<([a-z]+)>")
_AMOUNT = re.compile(r"[0-9]+(?:[.,][0-9]+)?")
_MONTHS = 12
# An hour up to this one without "am" or "pm" is of the afternoon: "after 5".
_LATE = 7
_NOON = "12:00"
_WHEN = frozenset({"weekday", "start_after", "start_before"})
# The month with which each season begins in the north.
_SEASONS = {"spring": 3, "summer": 6, "fall": 9, "winter": 12}


class Phrase(Struct, frozen=True, kw_only=True):
    """A phrase found in a query's line, in [start, end). `parts`: what stands for `<month>`, `<day>` and the like."""

    words: FilterWords
    text: str
    parts: Mapping[str, str]
    start: int
    end: int

    @property
    def is_when(self) -> bool:
        """Return True if the phrase says on which days or at what time."""
        return bool(self.parts) or self.words.span is not None or not _WHEN.isdisjoint(self.words.set)


class FilterPhrases:
    """The phrases of one language that filter."""

    def __init__(self, phrases: Sequence[FilterWords], calendar: CalendarWords, *, units: str) -> None:
        self._months, self._weekdays = (
            [re.compile(name) for name in names.split()] for names in (calendar.months, calendar.weekdays)
        )
        named = {"month": "|".join(calendar.months.split()), "weekday": "|".join(calendar.weekdays.split())}
        parts = {name: fill_parts(part, {"units": units or NO_MATCH}) for name, part in FILTER_PARTS.items()}
        parts |= {name: part or NO_MATCH for name, part in named.items()}
        self._phrases = [(_compile(phrase.words, parts), phrase) for phrase in phrases]

    def find(self, line: str) -> list[Phrase]:
        """Return the phrases of a line. They may overlap: the first has its words."""
        return [
            Phrase(words=words, text=match[0], start=match.start(), end=match.end(), parts=_read_parts(match))
            for pattern, words in self._phrases
            for match in pattern.finditer(line)
        ]

    def find_types(self, word: str) -> str | None:
        """Return the collection that a word means, such as `camps`, or None."""
        meant = (words.set.get("types") for pattern, words in self._phrases if pattern.fullmatch(word))
        return next(filter(None, meant), None)

    def list_values(self, phrase: Phrase, *, today: date, vocabulary: Vocabulary) -> dict[str, Value]:
        """Return the parameters that say the same as a phrase. Empty if there is no such date, or the deployment lacks
        the word."""
        texts = dict(phrase.words.set)
        parts, span = phrase.parts, self._find_span(phrase, today)
        if "weekday" in parts:
            texts["weekday"] = WEEKDAYS[_find_index(self._weekdays, parts["weekday"])]
        if phrase.words.open_on:
            weekday = WEEKDAYS.index(texts.pop("weekday"))
            texts["open_at"] = f"{today + timedelta((weekday - today.weekday()) % 7)}T{_NOON}"
        elif span is not None:
            first, last = span
            if last < first:
                return {}
            texts |= {"from": first.isoformat(), "to": last.isoformat(), "meets": "true"}
            texts.pop("weekday", None) if "day" in parts else None
        if "clock" in parts:
            texts[phrase.words.clock] = _read_clock(parts["clock"])
        if "amount" in parts:
            (number,) = _AMOUNT.findall(parts["amount"])
            texts["max_price"] = number.replace(",", ".")
        try:
            return {
                name: parse_argument(PARAMETERS[name], [text], vocabulary=vocabulary) for name, text in texts.items()
            }
        except ApiError:
            return {}

    def _find_span(self, phrase: Phrase, today: date) -> tuple[date, date] | None:
        """Return the days that a phrase means, from today on; the last before the first if there are none."""
        parts = phrase.parts
        if "month" in parts:
            month = _find_index(self._months, parts["month"]) + 1
            first, last = _find_month(today.year + (month < today.month), month)
            if "day" in parts:
                days = int(parts["day"]), int(parts.get("last", parts["day"]))
                if not 1 <= days[0] <= days[1] <= last.day:
                    return last, first
                first, last = (first.replace(day=day) for day in days)
                if last < today:
                    first, last = (day.replace(year=day.year + 1, day=min(day.day, 28)) for day in (first, last))
            return max(first, today), last
        return None if phrase.words.span is None else find_span(phrase.words.span, today)


def find_span(span: Span, today: date) -> tuple[date, date]:
    """Return the first and the last day of a span, from today on."""
    monday = today - timedelta(today.weekday())
    match span.unit:
        case "day":
            first, last = today + timedelta(span.first), today + timedelta(span.last)
        case "week" | "weekend":
            begin = 5 if span.unit == "weekend" else 0
            first = monday + timedelta(7 * span.first + begin)
            last = monday + timedelta(7 * span.last + 6)
        case "month":
            months = today.year * _MONTHS + today.month - 1
            first, _ = _find_month((months + span.first) // _MONTHS, (months + span.first) % _MONTHS + 1)
            _, last = _find_month((months + span.last) // _MONTHS, (months + span.last) % _MONTHS + 1)
    return max(first, today), last


def find_season(season: str, today: date, *, is_south: bool) -> tuple[date, date]:
    """Return the first and the last day of the present or next season of a name, from today on: three months, six later
    in the south."""
    first = (_SEASONS[season] - 1 + (6 if is_south else 0)) % _MONTHS
    months = today.year * _MONTHS + today.month - 1
    begin = months - (months - first) % _MONTHS
    begin += _MONTHS if months > begin + 2 else 0
    start, _ = _find_month(begin // _MONTHS, begin % _MONTHS + 1)
    _, end = _find_month((begin + 2) // _MONTHS, (begin + 2) % _MONTHS + 1)
    return max(start, today), end


def _find_month(year: int, month: int) -> tuple[date, date]:
    first = date(year, month, 1)
    return first, (first + timedelta(31)).replace(day=1) - timedelta(1)


def _find_index(patterns: Sequence[re.Pattern[str]], text: str) -> int:
    return next(number for number, pattern in enumerate(patterns) if pattern.fullmatch(text))


def _read_clock(text: str) -> str:
    hour, minute = re.findall(r"[0-9]+", f"{text}:00")[:2]
    number = int(hour)
    if "p" in text or (number <= _LATE and "a" not in text):
        number = number % 12 + 12
    elif "a" in text:
        number %= 12
    return f"{number:02}:{minute}"


def _compile(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    numbers = count()
    named = _PART.sub(lambda part: f"(?P<{part[1]}{next(numbers)}>{parts[part[1]]})", pattern)
    return re.compile(rf"(?<![\w$€£])(?:{named})(?!\w)")


def _read_parts(match: re.Match[str]) -> dict[str, str]:
    return {name.rstrip("0123456789"): text for name, text in match.groupdict().items() if text is not None}
