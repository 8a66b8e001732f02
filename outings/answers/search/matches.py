"""The listings that match a query's words, each with its level."""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.search.strength import BY_RELATION, SAYS_WHERE, STANDINGS, Codes, Numbers

# Rows → those of them that may be shown, rising.
Keep = Callable[[Numbers], Numbers]
# Indexes in the contract's LEVELS.
ALL_TERMS, RELATED_WORDS, PARTIAL = range(3)
# By how a word counts: in passing, as a place is named, by a related word, by itself.
_LEVELS = np.array([PARTIAL, PARTIAL, RELATED_WORDS, ALL_TERMS])


class SearchMatches(Struct, frozen=True, eq=False):
    """`rows` rise; `levels` are indexes in LEVELS. `score` gives thousandths of
    any of the rows: only what is shown needs them. `relaxed`: words of the query that no level asks for."""

    rows: Numbers
    levels: Numbers
    score: Callable[[Numbers], Numbers]
    relaxed: tuple[str, ...] = ()

    def choose(self, chosen: Numbers) -> "SearchMatches":
        """Return the matches at these indexes, or where this mask is True."""
        return replace(self, rows=self.rows[chosen], levels=self.levels[chosen])


def find_levels(codes: Sequence[Codes], rows: Numbers, *, where_completes: bool) -> Numbers:
    """`codes`: of each word that decides, by row; the one that counts least says the level. Where a listing is, is no
    part of what it says of itself, but if `where_completes` what has the rest is `related`: "swim ballard"."""
    if not codes:
        return np.full(rows.size, ALL_TERMS)
    standings = STANDINGS.take(reduce(np.minimum, codes).take(rows))
    levels: Numbers = _LEVELS.take(standings)
    if where_completes:
        located = np.flatnonzero(standings == SAYS_WHERE)
        most = STANDINGS.take(reduce(np.maximum, codes).take(rows[located]))
        levels[located[most >= BY_RELATION]] = RELATED_WORDS
    return levels


def has_all(codes: Sequence[Codes]) -> bool:
    """Return True if a listing has all of the words, whatever the filters."""
    return not codes or bool((STANDINGS.take(reduce(np.minimum, codes)) >= BY_RELATION).any())
