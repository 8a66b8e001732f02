"""Find texts in a column of a mapped table by their checksums, or by words with typos."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import combinations
from zlib import crc32

import numpy as np
from rapidfuzz.distance import OSA

from outings.lazy_polars import pl
from outings.release.mapped_table import MappedTable, encode_mapped

# The letters that a word must have for one typo, and for two.
LETTERS_FOR_TYPOS = (5, 9)
# Of longer texts what letters less make of them is not listed: these are few, and all of them looked at.
_LONGEST = 20
# Bits for each text at least, by the end of its checksum: of what is no text one in so many is looked for in the table.
_BITS_EACH = 16


def make_texts(texts: pl.Series) -> list[pl.Series]:
    """Return the columns for a text column: the texts, their checksums in order, and the row of each checksum."""
    sums = np.fromiter(map(crc32, texts.cast(pl.Binary()).to_list()), dtype=np.uint32, count=len(texts))
    order = np.argsort(sums, kind="stable")
    return [
        texts,
        pl.Series(f"{texts.name}_sum", sums[order], dtype=pl.UInt32()),
        pl.Series(f"{texts.name}_at", order, dtype=pl.UInt32()),
    ]


def make_shortenings(texts: pl.Series) -> pl.DataFrame:
    """Return the checksums, in order, of each text with letters left out, each with the text's number. Texts with other
    characters than letters, or too short for a typo, have none."""
    sums: list[int] = []
    owners: list[int] = []
    for number, text in enumerate(texts.to_list()):
        # A text is found from words of two letters more at most, and these have the typos that their letters allow.
        typos = sum(len(text) + least >= letters for least, letters in enumerate(LETTERS_FOR_TYPOS, 1))
        if typos and text.isalpha():
            shortened = _list_shortened(text, typos) if len(text) <= _LONGEST else {text[0]}
            sums += [crc32(text.encode()) for text in shortened]
            owners += [number] * len(shortened)
    made = np.array(sums, dtype=np.uint32)
    order = np.argsort(made, kind="stable")
    return pl.DataFrame({"sum": made[order], "at": np.array(owners, dtype=np.uint32)[order]})


def make_typos(texts: pl.DataFrame, shortenings: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Find the texts that are one or two typos away from each text. Return their numbers and typos, text after text,
    and where those of each text end."""
    known, shorter = (MappedTable(encode_mapped(frame)) for frame in (texts, shortenings))
    name = texts.columns[0]
    similar = SimilarTexts(known, name, shortenings=shorter)
    near = [sorted(similar.find_typos(text)) for text in texts[name]]
    pairs = [pair for group in near for pair in group]
    ends = pl.Series(f"{name}_typos", np.cumsum([0, *map(len, near)])[1:], dtype=pl.Int64())
    return pl.DataFrame(pairs, schema={"at": pl.UInt32(), "typos": pl.UInt8()}, orient="row"), ends


def _list_shortened(text: str, typos: int) -> set[str]:
    """Return the text, and what it is without one or two of its letters. The first letter is never left out."""
    size = len(text)
    shortened = {text, *(text[:at] + text[at + 1 :] for at in range(1, size))}
    if typos > 1:
        pairs = combinations(range(1, size), 2)
        shortened.update(text[:one] + text[one + 1 : other] + text[other + 1 :] for one, other in pairs)
    return shortened


