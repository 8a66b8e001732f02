"""Find places that are only named after a word: Farm Playground is a playground and no farm.

The head of a place's name says what it is. In English that is the last word, or the last before "of" in "Museum of
Flight". Behind a colon each word says what the place is: Mill Park: tennis court.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from outings.answers.search.word_matches import Codes, Mask, Numbers, count_named
from outings.answers.snapshot.reader import DerivedTables, TableContext, derive_table
from outings.contract.languages.word_lists import NameWords
from outings.contract.text import split_words
from outings.contract.vocabulary import TYPES
from outings.lazy_polars import pl
from outings.release.mapped_table import MappedTable
from outings.release.tables import FIELDS

_PLACE = TYPES.index("place")
_NAME = FIELDS.index("name")
_WHERE = (FIELDS.index("place"), FIELDS.index("location"))
# Whose words are compared at once: those of 300,000 took 0.3 GB.
_ROWS_AT_ONCE = 65_536


def make_heads(listings: pl.DataFrame, terms: pl.DataFrame, words: NameWords) -> pl.DataFrame:
    """Make a table of the head of each place's name, by row: the number of the head word, or, if the name has a colon,
    of each word behind it. Empty if the language does not define heads."""
    places = listings.with_row_index("row").filter(type=_PLACE).select(pl.col("row").cast(terms.schema["row"]))
    named = terms.with_columns(number=pl.col("word").rle_id()).filter(field=_NAME).join(places, on="row", how="semi")
    # A number or a letter tells two of a sort apart: "Playground 2".
    named = named.filter(pl.col("word").str.contains("^[^0-9].+$"))
    # So many of the last words of a name are behind its colon.
    described = [(row, len(split_words(name.rpartition(":")[2]))) for row, name in _list_named(listings)]
    behind_colon = pl.DataFrame(described, schema={"row": terms.schema["row"], "count": pl.Int64()}, orient="row")
    behind_colon = named.join(behind_colon, on="row").filter(
        pl.col("position") > pl.col("position").max().over("row") - pl.col("count")
    )
    named = named.join(behind_colon, on="row", how="anti")
    if words.head == "last":
        ends = named.filter(pl.col("word").is_in(words.behind_head.split()), pl.col("position") > 0)
        ends = ends.group_by("row").agg(end=pl.col("position").min())
        behind = named.join(ends, on="row", how="left")
        named = behind.filter(pl.col("end").is_null() | (pl.col("position") < pl.col("end")))
    heads = named.sort("row", "position").group_by("row", maintain_order=True)
    number = pl.col("number").last() if words.head == "last" else pl.col("number").first()
    made = pl.concat([heads.agg(head=number), behind_colon.select("row", head="number")])
    made = made.select(pl.col("row", "head").cast(pl.UInt32())).sort("row", "head")
    return made if words.head else made.clear()


def _list_named(listings: pl.DataFrame) -> Iterator[tuple[int, str]]:
    """Yield the row and the name of each place whose name has a colon."""
    named = listings.with_row_index("row").filter(pl.col("name").str.contains(":", literal=True), type=_PLACE)
    yield from named.select("row", "name").iter_rows()


def _make_heads(tables: Mapping[str, pl.DataFrame], context: TableContext) -> dict[str, pl.DataFrame]:
    search = context.language.search
    words = NameWords() if search is None else search.names
    return {"heads": make_heads(tables["listings"], tables["terms"], words)}


def make_venues(listings: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Make a table of the words that only say where, in names of all listings except places: two or more words that are
    also side by side in the name of the place, or in the address. Sorted by the number of the word, then the row."""
    places = listings.with_row_index("row").filter(type=_PLACE).select(pl.col("row").cast(terms.schema["row"]))
    numbered = terms.select("row", "field", "position", number=pl.col("word").rle_id())
    numbered = numbered.filter(pl.col("field").is_in([_NAME, *_WHERE])).join(places, on="row", how="anti")
    parts = [
        _find_venues(numbered.filter(pl.col("row").is_between(first, first + _ROWS_AT_ONCE, closed="left")))
        for first in range(0, max(listings.height, 1), _ROWS_AT_ONCE)
    ]
    return pl.concat(parts).sort("number", "row").cast({"number": pl.UInt32(), "row": pl.UInt32()})


