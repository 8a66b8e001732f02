"""Words of cities' exports and websites: names of columns, kinds and pages, one file for each language."""

import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from outings.texts.tokens import LANGUAGES


def fold(text: str) -> str:
    """Fold a text as `lower(strip_accents(…))` does."""
    return strip_accents(text).lower()


def strip_accents(text: str) -> str:
    plain = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


@cache
def read_words(language: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the tables of one language's file."""
    return tomllib.loads(files("outings.contract.languages").joinpath(language, "columns.toml").read_text("utf-8"))


@cache
def merge_words(table: str) -> Mapping[str, tuple[str, ...]]:
    """Return a table's lists of all languages, joined by key; a text is a list of its alternatives."""
    merged: dict[str, list[str]] = {}
    for language in LANGUAGES:
        for key, words in read_words(language)[table].items():
            merged.setdefault(key, []).extend(words.split("|") if isinstance(words, str) else words)
    return {key: tuple(dict.fromkeys(words)) for key, words in merged.items()}
