"""The index that search uses, for one snapshot. It is opened at the first search."""

from collections.abc import Callable, Hashable, Sequence
from functools import cache, partial
from typing import Generic, TypeVar

import numpy as np
from msgspec import Struct

from outings.answers.cache import LruCache
from outings.answers.documents.occurrences import open_series
from outings.answers.rows.next_starts import open_next_starts
from outings.answers.search.filters import SearchFilters, Windows
from outings.answers.search.namesakes import HEADS, VENUES, Namesakes
from outings.answers.search.postings import NAME, POSTING_ENDS, POSTINGS, RANKS, Postings
from outings.answers.search.repeats import REPEATS, SINGLE
from outings.answers.search.results import StoredResults
from outings.answers.search.understanding.foreign import ForeignLanguage
from outings.answers.search.understanding.locations import Words, list_named, make_locations
from outings.answers.search.understanding.query import ParsedQuery
from outings.answers.search.understanding.related import RelatedWords
from outings.answers.search.understanding.words import QueryWords
from outings.answers.search.word_matches import (
    IN_CATEGORY,
    IN_NAME,
    SAME,
    Codes,
    Keep,
    Mask,
    Numbers,
    WordFinder,
    encode_word,
)
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.terms import open_terms
from outings.contract.languages.language import list_translations
from outings.contract.values import DAY, number_day
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER, NOT_STATED

Key = TypeVar("Key", bound=Hashable)

# Cached sets of the rows that pass the filters of a request. Each takes one byte a listing.
_FILTERS = 32
# Cached columns of starts or ranks, each for the windows of one day. Each takes 4 or 8 bytes a listing.
_COLUMNS = 4
# Cached phrases with the regions that they name. Nearly all phrases name none.
_REGIONS = 4_096

# Fewest letters of an incomplete last word that is completed. Shorter beginnings fit thousands of words.
LEAST_BEGINNING = 3
# Fewest letters if the word itself is in listings, but in none of their names. Words with a typo need as many.
LEAST_GUESSED = 5


class CachedColumn(Generic[Key]):
    """A column of the listings for each of the last few keys, such as the next start in a window.

    Args:
        rows: the rows that have a value.
        size: how many rows the table has.
    """

    def __init__(self, rows: Numbers, *, size: int) -> None:
        self._rows, self._size = rows, size
        self._columns: LruCache[Key, Numbers] = LruCache(size=_COLUMNS)

    def read(self, rows: Numbers, key: Key, compute: Callable[[Numbers], Numbers]) -> Numbers:
        """Return the values of some rows. `compute` returns values of rows; it is called for all of them at once."""

        def make() -> Numbers:
            values = compute(self._rows)
            column = np.zeros(self._size, dtype=values.dtype)
            column[self._rows] = values
            return column

        return self._columns.read(key, make)[rows]


class AreaPlaces(Struct, frozen=True, eq=False):
    """The places in neighborhoods: `rows`, and in `areas` the number of each row's neighborhood. `counts`: by
    neighborhood."""

    rows: Numbers
    areas: Numbers
    counts: Numbers


