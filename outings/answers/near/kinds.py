"""What counts near a point ask of a listing, as one small number: who has it counts a row in everything at once."""

import numpy as np
from numpy.typing import NDArray

from outings.answers.near.tiles import TILE
from outings.contract.resources.near import GROUPS
from outings.contract.vocabulary import AGE_BANDS, TYPES

Counts = NDArray[np.float64]
Column = NDArray[np.integer]

_TYPES, _BANDS = len(TYPES), len(AGE_BANDS) + 1
# What is counted of everything, by type, and then of what is open (no class that is full or closed): places in a row of
# counts.
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
    """Of one snapshot, by place in its tiles. `numbers`: of each tile's rows, 0 where the last of all has none;
    `marks`: what one of each kind adds to counts; `groups`, `types`: of each kind a bit set over GROUPS, and a type."""

    def __init__(
        self, *, types: Column, is_free: Column, ages: Column, is_recurring: Column, is_closed: Column
    ) -> None:
        codes = np.zeros(-(-types.size // TILE) * TILE, dtype=np.int64)
        codes[: types.size] = ages
        for part in (is_closed, is_recurring, types, is_free + 1):
            codes[: types.size] = codes[: types.size] << 2 | part
        known, numbers = np.unique(codes, return_inverse=True)
        self.numbers: NDArray[np.uint16] = numbers.reshape(-1, TILE).astype(np.uint16)
        free, kinds = (known & 3) - 1, known >> 2 & 3
        self.types = kinds
        recurs, self.is_open = (known >> 4 & 3 == 1) & (kinds == _EVENT), known >> 6 & 3 == 0
        self.groups = np.where(self.is_open, 1 << _OWN[kinds] | recurs.astype(np.int64) << _RECURRING, 0)
        self.marks = _mark(kinds, free, known >> 8, groups=self.groups, is_open=self.is_open)

    def count(self, numbers: NDArray[np.integer]) -> Counts:
        """Of rows by their kinds."""
        counts: Counts = np.bincount(numbers, minlength=len(self.marks)) @ self.marks
        return counts


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
