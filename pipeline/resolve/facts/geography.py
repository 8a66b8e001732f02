"""Neighborhoods of a metro: named polygons, with a search for the polygon that contains a point."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import orjson
import shapely
from msgspec import Struct
from shapely.geometry.base import BaseGeometry

from outings.contract.text import fold_text
from pipeline.resolve.facts.slugs import SlugRequest, assign_slugs

# Where cities write a neighborhood's name, without case; the first that a feature has is read.
NAME_PROPERTIES = ("name", "neighborhood", "neighbourhood", "ntaname", "nta_name", "s_hood", "nhood", "label")

# Six decimals of a degree are a tenth of a metre.
_DECIMALS = 6


class GeographyError(ValueError):
    """The bytes are not a GeoJSON FeatureCollection; the message says what they are."""


class Neighborhood(Struct, frozen=True, kw_only=True):
    """A neighborhood. `key`: the name without case, accents and punctuation; `lat` and `lng`: the center in degrees, or
    another point inside if the center is outside; `south` to `east`: the bounding box."""

    slug: str
    name: str
    key: str
    lat: float
    lng: float
    south: float
    west: float
    north: float
    east: float


class Neighborhoods:
    """The neighborhoods of one metro, sorted by area, then name. If several contain a point, the smallest wins."""

    def __init__(self, shapes: Mapping[str, BaseGeometry]) -> None:
        """Index valid polygons, given by name."""
        ordered = sorted(shapes.items(), key=lambda item: (shapely.area(item[1]), item[0]))
        requests = [SlugRequest(id=name, type="neighborhood", name=name) for name, _ in ordered]
        slugs = assign_slugs(requests, previous={})
        self._all = [_describe_shape(name, shape, slug=slugs[name]) for name, shape in ordered]
        self.shapes = np.array([shape for _, shape in ordered], dtype=object)
        shapely.prepare(self.shapes)
        self._wests, self._souths, self._easts, self._norths = shapely.bounds(self.shapes).reshape(-1, 4).T
        self._named = {
            word: neighborhood for neighborhood in reversed(self._all) for word in (neighborhood.key, neighborhood.slug)
        }
        # Many listings are at the same point.
        self.find = cache(self._find)

    def __iter__(self) -> Iterator[Neighborhood]:
        return iter(self._all)

    def _find(self, lat: float, lng: float) -> Neighborhood | None:
        """Return the neighborhood of a point, or None. A point on the boundary counts as inside."""
        # By bounding boxes, then by prepared polygons. A tree and a point as an object would take twice as long.
        is_near = (self._wests <= lng) & (lng <= self._easts) & (self._souths <= lat) & (lat <= self._norths)
        near = np.flatnonzero(is_near)
        containing = near[shapely.intersects_xy(self.shapes[near], lng, lat)]
        return self._all[containing[0]] if containing.size else None

    def find_named(self, text: str) -> Neighborhood | None:
        """Find a neighborhood by slug, or by name without case, accents and punctuation."""
        return self._named.get(text) or self._named.get(fold_text(text))


def read_neighborhoods(content: bytes) -> tuple[Neighborhoods, tuple[str, ...]]:
    """Parse GeoJSON. Return the neighborhoods, and a line for each feature repaired or left out. Raises GeographyError.

    Features with the same name form one neighborhood.
    """
    problems: list[str] = []
    shapes: dict[str, BaseGeometry] = {}
    names: dict[str, str] = {}
    for number, feature in enumerate(_decode_features(content), 1):
        name = _find_name(feature)
        shape = _read_shape(feature, problems, where=f"feature {number} ({name})" if name else f"feature {number}")
        if name is None and shape is not None:
            problems.append(f"feature {number} has no name: none of {', '.join(NAME_PROPERTIES)} among its properties")
        elif name is not None and shape is not None:
            first = names.setdefault(fold_text(name), name)
            shapes[first] = shapely.union(shapes[first], shape) if first in shapes else shape
    return Neighborhoods(shapes), tuple(problems)


def _decode_features(content: bytes) -> list[Any]:
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise GeographyError(f"no JSON: {error}") from error
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(features, list):
        kind = document.get("type") if isinstance(document, dict) else type(document).__name__
        raise GeographyError(f"expected a GeoJSON FeatureCollection with features, not {kind!r}")
    return features


def _find_name(feature: Any) -> str | None:
    properties = feature.get("properties") if isinstance(feature, dict) else None
    if not isinstance(properties, dict):
        return None
    by_name = {key.casefold(): value for key, value in properties.items()}
    for key in NAME_PROPERTIES:
        value = by_name.get(key)
        if isinstance(value, str) and fold_text(value):
            return " ".join(value.split())
    return None


def _read_shape(feature: Any, problems: list[str], *, where: str) -> BaseGeometry | None:
    geometry = feature.get("geometry") if isinstance(feature, dict) else None
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind not in ("Polygon", "MultiPolygon"):
        problems.append(f"{where} is left out: its geometry is {kind!r}, not a Polygon or MultiPolygon")
        return None
    try:
        shape = shapely.from_geojson(orjson.dumps(geometry))
    except shapely.errors.ShapelyError as error:
        problems.append(f"{where} is left out: {error}")
        return None
    west, south, east, north = shapely.bounds(shape).tolist()
    if not (-180 <= west <= east <= 180 and -90 <= south <= north <= 90):
        problems.append(f"{where} is left out: its coordinates are not longitudes and latitudes in degrees")
        return None
    if shapely.is_valid(shape):
        return shape
    reason = shapely.is_valid_reason(shape)
    # A repair leaves lines and points where a polygon had no width.
    parts = shapely.get_parts(shapely.make_valid(shape), return_index=False)
    repaired = shapely.union_all([part for part in parts if part.area > 0])
    if repaired.is_empty:
        problems.append(f"{where} is left out: {reason}")
        return None
    problems.append(f"{where} was repaired: {reason}")
    return repaired


def _describe_shape(name: str, shape: BaseGeometry, *, slug: str) -> Neighborhood:
    center = shapely.centroid(shape)
    if not shapely.intersects(shape, center):
        center = shapely.point_on_surface(shape)
    lat, lng, *box = (round(degrees, _DECIMALS) for degrees in (center.y, center.x, *shapely.bounds(shape).tolist()))
    bounds = dict(zip(("west", "south", "east", "north"), box, strict=True))
    return Neighborhood(slug=slug, name=name, key=fold_text(name), lat=lat, lng=lng, **bounds)
