"""An item near a point: what it shows of its listing's document, with where it is from there and when it begins."""

import weakref
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import Raw, Struct
from numpy.typing import NDArray

from outings.answers.near.starts import Start
from outings.answers.snapshot.reader import SnapshotReader
from outings.configuration import read_zone
from outings.contract.instants import format_instant, format_local
from outings.contract.resources.shared import Price
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.mapped_table import NEVER

# Parts of items made lately, of all metros together: 1,100 bytes each.
_PARTS = 16_384
# Starts that are kept as they are written: most begin at the same few hours, and writing one takes 10 µs.
_STARTS = 8_192
NULL = Raw(b"null")
_encoder = msgspec.json.Encoder()
NO_PRICE = Raw(_encoder.encode(Price()))


class ItemSchedule(Struct, frozen=True):
    timezone: str | None


class _Listing(Struct, frozen=True):
    """The members that an item takes from a listing, as they stand there."""

    id: Raw
    slug: Raw
    name: Raw
    location: Raw
    ages: Raw
    categories: Raw
    image_url: Raw
    place: Raw = NULL
    price: Raw = NO_PRICE
    timezone: str | None = None
    schedule: ItemSchedule | None = None


_decoder = msgspec.json.Decoder(_Listing)


class Parts(Struct, frozen=True):
    """`NearbyItem` as it is written, but for its distance and what follows it of its start."""

    head: bytes
    tail: bytes
    timezone: str | None


def list_parts(reader: SnapshotReader, rows: Sequence[int], codes: Sequence[int]) -> list[Parts]:
    """Of each row, with the number of its type."""
    of = reader.reference
    return [_read_parts(of, row, TYPES[code]) for row, code in zip(rows, codes, strict=True)]


@lru_cache(maxsize=_PARTS)
def _read_parts(of: "weakref.ref[SnapshotReader]", row: int, listing_type: str) -> Parts:
    """Cached: a listing is near many points, and near the same one again a minute later; each costs 10 µs."""
    reader = of()
    assert reader is not None
    return make_parts(reader.read_document(row), listing_type)


def make_parts(document: bytes, listing_type: str) -> Parts:
    """What stands in a document is put together as it is."""
    listing = _decoder.decode(document)
    row_id = bytes(listing.id)
    head = b'{"type":"%b","id":%b,"slug":%b,"name":%b,"distance_m":' % (
        listing_type.encode(), row_id, listing.slug, listing.name,
    )  # fmt: skip
    tail = b',"place":%b,"location":%b,"price":%b,"ages":%b,"categories":%b,"image_url":%b,"links":{"self":"%b"}}' % (
        listing.place, listing.location, listing.price, listing.ages, listing.categories, listing.image_url,
        b"/v1/%b/%b" % (COLLECTIONS[listing_type].encode(), row_id[1:-1]),
    )  # fmt: skip
    return Parts(head, tail, listing.timezone if listing.schedule is None else listing.schedule.timezone)


def encode_nearby(parts: Parts, *, distance_m: int, start: Start) -> bytes:
    return b"%b%d,%b%b" % (parts.head, distance_m, _encode_start(start, parts.timezone), parts.tail)


@lru_cache(maxsize=_STARTS)
def _encode_start(start: Start, timezone: str | None) -> bytes:
    """The members that say it."""
    starts_local, starts_at, _ = format_start(start, timezone)
    members = {"starts_at": starts_at, "starts_local": starts_local, "timezone": timezone}
    return _encoder.encode(members)[1:-1]


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
