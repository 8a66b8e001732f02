"""A class listing as a compact card, read out of its document: what `sessions` of its program's card shows."""

import msgspec
from msgspec import Struct

from outings.contract.resources.shared import Ages, CompactCard, PlaceReference, Price, Term
from outings.contract.resources.words import Clock

_START_OF_DAY = "00:00:00"


class _Schedule(Struct, frozen=True):
    start_time: Clock | None
    timezone: str | None


class _Section(Struct, frozen=True):
    term: Term
    schedule: _Schedule


class _Document(Struct, frozen=True):
    """The members that a card takes from a class."""

    id: str
    type: str
    slug: str
    name: str
    place: PlaceReference | None
    price: Price
    ages: Ages
    categories: tuple[str, ...]
    image_url: str | None
    term: Term
    schedule: _Schedule
    sections: tuple[_Section, ...]


_decoder = msgspec.json.Decoder(_Document)
_encoder = msgspec.json.Encoder()


def encode_card(document: bytes) -> bytes:
    """`document`: a class's, as stored."""
    listing = _decoder.decode(document)
    return _encoder.encode(
        CompactCard(
            id=listing.id,
            type=listing.type,
            slug=listing.slug,
            name=listing.name,
            starts_local=_find_start(listing),
            timezone=listing.schedule.timezone,
            place=listing.place,
            price=listing.price,
            ages=listing.ages,
            categories=listing.categories,
            image_url=listing.image_url,
            links={"self": f"/v1/classes/{listing.id}"},
        )
    )


def _find_start(listing: _Document) -> str | None:
    """The term's first day at the stated time, else its first section's; a day without a time begins at midnight.

    Not the next meeting: a card says of a listing what its own page says.
    """
    parts: tuple[_Document | _Section, ...] = (listing, *listing.sections)
    starts = [(each.term.starts_on, each.schedule.start_time) for each in parts]
    stated = [f"{day.isoformat()}T{clock or _START_OF_DAY}" for day, clock in starts if day is not None]
    if listing.term.starts_on is not None:
        return stated[0]
    return min(stated, default=None)
