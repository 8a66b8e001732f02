"""Ages that a query states: "5 year olds", "ages 3-5", "for my 18 month old", "toddlers", "under 2", "8+".

The filter is on whole years, both ends inclusive. Months and weeks are rounded down: 18 months is 1, and so is "under
18 months" at its upper end. A number without a unit is an age only where something says so ("ages", "kids 3-5",
"and up"): "5k run", "3d printing", "2026", "class of 8", "4th of july" and "top 10" stay words. The language says what
such words are; this module knows their order.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from outings.contract.languages.language import NO_MATCH
from outings.contract.languages.word_lists import AgeWords, SchoolYears

# The greatest number in "8+" that is an age. A greater one counts something else.
_MOST_UP = 21
# The greatest number in "under 8" that is an age.
_MOST_UNDER = 18


class AgeSpan(Struct, frozen=True):
    """An age that a phrase of a query states, in whole years. `max`: None for no limit. `start`, `end`: the characters
    [start, end) of the line. `is_word`: a word states it, such as "toddlers". `is_each`: several children of these ages
    all come: "3 and 7 year olds"."""

    min: int
    max: int | None
    start: int
    end: int
    is_word: bool = False
    is_each: bool = False

    def meets(self, start: int, end: int) -> bool:
        return self.start < end and start < self.end


def read_numbers(text: str) -> dict[str, int]:
    return {word: number for number, words in enumerate(text.split(), 1) for word in words.split("|")}


def make_both(words: AgeWords) -> re.Pattern[str]:
    """Return the pattern between the ages of two children who both come."""
    return re.compile(rf"(?<!\w)(?:{words.both or NO_MATCH})(?!\w)")


class AgePatterns:
    """The age phrases of one language."""

    def __init__(self, words: AgeWords) -> None:
        patterns = {name: getattr(words, name) or NO_MATCH for name in words.__struct_fields__}
        self._worth = read_numbers(words.numbers)
        age = _write_age(patterns, self._worth)
        self._one = re.compile(age)
        self._phrase = re.compile(_write_phrase(patterns, re.sub(r"\?P<\w+>", "?:", age)))
        self._sure_units = re.compile(rf"(?:{patterns['sure_units']})")
        self._both = make_both(words)
        self._certain = re.compile(patterns["certain"])
        self._counted = re.compile(rf" ?(?:{patterns['counted']})\b")
        self._listed = re.compile(rf" ?(?:{patterns['listed']})\b")
        ordinals = read_numbers(words.ordinals)
        self._schools = [School(school, words, ordinals) for school in words.schools]
        behind = rf"(?!\w)(?![ -](?:{patterns['not_before']})\b)(?:{patterns['named_behind']})?"
        self._named = [
            (re.compile(rf"(?<!\w)(?:{named.words}){behind}"), named.low, named.high) for named in words.named
        ]

    def find_ages(self, text: str) -> list[AgeSpan]:
        """Return every age phrase of a line (`line.Line.text`), in the line's order; none overlaps another."""
        spans = [span for school in self._schools for span in school.find_ages(text)]
        phrases = [span for match in self._phrase.finditer(text) if (span := self._read_phrase(match)) is not None]
        named = [
            AgeSpan(low, high, *match.span(), is_word=True)
            for pattern, low, high in self._named
            for match in pattern.finditer(text)
        ]
        for span in phrases + named:
            if not any(span.meets(earlier.start, earlier.end) for earlier in spans):
                spans.append(span)
        return sorted(spans, key=lambda span: span.start)

    def _read_phrase(self, match: re.Match[str]) -> AgeSpan | None:
        """Return the span of ages in a phrase, or None if nothing says that its numbers are ages."""
        ages = [*self._one.finditer(match["chain"])]
        months = [*self._count_months(ages)]
        if not self._is_age(match, ages, months):
            return None
        low, high = min(months), max(months)
        if match["under"]:
            return AgeSpan(0, (high - 1) // 12, *match.span()) if high > 0 else None
        if match["up_to"] or match["down"]:
            return AgeSpan(0, high // 12, *match.span())
        if match["up"] or match["over"]:
            return AgeSpan(low // 12, None, *match.span())
        is_each = len(ages) > 1 and bool(self._both.search(match["chain"]))
        return AgeSpan(low // 12, high // 12, *match.span(), is_each=is_each)

    def _is_age(self, match: re.Match[str], ages: Sequence[re.Match[str]], months: Sequence[int]) -> bool:
        if self._certain.search(match[0]):
            return True
        if any(age["old"] or self._sure_units.fullmatch(age["unit"] or "") for age in ages):
            return True
        if any(age["unit"] for age in ages) or self._counted.match(match.string, match.end()):
            return False
        years = max(months) // 12
        if len(ages) == 1 and self._listed.match(match.string, match.end()):
            return False
        if match["up"] or match["down"]:
            return len(ages) == 1 and years <= _MOST_UP
        if match["under"]:
            return len(ages) == 1 and years <= _MOST_UNDER
        return bool(match["people"]) and (len(ages) > 1 or bool(match["over"] or match["up_to"]))

    def _count_months(self, ages: Sequence[re.Match[str]]) -> Iterator[int]:
        """Yield each age in months. A number without a unit takes the unit of the next age with one: "6-18 months"."""
        factor = 12
        counted = []
        for age in reversed(ages):
            if age["unit"]:
                factor = 0 if age["weeks"] else 1 if age["months"] else 12
            number = int(age["number"]) if age["number"].isdigit() else self._worth[age["number"]]
            counted.append(number * factor)
        yield from reversed(counted)


def _write_age(patterns: dict[str, str], worth: dict[str, int]) -> str:
    """Return the pattern for a number, its unit, and words that make both an age."""
    # Longest first, or "seventeen" would be read as "seven".
    worded = "|".join(["[0-9]{1,2}", *sorted(worth, key=len, reverse=True)])
    # A unit may end in an "s" more: "5 yos".
    units = rf"(?P<weeks>{patterns['weeks']})|(?P<months>{patterns['months']})|(?:{patterns['years']})"
    unit = rf"(?P<unit>{units})(?:\b|(?=s\b))"
    # "2½" is folded to "21/2".
    fraction = "(?:1/2|1/4|3/4)(?![0-9])"
    return (
        rf"(?P<number>[1-9](?={fraction})|(?:{worded})(?![0-9%$€£:]|,[0-9]{{3}}))"
        rf"(?:\.[0-9]|[ -]?{fraction}|[ -](?:{patterns['half']})\b)?"
        rf"(?:[ -]*{unit}\.?)?(?P<old>{patterns['old']})?"
    )


def _write_phrase(patterns: dict[str, str], age: str) -> str:
    join = rf"(?: ?[-/] ?| ?, ?(?:(?:{patterns['joins']}) )?|[ -](?:{patterns['joins']})[ -])"
    return (
        rf"(?<![\w$€£#.:/%+])(?:(?:(?P<people>{patterns['people']})[ -])?(?:(?:{patterns['ages']}) ?[:-]? ?)?)?"
        rf"(?:(?:(?P<under>{patterns['under']})|(?P<up_to>{patterns['up_to']})|(?P<over>{patterns['over']}))"
        rf"(?:{patterns['of_age']})[ -])?"
        rf"(?P<chain>{age}(?:{join}{age})*)"
        rf"(?:(?P<up> ?\+|{patterns['and_up']})|(?P<down>{patterns['and_under']}))?"
        rf"(?:[ -](?:{patterns['people_behind']})\b)?(?![\w+])"
    )


class School:
    """The years of one kind of school, in one language."""

    def __init__(self, years: SchoolYears, words: AgeWords, ordinals: Mapping[str, int]) -> None:
        self._years, self._ordinals = years, ordinals
        year = _write_year(years.early, words.ordinal_ends, ordinals)
        self._year = re.compile(year)
        plain = re.sub(r"\?P<\w+>", "?:", year)
        join = rf"(?: ?[-/] ?|[ -](?:{words.joins or NO_MATCH})[ -])"
        self._both = make_both(words)
        self._phrase = re.compile(
            rf"(?<![\w$€£#.:/%+])(?:(?P<before>{years.before or NO_MATCH})[ -])?(?P<chain>{plain}(?:{join}{plain})*)"
            rf"(?:[ -](?P<behind>{years.behind or NO_MATCH})\b)?"
            rf"(?P<up> ?\+|{words.and_up or NO_MATCH})?(?![\w+])"
        )

    def find_ages(self, text: str) -> list[AgeSpan]:
        return [span for match in self._phrase.finditer(text) if (span := self._read_phrase(match)) is not None]

    def _read_phrase(self, match: re.Match[str]) -> AgeSpan | None:
        years = [self._count_year(value) for value in self._year.finditer(match["chain"])]
        # "k-2" needs no more to be years of school.
        is_school = match["before"] or match["behind"] or (len(years) > 1 and years[0] <= 0)
        if not is_school or max(years) > self._years.years:
            return None
        first = self._years.first
        low, high = first + min(years) - 1, None if match["up"] else first + max(years)
        return AgeSpan(low, high, *match.span(), is_each=bool(self._both.search(match["chain"])))

    def _count_year(self, match: re.Match[str]) -> int:
        """Return the number of a school year: 1 for the first, 0 and less for years before."""
        if match["number"]:
            return int(match["number"])
        if match["ordinal"]:
            return self._ordinals[match["ordinal"]]
        return -next(place for place in range(len(self._years.early)) if match[f"early{place}"])


def _write_year(early: Sequence[str], ends: str, ordinals: Mapping[str, int]) -> str:
    # The longest first: "sixteenth" begins with "sixth" in no language, but other words may.
    worded = "|".join(sorted(ordinals, key=len, reverse=True)) or NO_MATCH
    # What is earlier first: "pre-k" ends with "k".
    named = "".join(rf"|(?P<early{place}>{early[place]})" for place in reversed(range(len(early))))
    return rf"(?:(?P<number>[1-9][0-9]?)(?:{ends or NO_MATCH})?|(?P<ordinal>{worded}){named})(?!\w)"


def join_ages(spans: Sequence[AgeSpan]) -> tuple[int, int | None]:
    """Return the least and the greatest age of several phrases, to filter by: the narrower age where the other contains
    it ("baby 6 months"), else from the least to the greatest ("babies and toddlers")."""
    (least, most), *others = [(span.min, span.max) for span in spans]
    for low, high in others:
        if _is_inside(low, high, least, most):
            least, most = low, high
        elif not _is_inside(least, most, low, high):
            least, most = min(least, low), None if most is None or high is None else max(most, high)
    return least, most


def are_each(spans: Sequence[AgeSpan]) -> bool:
    """Return True if the spans are the ages of several children who all come, so that no single phrase covers them."""
    return any(span.is_each for span in spans) or join_ages(spans) not in [(span.min, span.max) for span in spans]


def _is_inside(low: int, high: int | None, least: int, most: int | None) -> bool:
    return least <= low and (most is None or (high is not None and high <= most))
