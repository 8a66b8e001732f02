"""The structs of a language's `audience.toml`, `search.toml` and `streets.toml`."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct


class AudienceWords(Struct, frozen=True, kw_only=True):
    """Words that tell a listing's audience. `phrases`: sets of phrases, by the names that the rules use."""

    adult_ages_ignored_beside: tuple[str, ...] = ()
    phrases: dict[str, tuple[str, ...]] = {}


class RoleWords(Struct, frozen=True, kw_only=True):
    """Words of a query by their role, separated by blanks, single and folded."""

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
    """Words in names of listings.

    Attributes:
        head: which word of a place's name tells its kind; "" for none.
        behind_head: words such as "of". If a name has one, the word before it tells the kind ("Museum of Flight").
        called_off: a regular expression, of letters only, for names of what is sold out or canceled.
        suggested: the text of a suggestion for a region, with `{place}`.
    """

    head: Literal["first", "last", ""] = ""
    behind_head: str = ""
    called_off: str = ""
    suggested: str = ""


class RolePhrases(Struct, frozen=True, kw_only=True):
    """Regular expressions for phrases of a query by their role. `<name>` means the expression in `parts`."""

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


class AgeWords(Struct, frozen=True, kw_only=True):
    """Words for ages in suggestions. `suggested`: a text with `{age}`; `suggested_words`: words for ages that are
    completed; `before`: words in front of an age that a suggestion leaves out."""

    suggested: str = ""
    suggested_words: str = ""
    before: str = ""


class NamedHours(Struct, frozen=True, kw_only=True, rename={"low": "from", "high": "to"}):
    """A part of the day, such as the morning, in hours since midnight."""

    words: str
    low: int = 0
    high: int = 24


class WhenWords(Struct, frozen=True, kw_only=True):
    """Regular expressions for days and parts of the day in a query; an empty one never matches. `days` from Monday are
    separated by blanks; `coming` precedes a day of the next seven."""

    days: str = ""
    weekdays: str = ""
    weekends: str = ""
    today: str = ""
    tomorrow: str = ""
    coming: str = ""
    hours: tuple[NamedHours, ...] = ()

    def list_patterns(self) -> Iterator[str]:
        yield from (*self.days.split(), self.weekdays, self.weekends, self.today, self.tomorrow, self.coming)
        yield from (hour.words for hour in self.hours)


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

    def check(self) -> None:
        """Raise ValueError for too many days, or for invalid hours, which types cannot express."""
        if (count := len(self.when.days.split())) > 7:
            raise ValueError(f"days has {count} expressions; allowed: 7 at most")
        for hour in self.when.hours:
            if not 0 <= hour.low < hour.high <= 24:
                raise ValueError(f'hours of "{hour.words}": {hour.low} to {hour.high}; allowed: 0 to 24, and rising')


_PART = re.compile(r"<([a-z_]+)>")


def fill_parts(pattern: str, parts: Mapping[str, str]) -> str:
    """Replace each `<name>` in a regular expression by the part of that name. Raises ValueError for an unknown name."""

    def fill(match: re.Match[str]) -> str:
        if match[1] not in parts:
            raise ValueError(f'"{pattern}" names <{match[1]}>; allowed: {", ".join(parts) or "none"}')
        return parts[match[1]]

    return _PART.sub(fill, pattern)


class StreetWords(Struct, frozen=True, kw_only=True):
    """Words in addresses. `kinds`: variants of a street's kind by its short form. `leading` words are dropped before a
    name, `dropped` ones anywhere. `kind_first`: "Calle Mayor 9", not "9 Main Street". Others are regular expressions:
    `ordinal` has the number as its group, `number` is between a street and its number. `labels`: the library that
    splits addresses, for those of the United States."""

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
