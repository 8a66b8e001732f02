"""Read ages: "3 to 5 years", "ab 6", "dès 18 mois", "up to 12", "grades K-2", "todos los públicos".

Ages are whole years, both ends inclusive. A number alone is both ends. Months are rounded down; of halves the lower end
is rounded up, and the upper end down. `is_all` says that a text states no bound: it is for everyone.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from outings.texts.tokens import NUMBER, SIGN, WORD, Scanner, Token, fold, make_roles, order_languages, read_words

_OLDEST = 120
# As schema.org writes an open end: "11-", "-5".
_OPEN = re.compile(r"(\d{1,2})\s*[-–]|[-–]\s*(\d{1,2})")
# A number, or one with a half: "3½" is folded to "31/2".
_NUMBER = r"[1-9]\d??[ -]?1/2(?![\d/])|\d+(?:[.,]\d+)?"
_MONEY = "$€£%°"
_NAMED, _SCHOOL, _EARLY, _NUMERAL, _ORDINAL = "named:", "school:", "early:", "numeral:", "ordinal:"
# A letter is a unit where it stands at its number: "18m", "2s and 3s".
_LETTERS = {"y": "years", "s": "years", "m": "months"}
_UNITS = {"years": 12.0, "months": 1.0, "weeks": 0.0}
_LEADS = frozenset({"from", "over", "up_to", "under"})
_TAILS = frozenset({"up", "down", "old", "over"})
_JOINTS = frozenset({"to", "and", "up_to", "between"})
_SURE = frozenset({"age", "old", "people", "school", "up", "down", *_LEADS, *_UNITS})
_QUIET = frozenset({"fill", "between", "to", "and", "age", "people", "everyone", "beside", "old", SIGN})


class AgeSpan(NamedTuple):
    """Ages in whole years, both ends inclusive; an open end is None. `is_all`: no bound is stated, but everyone."""

    min: int | None
    max: int | None
    is_all: bool = False


class Phrase(NamedTuple):
    """A phrase for ages, from the token `begin` to before the token `end`. `marks`: the roles of its words."""

    span: AgeSpan
    begin: int
    end: int
    marks: frozenset[str]


class _Age(NamedTuple):
    months: float
    is_half: bool
    marks: frozenset[str]
    end: int


def read_ages(text: str, language: str | None = None) -> AgeSpan | None:
    """Read a text that states ages, such as a table's cell; None if it states none. Months are whole years.

    >>> read_ages("18 months to 4")
    AgeSpan(min=1, max=4, is_all=False)
    """
    return _read(text.strip(), language) if len(text) <= 500 else None


@lru_cache(maxsize=4096)
def _read(text: str, language: str | None) -> AgeSpan | None:
    if ends := _OPEN.fullmatch(text):
        return AgeSpan(int(ends[1] or 0), int(ends[2]) if ends[2] else None)
    return _open_reader(language).read(text)


@cache
def _open_reader(language: str | None) -> "_AgeReader":
    return _AgeReader(order_languages(language))


class _AgeReader:
    """A reader of ages. `languages`: those whose words count, the surest first."""

    def __init__(self, languages: Sequence[str]) -> None:
        self._named: dict[str, AgeSpan] = {}
        self._schools: dict[str, tuple[int, int]] = {}
        tables = [self._list_roles(language) for language in languages]
        self._scanner = Scanner(make_roles(tables), _NUMBER)
        ends = (read_words(language)["ages"]["ordinal_ends"] for language in languages)
        self._ordinal_ends = frozenset(part.strip() for text in ends for part in text.split(",")) - {""} | {"."}

    def _list_roles(self, language: str) -> list[dict[str, str]]:
        words = read_words(language)
        ages = words["ages"]
        roles = {f"{_NUMERAL}{number}": word for number, word in enumerate(words["numbers"].split())}
        roles |= {f"{_ORDINAL}{number}": word for number, word in enumerate(ages["ordinals"].split(), 1)}
        for place, named in enumerate(ages["named"]):
            role = f"{_NAMED}{language}{place}"
            self._named[role] = AgeSpan(named["low"], named.get("high"))
            roles[role] = named["words"]
        for place, school in enumerate(ages["schools"]):
            role = f"{_SCHOOL}{language}{place}"
            self._schools[role] = (school["first"], school["years"])
            roles[role] = school["words"]
            years = [*enumerate(school["early"]), *enumerate(school.get("names", ()), 1)]
            for number, phrases in years:
                year = number if phrases in school.get("names", ()) else -number
                roles[f"{_EARLY}{school['first']}:{year}"] = phrases
        own = {role: text for role, text in ages.items() if isinstance(text, str) and not role.startswith("ordinal")}
        return [words["shared"], own, roles]

    def read(self, text: str) -> AgeSpan | None:
        tokens = self._scanner.scan(fold(text))
        used, phrases = set[int](), list[Phrase]()
        for phrase in self.find(tokens):
            phrases.append(phrase)
            used.update(range(phrase.begin, phrase.end))
        left = [n for n, token in enumerate(tokens) if n not in used and token.role not in _QUIET]
        beside = next((n for n, token in enumerate(tokens) if token.role == "beside"), len(tokens))
        unknown = [n for n in left if n < beside and not tokens[n].role.startswith(_NAMED)]
        sure = [phrase.span for phrase in phrases if _is_sure(phrase, unknown)]
        if sure:
            return join_spans(sure)
        if any(token.role == "everyone" for token in tokens) and not any(tokens[n].role == NUMBER for n in unknown):
            return AgeSpan(None, None, is_all=True)
        named = [self._named[token.role] for token in tokens if token.role in self._named]
        return join_spans(named) if named and not unknown else None

    def find(self, tokens: Sequence[Token]) -> Iterator[Phrase]:
        """Yield the phrases for ages in the text's order. None overlaps another."""
        has_school = any(token.role.startswith((_SCHOOL, _EARLY)) for token in tokens)
        at = 0
        while at < len(tokens):
            phrase = self._parse_grades(tokens, at) if has_school else None
            phrase = phrase or self._parse_phrase(tokens, at)
            if phrase is not None:
                yield phrase
            at = at + 1 if phrase is None else phrase.end

    def _parse_phrase(self, tokens: Sequence[Token], begin: int) -> Phrase | None:
        """Parse leads, ages with joints between them, and what stands behind: "kids from 3 to 5 years"."""
        at, marks, lead = begin, set[str](), ""
        while at < len(tokens) and _is_lead(tokens, at):
            role = tokens[at].role
            lead = role if role in _LEADS else "from" if tokens[at].text == "+" else lead
            marks |= {role}
            at += 1
        first = self._parse_age(tokens, at)
        if first is None:
            return None
        ages, at = [first], first.end
        while (joint := _skip_joint(tokens, at)) != at and (age := self._parse_age(tokens, joint)) is not None:
            ages.append(age)
            at = age.end
        marks = marks.union(*(age.marks for age in ages)) | ({"range"} if len(ages) > 1 else set())
        behind = ""
        while at < len(tokens) and (tokens[at].role in _TAILS or tokens[at].text in "+."):
            behind = "up" if tokens[at].text == "+" or tokens[at].role == "over" else tokens[at].role
            marks |= {behind}
            at += 1
        if at < len(tokens) and tokens[at].role == "people":
            marks |= {"people"}
            at += 1
        if at < len(tokens) and tokens[at].text in _MONEY:
            return None
        span = _make_span(ages, lead if not behind or behind == "old" or lead == "under" else behind)
        return None if span is None else Phrase(span, begin, at, frozenset(marks))

    def _parse_age(self, tokens: Sequence[Token], at: int) -> _Age | None:
        """Parse a number with its unit: "3½", "18 months", "5 years old"."""
        if at < len(tokens) and tokens[at].role == "birth":
            return _Age(0.0, is_half=False, marks=frozenset({"age"}), end=at + 1)
        number = _find_number(tokens, at)
        if number is None:
            return None
        at += 1
        if at < len(tokens) and tokens[at].role == "half":
            number, at = number + 0.5, at + 1
        unit = at + (at < len(tokens) - 1 and tokens[at].text == "-" and tokens[at + 1].role in _UNITS)
        role, marks = _find_unit(tokens, unit), set[str]()
        if role:
            marks, at = {role, "unit"}, unit + 1
            at += at < len(tokens) and tokens[at].text == "."
            at += at < len(tokens) - 1 and tokens[at].text == "-" and tokens[at + 1].role == "old"
        while at < len(tokens) and tokens[at].role in ("old", "half"):
            marks, at = marks | {"old"}, at + 1
        is_half = number != int(number)
        return _Age(number * _UNITS.get(role, 12.0), is_half=is_half, marks=frozenset(marks), end=at)

    def _parse_grades(self, tokens: Sequence[Token], begin: int) -> Phrase | None:
        """Parse years of school: "grades 3-5", "1º a 3º de primaria", "Klasse 5 bis 7", "K-2"."""
        at, school = begin, ""
        while at < len(tokens) and (
            tokens[at].role in ("fill", "between", "people")
            or tokens[at].role.startswith(_SCHOOL)
            or tokens[at].text == ":"
        ):
            school = tokens[at].role if tokens[at].role.startswith(_SCHOOL) else school
            at += 1
        years, first_age = list[int](), 0
        while (year := self._parse_year(tokens, at)) is not None:
            number, own_first, at = year
            years.append(number)
            first_age = first_age or own_first
            behind = at
            while behind < len(tokens) and (
                tokens[behind].role in ("fill", "between") or tokens[behind].role.startswith(_SCHOOL)
            ):
                if tokens[behind].role.startswith(_SCHOOL):
                    school, at = tokens[behind].role, behind + 1
                behind += 1
            joint = _skip_joint(tokens, at)
            skip = joint + (joint < len(tokens) and tokens[joint].role.startswith(_SCHOOL))
            if joint == at or self._parse_year(tokens, skip) is None:
                break
            at = skip
        is_named = bool(first_age) and years[:1] <= [0]
        if not years or not (
            school or (is_named and (len(years) > 1 or len(tokens) == at - begin)) or (first_age and years[0] > 0)
        ):
            return None
        if not school and years[1:] == [9]:
            return None  # a dog
        first, most = self._schools.get(school, (first_age, 12))
        first = first_age or first
        if max(years) > most:
            return None
        is_up = at < len(tokens) and (tokens[at].role == "up" or tokens[at].text == "+")
        high = None if is_up else first + max(years)
        return Phrase(AgeSpan(first + min(years) - 1, high), begin, at + is_up, frozenset({"school"}))

    def _parse_year(self, tokens: Sequence[Token], at: int) -> tuple[int, int, int] | None:
        """Return a year's number, the age at which its school begins (0 if not known), and the next token."""
        if at >= len(tokens):
            return None
        role = tokens[at].role
        if role.startswith(_EARLY):
            first, number = role.removeprefix(_EARLY).split(":")
            return int(number), int(first), at + 1
        if role.startswith(_ORDINAL):
            return int(role.removeprefix(_ORDINAL)), 0, at + 1
        if (
            role != NUMBER
            or not tokens[at].text.isdigit()
            or not _is_free(tokens, at)
            or not 0 < int(tokens[at].text) < 14
        ):
            return None
        ended = (
            at + 1 < len(tokens)
            and tokens[at + 1].start == tokens[at].end
            and tokens[at + 1].text in self._ordinal_ends
        )
        return int(tokens[at].text), 0, at + 1 + ended


