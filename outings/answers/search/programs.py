"""Choose one listing of each program that came as several class listings."""

from collections.abc import Callable

import numpy as np

from outings.answers.search.index import SearchIndex
from outings.answers.search.matches import SearchMatches
from outings.answers.search.strength import Numbers, mark_firsts

# The bits of a row's place among the others of its program, and of its level.
_RANK, _LEVEL = 32, 2


def choose_cards(matched: SearchMatches, index: SearchIndex, *, rank: Callable[[Numbers], Numbers]) -> SearchMatches:
    """Keep the listing with the best level of each program; of these the first by `rank`, which returns numbers for
    rows that ascend with their start, then id."""
    programs = index.programs[matched.rows]
    shared = (programs >= 0).nonzero()[0]
    if shared.size < 2:
        return matched
    rows, levels = matched.rows[shared], matched.levels[shared]
    keys = ((programs[shared].astype(np.int64) << _LEVEL | levels) << _RANK) | rank(rows)
    order = np.argsort(keys)
    ordered = keys[order] >> (_RANK + _LEVEL)
    firsts = mark_firsts(ordered)
    if firsts.all():
        return matched
    kept = programs < 0
    kept[shared[order[firsts]]] = True
    return matched.choose(kept)
