"""Places that are only named after a word: Farm Playground is a playground, and no farm. What sort of thing a place is,
the head of its name says, which in English is the last word: of "Museum of Flight" the last before the "of"."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from outings.answers.search.notions import NotionPairs
from outings.answers.search.postings import Rows
from outings.answers.search.score import Codes, Numbers, is_named, weaken_names
from outings.answers.snapshot.derived import DerivedTables, TableContext
from outings.contract.languages.search import NameWords
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import MappedTable
from outings.release.tables import FIELDS

_PLACE, _NAME = TYPES.index("place"), FIELDS.index("name")


def make_heads(listings: pl.DataFrame, terms: pl.DataFrame, words: NameWords) -> pl.DataFrame:
    """Of each place the number of the word that is its name's head, by row. None where the language does not say."""
    places = listings.with_row_index("row").filter(type=_PLACE).select(pl.col("row").cast(terms.schema["row"]))
    named = terms.with_columns(number=pl.col("word").rle_id()).filter(field=_NAME).join(places, on="row", how="semi")
    # A number or a letter tells two of a sort apart: "Playground 2".
    named = named.filter(pl.col("word").str.contains("^[^0-9].+$"))
    if words.head == "last":
        ends = named.filter(pl.col("word").is_in(words.behind_head.split()), pl.col("position") > 0)
        ends = ends.group_by("row").agg(end=pl.col("position").min())
        behind = named.join(ends, on="row", how="left")
        named = behind.filter(pl.col("end").is_null() | (pl.col("position") < pl.col("end")))
    heads = named.sort("row", "position").group_by("row", maintain_order=True)
    number = pl.col("number").last() if words.head == "last" else pl.col("number").first()
    made = heads.agg(head=number.cast(pl.UInt32())).select(pl.col("row").cast(pl.UInt32()), "head")
    return made if words.head else made.clear()


def _make_heads(tables: Mapping[str, pl.DataFrame], context: TableContext) -> dict[str, pl.DataFrame]:
    search = context.language.search
    words = NameWords() if search is None else search.names
    return {"heads": make_heads(tables["listings"], tables["terms"], words)}


HEADS = DerivedTables(
    names=("heads",),
    columns={"listings": ("type",), "terms": ("word", "row", "field", "position")},
    make=_make_heads,
)


class Namesakes:
    """Of one snapshot. `types`: by row."""

    def __init__(self, table: MappedTable, *, types: Numbers, pairs: NotionPairs) -> None:
        self._rows, self._heads = table.read_array("row"), table.read_array("head")
        self._types, self._pairs = types, pairs

    def weaken(self, best: Sequence[Codes], rows: Numbers, *, meant: Callable[[], Iterable[int]]) -> None:
        """In the codes of a query's words, of these rows, which lack none: a place that is only named after one of them
        has it as in a category. `meant`: the numbers of all words of the index that the query means. Not where its name
        has all of several words, which is then what was looked for."""
        rows = self._find_named(best, rows)
        if not rows.size:
            return
        at = np.minimum(np.searchsorted(self._rows, rows), self._rows.size - 1)
        own = set(meant())
        # "Pickleball court" is one thing, and "court" its head.
        own.update(behind for number in tuple(own) for behind in self._pairs.list_behind(number))
        is_meant = np.isin(self._heads[at], np.fromiter(own, dtype=np.int64, count=len(own)))
        rows = rows[(self._rows[at] == rows) & ~is_meant]
        for codes in best:
            codes[rows] = weaken_names(codes[rows])

    def list_headed(self, meant: Iterable[int]) -> Rows:
        """The places that are what the query means: playgrounds, not courts of basketball. Rising."""
        headed: Rows = self._rows[np.isin(self._heads, np.fromiter(meant, dtype=np.int64))]
        return headed

    def _find_named(self, best: Sequence[Codes], rows: Numbers) -> Numbers:
        """Of the rows the places whose names have any of the words; of several words, not all."""
        if not self._rows.size:
            return self._rows
        places = rows[self._types.take(rows) == _PLACE]
        named: Numbers = np.sum([is_named(codes.take(places)) for codes in best], axis=0)
        chosen: Numbers = places[(named > 0) & ((named < len(best)) | (len(best) == 1))]
        return chosen
