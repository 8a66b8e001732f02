"""Listings that are one thing for who looks for it: what one organization repeats by name, place and ages. Forty dates
that were entered as forty events are one result, in `match=auto`.

    place: the place that a listing names; else its coordinates; else the words that say where it is
"""

from collections.abc import Callable

import numpy as np
import polars as pl
from msgspec import Struct

from outings.answers.search.matching import SearchMatches
from outings.answers.search.score import Numbers
from outings.answers.snapshot.derived import derive_table
from outings.contract.folding import fold_text
from outings.release.tables import FIELDS, PUBLISHED

# Stands for a listing that repeats no other.
SINGLE = -1
_NOTHING = np.empty(0, dtype=np.int64)
# The bits of a row's place in the order of starts, and of its level.
_RANK, _LEVEL = 32, 2

# What they are made of.
LISTINGS = (
    "row", "type", "status", "name", "organization_id", "place_id", "lat", "lng", "age_min", "age_max",
)  # fmt: skip
TERMS = ("word", "row", "field", "position")
_WHERE = [FIELDS.index("place"), FIELDS.index("location")]
_THING = ("type", "organization_id", "folded", "place_id", "lat", "lng", "where", "age_min", "age_max")


def make_repeats(listings: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """By row: `thing`, a number that published listings of one thing share, else -1. Where neither who offers it nor
    where it is is stated, nothing says that two of one name are one."""
    has_place, has_point = pl.col("place_id").is_not_null(), pl.col("lat").is_not_null()
    published = listings.filter(pl.col("status") == PUBLISHED)
    things = (
        published.with_columns(
            folded=_fold_names(published["name"]),
            lat=pl.when(has_place).then(None).otherwise("lat"),
            lng=pl.when(has_place).then(None).otherwise("lng"),
        )
        .join(_list_words(published.filter(~has_place & ~has_point), terms), on="row", how="left")
        .filter(~pl.all_horizontal(pl.col("organization_id", "place_id", "lat", "where").is_null()))
        .with_columns(thing=pl.col("row").min().over(_THING), size=pl.len().over(_THING))
        .filter(pl.col("size") > 1)
    )
    numbers = np.full(listings.height, SINGLE, dtype=np.int32)
    numbers[things["row"].to_numpy()] = things["thing"].to_numpy()
    return pl.DataFrame({"thing": numbers})


def _fold_names(names: pl.Series) -> pl.Series:
    return pl.Series([fold_text(each) for each in names], dtype=pl.String())


def _list_words(listings: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """By row, what is said of where a listing is, in its order."""
    chosen = terms.filter(pl.col("field").is_in(_WHERE) & pl.col("row").is_in(listings["row"].implode()))
    ordered = chosen.sort("row", "field", "position")
    return ordered.group_by("row", maintain_order=True).agg(where=pl.col("word").str.join(" "))


REPEATS = derive_table("repeats", make_repeats, {"listings": LISTINGS, "terms": TERMS})


class SearchResults(Struct, frozen=True, eq=False):
    """`shown`: a listing for each thing. Of things that more than one matches `rows` has all that do, one thing after
    the other, each from its number in `begins` on, the one that is shown first. `things` rise."""

    shown: SearchMatches
    things: Numbers
    begins: Numbers
    rows: Numbers

    def list_repeats(self, shown: Numbers) -> list[Numbers]:
        """Of each of these things, the rows but the first."""
        if not self.things.size:
            return [self.rows] * shown.size
        at = np.minimum(np.searchsorted(self.things, shown), self.things.size - 1)
        begins = np.where(self.things[at] == shown, self.begins[at] + 1, self.rows.size)
        ends = self.begins[at + 1]
        return [self.rows[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]


def keep_single(matched: SearchMatches) -> SearchResults:
    """Each listing is a result."""
    return SearchResults(shown=matched, things=_NOTHING, begins=_NOTHING, rows=_NOTHING)


def fold_repeats(matched: SearchMatches, things: Numbers, *, rank: Callable[[Numbers], Numbers]) -> SearchResults:
    """Of each thing the listing of the best level; of these the first by `rank`: numbers of rows that rise with how
    early they start, then id. `things`: by row."""
    own = things[matched.rows]
    shared = np.flatnonzero(own != SINGLE)
    if shared.size < 2:
        return keep_single(matched)
    rows, levels = matched.rows[shared], matched.levels[shared]
    keys = ((own[shared].astype(np.int64) << _LEVEL | levels) << _RANK) | rank(rows)
    order = np.argsort(keys)
    ordered = keys[order] >> (_RANK + _LEVEL)
    begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    kept = own == SINGLE
    kept[shared[order[begins]]] = True
    return SearchResults(
        shown=matched if kept.all() else matched.choose(kept),
        things=ordered[begins],
        begins=np.append(begins, order.size),
        rows=rows[order],
    )
