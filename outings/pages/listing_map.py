"""Draw the small map on a listing's page: the neighborhoods around its point, as SVG without script."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import msgspec

# In units of the drawing, which are pixels where the page is wide.
WIDTH, HEIGHT = 480, 240
_METRES = 5000
_METRES_OF_A_DEGREE = 111_320
# Room for a name: of a letter, of a line, and around the point.
_LETTER, _LINE, _DOT = 8, 18, 14

Point = tuple[float, float]


class MapArea(NamedTuple):
    """A neighborhood on the map. `path`: SVG's own; `at`: the middle of its name, None if the name has no room."""

    name: str
    path: str
    at: tuple[int, int] | None


class _Ring(NamedTuple):
    """A closed line of longitudes and latitudes, with its bounds."""

    points: Sequence[Point]
    west: float
    east: float
    south: float
    north: float


# As many metros: to decode New York takes 7 ms.
@lru_cache(8)
def _read_rings(outlines: bytes) -> list[tuple[str, Point, list[_Ring]]]:
    """Return each neighborhood's name, the latitude and longitude of its middle, and its rings."""
    features = msgspec.json.decode(outlines)["features"]
    return [
        (
            feature["properties"]["name"],
            feature["properties"]["at"],
            [_bound(ring) for polygon in feature["geometry"]["coordinates"] for ring in polygon],
        )
        for feature in features
    ]


def _bound(points: Sequence[Point]) -> _Ring:
    lngs, lats = zip(*points, strict=True)
    return _Ring(points, min(lngs), max(lngs), min(lats), max(lats))


def draw_areas(outlines: bytes, lat: float, lng: float) -> list[MapArea]:
    """Return the neighborhoods of the metro's GeoJSON that are around a point, which is the middle of the map."""
    scale = WIDTH / _METRES * _METRES_OF_A_DEGREE
    narrowing = math.cos(math.radians(lat))

    def project(point_lng: float, point_lat: float) -> tuple[int, int]:
        """Return the place on the map. Beyond its surroundings it is moved to their edge, which takes fewer bytes."""
        x, y = WIDTH / 2 + (point_lng - lng) * scale * narrowing, HEIGHT / 2 - (point_lat - lat) * scale
        return round(min(max(x, -WIDTH), 2 * WIDTH)), round(min(max(y, -HEIGHT), 2 * HEIGHT))

    half_height = HEIGHT / 2 / scale
    half_width = WIDTH / 2 / scale / narrowing
    areas = []
    taken = [_frame(WIDTH // 2, HEIGHT // 2, _DOT, _DOT)]
    for name, (own_lat, own_lng), rings in _read_rings(outlines):
        visible = [
            ring.points
            for ring in rings
            if abs(lng - min(max(lng, ring.west), ring.east)) < half_width
            and abs(lat - min(max(lat, ring.south), ring.north)) < half_height
        ]
        path = "".join(_draw_ring([project(*point) for point in points]) for points in visible)
        if path:
            x, y = project(own_lng, own_lat)
            frame = _frame(x, y, len(name) * _LETTER / 2, _LINE / 2)
            has_room = frame[0] >= 0 and frame[1] >= 0 and frame[2] <= WIDTH and frame[3] <= HEIGHT
            is_free = has_room and not any(_overlap(frame, other) for other in taken)
            if is_free:
                taken.append(frame)
            areas.append(MapArea(name, path, (x, y) if is_free else None))
    return areas


def _draw_ring(ring: Sequence[tuple[int, int]]) -> str:
    """Return a ring as a part of a path, in steps from point to point; empty if it is too small to be seen."""
    points = [point for at, point in enumerate(ring) if at == 0 or point != ring[at - 1]]
    steps = (f"{x - last_x} {y - last_y}" for (last_x, last_y), (x, y) in pairwise(points))
    return f"M{points[0][0]} {points[0][1]}l{' '.join(steps)}z" if len(points) > 3 else ""


def _frame(x: float, y: float, half_width: float, half_height: float) -> tuple[float, float, float, float]:
    return x - half_width, y - half_height, x + half_width, y + half_height


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
