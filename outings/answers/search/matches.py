"""The listings that match a query's words: all that have any of them, or only those that fit."""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from outings.answers.search.score import (
    ALL_TERMS,
    PARTIAL,
    Codes,
    Numbers,
    are_mentioned,
    find_levels,
    mark_candidates,
    tells_subject,
)

# By row.
Mask = NDArray[np.bool_]
# Rows → those of them that may be shown, rising.
Keep = Callable[[Numbers], Numbers]
# Rows → thousandths.
Score = Callable[[Numbers], Numbers]

# Listings whose codes are taken one by one, of a word 1 ns each; a look at those of 100,000 takes 5 µs.
_FEW = 4_096


class SearchMatches(Struct, frozen=True, eq=False):
    """`rows` rise; `levels` are indexes in LEVELS; `similarities` where a model ranks too. `score` gives thousandths of
    any of the rows: only what is shown needs them. `lacking`: the partial ones that lack more than words that only
    narrow, or have none but where they are or in passing; None where no order is asked of these. `are_mentioned`: of
    rows that fit, whether they only mention what the query is about; None where no word says it. `are_elsewhere`: of
    rows, whether they are in no place that the query names; None where no order is asked of these."""

    rows: Numbers
    levels: Numbers
    score: Score
    similarities: Numbers | None = None
    lacking: Numbers | None = None
    are_mentioned: Callable[[Numbers], Mask] | None = None
    are_elsewhere: Callable[[Numbers], Mask] | None = None

    def choose(self, chosen: Numbers) -> "SearchMatches":
        """Those of an index or a mask."""
        near, lacking = (None if each is None else each[chosen] for each in (self.similarities, self.lacking))
        rows, levels = self.rows[chosen], self.levels[chosen]
        return replace(self, rows=rows, levels=levels, similarities=near, lacking=lacking)


class WordMatches(Struct, frozen=True, eq=False):
    """Of the words that decide, whoever may read it. `best`: of each word its code by row, none where no word decides;
    `list_rows`: all that have any, rising, of which there are `most` at most. `weaken` makes codes of these rows, which
    fit, worth less in place; once or more is the same. `subject`: the codes of the words that do not only narrow, where
    others do; `ranks_subject`: whether partial ones are ordered by what they say of themselves."""

    best: Sequence[Codes]
    list_rows: Callable[[], Numbers]
    score: Score
    most: int = 0
    weaken: Callable[[Numbers], None] = lambda _: None
    subject: Sequence[Codes] | None = None
    ranks_subject: bool = False
    are_elsewhere: Callable[[Numbers], Mask] | None = None

    def list_all(self, keep: Keep) -> SearchMatches:
        rows = keep(self.list_rows())
        if not self.best:
            return SearchMatches(rows, np.full(rows.size, ALL_TERMS), self.score)
        best, subject, own = self.best, self.subject, None if rows.size < _FEW else rows
        if own is None:
            # Of few listings their own codes, rather than the codes of all at each step.
            best = [each.take(rows) for each in best]
            subject = None if subject is None else [each.take(rows) for each in subject]
        levels = find_levels(best, own)
        is_partial = levels == PARTIAL
        fitting = rows[~is_partial]
        if fitting.size:
            self.weaken(fitting)
        lacking = None
        if self.ranks_subject:
            lacking = is_partial & ~tells_subject(best, own)
        if subject is not None:
            narrow = is_partial & (find_levels(subject, own) == PARTIAL)
            lacking = narrow if lacking is None else lacking | narrow
        return self._make(rows, levels, lacking)

    def mark_candidates(self) -> Mask:
        """By row: all that are not partial, and few others."""
        return mark_candidates(self.best)

    def list_fitting(self, passing: Mask, *, candidates: Mask) -> SearchMatches:
        """But for the partial ones. `passing`: those that may be shown."""
        rows = np.flatnonzero(candidates & passing)
        levels = find_levels(self.best, rows)
        fits = levels != PARTIAL
        rows = rows[fits]
        if rows.size:
            self.weaken(rows)
        return self._make(rows, levels[fits], None)

    def _make(self, rows: Numbers, levels: Numbers, lacking: Numbers | None) -> SearchMatches:
        return SearchMatches(
            rows,
            levels,
            self.score,
            lacking=lacking,
            are_mentioned=self._are_mentioned,
            are_elsewhere=self.are_elsewhere,
        )

    def _are_mentioned(self, rows: Numbers) -> Mask:
        return are_mentioned(self.subject or self.best, rows)

    def count_partial(self, chosen: Mask, *, candidates: Mask) -> int:
        """How many of the chosen are partial: so many at least."""
        others = (reduce(np.maximum, self.best) != 0) > candidates
        return int(np.count_nonzero(others & chosen))
