"""A column of texts in a mapped table, found by their checksums: one binary search over numbers, then a look at the
text itself."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import overload
from zlib import crc32

import numpy as np
import polars as pl

from outings.release.mapped import MappedTable

# A letter in UTF-8 has at most so many.
_LETTER_BYTES = 4


def make_texts(texts: pl.Series) -> list[pl.Series]:
    """The columns of one: the texts, their checksums in order, and whose each is."""
    sums = np.fromiter(map(crc32, texts.cast(pl.Binary()).to_list()), dtype=np.uint32, count=len(texts))
    order = np.argsort(sums, kind="stable")
    return [
        texts,
        pl.Series(f"{texts.name}_sum", sums[order], dtype=pl.UInt32()),
        pl.Series(f"{texts.name}_at", order, dtype=pl.UInt32()),
    ]


class HashedTexts(Sequence[bytes]):
    """In UTF-8, numbered as in the table."""

    def __init__(self, table: MappedTable, name: str) -> None:
        self._ends, self._data = table.view_texts(name)
        self._sums, self._numbers = table.view_array(f"{name}_sum"), table.view_array(f"{name}_at")

    def __len__(self) -> int:
        return len(self._sums)

    @overload
    def __getitem__(self, at: int) -> bytes: ...
    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...
    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        return bytes(self._data[self._ends[at] : self._ends[at + 1]])

    def find(self, text: str) -> list[int]:
        """The numbers of all that are this text, rising."""
        sought = text.encode()
        checksum, found = crc32(sought), []
        at = bisect_left(self._sums, checksum)
        while at < len(self._sums) and self._sums[at] == checksum:
            number = self._numbers[at]
            if self[number] == sought:
                found.append(number)
            at += 1
        return found

    def span_beginning(self, text: str) -> tuple[int, int]:
        """Of texts that rise: the first one that begins with it, and the one behind the last."""
        start = text.encode()
        low = bisect_left(self, start)
        return low, bisect_left(self, start + b"\xff", low)  # above every byte of UTF-8

    def list_beginning(self, text: str) -> tuple[int, list[str]]:
        """Of texts that rise: those that begin with it, and the first one's number."""
        low, high = self.span_beginning(text)
        first = self._ends[low]
        data = bytes(self._data[first : self._ends[high]])
        return low, [data[at - first : end - first].decode() for at, end in pairwise(self._ends[low : high + 1])]

    def list_similar(self, text: str, *, letters: int) -> dict[int, str]:
        """By number, of texts that rise: those with its first letter that are about as long, to be looked at: all that
        so many letters put in, left out or changed can make of it are among them."""
        low, high = self.span_beginning(text[0])
        ends = np.asarray(self._ends)[low : high + 1]
        more = np.diff(ends) - len(text.encode())
        least = -letters if text.isascii() else -_LETTER_BYTES * letters
        near = np.flatnonzero((more >= least) & (more <= _LETTER_BYTES * letters))
        return {low + at: bytes(self._data[ends[at] : ends[at + 1]]).decode() for at in near.tolist()}
