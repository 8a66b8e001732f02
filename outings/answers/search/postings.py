"""Postings: which listings have a word, and the best place of the word in each."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from outings.answers.snapshot.reader import DerivedTables, derive_table
from outings.answers.snapshot.spelling import make_stem
from outings.contract.languages.language import find_stems
from outings.lazy_polars import pl
from outings.release.mapped_table import NOT_STATED, MappedTable
from outings.release.tables import FIELDS

# Where in a listing a word is, the better the higher. SHELF: in a category or a keyword alone, though the listing
# describes itself otherwise: see `_are_shelved`.
PASSING, WHERE, OPENING, SHELF, CATEGORY, NAME = range(6)
# Words of a description that are its opening, some 400 characters: with 32 the judged queries have 0.01 less of nDCG.
OPENING_WORDS = 64

_PLACES = {
    "name": NAME, "category": CATEGORY, "keywords": CATEGORY, "organization": WHERE, "place": WHERE, "location": WHERE,
}  # fmt: skip
_DESCRIPTION = FIELDS.index("description")
_KEYWORDS = FIELDS.index("keywords")
_WHERE_FIELDS = (FIELDS.index("place"), FIELDS.index("location"))

Rows = NDArray[np.uint32]
Places = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Indexes = NDArray[np.integer]

# Keywords such as "Performing Arts & Dance" are for several things.
_AND = "and"
# Words at most this far from "and" may belong to one of several things.
_BESIDE = 2
# Bits of the second of two numbers that are joined to one, so that pairs sort as numbers do.
_SHIFT = 32

# Columns of the table of terms and the table of listings that postings are made of.
TERMS = ("word", "row", "field", "position")
LISTINGS = ("age_min", "age_max", "text_age_min", "text_age_max", "audience", "created_at")


def find_places(fields: NDArray[np.integer], positions: NDArray[np.integer]) -> Places:
    """Return how strongly words count by their place, as PASSING, OPENING and so on."""
    best: Places = np.array([_PLACES.get(name, PASSING) for name in FIELDS], dtype=np.uint8)[fields]
    best[(fields == _DESCRIPTION) & (positions < OPENING_WORDS)] = OPENING
    return best


def make_postings(terms: pl.DataFrame, *, stems: str) -> pl.DataFrame:
    """Make the table of postings: one row for each word and listing, with the best place of the word there.

    `stems`: the Snowball language of the words.
    """
    words, rows = terms["word"].rle_id().to_numpy(), terms["row"].to_numpy()
    firsts = _find_firsts(words, rows)
    places = find_places(terms["field"].to_numpy(), terms["position"].to_numpy())
    best = np.maximum.reduceat(places, firsts) if firsts.size else places
    is_described = np.zeros(int(rows.max(initial=0)) + 1, dtype=np.bool_)
    is_described[rows[terms["field"].to_numpy() == _DESCRIPTION]] = True
    doubtful = np.flatnonzero((best == CATEGORY) & is_described[rows[firsts]])
    best[doubtful[_are_shelved(terms, words, firsts[doubtful], stems=stems)]] = SHELF
    return pl.DataFrame({"row": rows[firsts], "place": best})


def _are_shelved(terms: pl.DataFrame, words: Indexes, firsts: Indexes, *, stems: str) -> NDArray[np.bool_]:
    """Mark the words that a listing has only in broad categories or keywords, while its description never uses them. A
    keyword that is also in the name of the place or in the address says where the listing is: "Rockaway Beach &
    Boardwalk". `words`: the number of each word; `firsts`: its first index in `terms`."""
    rows, fields = terms["row"].to_numpy(), terms["field"].to_numpy()
    names = terms["word"].rle().struct.field("value")
    stem, owners = _number_stems(names, stems), rows[firsts]
    # Few stems are in categories and keywords: of all words only these are compared.
    own = stem[words[firsts]]
    described = np.flatnonzero((fields == _DESCRIPTION) & np.isin(stem, own, kind="table")[words])
    are_shelved: NDArray[np.bool_] = ~_are_in(_join(own, owners), _join(stem[words[described]], rows[described]))
    keywords = np.flatnonzero(fields == _KEYWORDS)
    places = _join(rows[keywords], terms["position"].to_numpy()[keywords])
    joining = places[np.isin(words[keywords], (names == _AND).arg_true().to_numpy())]
    beside = (joining + np.arange(-_BESIDE, _BESIDE + 1)[:, np.newaxis]).ravel()
    where = np.flatnonzero(np.isin(fields, _WHERE_FIELDS))
    say_where = _are_in(_join(words[keywords], rows[keywords]), _join(words[where], rows[where]))
    alone = keywords[~_are_in(places, beside) | say_where]
    are_shelved &= ~_are_in(_join(words[firsts], owners), _join(words[alone], rows[alone]))
    return are_shelved


