"""Parse ages that a query states by years of school: "1st grader", "grades 1-4", "k-2", "5th grade and up"."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from outings.contract.languages.language import NO_MATCH
from outings.contract.languages.word_lists import AgeWords, SchoolYears


class AgeSpan(Struct, frozen=True):
    """Whole years; `max` None is open. [start, end) in the line. `is_word`: said by a word for it, "toddlers".
    `is_each`: it is of several children who all come, "3 and 7 year olds"."""

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
        years = [self._count_year(each) for each in self._year.finditer(match["chain"])]
        # "k-2" needs no more to be years of school.
        is_school = match["before"] or match["behind"] or (len(years) > 1 and years[0] <= 0)
        if not is_school or max(years) > self._years.years:
            return None
        first = self._years.first
        low, high = first + min(years) - 1, None if match["up"] else first + max(years)
        return AgeSpan(low, high, *match.span(), is_each=bool(self._both.search(match["chain"])))

    def _count_year(self, match: re.Match[str]) -> int:
        """1 is the first; what comes before it is 0 and less."""
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
