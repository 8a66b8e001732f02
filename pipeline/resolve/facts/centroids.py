"""Read the deployment's file of postal codes: a CSV with `code` (or `zip`), `lat` and `lng` (or `lon`)."""

import csv
import io
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from outings.contract.resources.directories import Bounds
from pipeline.fetch.source import FeedError, read_file

# Degrees around a metro's bounds: codes there belong to the metro too.
_MARGIN = 0.5
_SOURCE = "zip centroids"
_NAMES = {"zip": ("zip", "code"), "lat": ("lat",), "lng": ("lng", "lon")}


class Centroid(Struct, frozen=True):
    zip: str
    lat: float
    lng: float


def read_centroids(path: Path | None, bounds: Bounds) -> tuple[Centroid, ...]:
    """Return the centroids of a metro by their code; none without a file. If a code comes twice, the last one counts.
    Raises FeedError if the file can't be read, or a line has no valid point."""
    if path is None:
        return ()
    parsed = _parse(read_file(path, source=_SOURCE), str(path))
    centroids = {centroid.zip: centroid for centroid in parsed if _is_near(centroid, bounds)}
    return tuple(centroids[code] for code in sorted(centroids))


@lru_cache(maxsize=1)
def _parse(data: bytes, path: str) -> tuple[Centroid, ...]:
    """Parse the file, once for all metros of a build."""
    try:
        rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
        named = rows.fieldnames or ()
        columns = {}
        for name, own in _NAMES.items():
            if not (matches := [column for column in own if column in named]):
                raise FeedError(_SOURCE, path, f"has no column {' or '.join(own)}; it has {', '.join(named)}")
            columns[name] = matches[0]
        return tuple(_read_rows(rows, columns, path))
    except (UnicodeDecodeError, csv.Error) as error:
        raise FeedError(_SOURCE, path, f"is not CSV in UTF-8: {error}") from error


def _read_rows(rows: "csv.DictReader[str]", columns: Mapping[str, str], path: str) -> Iterator[Centroid]:
    for row in rows:
        code, lat, lng = ((row[columns[name]] or "").strip() for name in ("zip", "lat", "lng"))
        if code and not lat and not lng:
            continue  # lists of a whole country have codes without a location, such as those of ships
        try:
            centroid = Centroid(code, float(lat), float(lng))
        except ValueError:
            raise FeedError(
                _SOURCE, path, f"line {rows.line_num}: lat {lat!r} or lng {lng!r} is not a number"
            ) from None
        if not code or not (abs(centroid.lat) <= 90 and abs(centroid.lng) <= 180):
            raise FeedError(
                _SOURCE, path, f"line {rows.line_num}: {centroid} is not on Earth; allowed: a postal code and degrees"
            )
        yield centroid


def _is_near(centroid: Centroid, bounds: Bounds) -> bool:
    """Return True if the centroid is within the bounds and a margin. Works across the date line."""
    width = (bounds.east - bounds.west) % 360
    east = (centroid.lng - (bounds.west - _MARGIN)) % 360
    return bounds.south - _MARGIN <= centroid.lat <= bounds.north + _MARGIN and east <= width + 2 * _MARGIN
