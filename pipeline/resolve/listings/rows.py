"""A row: one listing or organization of a metro as the next release will hold it, before it is numbered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec import Struct

from outings.contract.vocabulary import WEEKDAYS
from outings.release.manifest import FeedAccount
from outings.release.tables import HAPPENINGS, TABLES
from pipeline.dates.recurrence import Occurrences
from pipeline.resolve.delta_state import NOTHING, DeltaState
from pipeline.resolve.foreign_organizations import ALONE, SharedState

# Sections and sessions are numbered in 16 bits.
_MOST_PARTS = 65_536


def _bound_integers(kind: str) -> tuple[int, int]:
    """Return the least and greatest integer of a type, such as `UInt8`. Polars would run a query to tell, and after a
    query no process may be forked."""
    bits = int(kind.removeprefix("U").removeprefix("Int"))
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind.startswith("Int") else (0, (1 << bits) - 1)


_BOUNDS = {
    name: {column: _bound_integers(kind) for column, kind in TABLES[name].items() if "Int" in kind}
    for name in ("listings", "organizations")
}

# Of each listing, what the next build is to know: the hash of what it was made of, null of one that is to be made anew;
# and what it links to, encoded, null of one that is not published or has no organization.
ORIGINS = {"origin": pl.Binary(), "links": pl.String()}


class Row(Struct, kw_only=True):
    """`columns`: the table's columns but for `row`, the document's place and the stamps.

    A row made from a feed has `members` (the public struct, without stamps); one carried over from an earlier
    release has the `document` and `hash` that it had there, and no members. `happenings` are tuples in the column
    order of its type's table without `row`; an event has `occurrences` instead, by columns, for there are millions.
    `origin`: the hash of all that it was made of; None where it has to be made anew whatever that is. `links`: what it
    links to, encoded; None where that is not known.
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
    links: str | None = None

    @property
    def id(self) -> str:
        return str(self.columns["id"])


class UnchangedListing(Struct, frozen=True, kw_only=True, eq=False, gc=False):
    """A listing that stays what it was in the release before, but maybe for the dates that are in sight by now.

    `moving`: with these, the columns that move with the day too."""

    id: str
    origin: bytes | None
    occurrences: Occurrences | None = None
    moving: Mapping[str, int | str | None] = {}


class Listings(Struct, frozen=True, kw_only=True, eq=False):
    """A metro's listings and organizations as the next release will have them: `rows` are made while they are read, and
    `stays` of the previous release are none of these. `neighborhoods`: their table; `outlines`:
    their polygons for the map, where there are pages.

    For the next build: `delta_state`, the records that it is to take as said; `spanning`, what it is to know of
    organizations of several metros; `located`, what geocoding services said. `account`: what is known of the feeds'
    listings beside the rows."""

    rows: Iterable[Row]
    stays: Sequence[UnchangedListing] = ()
    neighborhoods: pl.DataFrame
    outlines: bytes | None = None
    delta_state: DeltaState = NOTHING
    spanning: SharedState = ALONE
    account: Mapping[str, FeedAccount] = {}
    located: bytes | None = None


def check_bounds(row: Row) -> None:
    """OverflowError for a number that its column can't hold: found later, it would stop all rows at once."""
    table = "organizations" if row.kind == "organization" else "listings"
    for name, (low, high) in _BOUNDS[table].items():
        value = row.columns.get(name)
        if value is not None and not low <= value <= high:
            raise OverflowError(f"{name} is {value}; allowed: {low} to {high}")
    if (happenings := HAPPENINGS.get(row.kind)) is not None and len(row.happenings) > _MOST_PARTS:
        raise OverflowError(f"{len(row.happenings):,} {happenings}; allowed: {_MOST_PARTS:,}")


def pack_bits(words: Iterable[str], vocabulary: Sequence[str]) -> int:
    """Return the bit set of `words`: bit i is the i-th word of the vocabulary."""
    bits = 0
    for word in words:
        bits |= 1 << vocabulary.index(word)
    return bits


def unpack_bits(bits: int, vocabulary: Sequence[str]) -> Iterator[str]:
    """Yield the words of a bit set."""
    return (word for number, word in enumerate(vocabulary) if bits >> number & 1)


def pack_weekdays(days: Iterable[str]) -> int | None:
    """Return a bit set of weekdays, None if no day is stated."""
    return pack_bits(days, WEEKDAYS) or None


def parse_clock(text: str | None) -> int | None:
    """`HH:MM:SS` → seconds of the day."""
    if text is None:
        return None
    hours, minutes, seconds = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds)
