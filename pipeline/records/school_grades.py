"""Parse school grades in a text, such as "K-2", "grades 3-5" or "1st through 3rd grade", to ages.

Kindergarten is grade 0. A child begins grade n at n + 5 and ends it at n + 6.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

_AGE_AT_START, _AGE_AT_END = 5, 6
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
)  # fmt: skip
_WORTH = {word: number for number, word in enumerate(_ORDINALS, 1)} | {str(number): number for number in range(1, 13)}
# Before kindergarten is the year in which a child is four.
_BEFORE = r"pre-?\s?k(?:indergarten)?|pk|tk|transitional kindergarten"
_KINDERGARTEN = r"k(?:indergarten(?:er|ner)?s?|inder)?"
_NUMBER = r"(?:1[0-2]|[1-9])(?:st|nd|rd|th)?"
_GRADE = rf"(?:{_BEFORE}|{_KINDERGARTEN}|{_NUMBER}|{'|'.join(_ORDINALS)})"
_TO = r"\s*(?:-|to|through|thru|and|&)\s*"
_WORD = r"(?:grade(?:r|s|rs)?\b)"
_GRADES = re.compile(
    rf"(?<![\w$#.:,/-])(?:{_WORD}:?\s+)?(?P<low>{_GRADE})(?:\s+{_WORD})?"
    rf"(?:{_TO}(?:{_WORD}\s+)?(?P<high>{_GRADE})|(?P<up>\s*\+|\s+(?:and|or)\s+(?:up|above|older|higher)\b))?"
    rf"(?:\s+{_WORD})?(?![\w%]|[-/.:,]\d)"
)
_HAS_WORD = re.compile(rf"\b{_WORD}")
# Without the word "grade" only a range from or to kindergarten is one of grades; "K-9" is a dog.
_BARE = re.compile(rf"(?:{_BEFORE}|{_KINDERGARTEN})\s*(?:-|through|thru)\s*(?!9\b){_GRADE}")
_MAY_HAVE = re.compile(rf"grade|(?<!\w)(?:{_BEFORE}|{_KINDERGARTEN})(?!\w)")
# Who works in the school is no child.
_WORKERS = re.compile(r"\s+(?:teach|educator|staff|school|district|admin|curricul|education\b)")
# A text of nothing else may leave out the word.
_ALONE = re.compile(rf"(?:{_BEFORE}|{_KINDERGARTEN})")
_DASHES = re.compile("[\u2010-\u2015\u2212]")


class GradeSpan(Struct, frozen=True):
    """A range of ages, both inclusive, and its position [start, end) in the text. `max`: None if open."""

    min: int
    max: int | None
    start: int
    end: int


def find_grades(text: str) -> Iterator[GradeSpan]:
    """Yield the ranges of grades in a lower-case text."""
    if _MAY_HAVE.search(text):
        for match in _GRADES.finditer(text):
            is_stated = _HAS_WORD.search(match[0]) or _BARE.match(match[0])
            if is_stated and not _WORKERS.match(text, match.end()) and (span := _read_span(match)) is not None:
                yield span


def parse_grades(text: str) -> GradeSpan | None:
    """Parse a text that consists of grades alone, or return None."""
    folded = _DASHES.sub("-", text.strip().lower())
    match = _GRADES.fullmatch(folded)
    if match is None or not (_HAS_WORD.search(folded) or _BARE.match(folded) or _ALONE.fullmatch(folded)):
        return None
    return _read_span(match)


def _read_span(match: re.Match[str]) -> GradeSpan | None:
    low = _number_grade(match["low"])
    high = low if match["high"] is None else _number_grade(match["high"])
    if low > high:
        return None
    most = None if match["up"] else high + _AGE_AT_END
    return GradeSpan(low + _AGE_AT_START, most, match.start(), match.end())


def _number_grade(text: str) -> int:
    if re.fullmatch(_BEFORE, text):
        return -1
    return _WORTH.get(text) or _WORTH.get(re.sub(r"\D", "", text), 0)
