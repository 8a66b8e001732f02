"""A metro's columns, opened: mapped arrays, and sets of rows. In a set, bit i is that of the i-th row of a type."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outings.answers.cache import remember
from outings.answers.snapshot.reader import RowFacts, RowIndex
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import DAYS_AFTER, DAYS_BEFORE, WORD, MappedTable, Words, count_words
from outings.release.tables import OCCURRENCE_TABLES

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


def pack_rows(rows: NDArray[np.integer] | Mask, size: int) -> Words:
    """Return a set of rows. `rows`: their numbers, or a mask; `size`: how many rows the type has."""
    mask = np.zeros(count_words(size) * WORD, dtype=np.bool_)
    mask[:size][rows] = True
    packed: Words = np.packbits(mask, bitorder="little").view(np.uint64)
    return packed


def count_set(words: Words) -> int:
    return int(np.bitwise_count(words).sum())


def unpack_set(words: Words, size: int) -> Mask:
    """Return a mask of `size` rows, True for those in the set."""
    return np.unpackbits(words.view(np.uint8), count=size, bitorder="little").view(np.bool_)


def list_set(words: Words) -> Rows:
    """Return the rows of a set, ascending."""
    # NumPy searches booleans ten times as fast as numbers.
    (rows,) = np.unpackbits(words.view(np.uint8), bitorder="little").view(np.bool_).nonzero()
    return rows


def mark_firsts(ordered: NDArray[np.integer]) -> Mask:
    """Mark the first of each run of equal numbers, in sorted numbers."""
    firsts: Mask = np.empty(ordered.size, dtype=np.bool_)
    firsts[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=firsts[1:])
    return firsts


def order_groups(groups: NDArray[np.integer], *keys: NDArray[np.integer]) -> Rows:
    """Return the index that sorts elements by group, then by `keys`, of which the first matters most: listings by
    program, next date and id."""
    return np.lexsort((*keys[::-1], groups))


def choose_firsts(groups: NDArray[np.integer], *keys: NDArray[np.integer]) -> Rows:
    """Return the index of the first element of each group by `keys`: the one listing that is shown of each program."""
    order = order_groups(groups, *keys)
    return order[mark_firsts(groups[order])]


def test_set(words: Words, rows: NDArray[np.integer]) -> Mask:
    """Mark the rows that are in the set."""
    bits: Mask = (words.view(np.uint8)[rows >> 3] >> (rows & 7).astype(np.uint8)) & 1 == 1
    return bits


Array = NDArray[Any]

# Values of the column `time`, the one clock time at which all dates of an event begin, if no date has a clock time, or
# not all dates begin at the same time.
NO_TIME, VARIES = -1, -2

# Columns of occurrences that the table of moments has, by their names here.
_OF_MOMENTS = {"starts_at": "starts_at", "offset": "offset", "lasts": "lasts_local", "by_row": "number"}

# Cached matrices of a type, each of the sets for all values of a column that facets count.
_MATRICES = 8
# Cached sets of a type that are computed from others: nearly all requests of a day have the same few filters.
_SETS = 64


class TypeColumns:
    """The sets of one type's rows. `first`: the number of its first row in the table; `size`: how many rows it has;
    `empty`: the empty set."""

    def __init__(self, table: MappedTable, *, first: int, end: int) -> None:
        self.first, self.size = first, end - first
        self._words = table.read_matrix("words")
        self.empty = np.zeros(count_words(self.size), dtype=np.uint64)
        self.empty.setflags(write=False)
        kinds, columns = table.read_texts("kind"), table.read_texts("column")
        values = table.read_array("value").tolist()
        self._numbers = {name: number for number, name in enumerate(zip(kinds, columns, values, strict=True))}
        # By column, the values for which there are sets, ascending. Columns with too many values are missing.
        self.values: dict[str, list[float]] = {}
        for kind, column, value in self._numbers:
            if kind == "most":
                self.values.setdefault(column, []).append(value)
        self.read_all = remember(self._read_all, size=_MATRICES)
        self.read_any = remember(self._read_any, size=_SETS)
        self.find_overlap = remember(self._find_overlap, size=_SETS)

    def pack_rows(self, rows: NDArray[np.integer]) -> Words:
        """Return the set of those rows that are of this type. `rows`: numbers in the whole table."""
        own = rows.astype(np.int64) - self.first
        return pack_rows(own[(own >= 0) & (own < self.size)], self.size)

    def read_set(self, kind: str, column: str, value: float) -> Words:
        """Return the set with this name, as `make_columns` names it; the empty set if there is none."""
        number = self._numbers.get((kind, column, value))
        return self.empty if number is None else self._words[number]

    def _read_all(self, kind: str, column: str, values: Iterable[float]) -> Words:
        """Return the sets for these values, as rows of a matrix."""
        return np.stack([self.read_set(kind, column, value) for value in values])

    def _read_any(self, kind: str, column: str, values: Iterable[float]) -> Words:
        """Return the union of the sets for these values."""
        return reduce(np.bitwise_or, (self.read_set(kind, column, value) for value in values), self.empty)

    def find_between(self, column: str, low: float | None, high: float | None) -> Words | None:
        """Return the set of the rows with a value from `low` to `high`, where None is no limit; None if the column has
        no sets of values."""
        before = self._find_most(column, -inf if low is None else low, bisect_left)
        most = self._find_most(column, inf if high is None else high, bisect_right)
        return None if before is None or most is None else most & ~before

    def _find_overlap(self, first: str, last: str, low: float | None, high: float | None) -> Words | None:
        """Return the set of the rows whose range, from column `first` to `last`, overlaps the limits; None if a column
        has no sets of values. An end that is not stated is open."""
        ended = self._find_most(last, -inf if low is None else low, bisect_left)
        begun = self._find_most(first, inf if high is None else high, bisect_right)
        stated = self._find_most(first, inf, bisect_right)
        return None if ended is None or begun is None or stated is None else ~ended & (~stated | begun)

    def _find_most(self, column: str, value: float, bisect: Callable[[list[float], float], int]) -> Words | None:
        """Return the set of the rows that state a value before the index of `value` in the column's values."""
        values = self.values.get(column)
        if values is None:
            return None
        end = bisect(values, value)
        return self.read_set("most", column, values[end - 1]) if end else self.empty


