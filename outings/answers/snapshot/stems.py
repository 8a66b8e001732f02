"""Stems: what the forms of a word have in common, by the library's rules for a language."""

from collections.abc import Callable

from Stemmer import Stemmer


def make_stem(stems: str) -> Callable[[str], str]:
    """Of the rules of that name; of none, a word is its own stem."""
    if not stems:
        return str
    stem: Callable[[str], str] = Stemmer(stems, maxCacheSize=0).stemWord
    return stem
