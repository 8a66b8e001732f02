"""Find the listings that have each word of a query, and how strongly: by its place in the listing and its spelling.

    strength = place × spelling

A word's strength in a listing is one byte, a code: 0 if the listing does not have it, else the greater the more
it counts. A code's upper bits say how the word counts for the level of the listing, the lower ones rank the strength.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise, product
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from outings.answers.cache import remember
from outings.answers.rows.columns import mark_firsts
from outings.answers.search.postings import (
    CATEGORY,
    NAME,
    OPENING,
    PASSING,
    SHELF,
    WHERE,
    Places,
    Postings,
    Rows,
    find_places,
)
from outings.answers.search.understanding.related import Alternatives, RelatedWords
from outings.answers.snapshot.terms import Terms, choose_field, split_places
from outings.release.tables import FIELDS

Codes = NDArray[np.uint8]
Numbers = NDArray[Any]
# By row, or of some rows.
Mask = NDArray[np.bool_]
# Rows → those of them that may be shown, rising.
Keep = Callable[[Numbers], Numbers]

# How a word is written in a listing.
RELATED, TWO_TYPOS, ONE_TYPO, BEGUN, JOINED, SAME, GUESS = range(7)
# Settled on the working halves of tests/judged. A sixth more or less of any of them moves nDCG@10 by 0.003 at most.
SPELLINGS = {SAME: 1.0, JOINED: 0.95, BEGUN: 0.85, ONE_TYPO: 0.8, TWO_TYPOS: 0.7, RELATED: 0.62, GUESS: 0.5}
PLACES = {NAME: 0.9, CATEGORY: 0.8, SHELF: 0.55, OPENING: 0.5, WHERE: 0.3, PASSING: 0.2}
_BY_TYPOS = (SAME, ONE_TYPO, TWO_TYPOS)

# How a word counts for the level: in passing or as a guess, as a place, an organization or an address is named, by a
# related word, by itself.
IN_PASSING, SAYS_WHERE, BY_RELATION, BY_ITSELF = range(4)
# Indexes in the contract's LEVELS.
ALL_TERMS, RELATED_WORDS, PARTIAL = range(3)
# The level that a word gives, by how it counts: in passing, as a place is named, by a related word, by itself.
_LEVELS = np.array([PARTIAL, PARTIAL, RELATED_WORDS, ALL_TERMS])
# A code is a byte: two bits say how the word counts, six the rank of its place and spelling.
_SHIFT = 6
_RANKED = sorted(product(PLACES, SPELLINGS), key=lambda value: (PLACES[value[0]] * SPELLINGS[value[1]], value))
_RANKS = {value: rank for rank, value in enumerate(_RANKED, start=1)}
# The most words whose codes are cached: a byte for each listing that has the word.
_WORDS = 32
# The most words whose halves are cached.
_HALVES = 4_096
# The most queries whose runs of words are cached.
_QUERIES = 1_024
# The fewest letters of each of two words that are written as one.
_LEAST_HALF = 2
_ADDRESS = FIELDS.index("location")
# The fewest addresses that make a word the name of a part of the metro: three of each of three neighborhoods.
LEAST_ADDRESSES = 9


def _encode(place: int, spelling: int) -> int:
    if spelling == GUESS or place == PASSING or (place == WHERE and spelling == RELATED):
        standing = IN_PASSING
    elif place == WHERE:
        standing = SAYS_WHERE
    else:
        standing = BY_RELATION if spelling == RELATED else BY_ITSELF
    return standing << _SHIFT | _RANKS[place, spelling]


_ENCODED = np.array(
    [[_encode(place, spelling) for place in range(NAME + 1)] for spelling in range(len(SPELLINGS))], dtype=np.uint8
)
_STANDING = np.uint8(0b1100_0000)  # the bits that say how a word counts
_RANK = np.uint8(0b0011_1111)  # the bits of the rank
# By code: where the strongest is, and how it is written.
_BEST = [_RANKED[rank - 1] if 0 < (rank := code & int(_RANK)) <= len(_RANKED) else None for code in range(256)]
STRENGTHS = np.array([PLACES[best[0]] * SPELLINGS[best[1]] if best else 0 for best in _BEST])
# A related word in the name is no guess where the listing has the word itself, too.
STRENGTHS[BY_ITSELF << _SHIFT | _RANKS[NAME, RELATED]] = PLACES[CATEGORY]
STANDINGS = np.arange(256) >> _SHIFT
IN_NAME = np.array([float(best is not None and best[0] == NAME) for best in _BEST])
IN_CATEGORY = np.array([best is not None and best[0] == CATEGORY for best in _BEST])


def encode_word(places: Places, spelling: int) -> Codes:
    codes: Codes = _ENCODED[spelling].take(places)
    return codes


def _join_codes(codes: Codes, others: Codes) -> Codes:
    joined: Codes = np.maximum(codes & _STANDING, others & _STANDING) | np.maximum(codes & _RANK, others & _RANK)
    return joined


def count_named(codes: Iterable[Codes], rows: Numbers) -> Numbers:
    """Return how many of the words are in the name, by row."""
    counts = np.zeros(rows.size)
    for code in codes:
        counts += IN_NAME.take(code.take(rows))
    return counts


class Source(Struct, frozen=True, eq=False):
    """The places where one spelling of a word was found: rows, possibly repeated, and the code of its strength."""

    rows: Rows
    codes: Codes


_NOWHERE = Source(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint8))


class WordFinder:
    """Finds strengths in one snapshot. `size`: how many listings it has."""

    def __init__(self, terms: Terms, postings: Postings, *, size: int, related: RelatedWords) -> None:
        self._terms, self._postings, self._size, self.related = terms, postings, size, related
        self.spelling = terms.spelling
        self.find_alone = remember(self._list_alone, size=_WORDS)
        self.find_halves = remember(self._list_halves, size=_HALVES)
        self._find_runs = remember(self._list_runs, size=_QUERIES)
        self._addressed = terms.find_frequent(_ADDRESS, least=LEAST_ADDRESSES)

    # What others ask of single words.

    def count_postings(self, numbers: Iterable[int], *, run: range) -> int:
        return self._postings.count_postings(numbers) + (self._postings.read_run(run)[0].size if run else 0)

    def find_named(self, words: Sequence[str]) -> Rows:
        """Return the listings whose names have exactly these words, side by side."""
        source = self.find_name(words)
        rows: Rows = source.rows[source.codes == _ENCODED[SAME][NAME]]
        return rows

    def find_addressed(self, words: Sequence[str]) -> Numbers:
        """Return the listings whose addresses have exactly these words, side by side, ascending."""
        places = self._terms.find_sequence([self.spelling.find_word(word) for word in words])
        rows, _, _ = split_places(choose_field(places, _ADDRESS))
        addressed: Numbers = np.unique(rows).astype(np.int64)
        return addressed

    def may_be_region(self, word: str) -> bool:
        return not self._addressed.isdisjoint(self.spelling.find_word(word))

    def is_prominent(self, numbers: Iterable[int]) -> bool:
        """Return True if any of the words is in a name or a category."""
        return any((self._postings.read_posting(number)[1] >= SHELF).any() for number in numbers)

    def mark_subject(self, word: str, *, least: int = CATEGORY) -> Mask:
        """Mark the rows with the word, in any form, at this place or a stronger one, such as the name. `CATEGORY` is a
        category of that word alone."""
        marked: Mask = np.zeros(self._size, dtype=np.bool_)
        for number in self.spelling.list_stemmed(word):
            rows, places = self._postings.read_posting(number)
            marked[rows[places >= least]] = True
        return marked

    # The codes of a query.

    def find_codes(
        self,
        words: Sequence[str],
        *,
        is_auto: bool,
        foreign: RelatedWords | None = None,
        beginning: str | None = None,
    ) -> list[Codes]:
        """Return the codes of each word, by row.

        `beginning`: the last word, if it is half typed. `foreign`: translations of words that are in another language
        than the metro's; their own words are looked for as they are: `aves` is no avenue.
        """
        sources = [list(self._find_word(words, number)) for number in range(len(words))]
        for run in () if foreign is None else foreign.find(words):
            for number in range(run.start, run.end):
                sources[number] = [self.find_name((words[number],))]
        related = self._find_related(words, foreign, beginning=beginning, is_auto=is_auto)
        for run in related:
            written = "".join(words[run.start : run.end])
            matches = [
                source
                for phrase in run.phrases
                for source in self.find_phrase(
                    phrase, JOINED if "".join(phrase) == written else RELATED, is_loose=is_auto
                )
            ]
            for number in range(run.start, run.end):
                sources[number] += matches
        if beginning:
            related_words = self.related.list_begun(beginning) if is_auto else ()
            sources[-1] += self._find_begun(beginning, related=related_words)
        return [self.encode(source) for source in sources]

    def encode(self, sources: Iterable[Source]) -> Codes:
        """Return the code of a word for every row of the snapshot: the best level and strength of all sources."""
        best: Codes = np.zeros(self._size, dtype=np.uint8)
        for number, source in enumerate(sources):
            rows = source.rows.astype(np.intp)  # by these NumPy reads and writes in a third of the time
            best[rows] = _join_codes(best[rows], source.codes) if number else source.codes
        return best

    def _find_word(self, words: Sequence[str], number: int) -> Iterator[Source]:
        yield from self.find_alone(words[number])
        for first, second in ((number - 1, number), (number, number + 1)):
            if first >= 0 and second < len(words):
                yield from self.find_one(words[first] + words[second], JOINED)

    def _list_alone(self, word: str) -> list[Source]:
        """Return the matches of a word, whatever words are beside it."""
        sources = []
        for meaning in self.spelling.list_forms(word):
            rows, places = self._postings.read_posting(meaning.number)
            sources.append(Source(rows, encode_word(places, _BY_TYPOS[meaning.typos])))
        joined = (self.find_sequence(pair, JOINED) for pair in self.find_halves(word))
        return sources + [entry for entry in joined if entry.rows.size]

    def find_one(self, word: str, spelling: int) -> Iterator[Source]:
        for number in self.spelling.list_stemmed(word):
            rows, places = self._postings.read_posting(number)
            yield Source(rows, encode_word(places, spelling))

    def find_phrase(self, words: Sequence[str], spelling: int = RELATED, *, is_loose: bool = False) -> Iterator[Source]:
        if len(words) == 1:
            yield from self.find_one(words[0], spelling)
            for pair in self.find_halves(words[0]) if is_loose else ():
                yield self.find_sequence(pair, spelling)
            return
        if is_loose:
            yield from self.find_one("".join(words), spelling)
        spelled = [self.spelling.list_stemmed(word) for word in words]
        if all(spelled):
            yield self.find_sequence(spelled, spelling)

    def _find_begun(self, beginning: str, *, related: Sequence[str]) -> Iterator[Source]:
        rows, places = self._postings.read_run(self.spelling.list_begun(beginning))
        best: Places = np.zeros(self._size, dtype=np.uint8)
        np.maximum.at(best, rows, places + np.uint8(1))
        begun = np.flatnonzero(best > 0)
        yield Source(begun.astype(np.uint32), encode_word(best[begun] - 1, GUESS if related else BEGUN))
        for number in dict.fromkeys(number for word in related for number in self.spelling.list_stemmed(word)):
            rows, places = self._postings.read_posting(number)
            yield Source(rows, encode_word(places, BEGUN))

    def _find_related(
        self, words: Sequence[str], foreign: RelatedWords | None, *, beginning: str | None, is_auto: bool
    ) -> list[Alternatives]:
        runs = self._find_runs(tuple(words), beginning=beginning, is_auto=is_auto and foreign is None)
        return runs if foreign is None else [*runs, *foreign.find(words)]

    def _list_runs(self, words: tuple[str, ...], *, beginning: str | None, is_auto: bool) -> list[Alternatives]:
        runs = list(self.related.find(words))
        if is_auto:
            runs += self.related.find_near(
                words, is_known=lambda word: bool(self.spelling.list_stemmed(word)), beginning=beginning
            )
        return runs

    def _list_halves(self, word: str) -> list[list[list[int]]]:
        """List the ways to split a word into two words of the index, as `storytimes` into "story time"."""
        return [
            [self.spelling.find_word(first), second]
            for first in self.spelling.list_beginnings(word[:-_LEAST_HALF])
            if len(first) >= _LEAST_HALF and (second := self.spelling.list_stemmed(word[len(first) :]))
        ]

    def find_name(self, name: Sequence[str]) -> Source:
        """Return the listings that have exactly these words side by side, in any field, without other spellings."""
        return self.find_sequence([self.spelling.find_word(word) for word in name], SAME)

    def find_sequence(self, spelled: Sequence[Sequence[int]], spelling: int) -> Source:
        """Return the rows in which spellings of all words follow each other, each row once, with the best field."""
        places = self._terms.find_sequence(spelled)
        if not places.size:
            return _NOWHERE  # as mostly
        rows, fields, positions = split_places(np.sort(places))
        firsts = mark_firsts(rows).nonzero()[0]
        best: Places = np.maximum.reduceat(find_places(fields, positions), firsts)
        return Source(rows[firsts], encode_word(best, spelling))

    def list_meant(
        self, words: Sequence[str], *, is_auto: bool, foreign: RelatedWords | None, beginning: str | None
    ) -> Iterator[int]:
        """Yield the indexes of all words that the query's words match in any spelling.

        A match of two words, such as "story time" or a related phrase, gives its last word.
        """
        spelling = self.spelling
        for word in words:
            yield from (form.number for form in spelling.list_forms(word))
            yield from (number for _, behind in self.find_halves(word) for number in behind)
        for first, second in pairwise(words):
            yield from spelling.list_stemmed(first + second)
        related = self._find_related(words, foreign, beginning=beginning, is_auto=is_auto)
        for phrase in (phrase for run in related for phrase in run.phrases):
            yield from spelling.list_stemmed(phrase[-1])
        if beginning:
            yield from spelling.list_begun(beginning)


class SearchMatches(Struct, frozen=True, eq=False):
    """The listings that match a search. `rows`: ascending; `levels`: an index in LEVELS for each row; `score`: returns
    the scores of some of the rows in thousandths, as only shown rows need scores; `relaxed`: words of the query that no
    level requires."""

    rows: Numbers
    levels: Numbers
    score: Callable[[Numbers], Numbers]
    relaxed: tuple[str, ...] = ()

    def choose(self, chosen: Numbers) -> "SearchMatches":
        """Return the matches at these indexes, or where this mask is True."""
        return replace(self, rows=self.rows[chosen], levels=self.levels[chosen])


def find_levels(codes: Sequence[Codes], rows: Numbers, *, where_completes: bool) -> Numbers:
    """Return the level of each row as an index in LEVELS, by the word that counts least. `codes`: the codes of each
    word that decides, by row. A row that has a word only in the name of its place, its organization or its address is
    `partial`; with `where_completes` it is `related` if another word is elsewhere: "swim ballard"."""
    if not codes:
        return np.full(rows.size, ALL_TERMS)
    standings = STANDINGS.take(reduce(np.minimum, codes).take(rows))
    levels: Numbers = _LEVELS.take(standings)
    if where_completes:
        located = np.flatnonzero(standings == SAYS_WHERE)
        most = STANDINGS.take(reduce(np.maximum, codes).take(rows[located]))
        levels[located[most >= BY_RELATION]] = RELATED_WORDS
    return levels


def has_all(codes: Sequence[Codes]) -> bool:
    """Return True if a listing has all of the words, whatever the filters."""
    return not codes or bool((STANDINGS.take(reduce(np.minimum, codes)) >= BY_RELATION).any())
