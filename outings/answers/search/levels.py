"""Which levels are shown: those that were sent, or those that `match=auto` chooses by the whole answer."""

from collections.abc import Callable, Sequence

import numpy as np

from outings.answers.search.matches import SearchMatches
from outings.answers.search.score import PARTIAL, Numbers
from outings.contract.resources.finding import LEVELS

AUTO = ("auto",)
# Fewer results than these leave room for partial ones.
ENOUGH = 5


def settle_levels(
    matched: SearchMatches, requested: Sequence[str], *, count: Callable[[Numbers], int]
) -> tuple[tuple[str, ...], SearchMatches]:
    """Of the whole answer and not of a page, so that all pages of a walk have the same levels. `count`: how many
    results these rows are."""
    if tuple(requested) != AUTO:
        return tuple(requested), choose_levels(matched, requested)
    if np.count_nonzero(matched.levels < PARTIAL) < ENOUGH:
        return LEVELS, matched  # however many results they are
    full = choose_levels(matched, LEVELS[:PARTIAL])
    return (LEVELS, matched) if count(full.rows) < ENOUGH else (LEVELS[:PARTIAL], full)


def choose_levels(matched: SearchMatches, names: Sequence[str]) -> SearchMatches:
    if len(names) == len(LEVELS):
        return matched
    return matched.choose(np.array([each in names for each in LEVELS])[matched.levels])


def count_levels(matched: SearchMatches) -> Numbers:
    return np.bincount(matched.levels, minlength=len(LEVELS))
