"""Read days: "5.–7. Dezember 2026", "Sat, Dec 5", "du 9 au 13 novembre", and weekdays: "Mon/Wed", "montags", "L-V"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from outings.contract.languages.word_lists import expand
from outings.texts.tokens import (
    AHEAD,
    END,
    LANGUAGES,
    NUMBER,
    SIGN,
    WORD,
    Scanner,
    Token,
    fold,
    make_roles,
    order_languages,
    read_words,
)

WEEKDAYS = ("mo", "tu", "we", "th", "fr", "sa", "su")
MONTH, WEEKDAY = "month:", "weekday:"
# A day without a year is the next one from this long ago on: lists go on to have what is just over.
AGO = timedelta(days=60)
_NUMBER = r"\d+"
_YEARS = range(1900, 2201)
_NUMERIC = re.compile(r"(?<!\d)(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})([./-])(\d{1,2})\5(\d{4}|\d\d))(?!\d)")


class Days(NamedTuple):
    """The days that a text names: from `first` to `last` (None for one day), or `weekdays` (of WEEKDAYS) of no
    date. Beside a span they are its days: "Saturdays from 4 to 25 July"."""

    first: date | None
    last: date | None = None
    weekdays: tuple[str, ...] = ()


@dataclass(slots=True)
class _Day:
    """A day as far as it is stated."""

    day: int | None = None
    month: int | None = None
    year: int | None = None


def list_day_roles(language: str) -> dict[str, str]:
    """Return the names of months and weekdays of a language, with their roles."""
    words = read_words(language)
    roles = {f"{MONTH}{number}": names for number, names in enumerate(words["months"], 1)}
    roles |= {f"{WEEKDAY}{code}": names for code, names in zip(WEEKDAYS, words["weekdays"], strict=True)}
    return roles | {f"{WEEKDAY}{days}": names for names, days in words["weekdays_together"].items()}


def list_month_roles(languages: Sequence[str]) -> dict[tuple[str, ...], str]:
    """Return the names of months as `Scanner` takes them: behind a number no name is a weekday's."""
    months = ({f"{MONTH}{n}": names for n, names in enumerate(read_words(code)["months"], 1)} for code in languages)
    return make_roles([own] for own in months)


@cache
def list_month_names() -> tuple[tuple[str, ...], ...]:
    """Return the folded names of each month in every language, the longest first: a short one begins a long one."""
    months = [
        [fold(name) for code in LANGUAGES for name in expand(read_words(code)["months"][place])] for place in range(12)
    ]
    return tuple(tuple(sorted(dict.fromkeys(own), key=len, reverse=True)) for own in months)


@cache
def list_weekday_names() -> tuple[str, ...]:
    """Return the folded names of the weekdays in every language, the longest first."""
    names = [fold(name) for code in LANGUAGES for names in read_words(code)["weekdays"] for name in expand(names)]
    return tuple(sorted(dict.fromkeys(names), key=len, reverse=True))


def read_days(text: str, language: str | None = None, *, today: date) -> Days | None:
    """Read a text that names a day, two days of a span, or weekdays, and nothing else.

    >>> read_days("Sat, Aug 8", today=date(2026, 8, 1)).first
    datetime.date(2026, 8, 8)
    """
    return _read(text.strip(), language, today) if len(text) <= 200 else None


@lru_cache(maxsize=4096)
def names_day(text: str, language: str | None = None) -> bool:
    """Return True if a text has a day in figures, or a month's name beside a number."""
    return _open_reader(language, alone=False).names_day(fold(text))