def _find_venues(numbered: pl.DataFrame) -> pl.DataFrame:
    """Return the words that only name a venue, from all words of some listings, in any order."""
    pairs = _list_pairs(
        numbered.sort((pl.col("row").cast(pl.UInt64()) * 16 + pl.col("field")) * 65_536 + pl.col("position"))
    )
    elsewhere = pairs.filter(pl.col("field") != _NAME)
    own = pairs.filter(field=_NAME).join(elsewhere, on=("row", "number", "next"), how="semi")
    behind = own.select("row", pl.col("next").alias("number"), pl.col("position") + 1)
    venues = pl.concat([own.select(behind.columns), behind]).unique()
    # "Fish at Fish Park" is about fish.
    others = numbered.filter(field=_NAME).join(venues, on=("row", "number", "position"), how="anti")
    return venues.join(others, on=("row", "number"), how="anti").select("number", "row").unique()


def _list_pairs(words: pl.DataFrame) -> pl.DataFrame:
    """Return the words that are followed by another word of the same text, with the number of that word as `next`."""
    behind = words.select(pl.all().shift(-1))
    is_beside = (words["row"] == behind["row"]) & (words["field"] == behind["field"])
    is_beside &= words["position"] + 1 == behind["position"]
    return words.with_columns(next=behind["number"]).filter(is_beside)


HEADS = DerivedTables(
    names=("heads",),
    columns={"listings": ("type", "name"), "terms": ("word", "row", "field", "position")},
    make=_make_heads,
)


_TERMS = ("word", "row", "field", "position")
VENUES = derive_table("venues", make_venues, {"listings": ("type",), "terms": _TERMS})


class Namesakes:
    """Finds namesakes in one snapshot. `types`: by row."""

    def __init__(self, table: MappedTable, *, venues: MappedTable, types: Numbers) -> None:
        rows, heads = table.read_array("row"), table.read_array("head")
        order = np.argsort(heads, kind="stable")
        self._heads, self._venues = (heads[order], rows[order]), (venues.read_array("number"), venues.read_array("row"))
        self._types, self._have_heads = types, _mark(rows, types.size)

    def are_named_after(self, rows: Numbers, *, subject: Sequence[Codes], meant: Callable[[], Numbers]) -> Mask:
        """Mark the rows whose names have the query's words only as what they are named after, or as the place where
        they are. `subject`: the codes of the query's words; `meant`: the numbers of all words of the index that match
        these. A name with all of several words is never marked."""
        named = count_named(subject, rows)
        has_some = (named > 0) & (named < len(subject)) if len(subject) > 1 else named > 0
        is_place = self._types.take(rows) == _PLACE
        marks: Mask = has_some & is_place
        chosen = np.flatnonzero(marks)
        if chosen.size:
            marks[chosen] = self._have_heads[rows[chosen]] & ~self._are_meant(rows[chosen], meant())
        chosen = np.flatnonzero(has_some & ~is_place)
        if chosen.size:
            marks[chosen] = self._are_at_venues(rows[chosen], named[chosen], meant())
        return marks

    def find_headed(self, numbers: Iterable[int]) -> Numbers:
        """Return the places whose names say with these words of the index what they are."""
        return _find_rows(*self._heads, np.array([*numbers], dtype=np.int64))

    def _are_meant(self, rows: Numbers, meant: Numbers) -> Mask:
        """Mark the rows of places whose kind is what the query names: for `playground` no "Playground Cafe"."""
        are_meant: Mask = _mark(_find_rows(*self._heads, meant), self._types.size)[rows]
        return are_meant

    def _are_at_venues(self, rows: Numbers, named: Numbers, meant: Numbers) -> Mask:
        """Mark the rows whose names have the words only in the name of the venue. `named`: how many of the words each
        name has."""
        own, counts = np.unique(_find_rows(*self._venues, meant), return_counts=True)
        counted = np.zeros(self._types.size, dtype=np.uint8)
        counted[own] = counts
        chosen: Mask = counted[rows] >= named
        return chosen


def _find_rows(numbers: Numbers, rows: Numbers, meant: Numbers) -> Numbers:
    """Return the rows of these words. `numbers`: the word of each of `rows`, ascending."""
    meant = meant.astype(numbers.dtype)  # else each search copies all numbers to the wider type
    starts, ends = (np.searchsorted(numbers, meant, side=side) for side in ("left", "right"))
    return np.concatenate([rows[:0], *(rows[start:end] for start, end in zip(starts, ends, strict=True))])


def _mark(rows: Numbers, size: int) -> Mask:
    marks: Mask = np.zeros(size, dtype=np.bool_)
    marks[rows] = True
    return marks
