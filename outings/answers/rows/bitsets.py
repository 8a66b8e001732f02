"""Sets of rows as bits in 64-bit words: bit i is the i-th row of a type."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from outings.release.mapped_table import WORD, Words, count_words

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Bytes of a set that are unpacked first, and how many times as long each chunk after it is. A set of few rows is walked
# to its end: each chunk costs 4 µs whatever is in it.
_FIRST_BYTES, _GROWTH = 64, 8


def make_empty(size: int) -> Words:
    return np.zeros(count_words(size), dtype=np.uint64)


def pack_rows(rows: NDArray[np.integer], size: int) -> Words:
    mask = np.zeros(count_words(size) * WORD, dtype=np.bool_)
    mask[rows] = True
    packed: Words = np.packbits(mask, bitorder="little").view(np.uint64)
    return packed


def pack_mask(mask: Mask) -> Words:
    """Return the set of the rows whose boolean is true."""
    padded = np.zeros(count_words(mask.size) * WORD, dtype=np.bool_)
    padded[: mask.size] = mask
    packed: Words = np.packbits(padded, bitorder="little").view(np.uint64)
    return packed


def count_set(words: Words) -> int:
    return int(np.bitwise_count(words).sum())


def unpack_set(words: Words, size: int) -> Mask:
    """A boolean a row."""
    return np.unpackbits(words.view(np.uint8), count=size, bitorder="little").view(np.bool_)


def list_set(words: Words) -> Rows:
    """All rows of a set, rising."""
    return _find_bits(words.view(np.uint8))


def _find_bits(data: NDArray[np.uint8]) -> Rows:
    """As booleans they are found in a tenth of the time that numbers take."""
    (rows,) = np.unpackbits(data, bitorder="little").view(np.bool_).nonzero()
    return rows


def test_set(words: Words, rows: NDArray[np.integer]) -> Mask:
    """Return True for each row that is in the set."""
    bits: Mask = (words.view(np.uint8)[rows >> 3] >> (rows & 7).astype(np.uint8)) & 1 == 1
    return bits


def walk_set(words: Words, start: int) -> Iterator[Rows]:
    """The rows of a set from `start` on, rising, in chunks that grow."""
    data, at, length = words.view(np.uint8), start >> 3, _FIRST_BYTES
    while at < data.size:
        rows = _find_bits(data[at : at + length])
        if at:
            rows += at << 3
        yield rows[rows >= start] if start > at << 3 else rows
        at += length
        length *= _GROWTH


def skip_set(words: Words, start: int, count: int) -> int:
    """The row from which a walk goes on that began at `start` and has passed `count` rows of the set."""
    first = start // WORD
    sums = np.cumsum(np.bitwise_count(words[first:]), dtype=np.int64)
    if start % WORD:
        count += (int(words[first]) & ((1 << (start % WORD)) - 1)).bit_count()
    word = int(np.searchsorted(sums, count, side="right"))
    if word >= sums.size:
        return int(words.size) * WORD
    left = count - (int(sums[word - 1]) if word else 0)
    rows = list_set(words[first + word : first + word + 1])
    return (first + word) * WORD + int(rows[left])
