"""Fold listings that an organization repeats with the same name, place and ages into one result: forty dates that were
entered as forty events are one, in `match=auto`.

    place: the place that a listing names; else its coordinates; else the words that say where it is
"""

from collections.abc import Callable

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.search.matches import SearchMatches
from outings.answers.search.strength import Numbers, mark_firsts
from outings.answers.snapshot.reader import derive_table
from outings.contract.text import fold_text
from outings.release.tables import FIELDS, PUBLISHED

# Stands for a listing that repeats no other.
SINGLE = -1
_NOTHING = np.empty(0, dtype=np.int64)
# The bits of a row's place in the order of starts.
_RANK = 32

# What they are made of.
LISTINGS = (
    "row", "type", "status", "name", "organization_id", "place_id", "lat", "lng", "age_min", "age_max",
)  # fmt: skip
TERMS = ("word", "row", "field", "position")
_WHERE = [FIELDS.index("place"), FIELDS.index("location")]
_THING = ("type", "organization_id", "folded", "place_id", "lat", "lng", "where", "age_min", "age_max")


def make_repeats(listings: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Make a table by row of `thing`: a number that published listings of the same thing share, else -1. Listings
    without a stated organization and location are never the same thing."""
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
    """Return by row the words that say where a listing is, in order."""
    chosen = terms.filter(pl.col("field").is_in(_WHERE) & pl.col("row").is_in(listings["row"].implode()))
    ordered = chosen.sort("row", "field", "position")
    return ordered.group_by("row", maintain_order=True).agg(where=pl.col("word").str.join(" "))


REPEATS = derive_table("repeats", make_repeats, {"listings": LISTINGS, "terms": TERMS})


class SearchResults(Struct, frozen=True, eq=False):
    """`shown`: a listing for each thing, with the level of the best listing of it; `scores` and `ranks` are of that one
    too. Of
    things that more than one matches `rows` has all that do, one thing after the other, each from its number in
    `begins` on, the one that is shown first. `things` rise."""

    shown: SearchMatches
    scores: Numbers
    ranks: Numbers
    things: Numbers = _NOTHING
    begins: Numbers = _NOTHING
    rows: Numbers = _NOTHING

    def list_repeats(self, shown: Numbers) -> list[Numbers]:
        """Return, for each of these things, its rows except the first."""
        if not self.things.size:
            return [self.rows] * shown.size
        at = np.minimum(np.searchsorted(self.things, shown), self.things.size - 1)
        begins = np.where(self.things[at] == shown, self.begins[at] + 1, self.rows.size)
        ends = self.begins[at + 1]
        return [self.rows[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]


def count_things(things: Numbers, *, most: int) -> int:
    """Count the results among rows, at most `most`. `things`: the numbers of the rows' things."""
    shared = (things != SINGLE).nonzero()[0]
    alone: int = things.size - shared.size
    if alone >= most or not shared.size:
        return min(alone, most)  # as nearly always: nothing has to be put in order
    return min(alone + np.unique(things[shared]).size, most)


def fold_repeats(
    matched: SearchMatches,
    scores: Numbers,
    ranks: Numbers,
    *,
    things: Numbers,
    order_starts: Callable[[Numbers], Numbers],
) -> SearchResults:
    """Keep one listing of each thing: the first by `order_starts`, which numbers rows by how early they start, then by
    id. It takes the place of the best of its listings, the least by `ranks`. `scores`, `ranks` and `things` are those
    of the rows that match."""
    shared = (things != SINGLE).nonzero()[0]
    if shared.size < 2:
        return SearchResults(matched, scores, ranks)
    keys = things[shared].astype(np.int64) << _RANK | order_starts(matched.rows[shared])
    order = np.argsort(keys)
    ordered, own = keys[order] >> _RANK, shared[order]
    begins = mark_firsts(ordered).nonzero()[0]
    # By listing that which says how well it fits; of what is one thing the best says it for the first.
    best = np.arange(things.size)
    near = () if matched.similarities is None else (-matched.similarities[own],)
    best[own[begins]] = own[np.lexsort((*near, ranks[own], ordered))[begins]]
    kept = things == SINGLE
    kept[own[begins]] = True
    return SearchResults(
        shown=replace(matched.choose(best[kept]), rows=matched.rows[kept]),
        scores=scores[best[kept]],
        ranks=ranks[best[kept]],
        things=ordered[begins],
        begins=np.append(begins, order.size),
        rows=matched.rows[own],
    )
