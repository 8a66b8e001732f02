"""Find the indexed words that a query's word may match, by their stem or with typos."""

from collections.abc import Callable, Iterable, Iterator
from copy import copy

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from Stemmer import Stemmer

from outings.answers.cache import remember
from outings.answers.snapshot.texts import LETTERS_FOR_TYPOS, HashedTexts, SimilarTexts
from outings.release.mapped_table import MappedTable


def make_stem(stems: str) -> Callable[[str], str]:
    """Return a stemming function. `stems`: the name of a Snowball algorithm, then words that it must not change.
    Without a name, no word changes."""
    if not stems:
        return str
    name, *alone = stems.split()
    stem: Callable[[str], str] = Stemmer(name, maxCacheSize=0).stemWord
    return (lambda word: word if word in alone else stem(word)) if alone else stem


# The fewest letters of a stem that is shortened.
_LEAST_STEM = 3
# Cached words, since a search looks up each word five times.
_CACHED = 4_096


class Meaning(Struct, frozen=True):
    """A word of the index, by its number, that matches a query's word. `typos`: the number of typos between the two
    words, 0 for the same word or another form of it."""

    number: int
    typos: int


class Spelling:
    """The spellings of one snapshot's words."""

    def __init__(self, words: MappedTable, *, shortenings: MappedTable, stems: str) -> None:
        """Open the tables. `stems`: as in `make_stem`."""
        self._words = SimilarTexts(words, "word", shortenings=shortenings)
        self._stems = HashedTexts(words, "stem")
        self._stem = make_stem(stems)
        self._chosen: bytes | None = None
        self._remember()

    def narrow(self, words: NDArray[np.bool_]) -> "Spelling":
        """Return the spellings restricted to some words. `words`: True for each of them, by number."""
        narrowed = copy(self)
        narrowed._chosen = words.tobytes()
        narrowed._remember()
        return narrowed

    def _remember(self) -> None:
        self.list_stemmed = remember(self._list_stemmed, size=_CACHED)
        self.list_meanings = remember(self._list_meanings, size=_CACHED)
        self.list_forms = remember(self._list_forms, size=_CACHED)

    def find_word(self, word: str) -> list[int]:
        """Return a list of the word's own number; empty if no listing has the word."""
        return self._keep_chosen(self._words.find(word))

    def _keep_chosen(self, numbers: list[int]) -> list[int]:
        return numbers if self._chosen is None else [number for number in numbers if self._chosen[number]]

    def _list_stemmed(self, word: str) -> list[int]:
        """Return the numbers of the words with the same stem."""
        return self._keep_chosen(self._stems.find(self._stem(word)))

    def list_beginnings(self, word: str) -> list[str]:
        """Return the words of the index that are prefixes of this word."""
        return [word[:end] for end in range(1, len(word) + 1) if self.find_word(word[:end])]

    def list_names(self, word: str) -> list[str]:
        """Return the texts of the indexed words that `list_forms` finds for a word."""
        return [self._words[meaning.number].decode() for meaning in self.list_forms(word)]

    def list_begun(self, beginning: str) -> range:
        """Return the range of the numbers of the words with this prefix. It may include words that an API key does not
        know; these have no postings for that key."""
        begun = range(*self._words.span_beginning(beginning))
        return begun if self._chosen is None or b"\1" in self._chosen[begun.start : begun.stop] else range(0)

    def read_names(self, numbers: Iterable[int]) -> Iterator[str]:
        return (self._words[number].decode() for number in numbers)

    def _list_forms(self, word: str) -> tuple[Meaning, ...]:
        """Return `list_meanings`, and words that match if a last letter is wrongly single or double: "swiming" matches
        "swim" too. Whether two words match never depends on other listings."""
        meanings = {meaning.number: meaning for meaning in self.list_meanings(word)}
        for stem in _list_mistaken(word, self._stem(word)):
            for number in self._keep_chosen(self._stems.find(stem)):
                meanings.setdefault(number, Meaning(number, 1))
        return tuple(meanings[number] for number in sorted(meanings))

    def _list_meanings(self, word: str) -> tuple[Meaning, ...]:
        """Return the word, the words with its stem and the words within two typos, ordered by number."""
        typos = dict.fromkeys(self.list_stemmed(word), 0)
        for number, distance in self._words.find_typos(word):
            typos.setdefault(number, distance)
        return tuple(Meaning(number, typos[number]) for number in self._keep_chosen(sorted(typos)))


def _list_mistaken(word: str, stem: str) -> Iterator[str]:
    """Yield the stem that was meant if the word is misspelled: "swim" for "swiming" (stem "swime"), "kayak" for
    "kayakking" (stem "kayakk")."""
    if len(word) < LETTERS_FOR_TYPOS[0] or len(stem) <= _LEAST_STEM or not word.isalpha():
        return
    if stem.endswith("e") and not word.startswith(stem):
        yield stem[:-1]
    if stem[-1] == stem[-2]:
        yield stem[:-1]
