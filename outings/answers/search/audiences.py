"""For whom a query looks, in `match=auto`, and which listings say that they are for these."""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from outings.answers.search.score import Mask, Numbers
from outings.answers.search.understanding.query import ParsedQuery
from outings.answers.search.understanding.words import QueryWords
from outings.contract.vocabulary import AUDIENCES
from outings.release.mapped_table import NOT_STATED

# From these ages on a search is for teens, and for adults.
_TEEN, _ADULT = 13, 19
_FOR_CHILDREN = ("kids", "families")
_FOR_TEENS = ("teens", "families")


class TargetAudience(Struct, frozen=True, eq=False):
    """The audiences looked for, as the words of `audience`, and those of all listings, by row. `are_for_these`: of rows
    whether they are places that are for these by what they are, where no word says what is looked for."""

    wanted: Sequence[str]
    audiences: Numbers
    age_min: Numbers
    age_max: Numbers
    are_for_these: Callable[[Numbers], Mask] | None = None

    def find_others(self, rows: Numbers, are_meant: Callable[[Numbers], Mask] | None) -> Mask:
        """Of the rows those that say neither ages nor that they are for these. What states ages passed their filter
        or comes behind by them. `are_meant`: of rows, whether they are places of the sort that is looked for. A
        playground need not say that it is for children."""
        is_wanted = np.array([each in self.wanted for each in AUDIENCES])
        is_silent = (self.age_min[rows] == NOT_STATED) & (self.age_max[rows] == NOT_STATED)
        others: Mask = is_silent & ~is_wanted.take(self.audiences[rows])
        for each in filter(None, (are_meant, self.are_for_these)):
            places = np.flatnonzero(others)
            others[places[each(rows[places])]] = False
        return others


def choose_audiences(parsed: ParsedQuery, words: QueryWords) -> Sequence[str]:
    """By the age, else by a word for children. None where a query says neither."""
    if parsed.age is not None:
        return _FOR_CHILDREN if parsed.age.min < _TEEN else _FOR_TEENS if parsed.age.min < _ADULT else ()
    return () if words.children.isdisjoint(parsed.audience) else _FOR_CHILDREN