def find_sides(text: str, language: str | None = None) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the characters of two days in a folded text, each with all that stands beside it; None if it has no two.

    >>> find_sides("du 5 mai 10h au 7 mai 18h")
    ((3, 13), (15, 25))
    """
    return _open_reader(language, alone=False).find_sides(text)


def read_weekdays(
    text: str, language: str | None = None, *, alone: bool = False, are_signs: bool = False
) -> tuple[str, ...]:
    """Read a text of weekdays and nothing else; () for any other. `alone`: by the words of this language only.
    `are_signs`: a letter alone is a weekday, as it is where others beside it are.

    >>> read_weekdays("Mon & Wed")
    ('mo', 'we')
    """
    folded = fold(text) if len(text) <= 200 else ""
    readers = (_open_reader(code, alone=alone) for code in order_languages(language, alone=alone))
    return next(filter(None, (reader.read_weekdays(folded, are_signs=are_signs) for reader in readers)), ())


@lru_cache(maxsize=4096)
def _read(text: str, language: str | None, today: date) -> Days | None:
    reader = _open_reader(language, alone=False)
    folded = fold(text)
    if weekdays := read_weekdays(text, language):
        return Days(None, weekdays=weekdays)
    return reader.read_dates(folded, today)


@cache
def _open_reader(language: str | None, *, alone: bool) -> "_DayReader":
    return _DayReader(order_languages(language, alone=alone))


class _DayReader:
    def __init__(self, languages: Sequence[str]) -> None:
        tables = [
            (words["shared"], words["days"], list_day_roles(code)) for code in languages if (words := read_words(code))
        ]
        self._scanner = Scanner(make_roles(tables), _NUMBER, list_month_roles(languages[:1]))
        signs = read_words(languages[0])["weekday_signs"]
        self._signs = {sign: WEEKDAYS[n] for n, text in enumerate(signs) for sign in text.replace(",", " ").split()}
        self._split = re.compile("|".join(sorted(map(re.escape, self._signs), key=len, reverse=True)) or r"(?!)")
        self._month_first = bool(read_words(languages[0]).get("month_first"))

    def read_weekdays(self, text: str, *, are_signs: bool) -> tuple[str, ...]:
        days, is_range, last, kept = dict[str, None](), False, "", dict[str, None]()
        tokens = self._scanner.scan(text)
        has_number = any(token.role == NUMBER for token in tokens)
        for token in tokens:
            if token.role == "fill" and len(token.text) > 1 and token.text in self._signs and not has_number:
                own: Sequence[str] = [self._signs[token.text]]  # "Tu, Th", but not "5th"
            elif token.role.startswith(WEEKDAY):
                own = _list_codes(token)
            elif token.role == "except" and days:
                days, kept = {}, days
                continue
            elif token.role in (END, "fill", "and", "or", "between", "from") or (
                token.role == SIGN and token.text in "/,;&+|.()ªº"
            ):
                is_range = False
                continue
            elif token.role in ("to", "up_to") or token.text == "-":
                is_range = bool(days)
                continue
            else:
                signs = self._split.findall(token.text) if token.role in (WORD, NUMBER) else []
                if "".join(signs) != token.text or len(set(signs)) < len(signs):
                    return ()
                own = [self._signs[sign] for sign in signs]
            # "L-X" are two days, and "L-V" five.
            if is_range and last and not (len(token.text) == 1 and _count_steps(last, own[0]) == 2):
                first = WEEKDAYS.index(last)
                own = [WEEKDAYS[(first + step) % 7] for step in range(_count_steps(last, own[0]) + 1)]
            days |= dict.fromkeys(own)
            is_range, last = False, own[-1]
        if kept:
            days = {day: None for day in kept if day not in days}
        is_sure = are_signs or bool(kept) or len(days) > 1 or any(len(token.text) > 1 for token in tokens)
        return tuple(sorted(days, key=WEEKDAYS.index)) if is_sure else ()

    def find_sides(self, text: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
        tokens = self._scanner.scan(text)
        first = next((token.start for token in tokens if token.role not in ("from", "between", "fill")), 0)
        for joint in tokens[-AHEAD - 2 : 0 : -1]:
            is_dash = joint.text == "-" and text[joint.start - 1] == text[joint.end] == " "
            if is_dash or joint.role in ("to", "up_to"):
                sides = (first, joint.start), (joint.end, len(text))
                if all(self.names_day(text[begin:end]) for begin, end in sides):
                    return sides
        return None

    def names_day(self, text: str) -> bool:
        tokens = self._scanner.scan(text)
        has_month = any(token.role.startswith(MONTH) for token in tokens)
        return _NUMERIC.search(text) is not None or (has_month and any(token.role == NUMBER for token in tokens))

    def read_dates(self, text: str, today: date) -> Days | None:
        stated = [_read_numeric(match, month_first=self._month_first) for match in _NUMERIC.finditer(text)]
        tokens = self._scanner.scan(_NUMERIC.sub(lambda match: " " * len(match[0]), text))
        if stated:
            if any(token.role in (WORD, NUMBER) or token.role.startswith(MONTH) for token in tokens):
                return None
        elif (parts := _list_parts(tokens)) is not None:
            stated = parts
        days = _complete(stated, today)
        if days is None or days.last is None:
            return days
        # "Saturdays from 4 to 25 July", but "Monday 5 to Friday 9 July" is each day.
        named = {code: None for token in tokens if token.role.startswith(WEEKDAY) for code in _list_codes(token)}
        ends = {WEEKDAYS[day.weekday()] for day in (days.first, days.last) if day is not None}
        return days if set(named) == ends and len(named) > 1 else days._replace(weekdays=tuple(named))


def _list_parts(tokens: Sequence[Token]) -> list[_Day] | None:
    """Return the days of a text as far as each is stated; None for a text with anything else."""
    parts: list[_Day] = []
    for token in tokens:
        last = parts[-1] if parts else _Day()
        if token.role.startswith(MONTH):
            month = int(token.role.removeprefix(MONTH))
            if parts and last.month is None:
                last.month = month
            else:
                parts.append(_Day(month=month))
        elif token.role == NUMBER:
            number = int(token.text)
            if number in _YEARS and parts and last.year is None:
                last.year = number
            elif not 1 <= number <= 31:
                return None
            elif parts and last.day is None:
                last.day = number
            else:
                parts.append(_Day(day=number))
        elif token.role == WORD or (token.role == SIGN and token.text not in ".,-/()"):
            return None
    return parts


def _list_codes(token: Token) -> list[str]:
    return token.role.removeprefix(WEEKDAY).split()


def _read_numeric(match: re.Match[str], *, month_first: bool) -> _Day:
    if match[1]:
        return _Day(year=int(match[1]), month=int(match[2]), day=int(match[3]))
    one, other, year = int(match[4]), int(match[6]), int(match[7])
    if (month_first and match[5] != "." and other > 0 and one <= 12) or other > 12:
        one, other = other, one
    return _Day(day=one, month=other, year=year if year > 99 else 2000 + year)


def _complete(stated: Sequence[_Day], today: date) -> Days | None:
    """Return the days, each with the month and year that only the other states: `5.-7. Dezember 2026`. Days of a list,
    each the next of the one before, are a span."""
    numbers = [part.day or 0 for part in stated]
    if numbers[2:] and numbers == [*range(numbers[0], numbers[-1] + 1)] and not any(part.month for part in stated[:-1]):
        stated = [stated[0], stated[-1]]
    if not 1 <= len(stated) <= 2 or any(part.day is None for part in stated):
        return None
    first, last = stated[0], stated[-1]
    month, year = last.month or first.month, last.year or first.year
    if month is None:
        return None
    ends = _find_date(last.day, month, year, today)
    if ends is None or len(stated) == 1:
        return None if ends is None else Days(ends)
    own_month = first.month or month
    begins = _find_date(first.day, own_month, first.year or ends.year - (own_month > ends.month), today)
    if begins is None or ends < begins:
        return None
    return Days(begins, ends if ends > begins else None)


def _find_date(day: int | None, month: int, year: int | None, today: date) -> date | None:
    years: Iterator[int] | Sequence[int] = [year] if year is not None else [(today - AGO).year, (today - AGO).year + 1]
    for number in years:
        try:
            found = date(number, month, day or 1)
        except ValueError:
            continue
        if year is not None or found >= today - AGO:
            return found
    return None


def _count_steps(first: str, last: str) -> int:
    return (WEEKDAYS.index(last) - WEEKDAYS.index(first)) % 7
