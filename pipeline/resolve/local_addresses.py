"""Find the points of addresses among a metro's own records."""

from collections import Counter
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from outings.answers.gazetteer.address_finder import make_gazetteer
from outings.answers.gazetteer.listing_points import ListingAddress
from outings.contract.languages.language import Language
from outings.contract.resources.directories import Center
from outings.release.manifest import MetroSettings
from pipeline.clean.feed_read import SpooledRecord
from pipeline.resolve.addresses import AddressBook, AddressSearch, Point, name_address, read_placed, write_address
from pipeline.resolve.facts.centroids import Centroid
from pipeline.resolve.facts.geography import Neighborhoods


def search_addresses(
    entries: Iterable[SpooledRecord],
    metro: MetroSettings,
    language: Language,
    *,
    neighborhoods: Neighborhoods,
    centroids: Iterable[Centroid],
    book: AddressBook,
) -> AddressSearch:
    """Find the addresses among places, houses and corners that records state with coordinates, else among the metro's
    neighborhoods and postal codes. An address with a house number never gets the middle of its postal code."""
    placed: dict[object, tuple[ListingAddress, float, float]] = {}
    texts: dict[str, str] = {}
    uses: dict[str, Counter[str]] = {}
    for entry in entries:
        record = read_placed(entry.data)
        location = record.location
        if location is None or entry.head.status != "published":
            continue
        if location.lat is not None and location.lng is not None:
            listing = ListingAddress(
                type=record.type, name=record.name, place_name=record.place.name if record.place else None,
                address=location.address, street_address=location.street_address, city=location.city,
                state=location.state, zip=location.zip, neighborhood=location.neighborhood,
            )  # fmt: skip
            key = listing if record.type == "place" else replace(listing, name="")
            placed.setdefault((msgspec.msgpack.encode(key), location.lat), (listing, location.lat, location.lng))
        elif (address := name_address(location)) is not None:
            texts.setdefault(address, write_address(location))
            uses.setdefault(entry.head.feed, Counter())[address] += 1
    middles = {one.name: Center(lat=one.lat, lng=one.lng) for one in neighborhoods}
    codes = {centroid.zip: (centroid.lat, centroid.lng) for centroid in centroids}
    gazetteer = make_gazetteer(metro, language, placed.values(), middles=middles)
    points: dict[str, Point] = {}
    for address, text in texts.items():
        if (match := gazetteer.find_address(text)) is not None:
            points[address] = (match.lat, match.lng)
        elif text in codes:
            points[address] = codes[text]
    missing = {address: text for address, text in texts.items() if address not in points}
    return AddressSearch(points=points, missing=missing, uses=uses, book=book)
