"""`audience.toml`: the words that say whom a listing is for."""

from collections.abc import Iterator

from msgspec import Struct

from outings.contract.languages.search import fill_parts


class TextAgeWords(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


class AudienceWords(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`phrases`: sets of phrases by name, which the rules of the check ask for."""

    adult_ages_ignored_beside: tuple[str, ...] = ()
    phrases: dict[str, tuple[str, ...]] = {}
    ages: TextAgeWords = TextAgeWords()

    def list_patterns(self) -> Iterator[str]:
        return self.ages.list_patterns()
