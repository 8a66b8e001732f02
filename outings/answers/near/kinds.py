"""Count listings near a point by everything at once: by type, price, group and age.

Listings that count alike have one number, their kind, so that a circle's listings are counted by one `bincount`.
"""

import numpy as np
from numpy.typing import NDArray

from outings.contract.resources.finding import GROUPS
from outings.contract.vocabulary import AGE_BANDS, TYPES

Counts = NDArray[np.float64]
Column = NDArray[np.integer] | NDArray[np.bool_]

_TYPES, _BANDS = len(TYPES), len(AGE_BANDS) + 1
# Places in a row of counts: of every listing, by type, and then of open ones (no class that is full or closed).
ALL = slice(0, _TYPES)
FREE, PAID = slice(_TYPES, 2 * _TYPES), slice(2 * _TYPES, 3 * _TYPES)
TALLIED = slice(0, 3 * _TYPES)
OPEN = slice(3 * _TYPES, 4 * _TYPES)
GROUPED = slice(OPEN.stop, OPEN.stop + len(GROUPS))
AGES = slice(GROUPED.stop, GROUPED.stop + _BANDS)
OPEN_FREE, OPEN_PAID = AGES.stop, AGES.stop + 1
COUNTS = AGES.stop + 2

_OWN_GROUPS = {"event": "happening_soon", "class": "classes_enrolling", "camp": "camps", "place": "places"}
_OWN = np.array([GROUPS.index(_OWN_GROUPS[name]) for name in TYPES])
_EVENT, _RECURRING = TYPES.index("event"), GROUPS.index("recurring_programs")


class Kinds:
    """The kinds of one snapshot's listings. `numbers`: by row; `marks`: what one listing of each kind adds to counts;
    `groups`: the groups of each kind, a bit set over GROUPS."""

    def __init__(
        self, *, types: Column, is_free: Column, ages: Column, is_recurring: Column, is_closed: Column
    ) -> None:
        codes = ages.astype(np.int64)
        for part in (is_closed, is_recurring, types, is_free + 1):
            codes = codes << 2 | part
        known, numbers = np.unique(codes, return_inverse=True)
        self.numbers: NDArray[np.uint16] = numbers.astype(np.uint16)
        free, types = (known & 3) - 1, known >> 2 & 3
        recurs, is_open = (known >> 4 & 3 == 1) & (types == _EVENT), known >> 6 & 3 == 0
        self.groups = np.where(is_open, 1 << _OWN[types] | recurs.astype(np.int64) << _RECURRING, 0)
        self.marks = _mark(types, free, known >> 8, groups=self.groups, is_open=is_open)

    def count(self, rows: NDArray[np.integer]) -> Counts:
        counts: Counts = np.bincount(self.numbers[rows], minlength=len(self.marks)) @ self.marks
        return counts


class TypeCategories:
    """The categories of one snapshot's listings, united by type. `sets`: bit sets by row."""

    def __init__(self, types: Column, sets: NDArray[np.uint64]) -> None:
        self.sets = sets
        self._known, numbers = np.unique(sets, return_inverse=True)
        # One number for a type and a set, of which there are few: they are counted faster than sets are united.
        self._numbers: NDArray[np.uint32] = (types * np.int64(self._known.size) + numbers).astype(np.uint32)

    def unite(self, rows: NDArray[np.integer]) -> NDArray[np.uint64]:
        """Return a bit set for each type."""
        counts = np.bincount(self._numbers[rows], minlength=_TYPES * self._known.size).reshape(_TYPES, -1)
        united: NDArray[np.uint64] = np.bitwise_or.reduce(np.where(counts, self._known, 0), axis=1)
        return united


def _mark(
    types: NDArray[np.int64],
    free: NDArray[np.int64],
    ages: NDArray[np.int64],
    *,
    groups: NDArray[np.int64],
    is_open: NDArray[np.bool_],
) -> Counts:
    marks = np.zeros((types.size, COUNTS))
    by_type = types[:, np.newaxis] == np.arange(_TYPES)
    marks[:, ALL] = by_type
    marks[:, FREE], marks[:, PAID] = by_type & (free == 1)[:, np.newaxis], by_type & (free == 0)[:, np.newaxis]
    marks[:, OPEN] = by_type
    marks[:, GROUPED] = groups[:, np.newaxis] >> np.arange(len(GROUPS)) & 1
    marks[:, AGES] = ages[:, np.newaxis] >> np.arange(_BANDS) & 1
    marks[:, OPEN_FREE], marks[:, OPEN_PAID] = free == 1, free == 0
    marks[:, OPEN.start :] *= is_open[:, np.newaxis]
    return marks
