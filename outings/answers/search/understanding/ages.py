"""Ages that a query states: "5 year olds", "ages 3-5", "for my 18 month old", "toddlers", "under 2", "8+".

The filter is on whole years, both ends inclusive. Months and weeks are rounded down: 18 months is 1, and so is "under
18 months" at its upper end. A number without a unit is an age only where something says so ("ages", "kids 3-5",
"and up"): "5k run", "3d printing", "2026", "class of 8", "4th of july" and "top 10" stay words.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct


class AgeSpan(Struct, frozen=True):
    """Whole years; `max` None is open. [start, end) in the line."""

    min: int
    max: int | None
    start: int
    end: int


# The ages that a word means; `baby` and `newborn` are as old as the youngest band.
_NAMED = {"toddler": (1, 3), "bab": (0, 1), "infant": (0, 1), "newborn": (0, 1), "teen": (13, 18)}
# What a baby animal, a sitter or a course for rescuers is about is no age of those who come.
_NOT_OF_PEOPLE = (
    "animal|bird|chick|chicken|cow|cpr|doll|duck|duckling|first aid|food|goat|horse|lamb|pig|seal|shark|shower"
    "|sign|signing|sitter|sitting|titan|turtle"
)
_NAMED_AGE = re.compile(
    r"(?<!\w)(?P<name>toddler|bab(?=y|ies)|infant|newborn|teen)(?:s|y|ys|ies|aged?|agers?)?"
    rf"(?!\w)(?![ -](?:{_NOT_OF_PEOPLE})s?\b)(?:[ -](?:friendly|aged?)\b)?"
)

_NUMBERS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
)  # fmt: skip
_WORTH = {word: number for number, word in enumerate(_NUMBERS, 1)}
# Longest first, or "seventeen" would be read as "seven".
_NUMBER = rf"(?:[0-9]{{1,2}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})(?![0-9%$€£:]|,[0-9]{{3}})"
_UNIT = r"years?|yrs?|yo|y/?o|y|months?|mos?|mths?|weeks?|wks?"
_OLD = r"[ -]*olds?\b|[ -]of[ -]age\b|(?<=yo)s\b"
_AGE = (
    rf"(?P<number>{_NUMBER})(?:\.[0-9]|[ -]1/2(?![0-9]))?"
    rf"(?:[ -]*(?P<unit>{_UNIT})\b\.?|(?=yos\b)(?P<several>yo))?(?P<old>{_OLD})?"
)
_ONE = re.compile(_AGE)
_NAMELESS = re.sub(r"\?P<\w+>", "?:", _AGE)
_JOIN = r"(?: ?[-/] ?| ?, ?(?:(?:and|or) )?|[ -](?:to|through|thru|until|and|or)[ -])"

_AGES = r"(?:ages?|aged)(?:[ -](?:group|range|of|from|between))*"
_KIDS = r"kids?|child|children|boys?|girls?"
_UNDER = r"under|below|younger[ -]than|less[ -]than"
_UPWARD = r"over|above|older[ -]than|at[ -]least"
_OF_AGE = r"(?:[ -]the)?(?:[ -]ages?(?:[ -]of)?)?"
_PHRASE = re.compile(
    rf"(?<![\w$€£#.:/%+])(?:(?:(?P<kids>{_KIDS})[ -])?(?:(?P<ages>{_AGES}) ?[:-]? ?)?)?"
    rf"(?:(?:(?P<under>{_UNDER})|(?P<up_to>up[ -]to)|(?P<over>{_UPWARD}))(?P<aged>{_OF_AGE})[ -])?"
    rf"(?P<chain>{_NAMELESS}(?:{_JOIN}{_NAMELESS})*)"
    r"(?:(?P<up> ?\+|[ -](?:and|or)[ -](?:up|over|older|above)\b)"
    r"|(?P<down>[ -](?:and|or)[ -](?:under|younger|below|down)\b))?"
    r"(?:[ -](?:boys?|girls?)\b)?(?![\w+])"
)
# Units that nothing but an age has in a query; "2 year program" and "6 week camp" are lengths.
_SURE_UNITS = frozenset(("years", "yr", "yrs", "yo", "y/o", "y", "months", "mos"))
# The greatest bare number that "8+" and "under 8" make an age; above it they count something else.
_MOST_UP, _MOST_UNDER = 21, 18
_COUNTED = re.compile(
    r" ?(?:dollars?|bucks?|usd|euros?|cents?|percent|minutes?|mins?|hours?|hrs?|days?|weeks?|miles?|mi|km|feet|ft"
    r"|inch|inches|pounds?|lbs|people|persons?|guests|spots?|am|pm|oclock|things|ideas|ways|activities|events|places"
    r"|classes|camps)\b"
)


def find_ages(text: str) -> list[AgeSpan]:
    """Every age phrase of a line (`line.Line.text`), in its order; none overlaps another."""
    counted = [span for match in _PHRASE.finditer(text) if (span := _read_phrase(match)) is not None]
    named = [
        AgeSpan(*_NAMED[match["name"]], *match.span())
        for match in _NAMED_AGE.finditer(text)
        if all(match.end() <= span.start or span.end <= match.start() for span in counted)
    ]
    return sorted([*counted, *named], key=lambda span: span.start)


def join_ages(spans: Sequence[AgeSpan]) -> tuple[int, int | None]:
    """One filter for several phrases: the narrower where one lies in the other ("baby 6 months"), else
    all from the least to the greatest ("babies and toddlers", "a 5 year old and an 8 year old")."""
    (least, most), *others = [(span.min, span.max) for span in spans]
    for low, high in others:
        if _is_inside(low, high, least, most):
            least, most = low, high
        elif not _is_inside(least, most, low, high):
            least, most = min(least, low), None if most is None or high is None else max(most, high)
    return least, most


def _is_inside(low: int, high: int | None, least: int, most: int | None) -> bool:
    return least <= low and (most is None or (high is not None and high <= most))


def _read_phrase(match: re.Match[str]) -> AgeSpan | None:
    """None where nothing says that the numbers are ages."""
    ages = [*_ONE.finditer(match["chain"])]
    months = [*_count_months(ages)]
    if not _is_age(match, ages, months):
        return None
    low, high = min(months), max(months)
    if match["under"]:
        return AgeSpan(0, (high - 1) // 12, *match.span()) if high > 0 else None
    if match["up_to"] or match["down"]:
        return AgeSpan(0, high // 12, *match.span())
    if match["up"] or match["over"]:
        return AgeSpan(low // 12, None, *match.span())
    return AgeSpan(low // 12, high // 12, *match.span())


def _is_age(match: re.Match[str], ages: Sequence[re.Match[str]], months: Sequence[int]) -> bool:
    if match["ages"] or (match["aged"] or "").strip(" -").removeprefix("the").strip(" -"):
        return True
    if any(age["old"] or (age["unit"] or age["several"]) in _SURE_UNITS for age in ages):
        return True
    if any(age["unit"] for age in ages) or _COUNTED.match(match.string, match.end()):
        return False
    years = max(months) // 12
    if match["up"] or match["down"]:
        return len(ages) == 1 and years <= _MOST_UP
    if match["under"]:
        return len(ages) == 1 and years <= _MOST_UNDER
    return bool(match["kids"]) and (len(ages) > 1 or bool(match["over"] or match["up_to"]))


def _count_months(ages: Sequence[re.Match[str]]) -> Iterator[int]:
    """Months of each; a number without a unit has that of the next one that has: "6-18 months"."""
    unit = "years"
    counted = []
    for age in reversed(ages):
        unit = age["unit"] or age["several"] or unit
        number = _WORTH.get(age["number"]) or int(age["number"]) if age["number"].isdigit() else _WORTH[age["number"]]
        counted.append(0 if unit.startswith("w") else number if unit.startswith("m") else number * 12)
    yield from reversed(counted)