def _number_stems(words: pl.Series, stems: str) -> NDArray[np.int64]:
    """Return, for each word of the index, the number of the word's stem."""
    stem = pl.Series(map(make_stem(stems), words.to_list()), dtype=pl.String())
    return stem.rank("dense").cast(pl.Int64()).to_numpy()


def _join(numbers: Indexes, others: Indexes) -> NDArray[np.int64]:
    """Join pairs of numbers below 2^32 into one number each, such as a word and a listing."""
    joined: NDArray[np.int64] = numbers.astype(np.int64) << _SHIFT | others.astype(np.int64)
    return joined


def _are_in(values: NDArray[np.int64], sorted_values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the same as `np.isin`, in a sixth of the time."""
    return pl.Series(values).is_in(pl.Series(sorted_values).implode()).to_numpy()


def make_posting_ends(terms: pl.DataFrame) -> pl.DataFrame:
    """Make a table with the end of each word's run of postings."""
    words = terms["word"].rle_id().to_numpy()
    firsts = _find_firsts(words, terms["row"].to_numpy())
    return pl.DataFrame({"end": np.cumsum(np.bincount(words[firsts])).astype(np.int64)})


def _find_firsts(words: NDArray[np.integer], rows: NDArray[np.integer]) -> NDArray[np.int64]:
    changes = (words[1:] != words[:-1]) | (rows[1:] != rows[:-1])
    return np.flatnonzero(np.concatenate((np.ones(min(1, words.size), dtype=np.bool_), changes)))


def make_ranks(listings: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Make a table of the columns that score results besides their words, by row. `age_min` and `age_max`: the stated
    ages, else those in a text of the listing. `name_words`: how many words the name has, 0 if it is not indexed."""
    in_names = terms["row"].to_numpy()[terms["field"].to_numpy() == FIELDS.index("name")]
    counts = np.bincount(in_names, minlength=listings.height)
    are_stated = pl.any_horizontal(pl.col("age_min", "age_max").is_not_null())
    return listings.select(
        *(
            pl.when(~are_stated).then(f"text_{name}").otherwise(name).cast(pl.Int32()).fill_null(NOT_STATED).alias(name)
            for name in ("age_min", "age_max")
        ),
        pl.col("audience"),
        pl.col("created_at").fill_null(NOT_STATED),
        name_words=pl.Series(counts, dtype=pl.UInt16()),
    )


POSTINGS = DerivedTables(
    names=("postings",),
    columns={"terms": TERMS},
    make=lambda tables, context: {"postings": make_postings(tables["terms"], stems=find_stems(context.language))},
)
POSTING_ENDS = derive_table("posting_ends", make_posting_ends, {"terms": TERMS[:2]})
RANKS = derive_table("ranks", make_ranks, {"listings": LISTINGS, "terms": ("row", "field")})


class Postings:
    """The postings of one snapshot, by the numbers of the index's words."""

    def __init__(self, table: MappedTable, *, ends: MappedTable, readable: Mask | None = None) -> None:
        """`readable`: True for each row to find; None finds all."""
        self._rows, self._places = table.read_array("row"), table.read_array("place")
        self._ends, self._readable = ends.view_array("end"), readable

    def mark_words(self, readable: Mask) -> Mask:
        """Return, for each word of the index, True if any of these rows has it."""
        if not self._rows.size:
            return np.empty(0, dtype=np.bool_)
        return np.logical_or.reduceat(readable[self._rows], [0, *self._ends[:-1]])

    def read_posting(self, number: int) -> tuple[Rows, Places]:
        """Return the listings that have the word, ascending, and the best place of the word in each."""
        first, end = self._ends[number - 1] if number else 0, self._ends[number]
        return self._choose(first, end)

    def read_run(self, numbers: range) -> tuple[Rows, Places]:
        """Return the postings of consecutive words, one after another. A listing may come more than once."""
        first, end = (self._ends[number - 1] if number else 0 for number in (numbers.start, numbers.stop))
        return self._choose(first, end)

    def _choose(self, first: int, end: int) -> tuple[Rows, Places]:
        rows, places = self._rows[first:end], self._places[first:end]
        if self._readable is None:
            return rows, places
        is_readable = self._readable[rows]
        return rows[is_readable], places[is_readable]

    def count_postings(self, numbers: Iterable[int]) -> int:
        ends = self._ends
        return sum([ends[number] - (ends[number - 1] if number else 0) for number in numbers])