def _is_sure(phrase: Phrase, unknown: Sequence[int]) -> bool:
    """Return True if the phrase states ages, whatever words stand beside it."""
    if not unknown or phrase.marks & _SURE:
        return True
    return "range" in phrase.marks and phrase.begin - 1 not in unknown


def join_spans(spans: Sequence[AgeSpan]) -> AgeSpan:
    """Return the widest range of several."""
    high = None if any(span.max is None for span in spans) else max(span.max or 0 for span in spans)
    return AgeSpan(min(span.min or 0 for span in spans), high)


def _make_span(ages: Sequence[_Age], bound: str) -> AgeSpan | None:
    """Return the span of several ages. An age without a unit has that of the next one with a unit: "6-18 months"."""
    months, factor = list[float](), 12.0
    for age in reversed(ages):
        if "unit" in age.marks:
            factor = 12.0 if "years" in age.marks else 1.0 if "months" in age.marks else 0.0
        months.append(age.months if "unit" in age.marks or not age.months else age.months / 12 * factor)
    low, high = min(months), max(months)
    if high > _OLDEST * 12:
        return None
    # Of a half from two years on, who is not yet that old can't come.
    least = math.ceil(low / 12) if low >= 24 and any(age.is_half for age in ages) else int(low // 12)
    if len(ages) == 1 and bound == "under":
        return AgeSpan(0, int((high - 1) // 12)) if high > 0 else None
    if bound in ("up_to", "down") and len(ages) == 1:
        return AgeSpan(0, int(high // 12))
    if bound == "up" or (bound in ("from", "over") and len(ages) == 1):
        return AgeSpan(least, None)
    return AgeSpan(min(least, int(high // 12)), int(high // 12))


def _read_number(text: str) -> float | None:
    if text.endswith("1/2"):
        return float(text[:-3].rstrip(" -")) + 0.5
    number = text.replace(",", ".")
    if len(number) > 4 or (len(number) > 1 and number[0] == "0" and number[1] != "."):
        return None
    return float(number) if float(number) <= _OLDEST * 10 else None


def _is_free(tokens: Sequence[Token], at: int) -> bool:
    """Return True unless the number is part of an amount, a clock time, a date, or something longer."""
    before = tokens[at - 1] if at else None
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    if before is not None and before.end == tokens[at].start and (before.text in "$€£#:." or before.role == WORD):
        return False
    if before is not None and before.text in "$€£":
        return False
    if behind is None or behind.start != tokens[at].end:
        return behind is None or behind.text not in _MONEY
    return behind.text not in _MONEY and not (
        behind.text == ":"
        and at + 2 < len(tokens)
        and tokens[at + 2].role == NUMBER
        and tokens[at + 2].start == behind.end
    )


def _find_number(tokens: Sequence[Token], at: int) -> float | None:
    if at >= len(tokens):
        return None
    token = tokens[at]
    if token.role.startswith(_NUMERAL):
        is_word = at + 1 < len(tokens) and tokens[at + 1].role == NUMBER  # in Portuguese "dos" is no two
        return None if is_word else float(token.role.removeprefix(_NUMERAL))
    return _read_number(token.text) if token.role == NUMBER and _is_free(tokens, at) else None


def _find_unit(tokens: Sequence[Token], at: int) -> str:
    """Return the unit that a token is, or ""."""
    if at >= len(tokens) or tokens[at].role in _UNITS:
        return "" if at >= len(tokens) else tokens[at].role
    return _LETTERS.get(tokens[at].text, "") if tokens[at].start == tokens[at - 1].end else ""


def _is_lead(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if token.role in _LEADS or token.role in ("between", "age", "people", "fill"):
        return True
    return token.text in ".:" or (token.text == "+" and at + 1 < len(tokens) and tokens[at + 1].role == NUMBER)


def _skip_joint(tokens: Sequence[Token], at: int) -> int:
    """Return the place behind what joins two ages; `at` if nothing does."""
    begin = at
    while at < len(tokens) and (
        tokens[at].role in _JOINTS or tokens[at].text in "-/,&" or (at > begin and tokens[at].role in ("fill", "age"))
    ):
        at += 1
    return at
