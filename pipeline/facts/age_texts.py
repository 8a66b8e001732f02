"""Ages that a text states: "ages 3-5", "18 mo–3 yrs", "21+", "10 and older"."""

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from pipeline.facts.phrases import split_words

_NUMBER_WORDS = dict(
    zip(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
        map(str, range(13)),
        strict=True,
    )
)
_WORDED = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b")
_DIGIT = re.compile(r"[0-9]")
# How many come is no age.
_GROUPS = re.compile(r"\b(?:groups?|parties|party|teams?|minimum|maximum|up to)\s+(?:of\s+)?\d+")


class AgeSpan(Struct, frozen=True):
    """Whole years, both ends inclusive; an open end is None."""

    min: int | None
    max: int | None


def _read_range(match: re.Match[str]) -> AgeSpan | None:
    """The first number's unit, where it has none, is the second's."""
    low = _count_years(match["low"], match["low_unit"] or match["high_unit"])
    high = _count_years(match["high"], match["high_unit"])
    return AgeSpan(low, high) if low <= high else None


def _read_low(match: re.Match[str]) -> AgeSpan | None:
    return AgeSpan(_count_years(match["low"], match["low_unit"]), None)


def _read_high(match: re.Match[str]) -> AgeSpan | None:
    return AgeSpan(None, _count_years(match["high"], match["high_unit"]))


def _count_years(number: str, unit: str | None) -> int:
    return int(number) // 12 if unit is not None and unit.startswith("m") else int(number)


def _write_age(name: str) -> str:
    """A number with its unit, as groups `name`, `name_unit`, `name_old`."""
    # No price, clock time, share, rank, length or part of a longer number.
    return (
        rf"(?<![\d$#:.,/])(?P<{name}>\d{{1,2}})"
        r"(?![\d%]|[:.,/]\d|(?:st|nd|rd|th)\b|\s*(?:inch|inches|feet|ft|lbs|pounds|minutes|hours)\b)"
        rf"(?:\s*-?\s*(?P<{name}_unit>years?|yrs?|yo|months?|mos?|mths?)\b)?"
        rf"(?P<{name}_old>[\s-]*olds?\b|\ of\ age\b)?"
    )


_LOW, _HIGH = _write_age("low"), _write_age("high")
_LEAD = r"\bage[sd]?:?\s+(?:group:?\s+|range:?\s+|from\s+|between\s+)?"
_UP = r"\s*(?:and|or)\s+(?:up|over|older|above)\b"
Reader = Callable[[re.Match[str]], AgeSpan | None]

# "2-3 years" is an age with "old" behind it, or in a name; in a description it may be what someone has done for long.
_UNIT_RANGE = re.compile(_LOW + r"\s*(?:-|to|through|thru)\s*" + _HIGH)
# "21+" is an age where nothing follows that it could count: "21+ activities" is a number of them.
_COUNTS_NOTHING = (
    r"\+(?=\s*(?:$|[)\].,;:!|/-]|(?:only|event|show|night|crowd|party|with|yrs?|welcome)\b|years?\b(?! of)))"
)
# In this order: what one has read is not read again.
_PATTERNS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(_LEAD + _LOW + r"\s*(?:-|to|through|thru|and)\s*" + _HIGH), _read_range),
    (re.compile(_LEAD + _LOW + rf"(?:\s*\+|{_UP})"), _read_low),
    (re.compile(_LOW + _UP), _read_low),
    (re.compile(r"\bmust be (?:at least |over )?" + _LOW), _read_low),
    (_UNIT_RANGE, _read_range),
    (re.compile(_LOW + _COUNTS_NOTHING), _read_low),
)
_NAME_PATTERNS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(_HIGH + r"\s*and\s+(?:under|younger|below)\b"), _read_high),
)


def find_ages(sentences: Sequence[str], *, is_name: bool, ignored_beside: frozenset[str]) -> list[AgeSpan]:
    """Of folded sentences (`pipeline.facts.phrases`). In a name shorter forms count: "2-3 yrs", "12 and under".

    Spans from 18 up in a sentence with a word of `ignored_beside` are left out.
    """
    found: list[AgeSpan] = []
    for sentence in sentences:
        text = _WORDED.sub(lambda match: _NUMBER_WORDS[match[0]], sentence)
        if _DIGIT.search(text):
            spans = list(_find_spans(_GROUPS.sub(" ", text), is_name=is_name))
            is_beside = not is_name and not ignored_beside.isdisjoint(split_words(text))
            found += [span for span in spans if not (is_beside and (span.min or 0) >= 18)]
    return found


def _find_spans(text: str, *, is_name: bool) -> Iterator[AgeSpan]:
    for pattern, read in (*_PATTERNS, *(_NAME_PATTERNS if is_name else ())):
        for match in pattern.finditer(text):
            span = read(match)
            if span is not None and (pattern is not _UNIT_RANGE or _is_age_range(match, is_name=is_name)):
                yield span
        text = pattern.sub(" ", text)


def _is_age_range(match: re.Match[str], *, is_name: bool) -> bool:
    if match["high_unit"] is None:
        return False
    return is_name or match["high_old"] is not None or match["low_unit"] is not None
