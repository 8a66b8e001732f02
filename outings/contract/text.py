"""Fold, split and parse texts. Queries and the search index must share these rules, or a query finds nothing."""

import re
import unicodedata

from msgspec import Struct


def fold_text(text: str) -> str:
    """Return the text in NFKD without combining marks and punctuation, case-folded, with single spaces between words.

    Two texts are the same name if their folded forms are equal. Symbols count: "C+ Kids" is not "C Kids".
    """
    if text.isascii():  # faster, and four of five names are
        return " ".join(text.translate(_ASCII_PUNCTUATION).lower().split())
    # Case-folding can make new combining marks (İ), and NFKD new capitals (℡): fold until both are gone.
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = (sign for sign in decomposed if not unicodedata.combining(sign) and not _is_punctuation(sign))
    return " ".join("".join(kept).casefold().split())


def _is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign).startswith("P")


_ASCII_PUNCTUATION = {code: None for code in range(128) if _is_punctuation(chr(code))}


_APOSTROPHES = re.compile(r"['’‘ʼ`´]")
_WORD = re.compile(r"[^\W_]+")


def split_words(text: str) -> list[str]:
    """Return the words, letters and digits, in order: NFKD without combining marks, case-folded, "&" read as "and".

    An apostrophe joins (children's → childrens). Every other sign separates (drop-in → drop, in).
    """
    text = _APOSTROPHES.sub("", text).replace("&", " and ")
    if not text.isascii():
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
        text = "".join(sign for sign in text if not unicodedata.combining(sign))
    return _WORD.findall(text.casefold())


_PIECE = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


class SearchTerm(Struct, frozen=True):
    """A word of a query, or several that must be adjacent. A `quoted` term tolerates no typos."""

    words: tuple[str, ...]
    quoted: bool = False


class TextQuery(Struct, frozen=True, kw_only=True):
    """A parsed `q`: for each of `required` one of its alternatives must match, and none of `excluded` may match."""

    required: tuple[tuple[SearchTerm, ...], ...]
    excluded: tuple[SearchTerm, ...]


def parse_text(text: str) -> TextQuery | None:
    """Parse `q`. Return None if there is no word to look for. A sign inside a word makes a phrase: drop-in becomes
    "drop in".

    >>> query = parse_text('"story time" -music art or craft')
    >>> [[" ".join(term.words) for term in terms] for terms in (*query.required, query.excluded)]
    [['story time'], ['art', 'craft'], ['music']]
    >>> parse_text("?!") is None
    True
    """
    required: list[tuple[SearchTerm, ...]] = []
    excluded: list[SearchTerm] = []
    joins = False
    for minus, quoted, plain in _PIECE.findall(text):
        if plain.casefold() == "or" and not minus:
            joins = bool(required)
            continue
        words = tuple(split_words(plain or quoted))
        if not words:
            continue
        term = SearchTerm(words, quoted=not plain)
        if minus:
            excluded.append(term)
        elif joins:
            required[-1] = (*required[-1], term)
        else:
            required.append((term,))
        joins = False
    if not required and not excluded:
        return None
    return TextQuery(required=tuple(required), excluded=tuple(excluded))
