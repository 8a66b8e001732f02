"""Parts of a map's names that are names themselves: "Red Hook" of "Carroll Gardens-Cobble Hill-Gowanus-Red Hook", and
"Queen Anne" of "East Queen Anne" and "West Queen Anne". Such a part says where if what is named after it lies there:
"rugby" of "East Flatbush-Rugby" is a game."""

from collections.abc import Sequence

import numpy as np

from outings.answers.search.index import SearchIndex
from outings.answers.search.score import Numbers
from outings.answers.search.understanding.locations import Words
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import SnapshotReader

# Of the listings that are named after a part so many lie there.
_THERE = 0.5
_NOWHERE: Numbers = np.empty(0, dtype=np.int64)


def find_quarter(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Numbers:
    """The listings that lie in a neighborhood with this part in its name, whatever they say: rising; none where it says
    something else."""
    part = tuple(name)
    if part not in index.quarters:
        return _NOWHERE
    return index.quarter_rows.read(part, lambda: _find_quarter(part, opened, index))


def _find_quarter(part: Words, opened: SnapshotReader, index: SearchIndex) -> Numbers:
    areas = opened.open_index(open_areas)
    rows = [np.asarray(areas.list_rows(number)) for number in index.quarters[part]]
    lying = index.keep_readable(np.unique(np.concatenate(rows)).astype(np.int64))
    named = index.matching.find_named(part)
    # A single word that nothing is named after may be any word.
    if not named.size:
        return lying if len(part) > 1 else _NOWHERE
    return lying if np.isin(named, lying).mean() >= _THERE else _NOWHERE
