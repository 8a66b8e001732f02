"""A map of how many listings lie where: square cells over the part of the city that has nearly all of them."""

from collections.abc import Sequence
from math import cos, log1p, radians, sqrt

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

# Cells from west to east: the more listings, the finer. At 320 px the finest are 4 px wide, enough to be seen.
_FEWEST, _MOST = 16, 64
# From few to many, each a shade of the map.
LEVELS = 5
# Of the coordinates this share at each end is left out: one wrong address would make the map one dot.
_TAIL = 0.01
_SMALLEST = 0.01  # degrees
_MARGIN = 0.04


class Marker(Struct, frozen=True):
    """The number of a place, in cells from the north-western corner. `is_east`: there is no room to the right of it."""

    number: int
    x: float
    y: float
    is_east: bool


class DensityMap(Struct, frozen=True, kw_only=True):
    """`paths`: of each level the cells as the outline of an SVG path, one unit a cell, north up; empty where there are
    none. `most` is the count of the fullest cell, `outside` how many listings lie off the map."""

    columns: int
    rows: int
    paths: tuple[str, ...]
    most: int
    located: int
    outside: int
    markers: tuple[Marker, ...]


def draw_density(
    lats: NDArray[np.float64], lngs: NDArray[np.float64], *, places: Sequence[tuple[float, float] | None] = ()
) -> DensityMap | None:
    """None where no listing has coordinates. `places` are numbered from 1 in their order, those on the map."""
    if not lats.size:
        return None
    south, north = _find_extent(lats)
    west, east = _find_extent(lngs)
    columns = min(max(round(sqrt(lats.size)), _FEWEST), _MOST)
    step = (east - west) / columns
    tall = step * cos(radians((south + north) / 2))
    rows = min(max(round((north - south) / tall), columns // 2), columns * 2)
    tall = (north - south) / rows
    across, down = np.floor((lngs - west) / step), np.floor((north - lats) / tall)
    inside = (across >= 0) & (across < columns) & (down >= 0) & (down < rows)
    cells, counts = np.unique((down[inside] * columns + across[inside]).astype(np.int64), return_counts=True)
    most = int(counts.max(initial=0))
    paths = [""] * LEVELS
    for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
        paths[_find_level(count, most)] += f"M{cell % columns} {cell // columns}h1v1h-1z"
    outside = lats.size - int(counts.sum())
    markers = (
        Marker(
            number,
            round((place[1] - west) / step, 1),
            round((north - place[0]) / tall, 1),
            is_east=place[1] > east - (east - west) / 12,
        )
        for number, place in enumerate(places, start=1)
        if place is not None and south < place[0] < north and west < place[1] < east
    )
    return DensityMap(
        columns=columns, rows=rows, paths=tuple(paths), most=most, located=lats.size, outside=outside,
        markers=tuple(markers),
    )  # fmt: skip


def _find_level(count: int, most: int) -> int:
    """The shade of a cell, on a logarithmic scale: each doubling of the count adds about the same."""
    return min(int(LEVELS * log1p(count) / log1p(most)), LEVELS - 1) if most else 0


def _find_extent(degrees: NDArray[np.float64]) -> tuple[float, float]:
    low, high = (float(each) for each in np.quantile(degrees, [_TAIL, 1 - _TAIL], method="nearest"))
    spare = max((high - low) * _MARGIN, (_SMALLEST - (high - low)) / 2, 1e-9)
    return low - spare, high + spare
