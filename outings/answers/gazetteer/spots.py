"""Spots: where a metro's listings and neighborhoods are, and by which texts each is found, as tables."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec
import polars as pl

from outings.answers.gazetteer.places import (
    PlacedDocument,
    is_placed,
    list_addresses,
    list_cities,
    list_crossings,
    list_names,
)
from outings.answers.gazetteer.states import list_state_words
from outings.answers.gazetteer.streets import Streets, Words, open_streets
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.texts import make_texts
from outings.contract.vocabulary import TYPES
from outings.release.parquet_columns import read_columns
from outings.release.tables import PUBLISHED

# The mapped files.
SPOTS, SPOT_NAMES, SPOT_AREAS = SPOT_TABLES = ("spots", "spot_names", "spot_areas")
# Of SPOT_AREAS the first rows: all cities of the metro, and the words for its states.
CITIES, STATES = 0, 1

# A name or an address is its words; what else a spot is found by begins, or is joined, with a sign that no word has.
_ZIP, _NEIGHBORHOOD, _CORNER = "#", "@", " & "
_ZIP_DIGITS = 5

# What spots are made of: of listings, with their documents as `read_placed` reads them, and of neighborhoods.
PLACED_COLUMNS = ("row", "type", "status", "lat", "lng", "place_id")
AREA_COLUMNS = ("name", "lat", "lng")

read_placed = msgspec.json.Decoder(PlacedDocument).decode


def name_words(words: Words) -> str:
    """Empty where there are none: nothing is found by that."""
    return " ".join(words)


def name_corner(corner: tuple[Words, Words]) -> str:
    return _CORNER.join(map(name_words, corner))


def name_zip(code: str) -> str:
    return _ZIP + code[:_ZIP_DIGITS]


def name_neighborhood(words: Words) -> str:
    return _NEIGHBORHOOD + name_words(words)


def make_spots(reader: SnapshotReader) -> dict[str, pl.DataFrame]:
    """By the names of the mapped files.

    SPOTS: `lat`, `lng`; `area`, whose row of SPOT_AREAS has what may stand behind a name of it; `is_placed`, 0 where
    any city of the metro may too; `zip`, five digits, empty where it is not known. The neighborhoods are the last ones.
    SPOT_NAMES: each text once, with its spots. SPOT_AREAS: phrases by lines.
    """
    streets = open_streets(reader.language)
    builder = _SpotBuilder(streets)
    for document, lat, lng in _read_documents(reader):
        builder.add_document(document, lat=lat, lng=lng)
    areas = read_columns(reader.tables["neighborhoods"], "neighborhoods", AREA_COLUMNS).drop_nulls()
    builder.add_neighborhoods({streets.fold_words(name): (lat, lng) for name, lat, lng in areas.iter_rows()})
    return builder.make_frames()


def choose_placed(listings: pl.DataFrame) -> pl.DataFrame:
    """Published ones with coordinates: every place, and of those that are at none one for each point. Of the columns
    `row`, `type`, `status`, `lat`, `lng` and `place_id`, and any others."""
    published = listings.filter(pl.col("status") == PUBLISHED, pl.col("lat").is_not_null(), pl.col("lng").is_not_null())
    is_place = pl.col("type") == TYPES.index("place")
    place_row = pl.when(is_place).then(pl.col("row")).alias("place_row")
    return published.filter(is_place | pl.col("place_id").is_null()).unique(
        ["lat", "lng", place_row], keep="first", maintain_order=True
    )


def _read_documents(reader: SnapshotReader) -> Iterator[tuple[PlacedDocument, float, float]]:
    chosen = choose_placed(read_columns(reader.tables["listings"], "listings", PLACED_COLUMNS))
    for row, lat, lng in chosen.select("row", "lat", "lng").iter_rows():
        yield read_placed(reader.read_document(row)), lat, lng


class _SpotBuilder:
    def __init__(self, streets: Streets) -> None:
        self._streets = streets
        self._spots: list[tuple[float, float, int, int, str]] = []
        self._names: list[tuple[str, int]] = []
        self._areas: dict[frozenset[Words], int] = {}
        self._cities: set[Words] = set()
        self._states: set[str] = set()

    def add_document(self, document: PlacedDocument, *, lat: float, lng: float) -> None:
        location, streets = document.location, self._streets
        cities = {*list_cities(document, streets)}
        area = self._number_area(cities | {streets.fold_words(location.neighborhood or "")})
        self._cities |= cities
        self._states.update(filter(None, [location.state]))
        names = {
            *map(name_words, list_names(document, streets)), *map(name_words, list_addresses(document, streets)),
            *map(name_corner, list_crossings(document, streets)),
        }  # fmt: skip
        if location.zip:
            names.add(name_zip(location.zip))
        code = (location.zip or "")[:_ZIP_DIGITS]
        self._add((lat, lng, area, int(is_placed(document, streets)), code), names)

    def add_neighborhoods(self, middles: Mapping[Words, tuple[float, float]]) -> None:
        nothing = self._number_area(())
        for words, (lat, lng) in middles.items():
            self._add((lat, lng, nothing, 1, ""), [name_neighborhood(words)] if words else [])

    def _add(self, spot: tuple[float, float, int, int, str], names: Iterable[str]) -> None:
        self._names += ((name, len(self._spots)) for name in names if name)
        self._spots.append(spot)

    def _number_area(self, phrases: Iterable[Words]) -> int:
        return self._areas.setdefault(frozenset(phrases), len(self._areas) + STATES + 1)

    def make_frames(self) -> dict[str, pl.DataFrame]:
        pairs = pl.DataFrame(self._names, schema={"name": pl.String(), "spots": pl.UInt32()}, orient="row")
        names = pairs.group_by("name").agg(pl.col("spots").sort()).sort("name")
        areas = [self._cities, list_state_words(self._states, self._streets), *self._areas]
        lines = ["\n".join(sorted(filter(None, map(name_words, phrases)))) for phrases in areas]
        kinds = {"lat": pl.Float64(), "lng": pl.Float64(), "area": pl.UInt32(), "is_placed": pl.UInt8()}
        return {
            SPOTS: pl.DataFrame(self._spots, schema={**kinds, "zip": pl.String()}, orient="row"),
            SPOT_NAMES: pl.DataFrame([*make_texts(names["name"]), names["spots"]]),
            SPOT_AREAS: pl.DataFrame({"phrases": lines}),
        }