class HashedTexts:
    """The texts of a mapped column in UTF-8, found by checksum and numbered as in the table."""

    def __init__(self, table: MappedTable, name: str) -> None:
        self._ends, self._data = table.view_texts(name)
        self._sums, self._numbers = table.view_array(f"{name}_sum"), table.view_array(f"{name}_at")
        self._count = len(self._sums)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: int) -> bytes:
        return bytes(self._data[self._ends[at] : self._ends[at + 1]])

    def find(self, text: str) -> list[int]:
        """Return the numbers of all texts equal to this one, ascending."""
        sought = text.encode()
        return self._find(sought, crc32(sought))

    def _find(self, sought: bytes, checksum: int) -> list[int]:
        sums, count, matches = self._sums, self._count, []
        at = bisect_left(sums, checksum)
        while at < count and sums[at] == checksum:
            number = self._numbers[at]
            if self[number] == sought:
                matches.append(number)
            at += 1
        return matches

    def span_beginning(self, text: str) -> tuple[int, int]:
        """Return the range of the texts that begin with `text`. The column must be sorted."""
        start = text.encode()
        low = high = bisect_left(self, start)
        # Most beginnings are those of few.
        step = 1
        while high + step < self._count and self[high + step].startswith(start):
            high, step = high + step, 2 * step
        return low, bisect_left(self, start + b"\xff", high, min(high + step, self._count))  # above every byte of UTF-8


class FilteredTexts(HashedTexts):
    """Texts for look-ups that mostly find nothing: a filter of 16 to 32 bits for each text answers most of them."""

    def __init__(self, table: MappedTable, name: str) -> None:
        super().__init__(table, name)
        self._mask = (1 << (self._count * _BITS_EACH).bit_length()) - 1
        bits = np.zeros((self._mask >> 3) + 1, dtype=np.uint8)
        ends = table.read_array(f"{name}_sum") & np.uint32(self._mask)
        np.bitwise_or.at(bits, ends >> 3, (1 << (ends & 7)).astype(np.uint8))
        self._bits = bits.tobytes()

    def find(self, text: str) -> list[int]:
        sought = text.encode()
        checksum = crc32(sought)
        at = checksum & self._mask
        return self._find(sought, checksum) if self._bits[at >> 3] >> (at & 7) & 1 else []

    def list_ends(self, text: str) -> list[int]:
        """Return the lengths of the prefixes that may be texts of their own: all that are, and few others."""
        ends, checksum, bits, mask = [], 0, self._bits, self._mask
        for end, sign in enumerate(map(str.encode, text), 1):
            checksum = crc32(sign, checksum)
            at = checksum & mask
            if bits[at >> 3] >> (at & 7) & 1:
                ends.append(end)
        return ends


class SimilarTexts(FilteredTexts):
    """Texts that can be found despite typos. A letter added, left out, changed or swapped is undone by leaving out a
    letter of one text or both: such shortenings are compared. The first letter must be the same."""

    def __init__(self, table: MappedTable, name: str, *, shortenings: MappedTable) -> None:
        super().__init__(table, name)
        self._shortened, self._owners = shortenings.read_array("sum"), shortenings.read_array("at")

    def find_typos(self, word: str, *, least: int = LETTERS_FOR_TYPOS[0]) -> Iterator[tuple[int, int]]:
        """Yield the numbers of the texts one or two typos away, each with its typos: none in digits or in the first
        letter. `least`: the letters that a word must have for one typo."""
        allowed = sum(len(word) >= letters for letters in (least, *LETTERS_FOR_TYPOS[1:]))
        if not allowed or not word.isalpha():
            return
        for number in self._list_similar(word, typos=allowed):
            other = self[number].decode()
            typos = OSA.distance(word, other, score_cutoff=allowed)
            if 0 < typos <= allowed and other[0] == word[0]:
                yield number, typos

    def _list_similar(self, word: str, *, typos: int) -> set[int]:
        """Return the numbers of all texts at most so many typos away from a word, and of few others."""
        size = len(word)
        shortened = _list_shortened(word, typos) if size <= _LONGEST + typos else set()
        if size >= _LONGEST - typos:
            shortened.add(word[0])
        sums = np.array([crc32(text.encode()) for text in shortened], dtype=np.uint32)
        starts = self._shortened.searchsorted(sums)
        are_known = (self._shortened.take(starts, mode="clip") == sums).nonzero()[0] if len(self._shortened) else ()
        if not len(are_known):
            return set()
        starts, ends = starts[are_known], self._shortened.searchsorted(sums[are_known], side="right")
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return {number for start, end in spans for number in self._owners[start:end].tolist()}
