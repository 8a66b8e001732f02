"""Phrases for ages, and whether the words in and beside one say that it states ages there."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from outings.texts.tokens import END, NUMBER, SIGN, WORD, Token

MONEY = "$€£%°"
# Units of ages, in months.
UNITS = {"years": 12.0, "months": 1.0, "weeks": 0.0}
UNDER, OVER = ("under", "younger"), ("over", "older")
LEADS = frozenset({"from", "up_to", *UNDER, *OVER})
CERTAIN = frozenset({"age", "old", "school", "older"})
SURE = frozenset({"people", "crowd", "up", "plus", "down", *CERTAIN, *LEADS, *UNITS})
# The greatest age in "8+", and in "under 8", of a query. A greater number counts something else.
_MOST_UP, _MOST_UNDER, _MOST_QUERY = 21, 18, 99


class AgeSpan(NamedTuple):
    """Ages in whole years, both ends inclusive; an open end is None, both are for everyone. `is_swapped`: the text has
    the greater age first."""

    min: int | None
    max: int | None
    is_swapped: bool = False


class Phrase(NamedTuple):
    """A phrase for ages: the tokens or characters [begin, end). `marks`: the roles of its words, and of what stands
    beside it. `is_word`: it has no number, as "toddlers"."""

    span: AgeSpan
    begin: int
    end: int
    marks: frozenset[str]
    is_word: bool = False

    @property
    def is_count(self) -> bool:
        """Return True if the numbers count something else: "48 inches", "40 years of dance", "up to 12 children"."""
        marks = self.marks
        if marks & {"age", "old", "school"}:
            return False
        is_lone = {"unit", "word"} <= marks and not marks & {"range", "people", "crowd", *LEADS, "up", "plus", "down"}
        return (
            "counted" in marks
            or is_lone
            or marks - {"fill"} == {"numeral"}
            or ({"up_to", "crowd"} <= marks and "unit" not in marks)
        )

    @property
    def is_in_text(self) -> bool:
        """Return True if a text of any subject that has the phrase states ages."""
        marks = self.marks
        is_range = "range" in marks or bool(marks & {"from", "older", "up", "plus"})
        if "school" in marks or (marks & {"age", "old"} and is_range) or {"age", "down"} <= marks:
            return True
        is_rating = "decimal" in marks and "unit" not in marks  # "3.5 and above"
        if is_rating or "counted" in marks or {"unit", "length"} <= marks:
            return False
        return (
            bool(marks & {"up", "older"})
            or ("plus" in marks and "followed" not in marks)
            or {"units", "range"} <= marks
            or ("people" in marks and bool(marks & {"from", "between", "over"}))
            or {"unit", "from"} <= marks
            or ({"unit", "people", "fill"} <= marks and bool(marks & {"up_to", *UNDER}))  # "for children under 6 years"
            or ({"unit", "range"} <= marks and bool(marks & {"between", "enclosed"}))
        )

    @property
    def is_in_name(self) -> bool:
        """Return True if a name that has the phrase states ages: "Gym 2-3 yrs", "Swim 12 & under", "Tennis (14-17)"."""
        marks = self.marks
        if self.is_in_text or "counted" in marks or marks & CERTAIN:
            return self.is_in_text or bool(marks & ({"age", "old"} if "counted" in marks else CERTAIN))
        is_range = "range" in marks and bool(marks & {"people", "unit", "enclosed"})
        return "down" in marks or is_range or {"enclosed", "unit"} <= marks or {"younger", "unit"} <= marks

    @property
    def is_in_query(self) -> bool:
        """Return True if who searches for the phrase means ages."""
        marks, (low, high) = self.marks, self.span[:2]
        years = (low or 0) if high is None else high
        if "named" in marks or years > _MOST_QUERY:
            return "named" in marks
        if not marks & {"age", "old", "school"} and ("counted" in marks or {"unit", "length"} <= marks):
            return False
        if marks & {*CERTAIN, "younger", "sure_unit"} or ("people" in marks and bool(marks & {"between", "over"})):
            return True
        if "unit" in marks or ("listed" in marks and "range" not in marks):
            return False
        if marks & {"up", "plus", "down", "under"}:
            return "range" not in marks and years <= (_MOST_UNDER if "under" in marks else _MOST_UP)
        return "people" in marks and bool(marks & {"range", "from", "up_to"})


def join_spans(spans: Sequence[AgeSpan]) -> AgeSpan:
    """Return the widest range of several."""
    high = None if any(span.max is None for span in spans) else max(span.max or 0 for span in spans)
    low, is_swapped = min(span.min or 0 for span in spans), any(span.is_swapped for span in spans)
    return AgeSpan(low, high, is_swapped=is_swapped)


def place_phrase(phrase: Phrase, tokens: Sequence[Token]) -> Phrase:
    """Return a phrase of tokens by its characters, with marks for what stands beside it."""
    begin, end, marks = phrase.begin, phrase.end, set(phrase.marks)
    while tokens[begin].role in ("fill", SIGN) and tokens[begin].text != "+":
        begin += 1
    if "crowd" in marks and tokens[end - 1].role != "child":
        end -= 1
    marks |= set(_mark_before(tokens, begin, end, marks))
    if tokens[end - 1].text != "." or "old" in marks:
        marks |= set(_mark_behind(tokens, end))
    return phrase._replace(begin=tokens[begin].start, end=tokens[end - 1].end, marks=frozenset(marks))


def _mark_before(tokens: Sequence[Token], begin: int, end: int, marks: Collection[str]) -> Iterator[str]:
    before, behind = tokens[begin - 1], tokens[end]
    if before.role == "group":
        yield "counted"
    if before.text + behind.text in ("()", "[]"):
        yield "enclosed"
    if CERTAIN.isdisjoint(marks):
        if any(token.text in MONEY for token in tokens[max(0, begin - 8) : begin]):
            yield "counted"
        earlier = [token.role for token in tokens[max(0, begin - 6) : begin]]
        if "age" in earlier and NUMBER not in earlier[earlier.index("age") :]:
            yield "age"


def _mark_behind(tokens: Sequence[Token], end: int) -> Iterator[str]:
    behind, after = tokens[end], tokens[end + 1]
    if behind.role in ("counted", "listed"):
        yield behind.role
    if behind.role.startswith("numeral:"):
        yield "counted"  # "5 sept", "3 two-hour sessions"
    if behind.role in ("fill", "between") and after.role in ("counted", WORD):
        if after.role == "counted":
            yield "counted"
        elif behind.role == "between" or behind.text == "of":
            yield "length"
    if behind.role == WORD or (behind.role in ("fill", "between") and after.role == WORD):
        yield "word"
    is_last = behind.role == "fill" and after.role == END
    if not is_last and behind.role not in (SIGN, END, "plus_behind", "people", "child", "beside", "age", "everyone"):
        yield "followed"
