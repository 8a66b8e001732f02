"""What a document says that it is."""

import msgspec
from msgspec import Struct


class _Identity(Struct, frozen=True):
    id: str
    type: str


class NamedDocument(Struct, frozen=True):
    """The members that every answer takes from a document of which it shows a part."""

    id: str
    type: str
    slug: str
    name: str


_decode = msgspec.json.Decoder(_Identity).decode


def read_id(document: bytes) -> tuple[str, str]:
    """Type and id."""
    listing = _decode(document)
    return listing.type, listing.id
