"""A tiny base map of water and a street."""

import gzip
from math import asinh, pi, radians, tan
from pathlib import Path

from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import write

_EXTENT = 4096
ZOOMS = range(6, 12)


def write_basemap(path: Path, *, lat: float, lng: float) -> Path:
    """The tiles around a point, each with water in its west and a street: the page draws a tile as four."""
    tile = gzip.compress(make_tile(), mtime=0)
    named = []
    for zoom in ZOOMS:
        x = int((lng + 180) / 360 * 2**zoom)
        y = int((1 - asinh(tan(radians(lat))) / pi) / 2 * 2**zoom)
        named += [zxy_to_tileid(zoom, x + right, y + down) for right in (-1, 0, 1) for down in (-1, 0, 1)]
    degrees = {"min_lon_e7": lng - 1, "min_lat_e7": lat - 1, "max_lon_e7": lng + 1, "max_lat_e7": lat + 1}
    header = {
        "tile_type": TileType.MVT, "tile_compression": Compression.GZIP, "center_zoom": 10,
        "center_lon_e7": int(lng * 1e7), "center_lat_e7": int(lat * 1e7),
        **{name: int(value * 1e7) for name, value in degrees.items()},
    }  # fmt: skip
    with write(str(path)) as writer:
        for number in sorted(named):
            writer.write_tile(number, tile)
        writer.finalize(header, {"attribution": '<a href="https://example.org/">© The survey of &amp; for Harbor</a>'})
    return path


def make_tile() -> bytes:
    quarter = _EXTENT // 4
    water = make_layer("water", kind="ocean", shape=3, points=[(0, 0), (quarter, 0), (quarter, _EXTENT), (0, _EXTENT)])
    return water + make_layer("roads", kind="highway", shape=2, points=[(0, quarter), (_EXTENT, quarter)])


def make_layer(name: str, *, kind: str, shape: int, points: list[tuple[int, int]]) -> bytes:
    """A layer of one feature, as the vector tile specification has it."""
    steps: list[int] = []
    before = (0, 0)
    for number, point in enumerate(points):
        steps += [9] if number == 0 else [(len(points) - 1) << 3 | 2] if number == 1 else []
        steps += [zigzag(point[axis] - before[axis]) for axis in (0, 1)]
        before = point
    steps += [15] if shape == 3 else []
    feature = field(2, b"\0\0") + number_field(3, shape) + field(4, b"".join(map(varint, steps)))
    body = field(1, name.encode()) + field(2, feature) + field(3, b"kind") + field(4, field(1, kind.encode()))
    return field(3, body + number_field(5, _EXTENT) + number_field(15, 2))


def zigzag(number: int) -> int:
    return number << 1 ^ number >> 31


def varint(number: int) -> bytes:
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def number_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)
