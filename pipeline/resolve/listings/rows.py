"""A row: a listing or organization of a metro as the next release will have it, before rows are numbered."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from outings.contract.vocabulary import WEEKDAYS
from outings.release.tables import OCCURRENCE_TABLES, TABLES
from pipeline.dates.recurrence import Occurrences
from pipeline.records.record import Problem

# Sections and sessions are numbered in 16 bits.
_MOST_PARTS = 65_536


def _bound_integers(kind: str) -> tuple[int, int]:
    bounds = np.iinfo(kind.lower())
    return int(bounds.min), int(bounds.max)


_BOUNDS = {
    name: {column: _bound_integers(kind) for column, kind in TABLES[name].items() if "Int" in kind}
    for name in ("listings", "organizations")
}

# Columns for the next build, a row for each listing: a hash of its inputs, null if it must be made again; and its
# encoded links, null if it is not published or has no organization.
ORIGINS = {"origin": pl.Binary(), "links": pl.String()}


class Row(Struct, kw_only=True):
    """A listing or organization. `columns`: those of its table except `row`, the document's location and the stamps.

    A row made from a feed has `members` (the public struct, without stamps). A row carried over from an earlier release
    has its `document` and `hash` instead. `parts`: the rows of a class's sections or a camp's sessions, in the order of
    their table's columns without `row`. `occurrences`: the dates of an event, as arrays, since there are millions.
    `problems`: parts of a recurrence rule that were left out. `origin`: a hash of all inputs; None if the row must be
    made again in any case. `links`: the encoded websites to which it links; None if unknown.
    """

    kind: str
    columns: dict[str, Any]
    members: Any = None
    document: bytes | None = None
    hash: bytes | None = None
    created_at: int | None = None
    parts: Sequence[tuple[Any, ...]] = ()
    occurrences: Occurrences | None = None
    problems: tuple[Problem, ...] = ()
    origin: bytes | None = None
    links: str | None = None

    @property
    def id(self) -> str:
        return str(self.columns["id"])


def check_bounds(row: Row) -> None:
    """Raise OverflowError for a number that its column can't hold. Found later, it would stop all rows at once."""
    table = "organizations" if row.kind == "organization" else "listings"
    for name, (low, high) in _BOUNDS[table].items():
        value = row.columns.get(name)
        if value is not None and not low <= value <= high:
            raise OverflowError(f"{name} is {value}; allowed: {low} to {high}")
    if len(row.parts) > _MOST_PARTS:
        raise OverflowError(f"{len(row.parts):,} {OCCURRENCE_TABLES[row.kind]}; allowed: {_MOST_PARTS:,}")


def pack_bits(words: Iterable[str], vocabulary: Sequence[str]) -> int:
    """Return the bit set of `words`: bit i is the i-th word of the vocabulary."""
    return sum({1 << vocabulary.index(word) for word in words})


def unpack_bits(bits: int, vocabulary: Sequence[str]) -> Iterator[str]:
    return (word for number, word in enumerate(vocabulary) if bits >> number & 1)


def pack_weekdays(days: Iterable[str]) -> int | None:
    """Return a bit set of weekdays, None if no day is stated."""
    return pack_bits(days, WEEKDAYS) or None


def parse_clock(text: str | None) -> int | None:
    """Parse `HH:MM:SS` to seconds since midnight. None is returned as it is.

    >>> parse_clock("09:30:00")
    34200
    """
    if text is None:
        return None
    hours, minutes, seconds = map(int, text.split(":"))
    return hours * 3600 + minutes * 60 + seconds
