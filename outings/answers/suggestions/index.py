"""Finds the entries that begin with some letters, at any of their words: a binary search over where words begin."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
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
# Of the least keys, so many times the entries that are wanted are taken first.
_OFTEN_ENOUGH = 2
# Letters of the first part of a word that may be two. The second may be half typed.
_LEAST_PART = 2
# Beginnings of which the least key is known: of a letter's thousands only the best blocks are looked at.
_BLOCK = 64


class Live(Struct, frozen=True, kw_only=True, eq=False):
    """How much of what is live on a date. `listings` by row, 1 or 0. The others have how many listings they have:
    `organizations` by row, `neighborhoods` by number, `categories` by their place in the vocabulary."""

    listings: Counts
    organizations: Counts
    neighborhoods: Counts
    categories: Counts


class Order(Struct, frozen=True, kw_only=True, eq=False):
    """The order of suggestions on a date: by kind, then most live listings, then text. `entries`: all of them so.
    `keys` by beginning: the rank of its entry, behind those of all entries where it is at no first word; _NEVER of an
    entry that has nothing live. `blocks`: the least key of each _BLOCK of them."""

    live: Live
    entries: NDArray[np.int64]
    keys: NDArray[np.int32]
    blocks: NDArray[np.int32]


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
        # By entry the first one of its text.
        firsts: dict[bytes, int] = {}
        self._alike = np.array([firsts.setdefault(self._read_text(at), at) for at in range(self._kinds.size)], np.int64)
        self._categories: Sequence[str] = [fold_name(word) for word in reader.vocabulary.categories]
        self.orders: LruCache[tuple[tuple[str, ...], date], Order] = LruCache(size=_MOST_ORDERS)

    def make_order(self, live: Live) -> Order:
        counts = self._count(live)
        entries = np.lexsort((np.arange(counts.size), -counts, self._kinds))
        ranks = np.empty(counts.size, dtype=np.int32)
        ranks[entries] = np.arange(counts.size)
        keys = ranks[self._entries] + (self._offsets > 0) * np.int32(counts.size)
        keys[~self._mark_shown(entries[counts[entries] > 0])[self._entries]] = _NEVER
        blocks = np.minimum.reduceat(keys, np.arange(0, keys.size, _BLOCK)) if keys.size else keys
        return Order(live=live, entries=entries, keys=keys, blocks=blocks)

    def _mark_shown(self, live: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark the entries that are the first of their text. `live`: entries in their order."""
        shown = np.zeros(self._kinds.size, dtype=np.bool_)
        shown[live[np.unique(self._alike[live], return_index=True)[1]]] = True
        return shown

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
        """Return the entries that begin with a folded text, the best first and each text once: first those whose first
        word does so. Then, if there is room, those that have two of the words as one, or one as two."""
        matches: dict[bytes, EntryMatch] = {}
        self._add_matches(matches, text, order, limit=limit)
        for other in _list_respaced(text):
            if len(matches) >= limit:
                break
            self._add_matches(matches, other, order, limit=limit)
        return list(matches.values())[:limit]

    def _add_matches(self, matches: dict[bytes, EntryMatch], text: str, order: Order, *, limit: int) -> None:
        """Add the entries that begin with a text, by the text that they show."""
        low, high = self._span(text.encode())
        size = order.entries.size
        rows = [
            (key >= size, 1, key % size, int(order.entries[key % size]))
            for key in _take_least(order, low, high, limit=limit)
        ]
        for _, is_entry, _, number in sorted([*self._find_categories(text, order.live.categories), *rows]):
            if is_entry:
                matches.setdefault(self._read_text(number), self._read(number, order.live))
            else:
                matches.setdefault(self._categories[number].encode(), EntryMatch(CATEGORY, number))

    def _read_text(self, entry: int) -> bytes:
        return bytes(self._texts[self._text_ends[entry] : self._text_ends[entry + 1]])

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

    def _read(self, entry: int, live: Live) -> EntryMatch:
        kind, numbers = int(self._kinds[entry]), self._numbers[self._ends[entry] : self._ends[entry + 1]]
        if kind in (NEIGHBORHOOD, ORGANIZATION):
            return EntryMatch(kind, int(numbers[0]))
        return EntryMatch(kind, int(numbers[np.argmax(live.listings[numbers] > 0)]))


def _list_respaced(text: str) -> Iterator[str]:
    """Yield a text with one space less or more: "millrace" is Mill-Race too."""
    for at in range(_LEAST_PART, len(text)):
        if text[at] == " ":
            yield text[:at] + text[at + 1 :]
        elif " " not in text[at - _LEAST_PART : at]:
            yield f"{text[:at]} {text[at:]}"


def _take_least(order: Order, low: int, high: int, *, limit: int) -> list[int]:
    """The least keys of these beginnings, which are of at least so many entries if there are so many. An entry seldom
    begins twice with the same letters, and never at more than MOST_WORDS words."""
    least: list[int] = []
    for count in (_OFTEN_ENOUGH * limit, MOST_WORDS * limit):
        keys = _narrow(order, low, high, count=count)
        least = (np.partition(keys, count)[:count] if keys.size > count else keys).tolist()
        if high - low <= count or len({key % order.entries.size for key in least}) >= limit:
            break
    return [key for key in least if key != _NEVER]


def _narrow(order: Order, low: int, high: int, *, count: int) -> NDArray[np.int32]:
    """Keys among which the least ones of these beginnings are: they lie in the blocks whose least key is least."""
    first, end = -(-low // _BLOCK), high // _BLOCK
    if end - first <= count:
        return order.keys[low:high]
    best = np.argpartition(order.blocks[first:end], count)[:count] + first
    inside = order.keys[: end * _BLOCK].reshape(-1, _BLOCK)[best].ravel()
    return np.concatenate((order.keys[low : first * _BLOCK], inside, order.keys[end * _BLOCK : high]))


def open_suggestions(reader: SnapshotReader) -> SuggestionIndex:
    return SuggestionIndex(reader)
