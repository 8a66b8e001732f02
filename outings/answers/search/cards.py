"""Programs that came as several class listings: which of those found is shown."""

import numpy as np

from outings.answers.search.index import SearchIndex
from outings.answers.search.matching import Matched

_DAY = 86_400  # seconds


def deal_cards(matched: Matched, index: SearchIndex, *, start: int) -> Matched:
    """Of a program, the listing of the best level; of these the earliest to start from the day on; ties by id."""
    programs = index.programs.find_programs(matched.rows)
    shared = np.flatnonzero(programs >= 0)
    if not shared.size:
        return matched
    rows, levels = matched.rows[shared], matched.levels[shared]
    # The day alone, as for the lists' cards.
    starts = index.find_class_starts(rows, start=start) // _DAY
    order = np.lexsort((index.id_ranks[rows], starts, levels, programs[shared]))
    ordered = programs[shared][order]
    firsts = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    kept = programs < 0
    kept[shared[order[firsts]]] = True
    return matched.choose(kept)
