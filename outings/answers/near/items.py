"""An item near a point: what it shows of its listing, with where it is from there and when it begins."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from outings.answers.near.parts import ItemParts
from outings.answers.near.starts import Start
from outings.configuration import read_zone
from outings.contract.instants import format_instant, format_local
from outings.release.mapped_table import NEVER

# Starts that are kept as they are written: most begin at the same few hours, and writing one takes 10 µs.
_STARTS = 8_192
_encoder = msgspec.json.Encoder()
# Of an item, with the comma before it.
_PIECES = 7


def list_pieces(
    parts: ItemParts,
    places: Iterable[int],
    *,
    metres: Sequence[int],
    starts: Sequence[tuple[int, int | None]],
) -> list[bytes | memoryview]:
    """`NearbyItem` of each place in the tiles, in pieces of JSON, each item with a comma before it: a page is joined
    once. `starts` by the local clock and, of an event, in seconds since 1970."""
    pieces: list[bytes | memoryview] = []
    if not metres:
        return pieces
    distances = _encoder.encode(metres)[1:-1].split(b",")
    views = parts.view_parts(places)
    for (head, text, facts, tail, timezone), distance, (local, instant) in zip(views, distances, starts, strict=True):
        pieces += (b",", head, distance, _encode_start(local, instant, timezone), text, facts, tail)
    return pieces


def join_items(pieces: Sequence[bytes | memoryview]) -> list[bytes]:
    """Each item by itself."""
    return [b"".join(pieces[at + 1 : at + _PIECES]) for at in range(0, len(pieces), _PIECES)]


def read_last(pieces: Sequence[bytes | memoryview]) -> tuple[str, str]:
    """Type and id of the last item, as its first two members say them."""
    _, _, _, listing_type, _, _, _, row_id, _ = bytes(pieces[1 - _PIECES]).split(b'"', 8)
    return listing_type.decode(), row_id.decode()


@lru_cache(maxsize=_STARTS)
def _encode_start(local: int, instant: int | None, timezone: bytes) -> bytes:
    """The members that say it, behind a comma."""
    zone = timezone.decode() or None
    starts_local, starts_at, _ = format_start(Start(local, instant), zone)
    members = {"starts_at": starts_at, "starts_local": starts_local, "timezone": zone}
    return b",%b" % _encoder.encode(members)[1:-1]


def round_metres(metres: NDArray[np.float64]) -> list[int]:
    """Half up."""
    rounded: list[int] = np.floor(metres + 0.5).astype(np.int64).tolist()
    return rounded


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
