"""The snapshot's index of words: the listings that have the words of `q`, and the position of each word."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from outings.answers.snapshot.reader import DerivedTables, SnapshotReader, TableContext, derive_table
from outings.answers.snapshot.spelling import Spelling, make_stem
from outings.answers.snapshot.texts import make_shortenings, make_texts
from outings.contract.languages.language import Language, find_stems
from outings.contract.text import SearchTerm, TextQuery
from outings.lazy_polars import pl
from outings.release.mapped_table import MappedTable
from outings.release.tables import FIELDS

Rows = NDArray[np.uint32]
# Postings: row, field and position of a word, packed into one number, so that the next word has the number plus one.
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]

_FIELD_BITS, _POSITION_BITS = 4, 16
_FIELD_MASK = (1 << _FIELD_BITS) - 1
_LOCATION = FIELDS.index("location")
_ROW_SHIFT = _FIELD_BITS + _POSITION_BITS
_NOWHERE: Places = np.empty(0, dtype=np.int64)
# Postings that are read at a time, some 10 MB.
_AT_ONCE = 1 << 20

_PLACES = ("row", "field", "position")


def make_words(terms: "pl.DataFrame", *, stems: str) -> "pl.DataFrame":
    """Make the table of words: each word once, the index behind its last position in the postings, and its stem.
    `stems`: as in `make_stem`."""
    runs = terms["word"].rle().struct.unnest()
    words = runs["value"].alias("word")
    stem = pl.Series("stem", map(make_stem(stems), words.to_list()), dtype=pl.String())
    ends = runs["len"].cast(pl.Int64()).cum_sum().alias("end")
    return pl.DataFrame([*make_texts(words), ends, *make_texts(stem)])


def make_places(terms: "pl.DataFrame") -> "pl.DataFrame":
    row, field, position = (pl.col(name).cast(pl.Int64()) for name in _PLACES)
    return terms.select(place=row * (1 << _ROW_SHIFT) + field * (1 << _POSITION_BITS) + position)


def _make_words(tables: "Mapping[str, pl.DataFrame]", context: TableContext) -> "dict[str, pl.DataFrame]":
    words = make_words(tables["terms"], stems=find_stems(context.language))
    return {"words": words, "word_shortenings": make_shortenings(words["word"])}


WORDS = DerivedTables(names=("words", "word_shortenings"), columns={"terms": ("word",)}, make=_make_words)
PLACES = derive_table("places", make_places, {"terms": _PLACES})


class Terms:
    """The index of words: each word, in order, with its positions in listings."""

    def __init__(self, tables: Mapping[str, MappedTable], *, places: MappedTable, language: Language) -> None:
        """Open the index. `tables`: the mapped tables named by WORDS; `places`: the postings."""
        words, shortenings = (tables[name] for name in WORDS.names)
        self.spelling = Spelling(words, shortenings=shortenings, stems=find_stems(language))
        self._fillers = frozenset(language.search.words.fillers.split() if language.search else ())
        self._ends = words.view_array("end")
        self._places: Places = places.read_array("place")
        self._readable: Mask | None = None

    def narrow(self, readable: Mask, *, words: Mask) -> "Terms":
        """Return the index restricted to readable rows. `words`: True for each word that any of these rows has."""
        narrowed = copy(self)
        narrowed._readable, narrowed.spelling = readable, self.spelling.narrow(words)
        return narrowed

    def find_rows(self, query: TextQuery, *, size: int) -> Rows:
        """Return the rows that match the query, ascending. `size`: how many rows there are."""
        is_match = np.ones(size, dtype=np.bool_)
        # Without filler words such as "the", unless the query has no others.
        significant = [
            tuple(term for term in alternatives if term.quoted or not self._fillers.issuperset(term.words))
            for alternatives in query.required
        ]
        for number, alternatives in enumerate(significant if any(significant) else query.required):
            if not alternatives:
                continue
            matching = np.zeros(size, dtype=np.bool_)
            for term in alternatives:
                matching[self._find_term(term)] = True
            for neighbour in _list_joined(query.required, number):
                matching[self._find_phrase((neighbour,))] = True
            is_match &= matching
        for term in query.excluded:
            is_match[self._find_excluded(term)] = False
        return np.flatnonzero(is_match).astype(np.uint32)

    def _find_term(self, term: SearchTerm) -> Rows:
        """Return the rows that have a term, unordered and some of them repeated: a word by itself, by its stem, with a
        typo, or written as two; several words side by side, or as one."""
        if term.quoted:
            return self._find_phrase(term.words)
        if len(term.words) > 1:
            spelled = [self._list_words(word) for word in term.words]
            return np.concatenate((_to_rows(self.find_sequence(spelled)), self._find_phrase(("".join(term.words),))))
        (word,) = term.words
        return np.concatenate((_to_rows(self.read_places(self._list_words(word))), *self._find_split(word)))

    def _find_excluded(self, term: SearchTerm) -> Rows:
        """Return the rows to exclude: those with the word or its stem. Words with typos exclude nothing."""
        if term.quoted or len(term.words) > 1:
            return self._find_phrase(term.words)
        return _to_rows(self.read_places(self.spelling.list_stemmed(term.words[0])))

    def _find_phrase(self, words: Sequence[str]) -> Rows:
        """Return the rows that have these words side by side, spelled the same."""
        return _to_rows(self.find_sequence([self.spelling.find_word(word) for word in words]))

    def find_sequence(self, spelled: Sequence[Iterable[int]]) -> Places:
        """Return the postings of a sequence's last word where all of its words follow each other, in any of the given
        spellings."""
        first, *others = (self.read_places(numbers) for numbers in spelled)
        for places in others:
            # As `np.intersect1d`, in half of its time where both are few.
            both = np.concatenate((first + 1, places))
            both.sort()
            first = both[1:][both[1:] == both[:-1]]
        return first

    def _find_split(self, word: str) -> Iterator[Rows]:
        """Yield the rows that have the word written as two: `storytime` finds "story time"."""
        halves = ((word[:at], word[at:]) for at in range(2, len(word) - 1))
        spelled = ([self.spelling.find_word(half) for half in pair] for pair in halves)
        return (_to_rows(self.find_sequence(pair)) for pair in spelled if all(pair))

    def _list_words(self, word: str) -> list[int]:
        """Return the numbers of the words that match this one: itself, others of its stem, and with typos."""
        return [meaning.number for meaning in self.spelling.list_meanings(word)]

    def find_frequent(self, field: int, *, least: int) -> frozenset[int]:
        """Return the numbers of the words that occur at least this often in the field."""
        counts = np.bincount(self.list_field(field)[0])
        return frozenset(np.flatnonzero(counts >= least).tolist())

    def list_field(self, field: int) -> tuple[NDArray[np.int64], Places]:
        """Return the numbers of the words of a field, ascending, and the posting of each."""
        parts = []
        for first in range(0, max(self._places.size, 1), _AT_ONCE):
            places = self._places[first : first + _AT_ONCE]
            own = np.flatnonzero(places & _FIELD_MASK << _POSITION_BITS == field << _POSITION_BITS)
            parts.append((np.searchsorted(self._ends, first + own, side="right"), places[own]))
        numbers, places = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        if self._readable is None:
            return numbers, places
        is_readable = self._readable[places >> _ROW_SHIFT]
        return numbers[is_readable], places[is_readable]

    def read_places(self, numbers: Iterable[int]) -> Places:
        """Return the postings of words: each posting once, unordered."""
        parts = [self._places[self._ends[number - 1] if number else 0 : self._ends[number]] for number in numbers]
        places = np.concatenate(parts) if parts else _NOWHERE
        return places if self._readable is None else places[self._readable[places >> _ROW_SHIFT]]


def open_terms(reader: SnapshotReader) -> Terms:
    return Terms(reader.open_tables(WORDS), places=reader.open_table(PLACES), language=reader.language)


def _list_joined(required: Sequence[Sequence[SearchTerm]], number: int) -> Iterable[str]:
    """Yield a query's word joined with the previous and with the next one: `story time` finds "storytime"."""
    for first in (number - 1, number):
        pair = required[max(first, 0) : first + 2]
        if len(pair) == 2 and all(len(alternatives) == 1 for alternatives in pair):
            one, other = pair[0][0], pair[1][0]
            if not one.quoted and not other.quoted and len(one.words) == len(other.words) == 1:
                yield one.words[0] + other.words[0]


def split_places(places: Places) -> tuple[Rows, NDArray[np.uint8], NDArray[np.uint16]]:
    """Unpack postings into three arrays: row, index in FIELDS, and position of the word in that field."""
    fields = places >> _POSITION_BITS & _FIELD_MASK
    positions = places & ((1 << _POSITION_BITS) - 1)
    return (places >> _ROW_SHIFT).astype(np.uint32), fields.astype(np.uint8), positions.astype(np.uint16)


def choose_field(places: Places, field: int) -> Places:
    """Keep the postings in a field."""
    chosen: Places = places[(places & _FIELD_MASK << _POSITION_BITS) == field << _POSITION_BITS]
    return chosen


def _to_rows(places: Places) -> Rows:
    """Return the rows of postings, without those in the field of the location, which `q` does not search."""
    searched = places[(places >> _POSITION_BITS & _FIELD_MASK) != _LOCATION]
    rows: Rows = (searched >> _ROW_SHIFT).astype(np.uint32)
    return rows
