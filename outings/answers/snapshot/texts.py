"""A column of texts in a mapped table, found by their checksums: one binary search over numbers, then a look at the
text itself."""

from bisect import bisect_left
from collections.abc import Iterator
from zlib import crc32

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from outings.answers.cache import remember
from outings.release.mapped_table import MappedTable

# The letters that a word must have for one typo, and for two.
LETTERS_FOR_TYPOS = (5, 9)
# What a text is made of, as one number: a bit for each letter (some share one), one for whatever is none, and how many
# there are, as far as there is room.
_LETTERS = 26
_NO_LETTER, _SET = 1 << _LETTERS, (1 << _LETTERS) - 1
_LENGTH_SHIFT, _LONGEST = _LETTERS + 1, 31
# First letters whose texts were looked for lately.
_BEGINNINGS = 64
# Bits for each text at least, by the end of its checksum: of what is no text one in so many is looked for in the table.
_BITS_EACH = 16


def make_texts(texts: pl.Series) -> list[pl.Series]:
    """The columns of one: the texts, their checksums in order, and whose each is."""
    sums = np.fromiter(map(crc32, texts.cast(pl.Binary()).to_list()), dtype=np.uint32, count=len(texts))
    order = np.argsort(sums, kind="stable")
    return [
        texts,
        pl.Series(f"{texts.name}_sum", sums[order], dtype=pl.UInt32()),
        pl.Series(f"{texts.name}_at", order, dtype=pl.UInt32()),
    ]


def make_letters(texts: pl.Series) -> pl.Series:
    """The column beside them that `SimilarTexts` looks at."""
    return pl.Series(f"{texts.name}_letters", map(_collect_letters, texts.to_list()), dtype=pl.UInt32())


def _collect_letters(text: str) -> int:
    letters = min(len(text), _LONGEST) << _LENGTH_SHIFT
    for letter in set(text):
        letters |= 1 << ord(letter) % _LETTERS if letter.isalpha() else _NO_LETTER
    return letters


class HashedTexts:
    """In UTF-8, numbered as in the table."""

    def __init__(self, table: MappedTable, name: str) -> None:
        self._ends, self._data = table.view_texts(name)
        self._sums, self._numbers = table.view_array(f"{name}_sum"), table.view_array(f"{name}_at")
        self._count = len(self._sums)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: int) -> bytes:
        return bytes(self._data[self._ends[at] : self._ends[at + 1]])

    def find(self, text: str) -> list[int]:
        """The numbers of all that are this text, rising."""
        sought, sums, count = text.encode(), self._sums, self._count
        checksum, matches = crc32(sought), []
        at = bisect_left(sums, checksum)
        while at < count and sums[at] == checksum:
            number = self._numbers[at]
            if self[number] == sought:
                matches.append(number)
            at += 1
        return matches

    def span_beginning(self, text: str) -> tuple[int, int]:
        """Of texts that rise: the first one that begins with it, and the one behind the last."""
        start = text.encode()
        low = high = bisect_left(self, start)
        # Most beginnings are those of few.
        step = 1
        while high + step < self._count and self[high + step].startswith(start):
            high, step = high + step, 2 * step
        return low, bisect_left(self, start + b"\xff", high, min(high + step, self._count))  # above every byte of UTF-8


class FilteredTexts(HashedTexts):
    """Of which most that is looked for is none: a look at one bit says so, 16 to 32 of them each."""

    def __init__(self, table: MappedTable, name: str) -> None:
        super().__init__(table, name)
        self._mask = (1 << (self._count * _BITS_EACH).bit_length()) - 1
        bits = np.zeros((self._mask >> 3) + 1, dtype=np.uint8)
        ends = table.read_array(f"{name}_sum") & np.uint32(self._mask)
        np.bitwise_or.at(bits, ends >> 3, (1 << (ends & 7)).astype(np.uint8))
        self._bits = bits.tobytes()

    def find(self, text: str) -> list[int]:
        at = crc32(text.encode()) & self._mask
        return super().find(text) if self._bits[at >> 3] >> (at & 7) & 1 else []

    def list_ends(self, text: str) -> list[int]:
        """How many signs of it, from the first on, may be a text of their own: all that are one, and few others."""
        ends, checksum, bits, mask = [], 0, self._bits, self._mask
        for end, sign in enumerate(map(str.encode, text), 1):
            checksum = crc32(sign, checksum)
            at = checksum & mask
            if bits[at >> 3] >> (at & 7) & 1:
                ends.append(end)
        return ends


class SimilarTexts(FilteredTexts):
    """Texts that rise, with their letters."""

    def __init__(self, table: MappedTable, name: str) -> None:
        super().__init__(table, name)
        self._letters = table.read_array(f"{name}_letters")
        self._open_letter = remember(self._read_letter, size=_BEGINNINGS)

    def find_typos(self, word: str) -> Iterator[tuple[int, int]]:
        """By number, of the texts that a typo or two lead to: how many. Never in digits, never in the first letter."""
        allowed = sum(len(word) >= letters for letters in LETTERS_FOR_TYPOS)
        if allowed and word.isalpha():
            others = self._list_similar(word, typos=allowed)
            near = extract(word, others, scorer=OSA.distance, score_cutoff=allowed, limit=None)
            yield from ((number, int(typos)) for _, typos, number in near if typos)

    def _list_similar(self, word: str, *, typos: int) -> dict[int, str]:
        """By number, of those of letters alone that begin with the first letter of a word: all that so many letters put
        in, left out, changed or swapped can make of it are among them, for each changes two of its letters at most."""
        low, others, written = self._open_letter(word[0])
        own = np.uint32(_collect_letters(word))
        # Few have nearly the same letters; the rest is looked at in these alone. A letter that is changed is two of the
        # set, one that is put in or left out is one.
        differing = np.bitwise_count((others ^ own) & _SET)
        near = (differing <= 2 * typos).nonzero()[0]
        others, differing = others[near], differing[near]
        longer = np.abs((others >> _LENGTH_SHIFT).view(np.int32) - (int(own) >> _LENGTH_SHIFT))
        near = near[(longer <= typos) & (differing + longer <= 2 * typos) & (others & _NO_LETTER == 0)] + low
        ends, start = self._ends, self._ends[low]
        texts = {number: written[ends[number] - start : ends[number + 1] - start] for number in near.tolist()}
        return texts if written.isascii() else {number: _decode(text) for number, text in texts.items()}

    def _read_letter(self, letter: str) -> tuple[int, NDArray[np.uint32], str]:
        """The first text that begins with it, the letters of all that do, and these texts one behind the other, a sign
        for each byte: a slice of a text takes a third of the time that it takes to decode one."""
        low, high = self.span_beginning(letter)
        return low, self._letters[low:high], str(self._data[self._ends[low] : self._ends[high]], "latin-1")


def _decode(written: str) -> str:
    return written.encode("latin-1").decode()
