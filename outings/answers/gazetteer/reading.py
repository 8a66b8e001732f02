"""An address as someone types it → what it names, and what it says of where that is."""

import re
import threading
from collections.abc import Iterator

import usaddress
from msgspec import Struct

from outings.answers.gazetteer.streets import Streets, Words

_ZIP = re.compile(r"(\d{5})(?:-\d{4})?")
# Up to the number behind a street's name.
_HOUSE = re.compile(r"[^\d,]+\d+[a-z]?\b", re.IGNORECASE)
_BEHIND = frozenset({"PlaceName", "StateName", "ZipCode", "CountryName"})
_INSIDE = frozenset({"OccupancyType", "OccupancyIdentifier", "SubaddressType", "SubaddressIdentifier"})
# The library's tagger is one for the process.
_tagging = threading.Lock()


class Reading(Struct, frozen=True, kw_only=True):
    """`head` is what is looked for, `tail` the words behind it (city, state), `zip` five digits."""

    head: str
    tail: Words
    streets: Streets
    zip: str | None = None

    @property
    def words(self) -> Words:
        return self.streets.fold_words(self.head)

    @property
    def corner(self) -> tuple[Words, Words] | None:
        names = self.streets.split_corner(self.head)
        return names if names is None or names[0] <= names[1] else (names[1], names[0])


def list_readings(address: str, streets: Streets) -> Iterator[Reading]:
    """The likeliest first: all of it as one name; as `usaddress` labels its parts, or cut behind the number of the
    house; cut at each comma."""
    address = streets.join_number(address)
    yield Reading(head=address, tail=(), streets=streets)
    if streets.labels == "usaddress":
        yield _label(address, streets)
    elif house := _HOUSE.match(address):
        yield _make_reading(house[0], address[house.end() :], streets)
    pieces = address.split(",")
    for count in range(len(pieces) - 1, 0, -1):
        yield _make_reading(",".join(pieces[:count]), " ".join(pieces[count:]), streets)


def read_zip(address: str) -> str | None:
    """Where it is a zip and nothing else."""
    match = _ZIP.fullmatch(address.strip())
    return match[1] if match else None


def _label(address: str, streets: Streets) -> Reading:
    """What comes before city, state and zip, without the unit in the house."""
    with _tagging:
        labelled = usaddress.parse(address)
    end = len(labelled)
    while end and labelled[end - 1][1] in _BEHIND:
        end -= 1
    head = " ".join(token for token, label in labelled[:end] if label not in _INSIDE)
    return _make_reading(head, " ".join(token for token, _ in labelled[end:]), streets)


def _make_reading(head: str, tail: str, streets: Streets) -> Reading:
    zips = _ZIP.findall(tail)
    behind = streets.fold_words(_ZIP.sub(" ", tail))
    return Reading(head=head.strip(" ,"), tail=behind, streets=streets, zip=zips[0] if zips else None)
