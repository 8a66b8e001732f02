"""The place in a query, in `match=auto`.

A place is a neighborhood on the map, a postal code, or a *region*, which no map has: its name is in nearly
every address of some neighborhoods, and rarely elsewhere, as "Staten Island".
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from outings.answers.search.index import AreaPlaces, SearchIndex
from outings.answers.search.understanding.locations import Locations
from outings.answers.search.word_matches import LEAST_ADDRESSES, Numbers
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.distance import make_unit_vector, square_chords
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.zips import open_stated_zips, open_zips
from outings.contract.text import split_words
from outings.contract.vocabulary import TYPES

_ZIP = re.compile(r"(?<![\w.,$/-])[0-9]{5}(?![\w.,/-])")
# Metres from the middle of a postal code that are near it: some fifteen minutes on foot.
_NEAR = 1_200
_EARTH = 6_371_000
# The most words of a region's name.
_MOST_WORDS = 3
# The fewest letters of a region's name.
_LEAST_LETTERS = 4
# The fewest neighborhoods of a region.
_LEAST_AREAS = 3
# The greatest share of all neighborhoods. A name that nearly every address has says nothing.
_MOST_AREAS = 0.75
# The least share of a region's neighborhoods whose own names lack the region's. "Hill" is part of names, and no region.
_UNNAMED = 0.9
# The least share of a neighborhood's places that state the region.
_STATED = 0.8
# The least share of the places that state the region that are in its neighborhoods.
_THERE = 0.9
_LEAST_PLACES = 3
# Words of a query in which regions are looked for.
_MOST_LOOKED = 12

_NOWHERE: Numbers = np.empty(0, dtype=np.int64)


def read_locations(text: str, opened: SnapshotReader, index: SearchIndex) -> Locations:
    """Return the metro's location names, with the regions in the query, and its postal codes that the deployment knows
    or a listing states."""
    locations = index.locations
    names = [*_list_codes(text, opened, index), *_list_regions(text, opened, index)]
    return replace(locations, neighborhoods=locations.neighborhoods.union(names)) if names else locations


def _list_codes(text: str, opened: SnapshotReader, index: SearchIndex) -> Iterator[tuple[str, ...]]:
    for code in _ZIP.findall(text):
        if _find_middle(code, opened) is not None or index.keep_readable(_find_stating(code, opened)).size:
            yield (code,)


def _find_middle(code: str, opened: SnapshotReader) -> tuple[float, float] | None:
    zips = opened.open_index(open_zips)
    return None if zips is None else zips.find_centroid(code)


def _find_stating(code: str, opened: SnapshotReader) -> Numbers:
    return opened.open_index(open_stated_zips).get(code, _NOWHERE)


def _list_regions(text: str, opened: SnapshotReader, index: SearchIndex) -> Iterator[tuple[str, ...]]:
    words = split_words(text)[:_MOST_LOOKED]
    fits = list(map(index.finder.may_be_region, words))
    if not any(fits):
        return  # as nearly always
    for start in range(len(words)):
        for end in range(start + 1, min(start + _MOST_WORDS, len(words)) + 1):
            if not fits[end - 1]:
                break
            name = tuple(words[start:end])
            if find_region(name, opened, index).size:
                yield name


def find_at_place(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Numbers:
    """Return the listings in the place, whatever they say, ascending."""
    parts = [*_list_near(name, opened, index), *_list_areas(name, opened, index), find_region(name, opened, index)]
    return index.keep_readable(np.unique(np.concatenate(parts)).astype(np.int64))


def _list_near(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Iterator[Numbers]:
    """Yield the rows that state a postal code and, if the code's middle is known, the rows near that."""
    if len(name) != 1 or not _ZIP.fullmatch(name[0]):
        return
    yield _find_stating(name[0], opened)
    point = _find_middle(name[0], opened)
    if point is not None:
        squares = measure_distances(index, np.arange(index.types.size), lat=point[0], lng=point[1])
        yield np.flatnonzero(squares <= (_NEAR / _EARTH) ** 2)


def _list_areas(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Iterator[Numbers]:
    areas = opened.open_index(open_areas)
    yield from (areas.list_rows(number) for number in index.areas_named.get(tuple(name), ()))


def find_region(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Numbers:
    """Return the listings in the region of this name, whatever they say, ascending; empty if there is no such
    region."""
    if len(" ".join(name)) < _LEAST_LETTERS or not all(map(index.finder.may_be_region, name)):
        return _NOWHERE
    return index.regions.read(tuple(name), lambda: _find_region(name, opened, index))


def _find_region(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Numbers:
    saying = index.finder.find_addressed(name)
    places = saying[index.types[saying] == TYPES.index("place")]
    if places.size < LEAST_ADDRESSES:
        return _NOWHERE
    areas, located = opened.open_index(open_areas), _list_area_places(opened, index)
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


def measure_distances(index: SearchIndex, rows: Numbers, *, lat: float, lng: float) -> Numbers:
    """Return the squared length of the straight line through the unit sphere from each row to a point. The length is
    infinite for rows without coordinates, so that they come last."""
    squares = square_chords([axis[rows] for axis in index.vectors], make_unit_vector(lat, lng))
    return np.where(np.isnan(squares), np.inf, squares)