class Columns:
    """The arrays and sets of one snapshot that conditions need, all of them derived by the build."""

    def __init__(self, tables: Mapping[str, MappedTable], *, facts: RowFacts, index: RowIndex, categories: int) -> None:
        """`tables`: those of COLUMNS and the `moments` of occurrences, by name; `index`: that of the listings;
        `categories`: how many there are."""
        self.index, self.categories = index, categories
        self.rows = {**tables["rows"].read_arrays(), "id_rank": facts.id_ranks, "program": facts.programs}
        self.names = tables["rows"].read_texts("name_key")
        bounds = np.searchsorted(facts.types, np.arange(len(TYPES) + 1))
        self.types = {
            name: TypeColumns(tables[f"bits_{name}"], first=int(bounds[code]), end=int(bounds[code + 1]))
            for code, name in enumerate(TYPES)
        }
        self.occurrence_tables = {name: dict(tables[name].read_arrays()) for name in OCCURRENCE_TABLES.values()}
        # `date`: the name of the column in conditions; `by_row`: the numbers of occurrences, by row and date.
        occurrences, moments = self.occurrence_tables["occurrences"], tables["moments"]
        occurrences |= {name: moments.read_array(column) for name, column in _OF_MOMENTS.items()}
        occurrences["date"] = occurrences["day"]
        self.category_sets = tables["sets"].read_array("categories")
        texts = tables["texts"]
        self._text_columns, self._texts, self._text_rows = (
            texts.read_texts("column"), texts.read_texts("value"), texts.read_lists("rows"),
        )  # fmt: skip
        organizations = tables["organizations"]
        self.organization_ids, self.organization_names = (organizations.read_texts(name) for name in ("id", "name"))
        days = tables["days"]
        self._days = days.read_matrix("words")
        self.first_day = int(days.read_array("day")[0])
        self.last_day = self.first_day + DAYS_BEFORE + DAYS_AFTER
        self.find_window = remember(self._find_window, size=_SETS)

    def list_texts(self, column: str) -> Iterator[tuple[str, Array]]:
        """Yield each text of a column with the rows, of all types, that have it."""
        starts, rows = self._text_rows
        for at in range(bisect_left(self._text_columns, column), bisect_right(self._text_columns, column)):
            yield self._texts[at], rows[starts[at] : starts[at + 1]]

    def find_text(self, column: str, text: str) -> Array:
        """Return the rows, of all types, that have this text in the column."""
        end = bisect_right(self._text_columns, column)
        at = bisect_left(self._texts, text, bisect_left(self._text_columns, column), end)
        if at == end or self._texts[at] != text:
            return np.empty(0, dtype=np.uint32)
        starts, rows = self._text_rows
        return rows[starts[at] : starts[at + 1]]

    def find_days(self, days: Iterable[int]) -> Words:
        """Return the set of events on any of these days (since 1970), all from `first_day` to `last_day`."""
        return reduce(np.bitwise_or, (self._days[day - self.first_day] for day in days), self.types["event"].empty)

    def _find_window(self, low: int, high: int) -> Words:
        """Return the set of events on any day of a window within `first_day` to `last_day`."""
        words: Words = np.bitwise_or.reduce(self._days[low - self.first_day : high - self.first_day + 1], axis=0)
        return words


def find_occurrences(columns: Columns, rows: Rows) -> tuple[Rows, Rows]:
    """Return the numbers of the rows' occurrences, sections or sessions, row after row, and the index at which each
    row's begin. Every row needs one."""
    first, end = columns.rows["first"][rows].astype(np.int64), columns.rows["end"][rows].astype(np.int64)
    counts = end - first
    starts = np.cumsum(counts) - counts
    numbers = np.repeat(first - starts, counts) + np.arange(int(counts.sum()))
    return numbers, starts
