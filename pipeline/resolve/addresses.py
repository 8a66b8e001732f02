"""Find coordinates for addresses whose records state none: from other records, then from answers of a geocoding service
that a metro's release stores."""

import hashlib
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.contract.resources.shared import Location
from outings.contract.text import fold_text
from outings.release.manifest import FeedAccount
from outings.release.store import Store
from pipeline.clean.feed_read import SpooledRecord
from pipeline.records.record import Reference
from pipeline.resolve.delta_state import read_state
from pipeline.words import merge_words

# Latitude and longitude.
Point = tuple[float, float]
# Words in place of an address, which name no location.
_NOWHERE = frozenset({"tba", "tbd", "various", *merge_words("words")["online"]})
_HASH_BYTES = 16


class PlacedRecord(Struct, frozen=True, gc=False):
    """The members of a listing's record that say where it takes place."""

    type: str
    name: str = ""
    location: Location | None = None
    place: Reference | None = None


read_placed = msgspec.msgpack.Decoder(PlacedRecord).decode


class AddressBook(Struct, frozen=True, kw_only=True):
    """The answers of geocoding services for one metro, by a hash of the address, because an address may be somebody's
    home. `unknown`: for an address that was not found, the service that was asked."""

    points: Mapping[str, Point] = {}
    unknown: Mapping[str, str] = {}


class AddressSearch(Struct, frozen=True, kw_only=True):
    """The result of a search for a metro's addresses in its own records. Addresses are folded.

    Attributes:
        points: the coordinates of addresses that were found.
        missing: addresses that were not found, as they were written, in the order of the records.
        uses: how many records of each feed have each address.
        book: what geocoding services answered before.
    """

    points: Mapping[str, Point]
    missing: Mapping[str, str]
    uses: Mapping[str, Mapping[str, int]]
    book: AddressBook


class AddressPoints(Struct, frozen=True, kw_only=True):
    """The points of a metro's addresses, for its listings. `is_whole`: no address waits for a geocoding service."""

    points: Mapping[str, Point]
    book: bytes
    account: Mapping[str, FeedAccount]
    is_whole: bool


def read_location(entry: SpooledRecord) -> Location | None:
    return read_placed(entry.data).location


def name_address(location: Location | None) -> str | None:
    """Return the folded address of a location that states one and no coordinates, else None."""
    if location is None or location.lat is not None:
        return None
    return fold_text(write_address(location)) or None


def add_point(location: Location, points: Mapping[str, Point]) -> Location:
    """Return the location with the point of its address, if that is known."""
    point = points.get(name_address(location) or "") if points else None
    return location if point is None else replace(location, lat=point[0], lng=point[1])


def write_address(location: Location) -> str:
    """Write an address on one line, with the city, state and postal code unless it has them."""
    text = location.address or location.street_address or ""
    stated = f" {fold_text(text)} "
    behind = (location.city, location.state, location.zip) if stated.strip() else ()
    return ", ".join([text, *(part for part in behind if part and f" {fold_text(part)} " not in stated)])


def hash_address(address: str) -> str:
    return hashlib.sha256(address.encode()).digest()[:_HASH_BYTES].hex()


def list_questions(search: AddressSearch, *, provider: str) -> dict[str, str]:
    """Return the addresses to send to a service, as they were written, by their hash."""
    hashed = {hash_address(address): (address, text) for address, text in search.missing.items()}
    answered = {key for key, name in search.book.unknown.items() if name == provider} | search.book.points.keys()
    return {
        key: text
        for key, (address, text) in hashed.items()
        if key not in answered and "://" not in text and address not in _NOWHERE
    }


def settle_addresses(search: AddressSearch, book: AddressBook, *, waiting: Iterable[str]) -> AddressPoints:
    """Return the points of all addresses. `book`: all answers of services so far; `waiting`: hashes of addresses that
    are still to be sent to the service."""
    left = {*waiting}
    hashed = {address: hash_address(address) for address in search.missing}
    points = {**search.points}
    points |= {address: book.points[key] for address, key in hashed.items() if key in book.points}
    unasked = {address for address, key in hashed.items() if key in left}

    def count(used: Mapping[str, int]) -> FeedAccount:
        located = sum(number for address, number in used.items() if address in points)
        waits = sum(number for address, number in used.items() if address in unasked)
        return FeedAccount(located=located, unasked=waits, unlocated=sum(used.values()) - located - waits)

    return AddressPoints(
        points=points,
        book=msgspec.json.encode(book, order="sorted"),
        account={feed: count(used) for feed, used in search.uses.items()},
        is_whole=not left,
    )


def read_book(store: Store, sha: str | None) -> AddressBook:
    """Read the services' answers that a release stores; none if they are lost: then they are requested again."""
    data = read_state(store, sha)
    return AddressBook() if data is None else msgspec.json.decode(data, type=AddressBook)
