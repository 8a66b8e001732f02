"""Ages that a query states: "5 year olds", "ages 3-5", "for my 18 month old", "toddlers", "under 2", "8+".

The filter is on whole years, both ends inclusive. Months and weeks are rounded down: 18 months is 1, and so is "under
18 months" at its upper end. A number without a unit is an age only where something says so ("ages", "kids 3-5",
"and up"): "5k run", "3d printing", "2026", "class of 8", "4th of july" and "top 10" stay words. The language says what
such words are; here is how they stand together.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from outings.answers.search.understanding.school_years import AgeSpan, School, make_both, read_numbers
from outings.contract.languages.language import NO_MATCH
from outings.contract.languages.word_lists import AgeWords

# The greatest bare number that "8+", "under 8" and "4-8" make an age; above it they count something else.
_MOST_UP, _MOST_UNDER, _MOST_BARE = 21, 18, 18


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
        self._bare = re.compile(_write_bare(patterns))
        ordinals = read_numbers(words.ordinals)
        self._schools = [School(each, words, ordinals) for each in words.schools]
        behind = rf"(?!\w)(?![ -](?:{patterns['not_before']})\b)(?:{patterns['named_behind']})?"
        self._named, self._stages = (
            [(re.compile(rf"(?<!\w)(?:{each.words}){behind}"), each.low, each.high) for each in table]
            for table in (words.named, words.stages)
        )
        # Nearly no line has any of them, which one look says in a third of the time.
        self._any_named, self._any_stage = (
            re.compile("|".join(f"(?:{each.pattern})" for each, _, _ in table) or NO_MATCH)
            for table in (self._named, self._stages)
        )

    def has_stage(self, text: str) -> bool:
        """Return True if the line names a school, which may stand for the children who go there."""
        return self._any_stage.search(text) is not None

    def find_ages(self, text: str, *, stages_are_ages: bool = False) -> list[AgeSpan]:
        """Every age phrase of a line (`line.Line.text`), in its order; none overlaps another. `stages_are_ages`: so are
        the names of schools."""
        spans = [span for school in self._schools for span in school.find_ages(text)]
        phrases = [span for match in self._phrase.finditer(text) if (span := self._read_phrase(match)) is not None]
        tables = [self._named] if self._any_named.search(text) else []
        tables += [self._stages] if stages_are_ages else []
        named = [
            AgeSpan(low, high, *match.span(), is_word=True)
            for pattern, low, high in chain.from_iterable(tables)
            for match in pattern.finditer(text)
        ]
        for span in phrases + named:
            if not any(span.meets(each.start, each.end) for each in spans):
                spans.append(span)
        return sorted(spans, key=lambda span: span.start)

    def find_bare(self, text: str) -> list[AgeSpan]:
        """Ranges of numbers that may be ages or not: nothing beside them says so."""
        matches = self._bare.finditer(text)
        ranges = ((int(each["low"] or 0), int(each["high"] or each["most"]), each) for each in matches)
        return [
            AgeSpan(low, high, *match.span("range"))
            for low, high, match in ranges
            if not match["before"] and low < high <= _MOST_BARE
        ]

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
        """Months of each; a number without a unit has that of the next one that has: "6-18 months"."""
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


def _write_bare(patterns: dict[str, str]) -> str:
    """Two numbers, as ages are written, and a hyphen or "to" between; or the greatest age ("12u"). Dates have zeros in
    front, clocks other signs."""
    before = "|".join(patterns["not_bare_before"].split())
    units = (patterns[name] for name in ("years", "months", "weeks", "counted"))
    behind = "|".join([*patterns["not_bare_behind"].split(), *units])
    number = "(?:0|[1-9][0-9]?)"
    both = rf"(?P<low>{number})(?: ?- ?| (?:{patterns['bare_to']}) )(?P<high>{number})"
    most = rf"(?P<most>[4-9]|1[0-9])(?:{patterns['bare_under']})"
    return (
        rf"(?:(?<!\w)(?P<before>{before})[ -])?(?<![\w$€£#.:,/%+-])(?P<range>{both}|{most})"
        rf"(?![\w$€£:%/+-]|[.,][0-9]| [-/+] ?[0-9]|[ -]?(?:{behind})\b)"
    )


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


def are_each(spans: Sequence[AgeSpan]) -> bool:
    """Return True if the spans are the ages of several children who all come, so that no single phrase covers them."""
    return any(span.is_each for span in spans) or join_ages(spans) not in [(span.min, span.max) for span in spans]


def _is_inside(low: int, high: int | None, least: int, most: int | None) -> bool:
    return least <= low and (most is None or (high is not None and high <= most))
