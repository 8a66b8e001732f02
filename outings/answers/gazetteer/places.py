"""What a listing's document says of where it is: names, an address, corners."""

import re
from collections.abc import Iterator

from msgspec import Struct

from outings.answers.gazetteer.streets import Words, fold_words, is_street, leave_kind, list_corners

# "Upper Terrace (in Bryant Park)" names two places.
_INSIDE = re.compile(r"\s*\((?:in|at|inside)\s+(.+)\)\s*")
_NUMBERED = re.compile(r"\s*\d")


class DocumentLocation(Struct, frozen=True, kw_only=True):
    """Of a document's `location`, what is read here."""

    address: str | None = None
    street_address: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    neighborhood: str | None = None


class PlacedDocument(Struct, frozen=True, kw_only=True):
    """Of a document, what is read here."""

    type: str
    name: str
    location: DocumentLocation


def list_names(document: PlacedDocument) -> Iterator[Words]:
    """Of a place its own, with what stands before a colon ("Forest Park: tennis court"); of all, those that the
    address begins with."""
    if document.type == "place":
        yield fold_words(document.name)
        area, colon, _ = document.name.partition(":")
        if colon:
            yield fold_words(area)
    first, *others = _split_pieces(document.location.address)
    # A place's address of one piece is its city.
    if first and (others or document.type != "place") and not _NUMBERED.match(first) and not is_street(first):
        if inside := _INSIDE.search(first):
            yield fold_words(inside[1])
        yield fold_words(_INSIDE.sub("", first))


def list_addresses(document: PlacedDocument) -> Iterator[Words]:
    """House number and street; without its kind too, where that says enough."""
    for text in (document.location.street_address, _split_pieces(document.location.address)[0]):
        if text and _NUMBERED.match(text) and not list_corners(text):
            words = fold_words(text)
            yield words
            if short := leave_kind(words):
                yield short


def list_crossings(document: PlacedDocument) -> Iterator[tuple[Words, Words]]:
    """Each corner in one order of its streets."""
    address = document.location.address or ""
    # The city stands last, and no street is named as one.
    head, comma, last = address.rpartition(",")
    for one, other in list_corners(head if comma and not is_street(last) else address):
        yield (one, other) if one <= other else (other, one)


def list_cities(document: PlacedDocument) -> Iterator[Words]:
    """What may stand behind it in an address: its city, and what its own address ends with."""
    for text in (document.location.city, *_split_ends(document)):
        if text:
            yield fold_words(text)


def is_placed(document: PlacedDocument) -> bool:
    """Whether its address says more than a name or a street: else nothing speaks against a city of the metro's."""
    return bool(_split_ends(document))


def _split_ends(document: PlacedDocument) -> list[str]:
    """Behind the first piece of its address; of a place also the only one, where that is its city."""
    first, *others = _split_pieces(document.location.address)
    is_city = document.type == "place" and not _NUMBERED.match(first) and not is_street(first)
    return others or ([first] if first and is_city else [])


def _split_pieces(address: str | None) -> list[str]:
    return [piece.strip() for piece in (address or "").split(",")]
