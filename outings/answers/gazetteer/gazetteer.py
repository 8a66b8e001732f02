"""Gazetteer: what is where in a metro, by what its own listings and neighborhoods say."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from outings.answers.distance import find_line, find_point, find_vectors, measure_squares
from outings.answers.gazetteer.places import (
    Listed,
    is_placed,
    list_addresses,
    list_cities,
    list_crossings,
    list_names,
)
from outings.answers.gazetteer.reading import Reading, list_readings, read_zip
from outings.answers.gazetteer.states import list_state_words
from outings.answers.gazetteer.streets import Words, fold_words
from outings.contract.resources.metro import Center
from outings.contract.vocabulary import STATUSES, TYPES
from outings.release.snapshot import MetroSettings

# What one name is said of lies within this of the middle of it all; farther apart, it is no one place.
ONE_PLACE_M = 250

_COUNTRY = frozenset({("usa",), ("us",), ("united", "states")})
_decoder = msgspec.json.Decoder(Listed)
_Key = Words | tuple[Words, Words]


class Spot(msgspec.Struct, frozen=True, gc=False):
    """A point, and what may stand behind a name of it: where it is not `is_placed`, any city of the metro too."""

    lat: float
    lng: float
    areas: frozenset[Words]
    is_placed: bool
    zip: str | None


class Gazetteer:
    """Spots by every name, address and corner. Nothing is guessed: a name of two places far apart is of none."""

    def __init__(
        self, metro: MetroSettings, *, spots: Iterable[tuple[Listed, float, float]], neighborhoods: pl.DataFrame
    ) -> None:
        self._names: dict[_Key, list[Spot]] = {}
        self._zips: dict[str, list[Spot]] = {}
        self._cities: set[Words] = set()
        shared: dict[frozenset[Words], frozenset[Words]] = {}
        states: set[str] = set()
        for listed, lat, lng in spots:
            cities = {*list_cities(listed)}
            areas = frozenset(cities | {fold_words(listed.location.neighborhood or "")})
            self._cities |= cities
            spot = Spot(lat, lng, shared.setdefault(areas, areas), is_placed(listed), listed.location.zip)
            keys: set[_Key] = {*list_names(listed), *list_addresses(listed), *list_crossings(listed)}
            for key in keys:
                if key:
                    self._names.setdefault(key, []).append(spot)
            if spot.zip is not None:
                self._zips.setdefault(spot.zip[:5], []).append(spot)
            states.update(filter(None, [listed.location.state]))
        self._everywhere = {
            *(fold_words(name) for name in (metro.name, metro.slug, *metro.aliases)), *list_state_words(states),
            *_COUNTRY,
        }  # fmt: skip
        self._areas = {fold_words(name): Center(lat=lat, lng=lng) for name, lat, lng in neighborhoods.iter_rows()}

    def find_address(self, address: str) -> Center | None:
        """A house, a corner, a place by its name; else a neighborhood's or a zip's middle. None where nothing of the
        metro is so called, or more than one thing is."""
        if (code := read_zip(address)) is not None:
            return _find_middle(self._zips.get(code, []))
        readings = list(list_readings(address))
        for reading in readings:
            if found := self._find_spot(reading):
                return found
        return next(filter(None, map(self._find_area, readings)), None)

    def _find_spot(self, reading: Reading) -> Center | None:
        keys: list[_Key | None] = [reading.words, reading.corner]
        for key in keys:
            spots = [spot for spot in self._names.get(key, []) if self._lies_there(spot, reading)] if key else []
            middle = _find_middle(spots)
            if middle is not None and _lie_together(spots, middle):
                return middle
        return None

    def _find_area(self, reading: Reading) -> Center | None:
        found = self._areas.get(reading.words)
        return found if found and not _strike_out(reading.tail, self._everywhere | self._cities) else None

    def _lies_there(self, spot: Spot, reading: Reading) -> bool:
        """Whether all that stands behind the name is true of it; a zip that is not known may be."""
        if reading.zip is not None and spot.zip is not None and not spot.zip.startswith(reading.zip):
            return False
        cities = set[Words]() if spot.is_placed else self._cities
        return not reading.tail or not _strike_out(reading.tail, self._everywhere | spot.areas | cities)


def _strike_out(words: Words, phrases: Iterable[Words]) -> str:
    """What is left of the words when all phrases are taken out, the longest first."""
    left = f" {' '.join(words)} "
    for phrase in sorted(phrases, key=lambda each: (-len(each), each)):
        left = left.replace(f" {' '.join(phrase)} ", "  ")
    return left.strip()


def _find_middle(spots: Iterable[Spot]) -> Center | None:
    points = {(spot.lat, spot.lng) for spot in spots}
    if not points:
        return None
    lat, lng = np.mean(sorted(points), axis=0).round(6).tolist()
    return Center(lat=lat, lng=lng)


def _lie_together(spots: Iterable[Spot], middle: Center) -> bool:
    lats, lngs = (np.array([getattr(spot, name) for spot in spots]) for name in ("lat", "lng"))
    squares = measure_squares(find_vectors(lats, lngs), find_point(middle.lat, middle.lng))
    return bool((squares <= find_line(ONE_PLACE_M) ** 2).all())


def make_gazetteer(
    metro: MetroSettings, *, tables: Mapping[str, Path], read_document: Callable[[int], bytes]
) -> Gazetteer:
    """Of published listings with coordinates: every place, and of those that are at none one for each point."""
    columns = ["row", "type", "status", "lat", "lng", "place_id"]
    listings = pl.read_parquet(tables["listings"], columns=columns).filter(
        pl.col("status") == STATUSES.index("published"), pl.col("lat").is_not_null(), pl.col("lng").is_not_null()
    )
    is_place = pl.col("type") == TYPES.index("place")
    told = pl.when(is_place).then(pl.col("row")).alias("told")
    chosen = listings.filter(is_place | pl.col("place_id").is_null()).unique(
        ["lat", "lng", told], keep="first", maintain_order=True
    )
    spots = (
        (_decoder.decode(read_document(row)), lat, lng)
        for row, lat, lng in chosen.select("row", "lat", "lng").iter_rows()
    )
    areas = pl.read_parquet(tables["neighborhoods"], columns=["name", "lat", "lng"]).drop_nulls()
    return Gazetteer(metro, spots=spots, neighborhoods=areas)
