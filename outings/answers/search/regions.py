"""Parts of a metro that no map names but addresses do: "Staten Island", "Brooklyn". Such a name stands in nearly every
address of some neighborhoods, and hardly elsewhere: it is these neighborhoods."""

from collections.abc import Sequence

import numpy as np

from outings.answers.search.index import AreaPlaces, SearchIndex
from outings.answers.search.matching import LEAST_ADDRESSES
from outings.answers.search.score import Numbers
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.text import split_words
from outings.contract.vocabulary import TYPES

# Words of a name at most, and letters of one at least.
MOST_WORDS, _LEAST_LETTERS = 3, 4
# Neighborhoods that a region has at least, and at most of all: what every address has says nothing. So many of them
# are not named so themselves: "Hill" is in names, and no region.
_LEAST_AREAS, _MOST_AREAS, _UNNAMED = 3, 0.75, 0.9
# Of the places of a neighborhood so many say it; of those that say it so many lie there.
_STATED, _THERE = 0.8, 0.9
_LEAST_PLACES = 3
_NOWHERE: Numbers = np.empty(0, dtype=np.int64)


def find_region(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Numbers:
    """The listings that lie in a region of this name, whatever they say: rising; none where there is no such region."""
    if len(" ".join(name)) < _LEAST_LETTERS or not all(map(index.matching.may_be_region, name)):
        return _NOWHERE
    return index.regions.read(tuple(name), lambda: _find_region(name, opened, index))


def _find_region(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Numbers:
    saying = index.matching.find_addressed(name)
    places = saying[index.types[saying] == TYPES.index("place")]
    if places.size < LEAST_ADDRESSES:
        return _NOWHERE
    areas, located = opened.open_index(open_areas), index.area_places.read(0, lambda: _list_area_places(opened, index))
    stated = np.zeros(index.types.size, dtype=np.bool_)
    stated[places] = True
    counts = np.bincount(located.areas[stated.take(located.rows)], minlength=len(areas))
    is_stated = (located.counts >= _LEAST_PLACES) & (counts >= 1)
    shares = counts[is_stated] / located.counts[is_stated]
    numbers = np.flatnonzero(is_stated)[shares >= _STATED]
    # Neighborhoods of one name are one here.
    chosen = {index.area_names[number]: number for number in numbers.tolist()}
    unnamed = sum(not set(name) <= set(split_words(area)) for area in chosen)
    if not max(_LEAST_AREAS, _UNNAMED * len(chosen)) <= unnamed <= _MOST_AREAS * index.area_count:
        return _NOWHERE
    lying = np.unique(np.concatenate([areas.list_rows(number) for number in chosen.values()]))
    if np.isin(places, lying).mean() < _THERE:
        return _NOWHERE
    return np.union1d(index.keep_readable(lying), saying)


def _list_area_places(opened: SnapshotReader, index: SearchIndex) -> AreaPlaces:
    areas = opened.open_index(open_areas)
    rows, numbers = areas.list_pairs()
    own = index.types.take(rows) == TYPES.index("place")
    return AreaPlaces(rows[own], numbers[own], np.bincount(numbers[own], minlength=len(areas)))
