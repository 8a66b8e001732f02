"""An item near a point: what it shows of its listing's document, with where it is from there and when it begins."""

from datetime import UTC, datetime
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import Raw, Struct
from numpy.typing import NDArray

from outings.answers.near.moments import Start
from outings.configuration import read_zone
from outings.contract.instants import format_instant, format_local
from outings.contract.resources.shared import Price
from outings.contract.vocabulary import COLLECTIONS
from outings.release.mapped import NEVER

# Starts that are kept as they are written: most begin at the same few hours, and writing one takes 10 µs.
_STARTS = 8_192
NULL = Raw(b"null")
_encoder = msgspec.json.Encoder()
NO_PRICE = Raw(_encoder.encode(Price()))


class Schedule(Struct, frozen=True):
    timezone: str | None


class Document(Struct, frozen=True):
    """The members that an item takes from a listing."""

    id: str
    type: str
    slug: str
    name: str
    location: Raw
    ages: Raw
    categories: Raw
    image_url: Raw
    place: Raw = NULL
    price: Raw = NO_PRICE
    timezone: str | None = None
    schedule: Schedule | None = None

    @property
    def zone(self) -> str | None:
        return self.timezone if self.schedule is None else self.schedule.timezone


class _Nearby(Struct, frozen=True, kw_only=True):
    """`NearbyItem` as it is written: what stands in a document is not read."""

    type: str
    id: str
    slug: str
    name: str
    distance_m: int
    starts_at: str | None
    starts_local: str | None
    timezone: str | None
    place: Raw
    location: Raw
    price: Raw
    ages: Raw
    categories: Raw
    image_url: Raw
    links: dict[str, str]


_decoder = msgspec.json.Decoder(Document)


def encode_nearby(document: bytes, *, distance_m: int, start: Start) -> bytes:
    listing = _decoder.decode(document)
    starts_local, starts_at, _ = format_start(start, listing.zone)
    return _encoder.encode(
        _Nearby(
            type=listing.type,
            id=listing.id,
            slug=listing.slug,
            name=listing.name,
            distance_m=distance_m,
            starts_at=starts_at,
            starts_local=starts_local,
            timezone=listing.zone,
            place=listing.place,
            location=listing.location,
            price=listing.price,
            ages=listing.ages,
            categories=listing.categories,
            image_url=listing.image_url,
            links={"self": f"/v1/{COLLECTIONS[listing.type]}/{listing.id}"},
        )
    )


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


def read_id(document: bytes) -> tuple[str, str]:
    """Type and id."""
    listing = _decoder.decode(document)
    return listing.type, listing.id
