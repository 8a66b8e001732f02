"""Fold listings that an organization repeats with the same name, place and ages into one result: forty dates that were
entered as forty events are one, in `match=auto`.

    place: the place that a listing names; else its coordinates; else the words that say where it is
"""

import re
from collections.abc import Callable

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.rows.columns import choose_firsts, mark_firsts, order_groups
from outings.answers.search.word_matches import Numbers, SearchMatches
from outings.answers.snapshot.reader import DerivedTables
from outings.contract.languages.language import NO_MATCH, Language
from outings.contract.languages.word_lists import SearchWords
from outings.contract.text import fold_text
from outings.lazy_polars import pl
from outings.release.tables import FIELDS, PUBLISHED

# The thing of a listing that repeats no other.
SINGLE = -1
_NOTHING = np.empty(0, dtype=np.int64)

# Columns of the table of listings and the table of terms that repeats are made of.
LISTINGS = (
    "row", "type", "status", "name", "organization_id", "place_id", "lat", "lng", "age_min", "age_max",
)  # fmt: skip
TERMS = ("word", "row", "field", "position")
_WHERE = [FIELDS.index("place"), FIELDS.index("location")]
_THING = ("type", "organization_id", "folded", "place_id", "lat", "lng", "where", "age_min", "age_max")


def make_repeats(listings: "pl.DataFrame", terms: "pl.DataFrame", language: Language) -> "pl.DataFrame":
    """Make a table by row. `thing`: a number that published listings of one name, organization, location and age share,
    else -1; listings without a stated organization and location share none. `is_called_off`: True if the name says that
    the listing is canceled or sold out; these words are no part of the name that is compared."""
    has_place, has_point = pl.col("place_id").is_not_null(), pl.col("lat").is_not_null()
    published = listings.filter(pl.col("status") == PUBLISHED)
    called_off = _compile_called_off(language.search or SearchWords())
    plain = [called_off.sub("", name) or name for name in published["name"]]
    are_off = np.zeros(listings.height, dtype=np.bool_)
    are_off[published["row"].to_numpy()] = (pl.Series(plain, dtype=pl.String()) != published["name"]).to_numpy()
    things = (
        published.with_columns(
            folded=pl.Series(map(fold_text, plain), dtype=pl.String()),
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
    return pl.DataFrame({"thing": numbers, "is_called_off": are_off.astype(np.uint8)})


def _compile_called_off(words: SearchWords) -> re.Pattern[str]:
    """Return the pattern of a name that says it is off: at either end, separated by a sign, "Swim (sold out)", or in
    capitals, "SOLD OUT Swim"."""
    any_case = words.names.called_off or NO_MATCH
    capitals = words.names.called_off.upper() or NO_MATCH
    return re.compile(
        rf"^\W*(?:(?i:{any_case})\s*[^\w\s]\W*|(?:{capitals})\b\W*)|(?:\W*[^\w\s]\s*(?i:{any_case})|\W*\b(?:{capitals}))\W*$"
    )


def _list_words(listings: "pl.DataFrame", terms: "pl.DataFrame") -> "pl.DataFrame":
    """Return by row the words that say where a listing is, in order."""
    chosen = terms.filter(pl.col("field").is_in(_WHERE) & pl.col("row").is_in(listings["row"].implode()))
    ordered = chosen.sort("row", "field", "position")
    return ordered.group_by("row", maintain_order=True).agg(where=pl.col("word").str.join(" "))


REPEATS = DerivedTables(
    names=("repeats",),
    columns={"listings": LISTINGS, "terms": TERMS},
    make=lambda tables, context: {"repeats": make_repeats(tables["listings"], tables["terms"], context.language)},
)


class SearchResults(Struct, frozen=True, eq=False):
    """The results of a search, in which repeated listings are one. `shown`: one listing for each result, with the level
    of the result's best listing; `scores` and `ranks`: of the best listing, too. `things`: the numbers of repeated
    listings, ascending. `rows`: all matching rows of these things, grouped by thing, the shown one first. `begins`: the
    index in `rows` at which each thing begins, and the end of the last one."""

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


def choose_cards(matched: SearchMatches, programs: Numbers, *, rank: Callable[[Numbers], Numbers]) -> SearchMatches:
    """Keep one listing of each program: of those with the best level the first by `rank`, which returns numbers for
    rows that ascend with their start, then id."""
    programs = programs[matched.rows]
    shared = (programs >= 0).nonzero()[0]
    if shared.size < 2:
        return matched
    firsts = choose_firsts(programs[shared], matched.levels[shared], rank(matched.rows[shared]))
    kept = programs < 0
    kept[shared[firsts]] = True
    return matched.choose(kept)


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
    called_off: Numbers,
    order_starts: Callable[[Numbers], Numbers],
) -> SearchResults:
    """Show one listing of those that are repeated: the first by `order_starts`, which numbers rows by their start, then
    by id. A canceled or sold out listing is shown only if all are. The result is ordered by the best of its listings,
    which has the least of `ranks`. `scores`, `ranks`, `things` and `called_off` are those of the matching rows."""
    shared = (things != SINGLE).nonzero()[0]
    if shared.size < 2:
        return SearchResults(matched, scores, ranks)
    order = order_groups(things[shared], called_off[shared], order_starts(matched.rows[shared]))
    own = shared[order]
    ordered = things[own]
    begins = mark_firsts(ordered).nonzero()[0]
    # For each listing, the one whose level, score and rank count: for a thing's first listing, the thing's best.
    best = np.arange(things.size)
    best[own[begins]] = own[choose_firsts(ordered, ranks[own])]
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
