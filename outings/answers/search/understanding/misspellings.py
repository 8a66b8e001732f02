"""Correct misspelled words that have a role in queries: "dance clases", "piano lesons", "saterday"."""

import re
from collections.abc import Iterable

from msgspec import Struct
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from outings.answers.snapshot.texts import LETTERS_FOR_TYPOS

# Of shorter words a letter that is another makes another word, not a slip: plane, place; staff, stuff.
_SURE_LETTERS = 6
# Shorter ones may be anything.
_LEAST_LETTERS = 4
_REPEATED = re.compile(r"(.)\1+")


class Correction(Struct, frozen=True):
    """`typos`: how many letters lie between; 0 where only double letters are single, or single ones double."""

    word: str
    typos: int


class Misspellings:
    """Finds misspellings of some words."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._by_letter: dict[str, list[str]] = {}
        self._singles: dict[str, str] = {}
        for word in sorted(self._words):
            if len(word) >= _LEAST_LETTERS:
                self._by_letter.setdefault(word[0], []).append(word)
                self._singles.setdefault(_make_single(word), word)

    def __contains__(self, word: str) -> bool:
        return word in self._words

    def find_doubled(self, word: str) -> Correction | None:
        """Return the word that has the same letters apart from double ones, or None."""
        doubled = self._singles.get(_make_single(word)) if len(word) >= _LEAST_LETTERS else None
        return None if doubled is None else Correction(doubled, 0)

    def find(self, word: str) -> Correction | None:
        """Return the most similar word that this may be a misspelling of, or None. Its first letter must be the
        same."""
        if len(word) < _LEAST_LETTERS or not word.isalpha():
            return None
        if (doubled := self.find_doubled(word)) is not None:
            return doubled
        others = self._by_letter.get(word[0], [])
        allowed = max(1, sum(len(word) >= letters for letters in LETTERS_FOR_TYPOS))
        near = extract(word, others, scorer=OSA.distance, score_cutoff=allowed, limit=None)
        sure = [(int(typos), other) for other, typos, _ in near if _is_slip(word, other)]
        return next((Correction(other, typos) for typos, other in sorted(sure)), None)


def _make_single(word: str) -> str:
    return _REPEATED.sub(r"\1", word)


def _is_slip(word: str, other: str) -> bool:
    """Return True if one word is a mistyped form of the other. Short words must have two letters swapped, or one
    missing."""
    if len(word) >= _SURE_LETTERS:
        return len(other) >= LETTERS_FOR_TYPOS[0]
    return len(other) == len(word) + 1 or sorted(other) == sorted(word)
