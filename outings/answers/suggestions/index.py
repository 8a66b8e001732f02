"""Finds the entries that begin with some letters, at any of their words: a binary search over where words begin."""

from bisect import bisect_left
from collections.abc import Sequence
from datetime import date

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.cache import LruCache
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.suggestions.entries import (
    CATEGORY,
    LISTING,
    MOST_WORDS,
    NEIGHBORHOOD,
    ORGANIZATION,
    PLACE,
    SUGGESTIONS,
    fold_name,
)

Counts = NDArray[np.int64]

# Sets of types × dates whose order is kept, each of some bytes an entry.
_MOST_ORDERS = 8
_NEVER = (1 << 31) - 1


class Live(Struct, frozen=True, kw_only=True, eq=False):
    """How much of what is live on a date. `listings` by row, 1 or 0. The others have how many listings they have:
    `organizations` by row, `neighborhoods` by number, `categories` by their place in the vocabulary."""

    listings: Counts
    organizations: Counts
    neighborhoods: Counts
    categories: Counts


class Order(Struct, frozen=True, kw_only=True, eq=False):
    """The order of suggestions on a date: by kind, then most live listings, then text. `ranks` by entry, _NEVER of one
    that has nothing live."""

    live: Live
    ranks: NDArray[np.int64]


class EntryMatch(Struct, frozen=True):
    """`number`: of a listing the row of the first one that is live, of an organization its row, else its number."""

    kind: int
    number: int


class SuggestionIndex:
    """Of one snapshot. `categories`: the words of the vocabulary."""

    def __init__(self, reader: SnapshotReader) -> None:
        tables = reader.open_tables(SUGGESTIONS)
        entries, beginnings = (tables[name] for name in SUGGESTIONS.names)
        self._kinds: NDArray[np.uint8] = entries.read_array("kind")
        self._ends, self._numbers = entries.read_lists("numbers")
        self._text_ends, self._texts = entries.view_texts("text")
        self._entries: NDArray[np.uint32] = beginnings.read_array("entry")
        self._offsets: NDArray[np.uint16] = beginnings.read_array("offset")
        self._single_entries, self._single_offsets = (beginnings.view_array(name) for name in ("entry", "offset"))
        self._categories: Sequence[str] = [fold_name(word) for word in reader.vocabulary.categories]
        self.orders: LruCache[tuple[tuple[str, ...], date], Order] = LruCache(size=_MOST_ORDERS)

    def make_order(self, live: Live) -> Order:
        counts = self._count(live)
        order = np.lexsort((np.arange(counts.size), -counts, self._kinds))
        ranks = np.empty(counts.size, dtype=np.int64)
        ranks[order] = np.arange(counts.size)
        ranks[counts == 0] = _NEVER
        return Order(live=live, ranks=ranks)

    def _count(self, live: Live) -> Counts:
        """By entry: its live listings."""
        kinds, numbers = np.repeat(self._kinds, np.diff(self._ends)), self._numbers
        values = np.zeros(numbers.size, dtype=np.int64)
        for kind, counts in (
            (NEIGHBORHOOD, live.neighborhoods),
            (ORGANIZATION, live.organizations),
            (PLACE, live.listings),
            (LISTING, live.listings),
        ):
            values[kinds == kind] = counts[numbers[kinds == kind]]
        return np.add.reduceat(values, self._ends[:-1]) if values.size else values

    def find(self, text: str, order: Order, *, limit: int) -> list[EntryMatch]:
        """What begins with a folded text: first what does so at its first word. The best first, each once."""
        named = self._find_categories(text, order.live.categories)
        low, high = self._span(text.encode())
        entries, is_inner = self._entries[low:high], self._offsets[low:high] > 0
        ranks = order.ranks[entries]
        keys = np.where(ranks == _NEVER, _NEVER, ranks) + is_inner.astype(np.int64) * _NEVER
        lives = np.flatnonzero(ranks != _NEVER)
        best = self._take_least(keys[lives], count=limit * MOST_WORDS)
        rows = [(bool(is_inner[at]), 1, int(ranks[at]), int(entries[at])) for at in lives[best].tolist()]
        found: dict[tuple[int, int], EntryMatch] = {}
        for _, is_entry, _, number in sorted([*named, *rows]):
            made = EntryMatch(CATEGORY, number) if not is_entry else None
            found.setdefault((is_entry, number), made or self._read(number, order.live))
            if len(found) == limit:
                break
        return list(found.values())

    def _find_categories(self, text: str, counts: Counts) -> list[tuple[bool, int, int, int]]:
        return [
            (not words.startswith(text), 0, -int(counts[number]), number)
            for number, words in enumerate(self._categories)
            if counts[number] and f" {words}".find(f" {text}") >= 0
        ]

    def _span(self, text: bytes) -> tuple[int, int]:
        """The first beginning that has the text, and the one behind the last."""
        beginnings = range(len(self._single_entries))
        low = bisect_left(beginnings, text, key=self._read_beginning)
        return low, bisect_left(beginnings, text + b"\xff", lo=low, key=self._read_beginning)

    def _read_beginning(self, at: int) -> bytes:
        entry = self._single_entries[at]
        start, end = self._text_ends[entry], self._text_ends[entry + 1]
        return bytes(self._texts[start + self._single_offsets[at] : end])

    def _take_least(self, keys: NDArray[np.int64], *, count: int) -> NDArray[np.int64]:
        return np.argpartition(keys, count)[:count] if keys.size > count else np.arange(keys.size)

    def _read(self, entry: int, live: Live) -> EntryMatch:
        kind, numbers = int(self._kinds[entry]), self._numbers[self._ends[entry] : self._ends[entry + 1]]
        if kind in (NEIGHBORHOOD, ORGANIZATION):
            return EntryMatch(kind, int(numbers[0]))
        return EntryMatch(kind, int(numbers[np.argmax(live.listings[numbers] > 0)]))


def open_suggestions(reader: SnapshotReader) -> SuggestionIndex:
    return SuggestionIndex(reader)
