"""What search reads of one snapshot, opened at the first search."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from outings.answers.distance import Vectors
from outings.answers.programs import Programs
from outings.answers.search.matching import Keep, Matching
from outings.answers.search.postings import Postings
from outings.answers.search.score import Numbers
from outings.answers.selection import Selection
from outings.answers.series import Series
from outings.answers.starts import Slots
from outings.answers.terms import Terms
from outings.answers.understanding.locations import Locations
from outings.answers.understanding.related import Related
from outings.contract.vocabulary import TYPES
from outings.release.mapped import NEVER, NOT_STATED, MappedTable

# Sets of filters whose listings are kept, a byte a listing of the metro: those of a day and of some ages.
_SETS = 32
# Rows for which a look at each is quicker than one at all of them at once: some 3 µs each, against 200.
_FEW = 50


class SearchIndex:
    """`read` opens a mapped table by its name."""

    def __init__(
        self,
        read: Callable[[str], MappedTable],
        *,
        terms: Terms,
        related: Related,
        series: Series,
        programs: Programs,
        vectors: Vectors,
        locations: Locations,
    ) -> None:
        self.locations = locations
        ranks = read("ranks")
        self.id_ranks, self.created = ranks.read_array("id_rank"), ranks.read_array("created_at")
        self.age_min, self.age_max = ranks.read_array("age_min"), ranks.read_array("age_max")
        self.types = ranks.read_array("type")
        self.vectors = vectors
        self.programs = programs
        self._spelling = terms.spelling
        self.matching = Matching(
            terms,
            postings=Postings(read("postings"), ends=read("posting_ends")),
            name_words=ranks.read_array("name_words"),
            related=related,
        )
        self._series = series
        self._passing: dict[tuple[Selection, ...], NDArray[np.bool_]] = {}
        self._slots = Slots(read("slots"))

    def list_words(self, words: Sequence[str]) -> frozenset[str]:
        """The words of the index that any of these means."""
        return frozenset(name for word in words for name in self._spelling.list_names(word))

    def count_postings(self, words: Sequence[str]) -> int:
        """How often these words stand in the index, in all of their forms."""
        forms = (meaning.number for word in words for meaning in self._spelling.list_forms(word))
        return self.matching.count_postings(forms)

    def recall_passing(self, selections: tuple[Selection, ...], keep: Keep) -> Keep:
        """The same by a set of all rows, worked out once."""
        passing = self._passing.get(selections)
        if passing is None:
            passing = np.zeros(self.types.size, dtype=np.bool_)
            passing[keep(np.arange(self.types.size))] = True
            if len(self._passing) >= _SETS:
                self._passing.clear()
            self._passing[selections] = passing
        return lambda rows: rows[passing[rows]]

    def find_class_starts(self, rows: Numbers, *, start: int) -> Numbers:
        return self._slots.find_class_starts(rows, start=start)

    def find_starts(self, rows: Numbers, *, windows: Mapping[str, tuple[int, int | None]]) -> Numbers:
        """Seconds of the local clock at which each row next begins in the window of its type; NEVER where it does not.

        `windows`: by type, the first and the last day since 1970.
        """
        types, starts = self.types[rows], np.full(rows.size, NEVER, dtype=np.int64)
        for name, (low, high) in windows.items():
            chosen = np.flatnonzero(types == TYPES.index(name))
            if chosen.size and name != "place":
                starts[chosen] = self._find_starts(name, rows[chosen], low=low, high=high)
        return starts

    def _find_starts(self, listing_type: str, rows: Numbers, *, low: int, high: int | None) -> Numbers:
        if listing_type == "class":
            return self._slots.find_class_starts(rows, start=low)
        if listing_type == "camp":
            return self._slots.find_camp_starts(rows, start=low)
        find = self._series.find_each_first if rows.size <= _FEW else self._series.find_firsts
        numbers = find(rows, low=low, high=high)
        # A single event of the window has its date, were it past: only a series has a next one.
        past = np.flatnonzero((numbers < 0) & ~self._series.are_series(rows))
        numbers[past] = self._series.find_firsts(rows[past], low=NOT_STATED, high=high)
        return self._series.read_local_starts(numbers)
