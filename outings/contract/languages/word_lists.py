"""The structs of a language's `audience.toml`, `search.toml` and `streets.toml`."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
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


class CalendarWords(Struct, frozen=True, kw_only=True):
    """Regular expressions for the months from January and the weekdays from Monday, separated by blanks; by default the
    names in texts.toml. `without`: those that mean something else in a search; `beside`: those that mean it alone."""

    months: str = ""
    weekdays: str = ""
    without: str = ""
    beside: str = ""


class Span(Struct, frozen=True, kw_only=True):
    """A span of time from the `first` to the `last` unit, counted from the present one."""

    unit: Literal["day", "week", "weekend", "month"]
    first: int = 0
    last: int = 0


class FilterWords(Struct, frozen=True, kw_only=True):
    """A phrase of a query that filters.

    Attributes:
        words: a regular expression. `<month>`, `<weekday>`, `<day>`, `<last>`, `<clock>` and `<amount>` stand for what
            they say; each may stand there once, or once in each alternative.
        set: parameters and their values, as in an address.
        span: the days that the phrase means.
        clock: the parameter whose value is `<clock>`.
        open_on: what is open on `<weekday>` passes.
        starts: what the query dates begins then, and does not only go on.
        is_name: a listing whose name has the phrase passes, too.
        is_kind: the phrase is a kind of place, and filters only if no other word decides.
    """

    words: str
    set: dict[str, str] = {}
    span: Span | None = None
    clock: Literal["start_after", "start_before", ""] = ""
    open_on: bool = False
    starts: bool = False
    is_name: bool = False
    is_kind: bool = False


# What `<name>` stands for in the words of a filter, as regular expressions; months and weekdays are the calendar's.
FILTER_PARTS = {
    "month": "",
    "weekday": "",
    "day": "[0-9]{1,2}",
    "last": "[0-9]{1,2}",
    "clock": r"[0-9]{1,2}(?:[:.][0-9]{2})?(?: ?[ap]\.?m\b\.?| ?h\b)?",
    "amount": r"[$€£]? ?[0-9]+(?:[.,][0-9]+)?(?: ?[$€£])?(?:[ -](?:<units>))?",
}


# Parts of phrases that are the names of texts.toml, by the table there.
DAY_PARTS = {"months": "months", "days": "weekdays"}


class SearchWords(Struct, frozen=True, kw_only=True):
    stems: str = ""
    words: RoleWords = RoleWords()
    names: NameWords = NameWords()
    phrases: RolePhrases = RolePhrases()
    amounts: AmountWords = AmountWords()
    ages: AgeWords = AgeWords()
    calendar: CalendarWords = CalendarWords()
    filters: tuple[FilterWords, ...] = ()

    def list_patterns(self) -> Iterator[str]:
        phrases = self.phrases
        for pattern in (*phrases.names, *phrases.prices, *phrases.times, *phrases.audience, *phrases.fillers):
            yield fill_parts(pattern, dict.fromkeys(DAY_PARTS, ".") | phrases.parts)
        yield self.names.called_off
        yield from (self.amounts.before, self.amounts.to, self.amounts.units)
        yield from (*self.calendar.months.split(), *self.calendar.weekdays.split())
        yield from (fill_parts(phrase.words, dict.fromkeys(FILTER_PARTS, ".")) for phrase in self.filters)

    def check(self) -> None:
        """Raise ValueError for what types cannot express: the number of months and days, and the order of a span."""
        for name, most in (("months", 12), ("weekdays", 7)):
            if (count := len(getattr(self.calendar, name).split())) not in (0, most):
                raise ValueError(f"{name} has {count} expressions; allowed: {most}")
        for phrase in self.filters:
            if phrase.span is not None and phrase.span.last < phrase.span.first:
                raise ValueError(f'span of "{phrase.words}" ends before it begins; last is at least first')


def expand(phrases: str) -> Iterator[str]:
    """Yield the phrases of a list with commas: `year{|s}, of age` is `year`, `years` and `of age`."""
    for phrase in filter(None, (part.strip() for part in phrases.split(","))):
        pieces = re.findall(r"\{[^}]*\}|[^{}]+", phrase)
        yield from map("".join, product(*(part[1:-1].split("|") if part[0] == "{" else [part] for part in pieces)))


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
