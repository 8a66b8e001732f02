"""Read ages: "3 to 5 years", "ab 6", "dès 18 mois", "up to 12", "grades K-2", "todos los públicos".

Ages are whole years, both ends inclusive. A number alone is both ends. Months are rounded down; of halves the lower end
is rounded up, and the upper end down. A span without ends is for everyone.

`read_ages` reads a text that states ages and little else. `AgeReader.find` finds phrases in running text, such as a
name, a description or a query, and each says whether it surely states ages there.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from outings.contract.languages.word_lists import expand
from outings.texts.age_phrases import (
    LEADS,
    MONEY,
    OVER,
    SURE,
    UNDER,
    UNITS,
    AgeSpan,
    Phrase,
    join_spans,
    place_phrase,
)
from outings.texts.tokens import (
    AHEAD,
    END,
    NUMBER,
    SIGN,
    WORD,
    Scanner,
    Token,
    fold,
    make_roles,
    order_languages,
    read_words,
)

_OLDEST = 120
# As schema.org writes an open end: "11-", "-5".
_OPEN = re.compile(r"(\d{1,2})\s*[-–]|[-–]\s*(\d{1,2})")
# A number, or one with a half: "3½" is folded to "31/2".
_NUMBER = r"[1-9]\d??[ -]?1/2(?![\d/])|\d+(?:[.,]\d+)?"
# Days without a year, at least two: "8/19, and 8/26". Without a number over 12 they may be ages: "3/4 and 5/6".
_DATES = re.compile(r"(?<![\d/])\d{1,2}/\d{1,2}(?:,? (?:[a-z&]+ )?\d{1,2}/\d{1,2}(?![\d/]))+")
_NAMED, _SCHOOL, _EARLY, _NUMERAL, _ORDINAL = "named:", "school:", "early:", "numeral:", "ordinal:"
_ALONE, _IN_TEXT = "named alone:", "named in text:"
# A letter is a unit where it stands at a number up to this one: "18m", "2s and 3s", but not "80s".
_LETTERS = {"y": ("years", 99), "s": ("years", 5), "m": ("months", 36)}
_TAILS = frozenset({"up", "down", "old", "over"})
_JOINTS = frozenset({"to", "and", "or", "up_to", "between"})
# May stand at a number without a blank: "3to5", "18mois".
_GLUED = frozenset({*UNITS, *_TAILS, *_JOINTS, "half"})
# What stands beside ages in running text. Any other role wins.
_BESIDE = ("counted", "listed", "plus_behind", "named_behind", "not_people", "races")
_QUIET = frozenset({"fill", "between", "to", "and", "or", "age", "people", "everyone", "beside", "old", SIGN, END})
# Years of a kind of school whose name alone states ages: "primaria", but not "grades".
_MOST_GRADES = 10


class _Age(NamedTuple):
    months: float
    is_half: bool
    marks: frozenset[str]
    end: int


class _SchoolYear(NamedTuple):
    """A year of school. `starts`: the age at which its school begins, 0 if only `school`, the role of a word beside it,
    says it."""

    number: int
    starts: int
    school: str
    end: int
    is_letter: bool


def read_ages(text: str, language: str | None = None) -> AgeSpan | None:
    """Read a text that states ages, such as a table's cell; None if it states none. Months are whole years.

    >>> read_ages("18 months to 4")[:2]
    (1, 4)
    """
    return _read(text.strip(), language) if len(text) <= 500 else None


@lru_cache(maxsize=4096)
def _read(text: str, language: str | None) -> AgeSpan | None:
    if ends := _OPEN.fullmatch(text):
        return AgeSpan(int(ends[1] or 0), int(ends[2]) if ends[2] else None)
    return _open_reader(language).read(text)


def open_age_reader(language: str, words: Mapping[str, Any]) -> "AgeReader | None":
    """Return a reader of one language, None if it has no words. `words`: its texts.toml; if empty, what ships."""
    words = words or read_words(language)
    return AgeReader([words]) if words else None


@cache
def _open_reader(language: str | None) -> "AgeReader":
    return AgeReader([read_words(code) for code in order_languages(language)])


class AgeReader:
    """A reader of ages. `languages`: the words of those that count, the surest first."""

    def __init__(self, languages: Sequence[Mapping[str, Any]]) -> None:
        self._named: dict[str, AgeSpan] = {}
        self._schools: dict[str, tuple[int, int]] = {}
        self._school_before: dict[str, str] = {}
        tables = [self._list_roles(words, f"{number}.") for number, words in enumerate(languages)]
        self._scanner = Scanner(make_roles([own for _, *own in tables], [beside for beside, *_ in tables]), _NUMBER)
        ends = (words["ages"]["ordinal_ends"] for words in languages)
        self._ordinal_ends = frozenset(part.strip() for text in ends for part in text.split(",")) - {""} | {"."}

    def _list_roles(self, words: Mapping[str, Any], language: str) -> list[dict[str, str]]:
        """Return a language's phrases by role. `language`: what its roles for named ages and schools begin with."""
        ages, beside = words["ages"], dict[str, str]()
        roles = {f"{_NUMERAL}{number}": word for number, word in enumerate(words["numbers"].split())}
        roles |= {
            f"{_ORDINAL}{number}": word.replace("|", ",") for number, word in enumerate(ages["ordinals"].split(), 1)
        }
        for place, named in enumerate(ages["named"]):
            for kind, phrases in (
                (_NAMED, named.get("words")),
                (_ALONE, named.get("alone")),
                (_IN_TEXT, named.get("in_text")),
            ):
                if phrases:
                    (beside if kind == _IN_TEXT else roles)[f"{kind}{language}{place}"] = phrases
                    self._named[f"{kind}{language}{place}"] = AgeSpan(named["low"], named.get("high"))
        for place, school in enumerate(ages["schools"]):
            role = f"{_SCHOOL}{language}{place}"
            self._school_before |= dict.fromkeys(expand(school.get("before", "")), role)
            self._schools[role] = (school["first"], school["years"])
            roles[role] = school["words"]
            years = [*((-n, text) for n, text in enumerate(school["early"])), *enumerate(school.get("names", ()), 1)]
            roles |= {f"{_EARLY}{school['first']}:{year}": phrases for year, phrases in years}
        own = {role: text for role, text in ages.items() if isinstance(text, str) and not role.startswith("ordinal")}
        counts = (own.get("counted", ""), *words["months"], words["amounts"]["currency"], words["amounts"]["free"])
        counted = ",".join((*counts, *(words["hours"].get(role, "") for role in ("unit", "am", "pm"))))
        beside |= {role: own.pop(role) for role in _BESIDE if role in own} | {"counted": counted}
        return [beside, words["shared"], own, roles]

    def read(self, text: str) -> AgeSpan | None:
        """Read a text that states ages; None if it states none."""
        tokens = self._scanner.scan(fold(text))
        used, phrases = set[int](), list[Phrase]()
        beside = next((n for n, token in enumerate(tokens) if token.role == "beside"), len(tokens))
        for phrase in self._list_phrases(tokens):
            used.update(range(phrase.begin, phrase.end))
            # Behind other ages, or "all ages", these are of some alone: "8-12 years (siblings under 2 free)".
            is_some = "not" not in phrase.marks and not phrase.marks.isdisjoint(UNDER)
            has_everyone = is_some and any(token.role == "everyone" for token in tokens[: phrase.begin])
            is_condition = has_everyone or (phrases and (is_some or phrase.begin > beside))
            if not is_condition and not place_phrase(phrase, tokens).is_count:
                phrases.append(phrase)
        left = [n for n, token in enumerate(tokens) if n not in used and token.role not in _QUIET]
        unknown = [
            n for n in left if n < beside and tokens[n].role not in self._named and tokens[n].role not in self._schools
        ]
        sure = [phrase.span for phrase in phrases if _is_sure(phrase, unknown)]
        if sure:
            return join_spans(sure)
        if any(token.role == "everyone" for token in tokens) and not any(tokens[n].role == NUMBER for n in unknown):
            return AgeSpan(None, None)
        named = [self._named[token.role] for token in tokens if token.role in self._named]
        schools = (self._schools[token.role] for token in tokens if token.role in self._schools and not phrases)
        named += [AgeSpan(first, first + years) for first, years in schools if years < _MOST_GRADES]
        return join_spans(named) if named and not unknown else None

    def find(self, text: str) -> list[Phrase]:
        """Return the phrases for ages in a folded text of any subject, in its order. None overlaps another."""
        tokens = self._scanner.scan(_DATES.sub(_blank_dates, text))
        found, done = list[Phrase](), 0
        for phrase in [
            *self._list_phrases(tokens),
            Phrase(AgeSpan(None, None), len(tokens) - AHEAD, len(tokens) - AHEAD, frozenset()),
        ]:
            found += self._list_named(tokens, done, phrase.begin)
            if phrase.end > phrase.begin:
                found.append(place_phrase(phrase, tokens))
            done = phrase.end
        return found

    def _list_named(self, tokens: Sequence[Token], begin: int, end: int) -> Iterator[Phrase]:
        for at in range(begin, end):
            token, span = tokens[at], self._named.get(tokens[at].role)
            if token.role.startswith(_EARLY) and ":-" in token.role and (early := self._parse_named(tokens, at)):
                span = early.span
            is_other = tokens[at + 1].role == "not_people"
            if span is not None and not is_other and not token.role.startswith(_ALONE):
                more = tokens[at + 1].role == "named_behind"
                yield Phrase(span, token.start, tokens[at + more].end, frozenset({"named"}), is_word=True)

    def _list_phrases(self, tokens: Sequence[Token]) -> Iterator[Phrase]:
        """Yield the phrases with numbers in the text's order, by tokens. None overlaps another."""
        has_school = any(token.role.startswith(_EARLY) or self._find_school(token) for token in tokens)
        at = 0
        while tokens[at].role != END:
            phrase = self._parse_grades(tokens, at) if has_school else None
            phrase = phrase or self._parse_phrase(tokens, at)
            named = phrase or self._parse_named(tokens, at)
            phrase = self._join_further(tokens, named, has_school=has_school) or phrase
            if phrase is not None:
                yield phrase
            at = at + 1 if phrase is None else phrase.end

    def _join_further(self, tokens: Sequence[Token], first: Phrase | None, *, has_school: bool) -> Phrase | None:
        """Return the range from a phrase to another kind of one: "3 to kindergarten", "toddlers to grade 2", "preschool
        and grade 1"."""
        joint = _skip_joint(tokens, first.end) if first is not None else 0
        if first is None or joint == first.end or "range" in first.marks:
            return None
        if tokens[first.begin].text == "k":
            return None  # "K-9"
        is_word, is_list = tokens[first.end].role in ("to", "up_to"), tokens[first.end].role == "and"
        if not is_word and not is_list and (tokens[first.end].text != "-" or first.is_word):
            return None
        last = (self._parse_grades(tokens, joint) if has_school else None) or self._parse_named(tokens, joint)
        last = last or self._parse_phrase(tokens, joint)
        if last is None or "range" in last.marks or (last.is_word and not is_word):
            return None
        if is_list and ("school" not in last.marks or not first.is_word or first.span.max is None):
            return None
        return Phrase(join_spans([first.span, last.span]), first.begin, last.end, first.marks | last.marks | {"range"})

    def _parse_named(self, tokens: Sequence[Token], at: int) -> Phrase | None:
        """Parse a word for ages, or for a year before school, which is a phrase only in a range."""
        role = tokens[at].role
        if role.startswith(_EARLY):
            first, year = map(int, role.removeprefix(_EARLY).split(":"))
            return Phrase(AgeSpan(first + year - 1, first + year), at, at + 1, frozenset({"school"}))
        span = self._named.get(role)
        return None if span is None else Phrase(span, at, at + 1, frozenset({"people"}), is_word=True)

    def _parse_phrase(self, tokens: Sequence[Token], begin: int) -> Phrase | None:
        """Parse leads, ages with joints between them, and what stands behind: "kids from 3 to 5 years"."""
        at, roles = begin, list[str]()
        while _is_lead(tokens, at) or self._is_named_lead(tokens, at):
            is_named, is_plus = tokens[at].role in self._named, tokens[at].text == "+"
            roles.append("people" if is_named else "plus" if is_plus else tokens[at].role)
            at += 1
        marks, lead = set(roles), next((role for role in reversed(roles) if role in (*LEADS, "plus")), "")
        if lead == "plus" or (lead in UNDER and "not" in marks):
            lead = "from"  # "not suitable for children under 4"
        first = self._parse_age(tokens, at)
        if first is None:
            return None
        ages, at = [first], first.end
        while (joint := _skip_joint(tokens, at)) != at and (age := self._parse_further(tokens, joint)) is not None:
            joined = {token.role for token in tokens[at:joint]}
            if joined & {"and", "or"} and ("old" in ages[-1].marks or "age" in joined):
                break  # "a 5 year old and an 8 year old" are two
            is_span = joined & {"to", "up_to"} or any(token.text == "-" for token in tokens[at:joint])
            marks |= {"each"} if "and" in joined else {"span"} if is_span else set()
            ages.append(age)
            at = age.end
        if joint != at and self._is_adult(tokens, joint):
            lead, at = "from", joint + 1
        marks = marks.union(*(age.marks for age in ages)) | ({"range"} if len(ages) > 1 else set())
        marks |= {"units"} if all("unit" in age.marks for age in ages) else set()
        tails = list[str]()
        while _is_tail(tokens[at], marks):
            tails.append("plus" if tokens[at].text == "+" else tokens[at].role)
            at += 1
        marks |= {"up" if tail == "over" else tail for tail in tails}
        last = next((tail for tail in reversed(tails) if tail != SIGN), "plus" if "plus" in ages[-1].marks else "")
        behind = "up" if last in ("plus", "over") else last
        if tokens[at].role in ("people", "child"):
            marks |= {"crowd"}
            at += 1
        if tokens[at].text in MONEY and tokens[at - 1].text != "+":
            return None
        span = _make_span(ages, lead if not behind or behind == "old" or lead in UNDER else behind, marks)
        return None if span is None else Phrase(span, begin, at, frozenset(marks))

    def _is_adult(self, tokens: Sequence[Token], at: int) -> bool:
        """Return True for the end of "8 to adult"."""
        is_open = tokens[at].role in self._named and self._named[tokens[at].role].max is None
        return is_open and tokens[at - 1].role in ("to", "up_to", SIGN)

    def _is_named_lead(self, tokens: Sequence[Token], at: int) -> bool:
        """Return True for "Bebés de 0 a 3 años" and "Teens 13-17"."""
        behind, after = tokens[at + 1], tokens[at + 2]
        if tokens[at].role not in self._named:
            return False
        is_range = behind.role == NUMBER and (after.role == "to" or after.text == "-")
        return is_range or behind.role in ("between", "from", "age")

    def _parse_age(self, tokens: Sequence[Token], at: int) -> _Age | None:
        """Parse a number with its unit: "3½", "18 months", "5 years old"."""
        if tokens[at].role == "birth" or self._is_birth(tokens, at):
            return _Age(0.0, is_half=False, marks=frozenset({"age"}), end=at + 1)
        number = _find_number(tokens, at)
        if number is None:
            return None
        written, at = tokens[at].text, at + 1
        if tokens[at].role == "half":
            number, at = number + 0.5, at + 1
        is_behind_sign = tokens[at].text in "-+" and tokens[at + 1].role in UNITS
        unit, marks = at + is_behind_sign, set[str]()
        role = _find_unit(tokens, unit)
        if role:
            marks, at = {role, "unit"}, unit + 1
            marks |= {"plus"} if is_behind_sign and tokens[unit - 1].text == "+" else set()
            marks |= {"sure_unit"} if self._is_sure_unit(tokens, unit, number) else set()
            at += tokens[at].text == "."
            at += tokens[at].text == "-" and tokens[at + 1].role == "old"
        while tokens[at].role in ("old", "half"):
            marks, at = marks | {"old"}, at + 1
        if not marks and "." in written:
            marks = {"decimal"}
        elif not marks and written.isalpha():
            marks = {"numeral"}
        is_half = number != int(number)
        return _Age(number * UNITS.get(role, 12.0), is_half=is_half, marks=frozenset(marks), end=at)

    def _parse_further(self, tokens: Sequence[Token], at: int) -> _Age | None:
        """Parse a second age, None if it is a year of school: "4 Jahre bis 2. Klasse"."""
        age = self._parse_age(tokens, at)
        if age is None or not any(self._find_school(token) for token in tokens[at : age.end + 2]):
            return age
        return age if self._parse_grades(tokens, at) is None else None

    def _is_birth(self, tokens: Sequence[Token], at: int) -> bool:
        """Return True for the beginning of a range: "newborn to 12 months"."""
        span = self._named.get(tokens[at].role)
        return span is not None and span.min == 0 and tokens[at + 1].role in ("to", "up_to", SIGN)

    def _is_sure_unit(self, tokens: Sequence[Token], at: int, number: float) -> bool:
        """Return True unless a length has the unit too: "6 weeks", "a 2 year program", "50m freestyle"."""
        token = tokens[at]
        if token.role not in UNITS:
            return tokens[at + 1].role != "races"
        is_adjective = len(token.text) > 3 and number > 1 and self._scanner.has_role(f"{token.text}s", token.role)
        return token.role != "weeks" and not is_adjective

    def _parse_grades(self, tokens: Sequence[Token], begin: int) -> Phrase | None:
        """Parse years of school: "grades 3-5", "1º a 3º de primaria", "2º de infantil a 6º de primaria", "K-2"."""
        first = self._parse_school_year(tokens, begin, is_first=True)
        if first is None:
            return None
        years, at, marks = [first], first.end, {"school"}
        while (joint := _skip_joint(tokens, at)) != at and not any(token.role == "age" for token in tokens[at:joint]):
            year = self._parse_school_year(tokens, joint, is_first=False)
            if year is None or (first.is_letter and tokens[at].role != SIGN):
                break  # "k to 2" may be a vitamin
            marks |= {"each"} if any(token.role == "and" for token in tokens[at:joint]) else set()
            years.append(year)
            at = year.end
        has_school = any(year.school for year in years)
        is_lone = len(years) == 1 and first.number <= 0 and len(tokens) - AHEAD > at - begin
        is_dog = first.is_letter and years[-1].number == 9
        if not has_school and (not first.starts or is_lone or is_dog):
            return None
        spans = list(self._list_school_ages(years))
        if len(spans) < len(years) or tokens[at].role in ("not_people", *UNITS):
            return None
        is_up = tokens[at].role == "up" or tokens[at].text == "+"
        span = join_spans(spans)
        return Phrase(AgeSpan(span.min, None) if is_up else span, begin, at + is_up, frozenset(marks))

    def _list_school_ages(self, years: Sequence[_SchoolYear]) -> Iterator[AgeSpan]:
        """Yield the ages of each year that its school has. A year without a school is of the one before, or behind."""
        stated = [year for year in years if year.school or year.starts]
        school = stated[0] if stated else None
        for year in years:
            school = year if year.school or year.starts else school
            if school is not None:
                first, most = self._schools.get(school.school, (school.starts, 12))
                first = year.starts or school.starts or first
                if year.number <= most:
                    yield AgeSpan(first + year.number - 1, first + year.number)

    def _parse_school_year(self, tokens: Sequence[Token], at: int, *, is_first: bool) -> _SchoolYear | None:
        """Parse a year with the words for its school around it: "grade 3", "3º de primaria", "CM2"."""
        school = ""
        while (
            tokens[at].role.startswith(_SCHOOL)
            or (tokens[at].text in self._school_before and tokens[at - 1].role != NUMBER)
            or (is_first and (tokens[at].role in ("fill", "between", "people") or tokens[at].text == ":"))
        ):
            school = self._find_school(tokens[at]) or school
            at += 1
        year = self._parse_year(tokens, at)
        if year is None:
            return None
        number, starts, end = year
        is_letter, behind = starts > 0 and len(tokens[at].text) == 1, end
        while tokens[behind].role in ("fill", "between") or tokens[behind].role.startswith(_SCHOOL):
            if tokens[behind].role.startswith(_SCHOOL):
                school, end = tokens[behind].role, behind + 1
            behind += 1
        return _SchoolYear(number, starts, school, end, is_letter=is_letter)

    def _find_school(self, token: Token) -> str:
        return token.role if token.role.startswith(_SCHOOL) else self._school_before.get(token.text, "")

    def _parse_year(self, tokens: Sequence[Token], at: int) -> tuple[int, int, int] | None:
        """Return a year's number, the age at which its school begins (0 if not known), and the next token."""
        role, behind = tokens[at].role, tokens[at + 1]
        if role.startswith(_EARLY):
            first, number = role.removeprefix(_EARLY).split(":")
            return int(number), int(first), at + 1
        if role.startswith(_ORDINAL):
            return int(role.removeprefix(_ORDINAL)), 0, at + 1
        number = tokens[at].text
        ended = behind.start == tokens[at].end and behind.text in self._ordinal_ends
        if role != NUMBER or not number.isdigit() or not 0 < int(number) < 14 or not (ended or _is_free(tokens, at)):
            return None
        is_age = behind.role in UNITS and behind.text not in self._ordinal_ends
        return None if is_age else (int(number), 0, at + 1 + ended)


