"""Parse the ages in a text: "ages 3-5", "18 mo–3 yrs", "21+", "de 6 a 12 años", "grades K-2"."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from outings.contract.languages.language import NO_MATCH
from outings.contract.languages.word_lists import TextAgeWords
from pipeline.records.school_grades import find_grades
from pipeline.resolve.facts.phrases import split_words

_DIGIT = re.compile(r"[0-9]")
# An age in a pattern, such as `<low>`. A group's name follows a "P".
_PLACEHOLDER = re.compile(r"(?<!P)<((?:low|high)!?)>")


class AgeSpan(Struct, frozen=True):
    """A span of ages in whole years, both ends inclusive; an open end is None."""

    min: int | None
    max: int | None


Reader = Callable[[re.Match[str]], AgeSpan | None]


class _AgePattern(Struct, frozen=True):
    """A pattern for ages. `is_unsure`: a match counts only with a unit; outside names, only with two, or "old"."""

    pattern: re.Pattern[str]
    read: Reader
    is_unsure: bool = False


class AgeTexts:
    """A parser of ages in texts of one language. `ignored_beside`: words whose sentences give no spans from 18 up."""

    def __init__(self, words: TextAgeWords, *, ignored_beside: Iterable[str]) -> None:
        self._ignored_beside = frozenset(ignored_beside)
        self._numbers = {word: str(number) for number, word in enumerate(words.numbers.split())}
        self._worded = re.compile(rf"\b(?:{'|'.join(self._numbers) or NO_MATCH})\b")
        self._groups = re.compile(words.groups or NO_MATCH)
        self._months = re.compile(words.months or NO_MATCH)
        patterns = [
            (words.name_ranges, self._read_range),
            (words.ranges, self._read_range), (words.lows, self._read_low), (words.unit_ranges, self._read_range),
            ((rf"<low>\+(?=\s*(?:$|[)\].,;:!|/-]|{words.plus_behind or NO_MATCH}))",), self._read_low),
            (words.highs, self._read_high), (words.name_highs, self._read_high),
        ]  # fmt: skip
        # A pattern reads only text that none before it matched. The first and the last are for names alone.
        made = [
            [_AgePattern(_compile(text, words), read, texts is words.unit_ranges) for text in texts]
            for texts, read in patterns
        ]
        self._patterns = [pattern for several in made[1:-1] for pattern in several]
        self._name_patterns = [pattern for several in made for pattern in several]

    def find_ages(self, sentences: Sequence[str], *, is_name: bool) -> list[AgeSpan]:
        """Find the ages in folded sentences (`phrases`). Names allow shorter forms: "2-3 yrs", "12 and under"."""
        ages: list[AgeSpan] = []
        for sentence in sentences:
            grades = list(find_grades(sentence))
            ages += [AgeSpan(span.min, span.max) for span in grades]
            rest = sentence
            for grade in reversed(grades):
                rest = f"{rest[: grade.start]} {rest[grade.end :]}"
            text = self._worded.sub(lambda match: self._numbers[match[0]], rest)
            if _DIGIT.search(text):
                spans = list(self._find_spans(self._groups.sub(" ", text), is_name=is_name))
                is_beside = not is_name and not self._ignored_beside.isdisjoint(split_words(text))
                ages += [span for span in spans if not (is_beside and (span.min or 0) >= 18)]
        return ages

    def _find_spans(self, text: str, *, is_name: bool) -> Iterator[AgeSpan]:
        for pattern in self._name_patterns if is_name else self._patterns:
            matches = list(pattern.pattern.finditer(text))
            for match in matches:
                span = pattern.read(match)
                if span is not None and (not pattern.is_unsure or _has_units(match, is_name=is_name)):
                    yield span
            text = pattern.pattern.sub(" ", text) if matches else text

    def _read_range(self, match: re.Match[str]) -> AgeSpan | None:
        """Return the span of a match. A first number without unit has the second's. A single number is both ends."""
        if "high" not in match.re.groupindex:
            age = self._count_years(match["low"], match["low_unit"])
            return AgeSpan(age, age)
        low = self._count_years(match["low"], match["low_unit"] or match["high_unit"])
        high = self._count_years(match["high"], match["high_unit"])
        return AgeSpan(low, high) if low <= high else None

    def _read_low(self, match: re.Match[str]) -> AgeSpan | None:
        return AgeSpan(self._count_years(match["low"], match["low_unit"]), None)

    def _read_high(self, match: re.Match[str]) -> AgeSpan | None:
        return AgeSpan(None, self._count_years(match["high"], match["high_unit"]))

    def _count_years(self, number: str, unit: str | None) -> int:
        return int(number) // 12 if unit is not None and self._months.fullmatch(unit) else int(number)


def _has_units(match: re.Match[str], *, is_name: bool) -> bool:
    if match["high_unit"] is None:
        return False
    return is_name or match["high_old"] is not None or match["low_unit"] is not None


def _compile(pattern: str, words: TextAgeWords) -> re.Pattern[str]:
    """Compile a pattern in which `<low>` and `<high>` are ages, and `<low!>` is one with a unit."""
    written = {
        name + mark: _write_age(name, words, needs_unit=bool(mark)) for name in ("low", "high") for mark in ("", "!")
    }
    return re.compile(_PLACEHOLDER.sub(lambda match: written[match[1]], pattern))


def _write_age(name: str, words: TextAgeWords, *, needs_unit: bool) -> str:
    """Return a pattern for an age: the groups `name`, `name_unit`, and `name_old` for a word like "old"."""
    # Excludes prices, clock times, shares, ranks, lengths and parts of longer numbers.
    unit = rf"(?:\s*-?\s*(?P<{name}_unit>{words.years or NO_MATCH}|{words.months or NO_MATCH})\b)"
    return (
        rf"(?<![\d$#:.,/])(?P<{name}>\d{{1,2}})(?![\d%]|[:.,/]\d|{words.not_before or NO_MATCH})"
        rf"{unit}{'' if needs_unit else '?'}(?P<{name}_old>{words.old or NO_MATCH})?"
    )
