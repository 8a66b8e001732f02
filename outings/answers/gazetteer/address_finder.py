"""The gazetteer: find addresses and places in a metro, from its own listings and neighborhoods."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from outings.answers.gazetteer.address_parsing import (
    Reading,
    Streets,
    Words,
    list_readings,
    list_state_words,
    open_streets,
    read_zip,
)
from outings.answers.gazetteer.listing_points import (
    ADDRESSES,
    CITIES,
    POINT_AREAS,
    POINT_NAMES,
    POINTS,
    STATES,
    ListingAddress,
    list_kinds,
    name_corner,
    name_words,
    name_zip,
    tabulate_points,
)
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.distance import find_chord, make_unit_vector, make_unit_vectors, square_chords
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.texts import HashedTexts
from outings.contract.languages.language import Language
from outings.contract.resources.directories import Center
from outings.contract.vocabulary import TYPES
from outings.release.manifest import MetroSettings
from outings.release.mapped_table import MappedTable, encode_mapped

# All points of one place are within this distance of their common middle. Otherwise the name is ambiguous.
ONE_PLACE_M = 250

Numbers = NDArray[np.uint32]
Phrases = frozenset[str]


class Gazetteer:
    """An index of points by name, address and corner. It never guesses: a name of two distant places finds none."""

    def __init__(
        self,
        metro: MetroSettings,
        streets: Streets,
        *,
        tables: Mapping[str, MappedTable],
        kinds: Iterable[int],
        middles: Mapping[str, Center],
    ) -> None:
        """`tables`: those of ADDRESSES; `kinds`: the kinds of points that may be found; `middles`: the centers of
        neighborhoods, by name."""
        points, names, areas = (tables[name] for name in (POINTS, POINT_NAMES, POINT_AREAS))
        self._streets, self._middles = streets, middles
        self._is_readable = np.isin(points.read_array("kind"), list(kinds))
        self._lats, self._lngs, self._areas, self._placed = (
            points.read_array(name) for name in ("lat", "lng", "area", "is_placed")
        )
        self._zips = points.read_texts("zip")
        self._names = HashedTexts(names, "name")
        self._ends, self._points = names.read_lists("spots")
        self._phrases = areas.read_texts("phrases")
        self._cities, states = (
            Phrases().union(*(self._read_phrases(first + kind) for kind in kinds)) for first in (CITIES, STATES)
        )
        called = (name_words(streets.fold_words(name)) for name in (metro.name, metro.slug, *metro.aliases))
        self._everywhere = Phrases(
            (*called, *map(name_words, (*streets.countries, *list_state_words(states, streets))))
        )

    def find_address(self, address: str) -> Center | None:
        """Find the point of a house, a corner or a place, else the center of a neighborhood or zip. None if nothing in
        the metro has that name, or distant places share it."""
        if (code := read_zip(address)) is not None:
            return self._find_middle(self._list_points(name_zip(code)))
        readings = list(list_readings(address, self._streets))
        for reading in readings:
            if point := self._find_point(reading):
                return point
        return next(filter(None, map(self._find_area, readings)), None)

    def _find_point(self, reading: Reading) -> Center | None:
        corner = reading.corner
        names = [name_words(reading.words), *([] if corner is None else [name_corner(corner)])]
        for name in names:
            points = self._keep_true(self._list_points(name), reading)
            middle = self._find_middle(points)
            if middle is not None and self._lie_together(points, middle):
                return middle
        return None

    def _find_area(self, reading: Reading) -> Center | None:
        middle = self._middles.get(name_words(reading.words))
        if middle is None or _strike_out(reading.tail, self._everywhere | self._cities):
            return None
        return middle

    def _list_points(self, name: str) -> Numbers:
        parts = [self._points[self._ends[at] : self._ends[at + 1]] for at in self._names.find(name)]
        return parts[0][self._is_readable[parts[0]]] if parts else np.empty(0, dtype=np.uint32)

    def _keep_true(self, points: Numbers, reading: Reading) -> Numbers:
        """Keep the points whose city, state and zip fit what follows the name in the address. An unknown zip fits."""
        if reading.zip is not None:
            points = points[[self._zips[point] in ("", reading.zip) for point in points.tolist()]]
        if not reading.tail or not points.size:
            return points
        # Many points of one name are in few areas.
        areas = (self._areas[points] * 2 + self._placed[points]).tolist()
        is_true = {area: not _strike_out(reading.tail, self._list_behind(*divmod(area, 2))) for area in {*areas}}
        return points[[is_true[area] for area in areas]]

    def _list_behind(self, area: int, is_placed: int) -> Phrases:
        cities = Phrases() if is_placed else self._cities
        return self._everywhere | self._read_phrases(area) | cities

    def _read_phrases(self, area: int) -> Phrases:
        return frozenset(self._phrases[area].splitlines())

    def _find_middle(self, points: Numbers) -> Center | None:
        if not points.size:
            return None
        coordinates = {*zip(self._lats[points].tolist(), self._lngs[points].tolist(), strict=True)}
        lat, lng = np.mean(sorted(coordinates), axis=0).round(6).tolist()
        return Center(lat=lat, lng=lng)

    def _lie_together(self, points: Numbers, middle: Center) -> bool:
        squares = square_chords(
            make_unit_vectors(self._lats[points], self._lngs[points]), make_unit_vector(middle.lat, middle.lng)
        )
        return bool((squares <= find_chord(ONE_PLACE_M) ** 2).all())


@cache
def locate_types(types: frozenset[str]) -> Callable[[SnapshotReader], Gazetteer]:
    """Return a function that opens the gazetteer of listings of these types. It is the same function each time, because
    a reader caches indexes by function."""
    return partial(_open_gazetteer, types=types)


def make_gazetteer(
    metro: MetroSettings,
    language: Language,
    placed: Iterable[tuple[ListingAddress, float, float]],
    *,
    middles: Mapping[str, Center],
) -> Gazetteer:
    """Make a gazetteer of listings that are in no snapshot yet, each with its latitude and longitude. `middles`: the
    centers of neighborhoods, by name."""
    streets = open_streets(language)
    points = tabulate_points(
        ((listing, TYPES.index(listing.type), lat, lng) for listing, lat, lng in placed), streets
    )  # fmt: skip
    tables = {name: MappedTable(encode_mapped(frame)) for name, frame in points.items()}
    named = {name_words(streets.fold_words(name)): middle for name, middle in middles.items()}
    return Gazetteer(metro, streets, tables=tables, kinds=list_kinds(TYPES), middles=named)


def _open_gazetteer(reader: SnapshotReader, types: frozenset[str]) -> Gazetteer:
    streets, areas = open_streets(reader.language), reader.open_index(open_areas).narrow(types)
    middles = {
        name_words(streets.fold_words(areas.names[number])): Center(lat=center.lat, lng=center.lng)
        for number in np.flatnonzero(areas.are_known(types)).tolist()
        if (center := areas.read_center(number)).lat is not None and center.lng is not None
    }
    middles.pop("", None)
    tables = reader.open_index(_open_points)
    return Gazetteer(reader.metro, streets, tables=tables, kinds=list_kinds(types), middles=middles)


def _open_points(reader: SnapshotReader) -> Mapping[str, MappedTable]:
    return reader.open_tables(ADDRESSES)


def _strike_out(words: Words, phrases: Iterable[str]) -> str:
    """Remove the phrases from the words, long phrases first, and return the rest."""
    left = f" {name_words(words)} "
    for phrase in sorted(phrases, key=lambda phrase: (-phrase.count(" "), phrase)):
        left = left.replace(f" {phrase} ", "  ")
    return left.strip()
