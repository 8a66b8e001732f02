"""The structs into which a language's `audience.toml`, `search.toml` and `streets.toml` are read."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct


class TextAgeWords(Struct, frozen=True, kw_only=True):
    """Ages in a text. `numbers` are words from zero on; the others are regular expressions.

    In `ranges`, `lows` and `highs` `<low>` and `<high>` stand for a number with or without a unit, `<low!>` and
    `<high!>` for one with a unit. What begins with `name_` holds in names alone; `unit_ranges` hold in a description
    where both numbers have a unit, or the second has `old` behind it.
    """

    numbers: str = ""
    years: str = ""
    months: str = ""
    old: str = ""
    groups: str = ""
    not_before: str = ""
    ranges: tuple[str, ...] = ()
    lows: tuple[str, ...] = ()
    unit_ranges: tuple[str, ...] = ()
    highs: tuple[str, ...] = ()
    name_ranges: tuple[str, ...] = ()
    name_highs: tuple[str, ...] = ()
    plus_behind: str = ""

    def list_patterns(self) -> Iterator[str]:
        yield from (self.years, self.months, self.old, self.groups, self.not_before, self.plus_behind)
        blank = {"low": r"\d", "high": r"\d"}
        for pattern in (*self.ranges, *self.lows, *self.unit_ranges, *self.highs, *self.name_ranges, *self.name_highs):
            yield fill_parts(pattern.replace("!>", ">"), blank)


class AudienceWords(Struct, frozen=True, kw_only=True):
    """`phrases`: sets of phrases by name, which the rules of the check ask for."""

    adult_ages_ignored_beside: tuple[str, ...] = ()
    phrases: dict[str, tuple[str, ...]] = {}
    ages: TextAgeWords = TextAgeWords()

    def list_patterns(self) -> Iterator[str]:
        return self.ages.list_patterns()


class RoleWords(Struct, frozen=True, kw_only=True):
    """Single folded words, with blanks between."""

    fillers: str = ""
    kinds: str = ""
    events: str = ""
    camps: str = ""
    places: str = ""
    lessons: str = ""
    suggested: str = ""
    audience: str = ""
    children: str = ""
    young: str = ""
    prices: str = ""
    times: str = ""
    city: str = ""
    wishes: str = ""
    seasons: str = ""
    hours: str = ""
    settings: str = ""
    forms: str = ""


class NameWords(Struct, frozen=True, kw_only=True):
    """Parts of names. `head`: whether the first or the last word of a place's says what it is, "" if none.
    `behind_head`: words such as "of"; in "Museum of Flight", the last word is the one before it. `called_off`:
    expressions for what is sold out or does not happen, in letters alone."""

    head: Literal["first", "last", ""] = ""
    behind_head: str = ""
    called_off: str = ""


class RolePhrases(Struct, frozen=True, kw_only=True):
    """Regular expressions; `<name>` is what `parts` says."""

    names: tuple[str, ...] = ()
    prices: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    audience: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()
    parts: dict[str, str] = {}


class AmountWords(Struct, frozen=True, kw_only=True):
    """Words and signs that mark a number as an amount of money: before it, between two numbers, and after it."""

    before: str = ""
    to: str = ""
    units: str = ""


class NamedAge(Struct, frozen=True, kw_only=True, rename={"low": "from", "high": "to"}):
    words: str
    low: int
    high: int


class SchoolYears(Struct, frozen=True, kw_only=True):
    """Years of one kind of school, as regular expressions in front of their numbers or behind them.

    `first`: the age at which its first year begins; who is in it is that or one more. `years`: how many there are.
    `early`: words for the year before the first, and for those before that.
    """

    before: str = ""
    behind: str = ""
    first: int
    years: int
    early: tuple[str, ...] = ()


class AgeWords(Struct, frozen=True, kw_only=True):
    """Regular expressions; empty is never. `numbers` and `ordinals` are the words from one on, `a|b` being two of one
    number; `suggested` is what a
    suggestion says of an `{age}`."""

    numbers: str = ""
    years: str = ""
    months: str = ""
    weeks: str = ""
    sure_units: str = ""
    old: str = ""
    half: str = ""
    joins: str = ""
    both: str = ""
    people: str = ""
    ages: str = ""
    under: str = ""
    up_to: str = ""
    over: str = ""
    of_age: str = ""
    and_up: str = ""
    and_under: str = ""
    people_behind: str = ""
    certain: str = ""
    counted: str = ""
    listed: str = ""
    ordinals: str = ""
    ordinal_ends: str = ""
    schools: tuple[SchoolYears, ...] = ()
    named: tuple[NamedAge, ...] = ()
    not_before: str = ""
    named_behind: str = ""
    suggested: str = ""


class NamedHours(Struct, frozen=True, kw_only=True, rename={"low": "from", "high": "to"}):
    """Hours of the day from midnight on."""

    words: str
    low: int = 0
    high: int = 24


class WhenWords(Struct, frozen=True, kw_only=True):
    """When something is. Regular expressions; empty is never. `days` from Monday on and `months` from January on are
    expressions with blanks between. `dates` name `<month>`, `<first>`, `<last>` and `<year>`; `coming` stands before
    the days of the next seven alone; the others stand around times of the clock."""

    days: str = ""
    weekdays: str = ""
    weekends: str = ""
    today: str = ""
    tomorrow: str = ""
    coming: str = ""
    months: str = ""
    dates: tuple[str, ...] = ()
    hours: tuple[NamedHours, ...] = ()
    after: str = ""
    before: str = ""
    to: str = ""
    am: str = ""
    pm: str = ""

    def list_patterns(self) -> Iterator[str]:
        texts = (getattr(self, name) for name in self.__struct_fields__ if name not in ("days", "months"))
        yield from (text for text in texts if isinstance(text, str))
        yield from (*self.days.split(), *self.months.split(), *(hour.words for hour in self.hours))
        yield from (fill_parts(date, WHEN_PARTS) for date in self.dates)


# What `<name>` may say in a date; whoever reads it fills in months and ends of ordinals.
WHEN_PARTS = dict.fromkeys(("month", "first", "last", "year"), "")
_LISTS = ("numbers", "ordinals", "suggested")


class SearchWords(Struct, frozen=True, kw_only=True):
    stems: str = ""
    words: RoleWords = RoleWords()
    names: NameWords = NameWords()
    facts: dict[Literal["is_indoor", "is_outdoor", "good_for_rainy", "is_sensory_friendly"], str] = {}
    phrases: RolePhrases = RolePhrases()
    amounts: AmountWords = AmountWords()
    when: WhenWords = WhenWords()
    ages: AgeWords = AgeWords()

    def list_patterns(self) -> Iterator[str]:
        phrases = self.phrases
        for pattern in (*phrases.names, *phrases.prices, *phrases.times, *phrases.audience, *phrases.fillers):
            yield fill_parts(pattern, phrases.parts)
        yield self.names.called_off
        yield from (self.amounts.before, self.amounts.to, self.amounts.units)
        yield from self.when.list_patterns()
        texts = (getattr(self.ages, name) for name in self.ages.__struct_fields__ if name not in _LISTS)
        yield from (text for text in texts if isinstance(text, str))
        for school in self.ages.schools:
            yield from (school.before, school.behind, *school.early)
        yield from (named.words for named in self.ages.named)

    def check(self) -> None:
        """ValueError for what no query can be read by, though each pattern is one."""
        for name, texts, most in (("days", self.when.days, 7), ("months", self.when.months, 12)):
            if (count := len(texts.split())) > most:
                raise ValueError(f"{name} has {count} expressions; allowed: {most} at most")
        for hour in self.when.hours:
            if not 0 <= hour.low < hour.high <= 24:
                raise ValueError(f'hours of "{hour.words}": {hour.low} to {hour.high}; allowed: 0 to 24, and rising')


_PART = re.compile(r"<([a-z_]+)>")


def fill_parts(pattern: str, parts: Mapping[str, str]) -> str:
    """ValueError for a part that nobody says."""

    def fill(match: re.Match[str]) -> str:
        if match[1] not in parts:
            raise ValueError(f'"{pattern}" names <{match[1]}>; allowed: {", ".join(parts) or "none"}')
        return parts[match[1]]

    return _PART.sub(fill, pattern)


class StreetWords(Struct, frozen=True, kw_only=True):
    """`kinds`: a street's kind in its short form, and what else stands for it. `leading` is left out in front of a
    name, `dropped` wherever it stands. `kind_first`: "Calle Mayor 9", and not "9 Main Street". The others are regular
    expressions: `ordinal` has the number as its group, `number` stands between a street and its number.
    `labels`: the library that labels the parts of an address, for those of the United States."""

    kinds: dict[str, str] = {}
    directions: dict[str, str] = {}
    ordinals: dict[str, str] = {}
    ordinal: str = ""
    leading: str = ""
    dropped: str = ""
    kind_first: bool = False
    number: str = ""
    beside: str = "&"
    between: str = ""
    ends: str = "&"
    corner: str = ""
    inside: str = ""
    countries: tuple[str, ...] = ()
    labels: str = ""

    def list_patterns(self) -> Iterator[str]:
        yield from (self.ordinal, self.number, self.beside, self.between, self.ends, self.corner, self.inside)
