"""An address as someone types it → what it names, and what it says of where that is."""

import re
import threading
from collections.abc import Iterator

import usaddress
from msgspec import Struct

from outings.answers.gazetteer.streets import Words, fold_words, split_corner

_ZIP = re.compile(r"(\d{5})(?:-\d{4})?")
_BEHIND = frozenset({"PlaceName", "StateName", "ZipCode", "CountryName"})
_INSIDE = frozenset({"OccupancyType", "OccupancyIdentifier", "SubaddressType", "SubaddressIdentifier"})
# The library's tagger is one for the process.
_tagging = threading.Lock()


class Reading(Struct, frozen=True, kw_only=True):
    """`head` is what is looked for, `tail` the words behind it (city, state), `zip` five digits."""

    head: str
    tail: Words
    zip: str | None = None

    @property
    def words(self) -> Words:
        return fold_words(self.head)

    @property
    def corner(self) -> tuple[Words, Words] | None:
        found = split_corner(self.head)
        return found if found is None or found[0] <= found[1] else (found[1], found[0])


def list_readings(address: str) -> Iterator[Reading]:
    """The likeliest first: all of it as one name; as `usaddress` labels its parts; cut at each comma."""
    yield Reading(head=address, tail=())
    yield _label(address)
    pieces = address.split(",")
    for count in range(len(pieces) - 1, 0, -1):
        yield _make_reading(",".join(pieces[:count]), " ".join(pieces[count:]))


def read_zip(address: str) -> str | None:
    """Where it is a zip and nothing else."""
    found = _ZIP.fullmatch(address.strip())
    return found[1] if found else None


def _label(address: str) -> Reading:
    """What comes before city, state and zip, without the unit in the house."""
    with _tagging:
        labelled = usaddress.parse(address)
    end = len(labelled)
    while end and labelled[end - 1][1] in _BEHIND:
        end -= 1
    head = " ".join(token for token, label in labelled[:end] if label not in _INSIDE)
    return _make_reading(head, " ".join(token for token, _ in labelled[end:]))


def _make_reading(head: str, tail: str) -> Reading:
    zips = _ZIP.findall(tail)
    return Reading(head=head.strip(" ,"), tail=fold_words(_ZIP.sub(" ", tail)), zip=zips[0] if zips else None)
