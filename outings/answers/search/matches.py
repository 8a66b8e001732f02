"""The listings that match a query's words: all that have any of them, or only those that fit."""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.search.score import (
    ALL_TERMS,
    PARTIAL,
    Codes,
    Mask,
    Numbers,
    are_mentioned,
    find_levels,
    mark_candidates,
    tells_subject,
)

# Rows → those of them that may be shown, rising.
Keep = Callable[[Numbers], Numbers]
# Rows → thousandths.
Score = Callable[[Numbers], Numbers]

# Listings whose codes are taken one by one, of a word 1 ns each; a look at those of 100,000 takes 5 µs.
_FEW = 4_096
# Listings that are counted at first.
_AT_ONCE = 1 << 14


class SearchMatches(Struct, frozen=True, eq=False):
    """`rows` rise; `levels` are indexes in LEVELS; `similarities` where a model ranks too. `score` gives thousandths of
    any of the rows: only what is shown needs them. `lacking`: the partial ones that lack more than words that only
    narrow, or have none but where they are or in passing; None where no order is asked of these. `mark_lacking` says it
    of partial rows. `are_mentioned`: of rows that fit, whether they only mention what the query is about; None where no
    word says it. `has_subject`: whether some words only narrow what it is about. `are_elsewhere`: of rows, whether they
    are in no place that the query names; None where no order is asked of these."""

    rows: Numbers
    levels: Numbers
    score: Score
    similarities: Numbers | None = None
    lacking: Numbers | None = None
    mark_lacking: Callable[[Numbers], Mask | None] | None = None
    are_mentioned: Callable[[Numbers], Mask] | None = None
    has_subject: bool = False
    are_elsewhere: Callable[[Numbers], Mask] | None = None

    def choose(self, chosen: Numbers) -> "SearchMatches":
        """Those of an index or a mask."""
        near, lacking = (None if each is None else each[chosen] for each in (self.similarities, self.lacking))
        rows, levels = self.rows[chosen], self.levels[chosen]
        return replace(self, rows=rows, levels=levels, similarities=near, lacking=lacking)

    def order_partial(self) -> "SearchMatches":
        """With what is asked of partial ones alone, if there are any."""
        partial = np.flatnonzero(self.levels == PARTIAL)
        marks = self.mark_lacking(self.rows[partial]) if partial.size and self.mark_lacking is not None else None
        if marks is None:
            return self
        lacking = np.zeros(self.rows.size, dtype=np.bool_)
        lacking[partial] = marks
        return replace(self, lacking=lacking)


class WordMatches(Struct, frozen=True, eq=False):
    """Of the words that decide, whoever may read it. `best`: of each word its code by row, none where no word decides;
    `list_rows`: all that have any, rising, of which there are `most` at most. `weaken` makes codes of these rows, which
    fit, worth less in place, and `locate` those of partial ones; once or more is the same. `subject`: the codes of the
    words that do not only narrow, where others do; `ranks_subject`: whether partial ones are ordered by what they say
    of themselves; `where_completes`: as `find_levels` has it."""

    best: Sequence[Codes]
    list_rows: Callable[[], Numbers]
    score: Score
    most: int = 0
    weaken: Callable[[Numbers], None] = lambda _: None
    locate: Callable[[Numbers], None] = lambda _: None
    subject: Sequence[Codes] | None = None
    ranks_subject: bool = False
    where_completes: bool = False
    are_elsewhere: Callable[[Numbers], Mask] | None = None

    def list_all(self, keep: Keep) -> SearchMatches:
        rows = keep(self.list_rows())
        if not self.best:
            return SearchMatches(rows, np.full(rows.size, ALL_TERMS), self.score)
        # Of few listings their own codes, rather than the codes of all.
        few = rows.size < _FEW
        best = [each.take(rows) for each in self.best] if few else self.best
        levels = find_levels(best, None if few else rows, where_completes=self.where_completes)
        fitting = rows[levels != PARTIAL]
        if fitting.size:
            self.weaken(fitting)
        return self._make(rows, levels)

    def _mark_lacking(self, rows: Numbers) -> Mask | None:
        """Of rows that are partial."""
        self.locate(rows)
        lacking = None
        if self.ranks_subject:
            lacking = ~tells_subject(self.best, rows)
        if self.subject is not None:
            narrow = find_levels(self.subject, rows, where_completes=self.where_completes) == PARTIAL
            lacking = narrow if lacking is None else lacking | narrow
        return lacking

    def mark_candidates(self) -> Mask:
        """By row: all that are not partial, and few others."""
        return mark_candidates(self.best)

    def list_fitting(self, passing: Mask, *, candidates: Mask) -> SearchMatches:
        """But for the partial ones. `passing`: those that may be shown."""
        rows = (candidates & passing).nonzero()[0]
        levels = find_levels(self.best, rows, where_completes=self.where_completes)
        fits = levels != PARTIAL
        rows = rows[fits]
        if rows.size:
            self.weaken(rows)
        return self._make(rows, levels[fits])

    def _make(self, rows: Numbers, levels: Numbers) -> SearchMatches:
        return SearchMatches(
            rows,
            levels,
            self.score,
            mark_lacking=self._mark_lacking,
            are_mentioned=self._are_mentioned,
            has_subject=self.subject is not None,
            are_elsewhere=self.are_elsewhere,
        )

    def _are_mentioned(self, rows: Numbers) -> Mask:
        return are_mentioned(self.subject or self.best, rows)

    def count_partial(self, chosen: Mask, *, candidates: Mask, most: int) -> int:
        """How many of the chosen are partial: so many at least. Where they are more than `most`, some that are more."""
        start = counted = 0
        while counted <= most and start < chosen.size:
            rows = slice(start, max(_AT_ONCE, 4 * start))
            others = (reduce(np.maximum, [each[rows] for each in self.best]) != 0) > candidates[rows]
            counted += int(np.count_nonzero(others & chosen[rows]))
            start = rows.stop
        return counted