def _blank_dates(match: re.Match[str]) -> str:
    are_dates = any(int(number) > 12 for number in re.findall(r"\d+", match[0]))
    return " " * len(match[0]) if are_dates else match[0]


def _is_tail(token: Token, marks: Collection[str]) -> bool:
    return token.text in "+." or (token.role in _TAILS and (token.role != "over" or "unit" in marks))  # "7 min"


def _is_sure(phrase: Phrase, unknown: Sequence[int]) -> bool:
    """Return True if the phrase states ages, whatever words stand beside it."""
    if not unknown or phrase.marks & SURE:
        return True
    return "range" in phrase.marks and phrase.begin - 1 not in unknown


def _make_span(ages: Sequence[_Age], bound: str, marks: Collection[str]) -> AgeSpan | None:
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
    if len(ages) == 1 and bound in UNDER:
        return AgeSpan(0, int((high - 1) // 12)) if high > 0 else None
    if bound in ("up_to", "down") and len(ages) == 1:
        return AgeSpan(0, int(high // 12))
    if bound == "up" or (bound in ("from", *OVER) and len(ages) == 1):
        return AgeSpan(least, None)
    is_swapped = "span" in marks and len(months) == 2 and months[1] > months[0]
    return AgeSpan(min(least, int(high // 12)), int(high // 12), is_swapped=is_swapped)


def _read_number(text: str) -> float | None:
    if text.endswith("1/2"):
        return float(text[:-3].rstrip(" -")) + 0.5
    number = text.replace(",", ".")
    if len(number) > 4 or (len(number) > 1 and number[0] == "0" and number[1] != "."):
        return None
    return float(number) if float(number) <= _OLDEST * 10 else None


def _is_free(tokens: Sequence[Token], at: int) -> bool:
    """Return True unless the number is part of an amount, a clock time, a date, or something longer."""
    before, behind = tokens[at - 1], tokens[at + 1]
    is_glued = before.end == tokens[at].start and (before.text in "#:." or before.role == WORD)
    if is_glued or before.text in "$€£" or behind.text in MONEY:
        return False
    if behind.start != tokens[at].end:
        return True
    # "5k", "12th", "90min"; but "Ages 8-11Session two" lost a line's end.
    is_part = behind.text.isalpha() and len(behind.text) < 4
    if is_part and behind.text not in _LETTERS and behind.role not in _GLUED:
        return False
    return behind.text != ":" or tokens[at + 2].role != NUMBER or tokens[at + 2].start != behind.end


def _find_number(tokens: Sequence[Token], at: int) -> float | None:
    token = tokens[at]
    if token.role.startswith(_NUMERAL):
        is_word = tokens[at + 1].role == NUMBER  # in Portuguese "dos" is no two
        return None if is_word else float(token.role.removeprefix(_NUMERAL))
    return _read_number(token.text) if token.role == NUMBER and _is_free(tokens, at) else None


def _find_unit(tokens: Sequence[Token], at: int) -> str:
    """Return the unit that a token is, or ""."""
    if tokens[at].role in UNITS:
        return tokens[at].role
    unit, most = _LETTERS.get(tokens[at].text, ("", 0))
    is_unit = (
        tokens[at].start == tokens[at - 1].end and tokens[at - 1].text.isdigit() and int(tokens[at - 1].text) <= most
    )
    return unit if is_unit else ""


def _is_lead(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if token.role in LEADS or token.role in ("between", "age", "people", "child", "fill", "not"):
        return True
    return token.text in ".:" or (token.text == "+" and tokens[at + 1].role == NUMBER)


def _skip_joint(tokens: Sequence[Token], at: int) -> int:
    """Return the place behind what joins two ages; `at` if nothing does."""
    begin = at
    while (
        tokens[at].role in _JOINTS or tokens[at].text in "-/,&" or (at > begin and tokens[at].role in ("fill", "age"))
    ):
        at += 1
    return at
