"""Where a query says to look, in `match=auto`: a neighborhood as the map has it, and a postal code."""

import math
import re
from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np
from msgspec.json import Decoder
from msgspec.structs import replace

from outings.answers.documents.fields import NamedDocument
from outings.answers.search.index import SearchIndex
from outings.answers.search.quarters import find_quarter
from outings.answers.search.ranking import measure_distances
from outings.answers.search.regions import MOST_WORDS, find_region
from outings.answers.search.score import Numbers
from outings.answers.search.understanding.locations import Locations, find_runs
from outings.answers.search.understanding.query import ParsedQuery
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.zips import open_stated_zips, open_zips
from outings.contract.text import split_words
from outings.contract.vocabulary import TYPES

_ZIP = re.compile(r"(?<![\w.,$/-])[0-9]{5}(?![\w.,/-])")
# Metres from the middle of a postal code that are near it: some fifteen minutes on foot.
_NEAR = 1_200
_EARTH = 6_371_000
# Metres of a degree of latitude.
_DEGREE = 111_195
# Metres from a place's edge: the nearer something is, the less it loses.
_RINGS = (1_000, 2_500, 5_000, 10_000)
# Names of places that are read for this, at most.
_MOST_NAMES = 1_000
# Words of a query in which regions are looked for.
_MOST_LOOKED = 12

_NOWHERE: Numbers = np.empty(0, dtype=np.int64)
_decoder = Decoder(NamedDocument)


def read_locations(text: str, opened: SnapshotReader, index: SearchIndex) -> Locations:
    """Those of the metro, the places that are named after it, and the postal codes in the query that the deployment
    knows, or that a listing states."""
    known = index.locations
    if any(find_runs(split_words(text), frozenset(known.metro))):
        known = replace(known, whole=index.whole_names.read(0, lambda: _list_whole_names(opened, index)))
    names = [*_list_codes(text, opened, index), *_list_regions(text, opened, index)]
    return replace(known, neighborhoods=known.neighborhoods.union(names)) if names else known


def list_parts(words: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> frozenset[tuple[str, ...]]:
    """The parts of the map's names among a query's words that say where."""
    names = {tuple(words[start:end]) for start, end in find_runs(words, index.quarter_names)}
    return frozenset(name for name in names if find_quarter(name, opened, index).size)


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
    fits = list(map(index.matching.may_be_region, words))
    if not any(fits):
        return  # as nearly always
    for start in range(len(words)):
        for end in range(start + 1, min(start + MOST_WORDS, len(words)) + 1):
            if not fits[end - 1]:
                break
            name = tuple(words[start:end])
            if find_region(name, opened, index).size:
                yield name


def _list_whole_names(opened: SnapshotReader, index: SearchIndex) -> frozenset[tuple[str, ...]]:
    """`seattle center`, `new york aquarium`: the metro's name is a part of what is meant."""
    rows = np.unique(np.concatenate([index.matching.find_named(name) for name in index.locations.metro]))
    places = rows[index.types[rows] == TYPES.index("place")][:_MOST_NAMES]
    names = (_decoder.decode(opened.read_document(row)).name for row in places.tolist())
    return frozenset(words for name in names if len(words := tuple(split_words(name))) > 1).difference(
        index.locations.metro
    )


def drop_empty_codes(parsed: ParsedQuery, opened: SnapshotReader, index: SearchIndex) -> ParsedQuery:
    """Beside an age, postal codes that nothing is near decide nothing."""
    if parsed.age is None or not parsed.words or not all(map(_ZIP.fullmatch, parsed.words)):
        return parsed
    if any(find_lying((word,), opened, index).size for word in parsed.words):
        return parsed
    return replace(parsed, words=(), ignored=(*parsed.ignored, *parsed.words))


def find_lying(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Numbers:
    """The listings that lie there, whatever they say: rising."""
    parts = [*_list_near(name, opened, index), *_list_areas(name, opened, index), find_region(name, opened, index)]
    parts.append(find_quarter(name, opened, index))
    return index.keep_readable(np.unique(np.concatenate(parts)).astype(np.int64))


def _list_near(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Iterator[Numbers]:
    """Yield the rows that state a postal code, and those near its middle, if that is known."""
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


def find_rings(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> tuple[Numbers, ...]:
    """What is further than what lies there, by how far: in each ring its listings, rising."""
    return index.rings.read(tuple(name), lambda: tuple(_list_rings(name, opened, index)))


def _list_rings(name: Sequence[str], opened: SnapshotReader, index: SearchIndex) -> Iterator[Numbers]:
    circles = list(_list_circles(name, opened, index))
    if not circles:
        return
    rows = np.arange(index.types.size)
    away = [_EARTH * np.sqrt(measure_distances(index, rows, lat=lat, lng=lng)) - radius for lat, lng, radius in circles]
    nearest, inner = reduce(np.minimum, away), -np.inf
    for outer in _RINGS:
        yield np.flatnonzero((nearest > inner) & (nearest <= outer))
        inner = outer


def _list_circles(
    name: Sequence[str], opened: SnapshotReader, index: SearchIndex
) -> Iterator[tuple[float, float, float]]:
    """Of the places of this name the middle, and how many metres from it is their edge."""
    if len(name) == 1 and _ZIP.fullmatch(name[0]):
        point = _find_middle(name[0], opened)
        if point is not None:
            yield point[0], point[1], _NEAR
        return
    areas = opened.open_index(open_areas)
    for number in index.areas_named.get(tuple(name), ()):
        center, bounds = areas.read_center(number), areas.read_bounds(number)
        if center.lat is not None and center.lng is not None and bounds is not None:
            height = (bounds.north - bounds.south) / 2 * _DEGREE
            width = (bounds.east - bounds.west) / 2 * _DEGREE * math.cos(math.radians(center.lat))
            yield center.lat, center.lng, math.hypot(height, width)
