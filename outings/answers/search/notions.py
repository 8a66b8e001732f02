"""Notions of several words: what is one thing, and is meant only where its words stand side by side (`ice skating`)."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl
from msgspec import Struct

from outings.answers.search.score import Numbers
from outings.answers.snapshot.reader import derive_table
from outings.release.tables import FIELDS

# Two words of names are a notion if so many names have them side by side, and so large a part of those that have one.
_LEAST_NAMES, _LEAST_SHARE = 3, 0.8
_WORD_BITS = 32
_WORD_MASK = (1 << _WORD_BITS) - 1
_NOTHING: Numbers = np.empty(0, dtype=np.int64)


class Notion(Struct, frozen=True, eq=False):
    """[start, end) of a query's words. `lying`: of a place, the listings that lie there, whatever they say."""

    start: int
    end: int
    lying: Numbers = _NOTHING

    def is_cut(self, start: int, end: int) -> bool:
        """By a run of words that has a part of it."""
        return start < self.end and self.start < end and not (start <= self.start and self.end <= end)


def make_notions(terms: pl.DataFrame) -> pl.DataFrame:
    """Pairs of words, by their numbers in the index, which names have side by side and seldom apart."""
    numbers = terms["word"].rle_id().to_numpy().astype(np.int64)
    in_names = terms["field"].to_numpy() == FIELDS.index("name")
    rows, positions = (terms[name].to_numpy()[in_names].astype(np.int64) for name in ("row", "position"))
    return pl.DataFrame({"pair": find_notions(numbers[in_names], rows, positions)})


def find_notions(words: Numbers, rows: Numbers, positions: Numbers) -> Numbers:
    """Return the pairs among the words of names, rising. `rows`, `positions`: where each word stands."""
    order = np.lexsort((positions, rows))
    words, rows, positions = words[order], rows[order], positions[order]
    is_beside = (rows[1:] == rows[:-1]) & (positions[1:] == positions[:-1] + 1)
    pairs = (words[:-1] << _WORD_BITS | words[1:])[is_beside]
    keys, counts = _count_rows(pairs, rows[1:][is_beside])
    named, having = _count_rows(words, rows)
    rarer = np.minimum(*(having[np.searchsorted(named, each)] for each in (keys >> _WORD_BITS, keys & _WORD_MASK)))
    return keys[(counts >= _LEAST_NAMES) & (counts >= _LEAST_SHARE * rarer)]


def _count_rows(keys: Numbers, rows: Numbers) -> tuple[Numbers, Numbers]:
    """The keys, each once and rising, and in how many rows each is. `rows` rise."""
    order = np.argsort(keys, kind="stable")
    ordered, own = keys[order], rows[order]
    is_first = np.ones(ordered.size, dtype=np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]) | (own[1:] != own[:-1])
    named, counts = np.unique(ordered[is_first], return_counts=True)
    return named, counts


NOTIONS = derive_table("notions", make_notions, {"terms": ("word", "row", "field", "position")})


class NotionPairs:
    """Of one snapshot, by the numbers of the index's words."""

    def __init__(self, pairs: "memoryview[int]") -> None:
        self._pairs = pairs

    def has(self, first: Iterable[int], second: Iterable[int]) -> bool:
        """Whether any of the first stands before any of the second in a notion."""
        behind = frozenset(second)
        return any(not behind.isdisjoint(self.list_behind(number)) for number in first)

    def list_behind(self, number: int) -> Iterator[int]:
        """The words that are a notion behind this one."""
        at = bisect_left(self._pairs, number << _WORD_BITS)
        while at < len(self._pairs) and self._pairs[at] >> _WORD_BITS == number:
            yield self._pairs[at] & _WORD_MASK
            at += 1


def choose_runs(pairs: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """[start, end) of two words each, the first first; by whether each word is a notion with the next one."""
    at = 0
    while at < len(pairs):
        if pairs[at]:
            yield at, at + 2
        at += 2 if pairs[at] else 1
