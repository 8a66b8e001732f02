"""Parses the `q` of a list in web-search syntax: words, "quoted phrases", a leading minus, and "or" between two of
them."""

import re

from msgspec import Struct

from outings.contract.tokenizer import split_words

_PIECE = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


class SearchTerm(Struct, frozen=True):
    """A word, or several that must be next to each other. A `quoted` term tolerates no typos."""

    words: tuple[str, ...]
    quoted: bool = False


class TextQuery(Struct, frozen=True, kw_only=True):
    """Each of `required` must match with one of its alternatives. None of `excluded` may match."""

    required: tuple[tuple[SearchTerm, ...], ...]
    excluded: tuple[SearchTerm, ...]


def parse_text(text: str) -> TextQuery | None:
    """Returns None if there is no word to look for. A sign inside a word makes a phrase: drop-in becomes "drop in"."""
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
