"""`q`: which listings have the words, by the index in the snapshot. Numbers of rows, for both evaluators."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from Stemmer import Stemmer

from outings.answers.texts import HashedTexts, make_texts
from outings.contract.text import Term, TextQuery
from outings.release.mapped import MappedTable

Rows = NDArray[np.uint32]
# A place in the text as one number, so that "the next word" is the number plus one: row, field, position.
Places = NDArray[np.int64]

_FIELD_BITS, _POSITION_BITS = 4, 16
_ROW_SHIFT = _FIELD_BITS + _POSITION_BITS
_NOWHERE: Places = np.empty(0, dtype=np.int64)

# decisions, Lists: letters a word must have for one typo and for two.
LETTERS_FOR_TYPOS = (5, 9)
LANGUAGE = "english"
# Distinct words asked for lately: one look-up of typos among 30,000 words is some 100 µs.
_MEMORY = 4_096


# What the index is made of.
WORDS = ("word",)
PLACES = ("row", "field", "position")


def make_words(terms: pl.DataFrame) -> pl.DataFrame:
    """Each word, where its places end, and its stem."""
    runs = terms["word"].rle().struct.unnest()
    words = runs["value"].alias("word")
    stems = pl.Series("stem", Stemmer(LANGUAGE).stemWords(words.to_list()), dtype=pl.String())
    return pl.DataFrame([*make_texts(words), runs["len"].cast(pl.Int64()).cum_sum().alias("end"), *make_texts(stems)])


def make_places(terms: pl.DataFrame) -> pl.DataFrame:
    row, field, position = (pl.col(name).cast(pl.Int64()) for name in PLACES)
    return terms.select(place=row * (1 << _ROW_SHIFT) + field * (1 << _POSITION_BITS) + position)


class Terms:
    """Words in order with where they stand."""

    def __init__(self, words: MappedTable, *, places: MappedTable) -> None:
        self._words, self._stems = HashedTexts(words, "word"), HashedTexts(words, "stem")
        self._ends = words.view_array("end")
        self._places: Places = places.read_array("place")
        self._stem = Stemmer(LANGUAGE, maxCacheSize=0).stemWord
        self._find_words = lru_cache(maxsize=_MEMORY)(self._list_words)

    def find_rows(self, query: TextQuery, *, size: int) -> Rows:
        """Sorted numbers of the rows that match, of `size` rows in all."""
        found = np.ones(size, dtype=np.bool_)
        for number, alternatives in enumerate(query.required):
            matching = np.zeros(size, dtype=np.bool_)
            for term in alternatives:
                matching[self._find_term(term)] = True
            for neighbour in _list_joined(query.required, number):
                matching[self._find_phrase((neighbour,))] = True
            found &= matching
        for term in query.excluded:
            found[self._find_excluded(term)] = False
        return np.flatnonzero(found).astype(np.uint32)

    # Rows are found as they come, more than once perhaps: they are only marked.

    def _find_term(self, term: Term) -> Rows:
        """A word by itself, by its stem, by a typo, or written as two; several words side by side, or as one."""
        if term.quoted:
            return self._find_phrase(term.words)
        if len(term.words) > 1:
            spelled = [self._find_words(word) for word in term.words]
            return np.concatenate((self._find_sequence(spelled), self._find_phrase(("".join(term.words),))))
        (word,) = term.words
        return np.concatenate((_to_rows(self._read(self._find_words(word))), *self._find_split(word)))

    def _find_excluded(self, term: Term) -> Rows:
        """What is to be left out is what was written, and its stem: a guess must not hide anything."""
        if term.quoted or len(term.words) > 1:
            return self._find_phrase(term.words)
        return _to_rows(self._read(self._list_stemmed(term.words[0])))

    def _find_phrase(self, words: Sequence[str]) -> Rows:
        return self._find_sequence([self._words.find(word) for word in words])

    def _find_sequence(self, spelled: Sequence[Iterable[int]]) -> Rows:
        """Rows in which one spelling of each word stands behind the last."""
        first, *others = (self._read(numbers) for numbers in spelled)
        for places in others:
            first = np.intersect1d(first + 1, places, assume_unique=True)
        return _to_rows(first)

    def _find_split(self, word: str) -> Iterator[Rows]:
        """`storytime` finds "story time"."""
        halves = ((word[:at], word[at:]) for at in range(2, len(word) - 1))
        spelled = ([self._words.find(half) for half in pair] for pair in halves)
        return (self._find_sequence(pair) for pair in spelled if all(pair))

    def _list_words(self, word: str) -> tuple[int, ...]:
        """Numbers of the words that this one means."""
        same = set(self._list_stemmed(word))
        allowed = sum(len(word) >= letters for letters in LETTERS_FOR_TYPOS)
        if not allowed or not word.isalpha():
            return tuple(sorted(same))
        first, others = self._words.list_beginning(word[0])
        for number, other in enumerate(others, first):
            if other.isalpha() and OSA.distance(word, other, score_cutoff=allowed) <= allowed:
                same.add(number)
        return tuple(sorted(same))

    def _list_stemmed(self, word: str) -> list[int]:
        """Numbers of the words that have its stem."""
        return self._stems.find(self._stem(word))

    def _read(self, numbers: Iterable[int]) -> Places:
        """Where these words stand: each place once, in no order."""
        parts = [self._places[self._ends[number - 1] if number else 0 : self._ends[number]] for number in numbers]
        return np.concatenate(parts) if parts else _NOWHERE


def _list_joined(required: Sequence[Sequence[Term]], number: int) -> Iterable[str]:
    """`story time` finds "storytime": a word joined with the one before or behind it stands for both."""
    for first in (number - 1, number):
        pair = required[max(first, 0) : first + 2]
        if len(pair) == 2 and all(len(alternatives) == 1 for alternatives in pair):
            one, other = pair[0][0], pair[1][0]
            if not one.quoted and not other.quoted and len(one.words) == len(other.words) == 1:
                yield one.words[0] + other.words[0]


def _to_rows(places: Places) -> Rows:
    return (places >> _ROW_SHIFT).astype(np.uint32)
