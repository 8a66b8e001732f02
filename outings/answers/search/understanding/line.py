"""The text of a query as one folded line, in which phrases are found, with the position of each word in the
original."""

import re
import unicodedata
from collections.abc import Sequence

from msgspec import Struct

_APOSTROPHES = frozenset("'’‘ʼ`´")
# Signs that say what a number is ("$20", "8+", "5:30"); all others only part words.
_SIGNS = frozenset("+$€£#%.:/,-")
_SAME = {"⁄": "/", "−": "-"}
_WORD = re.compile(r"[^\W_]+")
_CURRENCIES = "$€£"


class Token(Struct, frozen=True):
    """One folded word: [start, end) of the line."""

    word: str
    start: int
    end: int


class Line(Struct, frozen=True, kw_only=True):
    """A query as one folded line. `text`: folded like the words of listings; `origins`: for each character of `text`,
    the index in `written`; `written`: the query as it was sent."""

    text: str
    origins: Sequence[int]
    written: str

    def list_tokens(self) -> list[Token]:
        """List the words of the line, the same that `contract.text.split_words` returns."""
        return [Token(match[0], *match.span()) for match in _WORD.finditer(self.text)]

    def quote_token(self, token: Token) -> str:
        """Return the word as written, with its currency sign."""
        is_priced = token.start > 0 and self.text[token.start - 1] in _CURRENCIES
        return self.quote(token.start - is_priced, token.end)

    def quote(self, start: int, end: int) -> str:
        """Return the original text of [start, end) of the line."""
        last = self.origins[end - 1] + 1
        # A combining accent belongs to the letter before it.
        while last < len(self.written) and unicodedata.combining(self.written[last]):
            last += 1
        return self.written[self.origins[start] : last].strip()


def read_line(written: str) -> Line:
    """Fold a query to a line. Characters that mean nothing in a query become spaces, and several spaces become one."""
    if written.isascii():
        text = written.translate(_ASCII).lower()
        # As most queries are: sign for sign.
        if "  " not in text and _ODD.isdisjoint(text):
            return Line(text=text, origins=range(len(text)), written=written)
    signs: list[str] = []
    origins: list[int] = []
    for at, sign in enumerate(written):
        for one in _fold_sign(sign):
            if one != " " or (signs and signs[-1] != " "):
                signs.append(one)
                origins.append(at)
    return Line(text="".join(signs), origins=origins, written=written)


def _fold_sign(sign: str) -> str:
    """Fold one character of a query to a text: empty for an apostrophe, a space for a character that only separates
    words."""
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


# What folds to more or less than one sign.
_ODD = frozenset("&'`")
_ASCII = {code: _keep_sign(chr(code)) for code in range(128) if chr(code) not in _ODD}
