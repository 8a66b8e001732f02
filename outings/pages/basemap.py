"""Read what the pages have to know of a PMTiles file, version 3: how near it goes, and whose data it is."""

import gzip
import hashlib
import html
import re
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from outings.release.site import Basemap

_HEAD_BYTES = 127
_MVT = 1
_UNPACK: Mapping[int, Callable[[bytes], bytes]] = {1: bytes, 2: gzip.decompress}
# A file is in memory as a whole when it is published. A city with its streets has 20 to 80 MB.
_MOST_BYTES = 500_000_000
_MOST_METADATA = 1_000_000


def read_basemap(path: Path) -> Basemap:
    """Describe the file. Raises OSError, and ValueError for a file of another kind."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        if len(head) < _HEAD_BYTES or head[:8] != b"PMTiles\x03":
            raise ValueError("it is no PMTiles file of version 3")
        place, length = struct.unpack_from("<QQ", head, 24)
        packing, _, kind, _, zoom = head[97:102]
        if kind != _MVT:
            raise ValueError("its tiles are no vector tiles")
        size = path.stat().st_size
        if size > _MOST_BYTES:
            raise ValueError(f"it has {size:,} bytes; allowed: {_MOST_BYTES:,}. `pmtiles extract` cuts out a city")
        if length > min(_MOST_METADATA, size) or packing not in _UNPACK:
            raise ValueError("its metadata can't be read")
        file.seek(place)
        credit = _read_credit(_UNPACK[packing](file.read(length)))
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Basemap(object=digest, size=size, zoom=zoom, credit=credit)


def _read_credit(metadata: bytes) -> str:
    """Return the attribution as text: it is HTML in the file."""
    try:
        stated = msgspec.json.decode(metadata, type=dict[str, object]).get("attribution")
    except msgspec.DecodeError:
        return ""
    return html.unescape(re.sub(r"<[^>]*>", "", stated)).strip() if isinstance(stated, str) else ""
