"""A row: one listing or organization of a metro as the next release will hold it, before it is numbered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from outings.contract.vocabulary import WEEKDAYS
from pipeline.dates.occurrences import Occurrences

# The type word of a row, in the order in which rows are numbered and rendered.
KINDS = ("event", "class", "camp", "place", "organization")


class Row(Struct, kw_only=True):
    """`columns`: the table's columns but for `row`, the document's place and the stamps.

    A row made from a feed has `members` (the public struct, without stamps); one carried over from an earlier
    release has the `document` and `hash` that it had there, and no members. `happenings` are tuples in the column
    order of its type's table without `row`; an event has `occurrences` instead, by columns, for there are millions.
    `origin`: the hash of all that it was made of; None where it has to be made anew whatever that is.
    """

    kind: str
    columns: dict[str, Any]
    members: Any = None
    document: bytes | None = None
    hash: bytes | None = None
    created_at: int | None = None
    happenings: Sequence[tuple[Any, ...]] = ()
    occurrences: Occurrences | None = None
    origin: bytes | None = None

    @property
    def id(self) -> str:
        return str(self.columns["id"])


class Stay(Struct, frozen=True, kw_only=True, eq=False):
    """A listing that stays what it was in the release before, but maybe for the dates that are in sight by now.

    `beyond`: with these, the columns of the first that is not."""

    id: str
    origin: bytes | None
    occurrences: Occurrences | None = None
    beyond: Mapping[str, int | None] = {}


def pack_bits(words: Iterable[str], vocabulary: Sequence[str]) -> int:
    """The bit set of `words`: bit i is the i-th word of the vocabulary."""
    bits = 0
    for word in words:
        bits |= 1 << vocabulary.index(word)
    return bits


def unpack_bits(bits: int, vocabulary: Sequence[str]) -> Iterator[str]:
    """The words of a bit set."""
    return (word for number, word in enumerate(vocabulary) if bits >> number & 1)


def pack_weekdays(days: Iterable[str]) -> int | None:
    """A bit set over weekdays, None when no day is stated."""
    return pack_bits(days, WEEKDAYS) or None


def parse_clock(text: str | None) -> int | None:
    """`HH:MM:SS` → seconds of the day."""
    if text is None:
        return None
    hours, minutes, seconds = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds)
