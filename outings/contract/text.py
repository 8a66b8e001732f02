"""`q` of a list, in web-search syntax: words, "quoted phrases", a leading minus, OR between two of them."""

import re

from msgspec import Struct

from outings.contract.words import split_words

_PIECE = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


class Term(Struct, frozen=True):
    """One word, or several that must stand side by side. `quoted`: as written, without tolerance for typos."""

    words: tuple[str, ...]
    quoted: bool = False


class TextQuery(Struct, frozen=True, kw_only=True):
    """Each of `required` must match by one of its alternatives, none of `excluded` may."""

    required: tuple[tuple[Term, ...], ...]
    excluded: tuple[Term, ...]


def parse_text(text: str) -> TextQuery | None:
    """None when there is no word to look for. Signs inside a word make it a phrase: drop-in is "drop in"."""
    required: list[tuple[Term, ...]] = []
    excluded: list[Term] = []
    joins = False
    for minus, quoted, plain in _PIECE.findall(text):
        if plain == "OR" and not minus:
            joins = bool(required)
            continue
        words = tuple(split_words(plain or quoted))
        if not words:
            continue
        term = Term(words, quoted=not plain)
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
