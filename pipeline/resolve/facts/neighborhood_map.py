"""Read a metro's file of neighborhoods, with the problems found in it, and draw it for the map of the pages."""

from operator import itemgetter
from pathlib import Path

import orjson
import polars as pl
import shapely
from msgspec import structs

from outings.release.tables import NEIGHBORHOODS, make_schema
from pipeline.fetch.source import FeedError, name_neighborhoods, read_file
from pipeline.records.record import Problem
from pipeline.resolve.facts.geography import GeographyError, Neighborhoods, read_neighborhoods

# Degrees: about 50 m, a pixel of a map that shows a city. Coordinates to 4 decimals, 11 m. Of Seattle's 90 and New
# York's 262 polygons 12 and 44 kB are left after gzip.
_TOLERANCE = 5e-4
_DECIMALS = 4


def read_metro_neighborhoods(metro: str, path: Path | None) -> tuple[Neighborhoods, tuple[Problem, ...]]:
    """Read the neighborhoods and their problems, both empty without a file. Raises `FeedError`."""
    if path is None:
        return Neighborhoods({}), ()
    source = name_neighborhoods(metro)
    try:
        neighborhoods, wrong = read_neighborhoods(read_file(path, source=source))
    except GeographyError as error:
        raise FeedError(source, str(path), str(error)) from error
    problems = [
        Problem(feed=source, file=path.name, line=0, source_id=None, field=None, reason=reason, quarantined=False)
        for reason in wrong
    ]
    return neighborhoods, tuple(problems)


def tabulate_neighborhoods(neighborhoods: Neighborhoods) -> pl.DataFrame:
    rows = sorted((structs.asdict(neighborhood) for neighborhood in neighborhoods), key=lambda row: str(row["slug"]))
    return pl.DataFrame(rows, schema=make_schema(NEIGHBORHOODS))


def draw_outlines(neighborhoods: Neighborhoods) -> bytes:
    """Return the polygons as GeoJSON, simplified together so that neighbors keep a common border: first those with the
    largest inner circle. The property `at` is the circle's center, [latitude, longitude]."""
    features = []
    for neighborhood, shape in zip(
        neighborhoods, shapely.coverage_simplify(neighborhoods.shapes, _TOLERANCE), strict=True
    ):
        parts = shapely.get_parts(shape)
        areas = shapely.area(parts)
        drawn = shapely.multipolygons(parts[areas >= min(areas.max(initial=0), _TOLERANCE**2 * 10)])
        widest = shapely.maximum_inscribed_circle(drawn, _TOLERANCE)
        lng, lat = shapely.get_coordinates(widest)[0].round(_DECIMALS).tolist()
        geometry = orjson.loads(shapely.to_geojson(shapely.transform(drawn, lambda degrees: degrees.round(_DECIMALS))))
        properties = {"name": neighborhood.name, "at": [lat, lng]}
        feature = {"type": "Feature", "properties": properties, "geometry": geometry}
        features.append((-shapely.length(widest), neighborhood.name, feature))
    features.sort(key=itemgetter(0, 1))
    return orjson.dumps({"type": "FeatureCollection", "features": [feature for _, _, feature in features]})
