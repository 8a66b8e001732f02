"""Which levels are shown: those that were sent, or those that `match=auto` chooses by the whole answer."""

from collections.abc import Sequence

import numpy as np

from outings.answers.search.matching import SearchMatches
from outings.answers.search.score import PARTIAL, Numbers
from outings.contract.resources.search import LEVELS

AUTO = ("auto",)
# Fewer results than these leave room for partial ones.
_ENOUGH = 5


def settle_levels(requested: Sequence[str], counts: Numbers) -> tuple[str, ...]:
    """`counts` by level, of the whole answer and not of a page: so all pages of a walk have the same levels."""
    if tuple(requested) != AUTO:
        return tuple(requested)
    return LEVELS if counts[:PARTIAL].sum() < _ENOUGH else LEVELS[:PARTIAL]


def choose_levels(matched: SearchMatches, names: Sequence[str]) -> SearchMatches:
    if len(names) == len(LEVELS):
        return matched
    return matched.choose(np.array([each in names for each in LEVELS])[matched.levels])


def count_levels(matched: SearchMatches) -> Numbers:
    return np.bincount(matched.levels, minlength=len(LEVELS))
