"""Which of the rows near a point are shown: those that their collections' filters keep, of a program one."""

from collections.abc import Mapping

import numpy as np

from outings.answers.asking import Collection
from outings.answers.distance import measure_squares
from outings.answers.evaluator import Evaluator
from outings.answers.near.asked import Near
from outings.answers.near.index import NearIndex
from outings.answers.near.tiles import Measured, Rows


class Finding:
    """Of one request."""

    def __init__(self, near: Near, *, index: NearIndex, evaluator: Evaluator) -> None:
        self._index = index
        self._evaluator = evaluator
        self._collections: Mapping[str, Collection] = near.collections
        self._point, self._line = near.origin.point, near.line

    def keep(self, found: Measured) -> Measured:
        """Of rising rows in the circle."""
        return found.choose(np.searchsorted(found.rows, self._keep_cards(found.rows)))

    def count_hidden(self) -> int:
        """The rows without coordinates that may be in the circle and that match all else."""
        return self._deal(self._keep_all(self._index.unplaced.find_near(self._point, line=self._line))).size

    def count_unplaceable(self) -> int:
        """The same of those that may be anywhere."""
        return self._deal(self._keep_all(self._index.unplaced.list_unknown())).size

    def _keep_all(self, rows: Rows) -> Rows:
        """Rising, as they came."""
        kept = [self._evaluator.keep_rows(each.selection, rows) for each in self._collections.values()]
        return np.sort(np.concatenate(kept)) if kept else rows[:0]

    def _keep_cards(self, rows: Rows) -> Rows:
        """A program's others are looked up wherever in the circle they are: one of them may be the card."""
        kept = self._keep_all(rows)
        programs = self._index.programs.find_programs(kept)
        shared = programs >= 0
        if not shared.any():
            return kept
        members = np.sort(self._index.programs.list_members(np.unique(programs[shared])))
        squares = measure_squares([each[members] for each in self._index.vectors], self._point)
        members = members[squares <= self._line**2]
        cards = self._deal(self._evaluator.keep_rows(self._collections["class"].selection, members))
        return kept[~shared | np.isin(kept, cards, assume_unique=True)]

    def _deal(self, rows: Rows) -> Rows:
        """Of a program, the listing with the earliest date; ties by id."""
        programs = self._index.programs.find_programs(rows)
        shared = np.flatnonzero(programs >= 0)
        if not shared.size:
            return rows
        own, start = rows[shared], self._collections["class"].window[0]
        starts = self._index.find_class_days(own, start=start)
        order = np.lexsort((self._index.id_ranks[own], starts, programs[shared]))
        ordered = programs[shared][order]
        kept = programs < 0
        kept[shared[order[np.concatenate(([True], ordered[1:] != ordered[:-1]))]]] = True
        return rows[kept]
