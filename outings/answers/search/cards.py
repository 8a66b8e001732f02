"""Programs that came as several class listings: which of those found is shown."""

from datetime import date

import numpy as np

from outings.answers.search.index import SearchIndex
from outings.answers.search.matching import Matched

_EPOCH = date(1970, 1, 1)
_DAY = 86_400  # seconds


def deal_cards(matched: Matched, index: SearchIndex, *, start: date) -> Matched:
    """Of a program, the listing of the best level; of these the earliest to start from the date on, though it be past,
    as for the cards of lists; ties by id."""
    programs = index.programs.find_programs(matched.rows)
    shared = np.flatnonzero(programs >= 0)
    if not shared.size:
        return matched
    rows, levels = matched.rows[shared], matched.levels[shared]
    starts = index.find_class_starts(rows, start=(start - _EPOCH).days) // _DAY  # whatever the hour
    order = np.lexsort((index.id_ranks[rows], starts, levels, programs[shared]))
    ordered = programs[shared][order]
    firsts = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    kept = programs < 0
    kept[shared[order[firsts]]] = True
    return matched.choose(kept)
