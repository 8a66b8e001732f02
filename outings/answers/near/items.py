"""An item near a point: what it shows of its listing, with where it is from there and when it begins."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from outings.answers.near.parts import ID_BYTES, open_parts
from outings.answers.near.starts import Start
from outings.answers.snapshot.reader import SnapshotReader
from outings.configuration import read_zone
from outings.contract.instants import format_instant, format_local
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.mapped_table import NEVER

# Starts that are kept as they are written: most begin at the same few hours, and writing one takes 10 µs.
_STARTS = 8_192
_encoder = msgspec.json.Encoder()
# By type: how an item begins, and how its links do.
_BEGINNINGS = [b'{"type":"%b","id":"' % name.encode() for name in TYPES]
_LINKS = [b',"links":{"self":"/v1/%b/' % COLLECTIONS[name].encode() for name in TYPES]


def encode_items(
    reader: SnapshotReader,
    rows: Sequence[int],
    *,
    codes: Sequence[int],
    metres: Sequence[int],
    starts: Sequence[tuple[int, int | None]],
) -> Iterator[bytes]:
    """`NearbyItem` of each row, with the number of its type; `starts` by the local clock and, of an event, in seconds
    since 1970."""
    read_parts = reader.open_index(open_parts).read_parts
    for row, code, distance, (local, instant) in zip(rows, codes, metres, starts, strict=True):
        parts = read_parts(row)
        start = _encode_start(local, instant, parts.timezone)
        # Parts lie in mapped files: joined, each is copied once.
        yield b"".join(
            (
                _BEGINNINGS[code], parts.head, b',"distance_m":%d,' % distance, start, b",", parts.place, b",",
                parts.facts, b',"image_url":', parts.image_url, _LINKS[code], parts.head[:ID_BYTES], b'"}}',
            )
        )  # fmt: skip


@lru_cache(maxsize=_STARTS)
def _encode_start(local: int, instant: int | None, timezone: bytes) -> bytes:
    """The members that say it."""
    zone = timezone.decode() or None
    starts_local, starts_at, _ = format_start(Start(local, instant), zone)
    return _encoder.encode({"starts_at": starts_at, "starts_local": starts_local, "timezone": zone})[1:-1]


def round_metres(metres: NDArray[np.float64]) -> list[int]:
    """Half up."""
    return [int(each) for each in np.floor(metres + 0.5)]


@lru_cache(maxsize=_STARTS)
def format_start(start: Start, timezone: str | None) -> tuple[str | None, str | None, str | None]:
    """`starts_local`, `starts_at` and `ends_local`; of what states no time zone, no instant is known."""
    if start.local == NEVER:
        return None, None, None
    local = datetime.fromtimestamp(start.local, UTC).replace(tzinfo=None)
    ends = None if start.ends is None else format_local(datetime.fromtimestamp(start.ends, UTC).replace(tzinfo=None))
    if start.instant is not None:
        return format_local(local), format_instant(start.instant), ends
    # In a fold the first, in a gap by the offset before it: as the zone has it.
    instant = None if timezone is None else format_instant(local.replace(tzinfo=read_zone(timezone)))
    return format_local(local), instant, ends
