"""A query's text as one folded line, in which phrases are looked for, and where each word of it was written."""

import re
import unicodedata
from collections.abc import Iterator

from msgspec import Struct

_APOSTROPHES = frozenset("'’‘ʼ`´")
# Signs that say what a number is ("$20", "8+", "5:30"); all others only part words.
_SIGNS = frozenset("+$€£#%.:/,-")
_SAME = {"⁄": "/", "−": "-"}
_WORD = re.compile(r"[^\W_]+")
_CURRENCIES = "$€£"


class Token(Struct, frozen=True):
    """One folded word; [start, end) in the line; as it was written."""

    word: str
    start: int
    end: int
    written: str


class Line(Struct, frozen=True, kw_only=True):
    """`text` is folded as words are (`contract.words`), with single spaces; `origins` are places in `written`."""

    text: str
    origins: tuple[int, ...]
    written: str
    tokens: tuple[Token, ...]

    def quote(self, start: int, end: int) -> str:
        """What was written for [start, end) of the line, without spaces round it."""
        return _quote(self.written, self.origins, start, end)


def read_line(written: str) -> Line:
    """The words of its tokens are those of `contract.words.split_words`."""
    signs: list[str] = []
    origins: list[int] = []
    for at, sign in enumerate(written):
        for one in _fold_sign(sign):
            if one != " " or (signs and signs[-1] != " "):
                signs.append(one)
                origins.append(at)
    text, places = "".join(signs), tuple(origins)
    return Line(text=text, origins=places, written=written, tokens=tuple(_list_tokens(text, places, written)))


def _list_tokens(text: str, origins: tuple[int, ...], written: str) -> Iterator[Token]:
    for match in _WORD.finditer(text):
        start, end = match.span()
        priced = start > 0 and text[start - 1] in _CURRENCIES
        yield Token(match[0], start, end, _quote(written, origins, start - priced, end))


def _quote(written: str, origins: tuple[int, ...], start: int, end: int) -> str:
    last = origins[end - 1] + 1
    # An accent that stands behind its letter belongs to it.
    while last < len(written) and unicodedata.combining(written[last]):
        last += 1
    return written[origins[start] : last].strip()


def _fold_sign(sign: str) -> str:
    """One sign of a query, of any length: nothing for an apostrophe, a space for what only parts words."""
    if sign in _APOSTROPHES:
        return ""
    if sign == "&":
        return " and "
    if not sign.isascii():
        sign = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", sign).casefold())
        sign = "".join(one for one in sign if not unicodedata.combining(one))
    return "".join(map(_keep_sign, sign.casefold()))


def _keep_sign(sign: str) -> str:
    sign = _SAME.get(sign, "-" if unicodedata.category(sign) == "Pd" else sign)
    return sign if sign in _SIGNS or _WORD.fullmatch(sign) else " "