class SearchIndex:
    """The search index of one snapshot, limited to the types that a key may read. Listings of other types never affect
    an answer."""

    def __init__(self, reader: SnapshotReader, types: frozenset[str]) -> None:
        metro, facts, areas = reader.metro, reader.rows, reader.open_index(open_areas).narrow(types)
        # By number; empty where no listing of these types says that there is such a neighborhood.
        named = [name if is_known else "" for name, is_known in zip(areas.names, areas.are_known(types), strict=True)]
        self.area_names, self.area_count = areas.names, len(named) - named.count("")
        self._readable = None if types.issuperset(TYPES) else np.isin(facts.types, list(map(TYPES.index, types)))
        self.locations = make_locations((metro.name, metro.slug, *metro.aliases), named)
        self.words, self.results = QueryWords(reader.language), reader.open_index(StoredResults)
        self._foreign = [
            ForeignLanguage(translation, self.words) for translation in list_translations(reader.language.code)
        ]
        self.id_ranks, self.types, self.programs = facts.id_ranks, facts.types, facts.programs
        # What is no class of a program, by row.
        self.is_alone = self.programs < 0
        self.vectors = facts.vectors
        ranks, terms = reader.open_table(RANKS), reader.open_index(open_terms)
        postings = Postings(
            reader.open_table(POSTINGS), ends=reader.open_table(POSTING_ENDS), readable=self._readable
        )  # fmt: skip
        if self._readable is not None:
            terms = terms.narrow(self._readable, words=postings.mark_words(self._readable))
        self.created = ranks.read_array("created_at")
        self.age_min, self.age_max = ranks.read_array("age_min"), ranks.read_array("age_max")
        self.audiences = ranks.read_array("audience")
        repeats = reader.open_table(REPEATS)
        self.things, self.called_off = repeats.read_array("thing"), repeats.read_array("is_called_off")
        self._spelling = terms.spelling
        self.name_words = ranks.read_array("name_words")
        self.finder = WordFinder(
            terms, postings, size=self.types.size, related=RelatedWords(reader.related, self.words)
        )
        self.namesakes = Namesakes(reader.open_table(HEADS), venues=reader.open_table(VENUES), types=self.types)
        self._series = open_series(reader)
        self._next_starts = open_next_starts(reader)
        self._passing: LruCache[SearchFilters, Mask] = LruCache(size=_FILTERS)
        size = self.types.size
        self._starts: CachedColumn[Windows] = CachedColumn(np.arange(size), size=size)
        self._class_ranks: CachedColumn[int] = CachedColumn(np.flatnonzero(~self.is_alone), size=size)
        self.regions: LruCache[Words, Numbers] = LruCache(size=_REGIONS)
        self.areas_named = list_named(named)
        repeating = np.flatnonzero(self.things != SINGLE)
        self._start_ranks: CachedColumn[tuple[int, Windows]] = CachedColumn(repeating, size=size)

    def keep_readable(self, rows: Numbers) -> Numbers:
        """Return the rows whose types the key may read."""
        return rows if self._readable is None else rows[self._readable[rows]]

    def find_foreign(self, words: Sequence[str]) -> ForeignLanguage | None:
        """Return the other language in which a query is written, or None."""
        return next((entry for entry in self._foreign if entry.has(words)), None)

    def list_words(self, parsed: ParsedQuery) -> frozenset[str]:
        """Return the words of the index that any of the query's words matches."""
        names = {name for word in parsed.words for name in self._spelling.list_names(word)}
        return frozenset(names.union(self._spelling.read_names(self._list_beginning(parsed))))

    def count_postings(self, parsed: ParsedQuery) -> int:
        """Return how many entries of the index the query's words have, in all of their forms."""
        forms = [meaning.number for word in parsed.words for meaning in self._spelling.list_forms(word)]
        return self.finder.count_postings(forms, run=self._list_beginning(parsed))

    def can_begin(self, word: str) -> bool:
        """Return True if the word is long enough to be the beginning of another, and no listing has it in any form."""
        return len(word) >= LEAST_BEGINNING and word.isalpha() and not self._spelling.list_stemmed(word)

    def begins_name(self, word: str) -> bool:
        """Return True if no name or category has this word, but one has a word that begins with it: `volley`."""
        if len(word) < LEAST_GUESSED or not word.isalpha():
            return False
        if self.finder.is_prominent(self._spelling.find_word(word)):
            return False
        own = frozenset(self._spelling.list_stemmed(word))
        return self.finder.is_prominent(number for number in self.list_begun(word) if number not in own)

    def list_begun(self, beginning: str) -> range:
        """Return the numbers of the index's words that begin with this text."""
        return self._spelling.list_begun(beginning)

    def list_region_words(self, beginning: str) -> list[str]:
        """Return the words of the index that begin with this text and may be part of a region's name."""
        words = self._spelling.read_names(self.list_begun(beginning))
        return [word for word in words if self.finder.may_be_region(word)]

    def _list_beginning(self, parsed: ParsedQuery) -> range:
        return self.list_begun(parsed.begun) if parsed.begun else range(0)

    def find_name_codes(
        self, word: str, alike: frozenset[str], foreign: RelatedWords | None, own_type: int | None = None
    ) -> Codes:
        """Return the codes, by row, of names that have this word or one of `alike`, or a related one: "children" for
        "kids", "learn" for "lesson". All listings of `own_type` count as having the word, and with `alike` those that
        have it in a category."""
        finder = self.finder
        sources = [source for own in sorted({word, *alike}) for source in finder.find_one(own, SAME)]
        tables = [finder.related] if foreign is None else [finder.related, foreign]
        for phrase in (phrase for table in tables for phrase in table.list(word)):
            sources += finder.find_phrase(phrase)
        codes = finder.encode(sources)
        is_named, has_kind = IN_NAME.take(codes) > 0, self.types == own_type
        if alike:
            has_kind |= IN_CATEGORY.take(codes)
        named = encode_word(np.array([NAME], dtype=np.uint8), SAME)
        return np.where(has_kind, named, np.where(is_named, codes, np.uint8(0)))

    def recall_passing(self, filters: SearchFilters, keep: Keep) -> Mask | None:
        """Return a mask of all rows that pass usual filters, which is cached, or None for other filters. `keep`:
        applies the filters to rows."""
        if not filters.is_usual:
            return None
        return self._passing.read(filters, lambda: self._mark_rows(keep(np.arange(self.types.size))))

    def _mark_rows(self, rows: Numbers) -> Mask:
        marked = np.zeros(self.types.size, dtype=np.bool_)
        marked[rows] = True
        return marked

    def rank_classes(self, rows: Numbers, filters: SearchFilters) -> Numbers:
        """Return numbers for classes that ascend with the day of the next meeting in the window, then id."""
        start = number_day(filters.collections["class"].selection.start)

        def rank(rows: Numbers) -> Numbers:
            days = self._next_starts.find_class_days(rows, start=start)
            ranks = np.empty(rows.size, dtype=np.int64)
            ranks[np.lexsort((self.id_ranks[rows], days))] = np.arange(rows.size)
            return ranks

        return self._class_ranks.read(rows, start, rank) if filters.has_usual_window else rank(rows)

    def rank_starts(self, rows: Numbers, filters: SearchFilters, *, today: int) -> Numbers:
        """Return numbers for listings that repeat another, ascending with their first start from today on, then id.
        Listings without such a start come last."""

        def rank(rows: Numbers) -> Numbers:
            return self.order_starts(rows, self._compute_starts(rows, filters.windows), today=today)

        key = today, filters.windows
        return self._start_ranks.read(rows, key, rank) if filters.has_usual_window else rank(rows)

    def order_starts(self, rows: Numbers, starts: Numbers, *, today: int) -> Numbers:
        """Return numbers for rows that ascend with `starts`, then id. Those that start before today come last."""
        ranks = np.empty(rows.size, dtype=np.uint32)
        ordered = np.where(starts < today * DAY, NEVER, starts)
        ranks[np.lexsort((self.id_ranks[rows], ordered))] = np.arange(rows.size)
        return ranks

    def find_starts(self, rows: Numbers, filters: SearchFilters) -> Numbers:
        """Return, in seconds of the local clock, when each row next starts in the window of its type; NEVER without
        such a start."""
        compute = partial(self._compute_starts, windows=filters.windows)
        return self._starts.read(rows, filters.windows, compute) if filters.has_usual_window else compute(rows)

    def _compute_starts(self, rows: Numbers, windows: Windows) -> Numbers:
        types, starts = self.types[rows], np.full(rows.size, NEVER, dtype=np.int64)
        for name, (low, high) in windows:
            chosen = np.flatnonzero(types == TYPES.index(name))
            if chosen.size and name != "place":
                starts[chosen] = self._find_starts(name, rows[chosen], low=low, high=high)
        return starts

    def _find_starts(self, listing_type: str, rows: Numbers, *, low: int, high: int | None) -> Numbers:
        if listing_type == "class":
            return self._next_starts.find_class_starts(rows, start=low)
        if listing_type == "camp":
            return self._next_starts.find_camp_starts(rows, start=low)
        numbers = self._series.find_firsts(rows, low=low, high=high)
        # A single event of the window has its date, were it past: only a series has a next one.
        past = np.flatnonzero((numbers < 0) & ~self._series.are_series(rows))
        numbers[past] = self._series.find_firsts(rows[past], low=NOT_STATED, high=high)
        return self._series.read_local_starts(numbers)


@cache
def index_types(types: frozenset[str]) -> Callable[[SnapshotReader], SearchIndex]:
    """Return the function that opens the index of these types: the same one each time, as readers cache by function."""
    return partial(SearchIndex, types=types)


open_search = index_types(frozenset(TYPES))
