"""Find texts in a column of a mapped table by their checksums, or by words with typos."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import combinations
from zlib import crc32

import numpy as np
from rapidfuzz.distance import OSA

from outings.lazy_polars import pl
from outings.release.mapped_table import MappedTable

# The letters that a word must have for one typo, and for two.
LETTERS_FOR_TYPOS = (5, 9)
# Longer texts are few. They are listed by their first letter alone, and all texts with that letter are compared.
_LONGEST = 20


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


def _list_shortened(text: str, typos: int) -> set[str]:
    """Return the text, and the text without one or up to two (`typos`) of its letters, but never without the first."""
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
        first = bisect_left(self._sums, checksum := crc32(sought))
        numbers = self._numbers[first : bisect_right(self._sums, checksum, first)]
        return [number for number in numbers if self[number] == sought]

    def span_beginning(self, text: str) -> tuple[int, int]:
        """Return the range of the texts that begin with `text`. The column must be sorted."""
        start = text.encode()
        low = bisect_left(self, start)
        return low, bisect_left(self, start + b"\xff", low)  # above every byte of UTF-8


class SimilarTexts(HashedTexts):
    """Texts that can be found despite typos in all but the first letter. Leaving out a letter of one text or of both
    undoes a letter that was added, left out, changed or swapped, so texts are compared by such shortenings."""

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
