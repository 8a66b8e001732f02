"""Print where nDCG@10 is lost, kind by kind: what part of it by what a search may not show, does not find, or shows too
late.

Of a half that is only scored nothing but sums of a kind is printed, as in `bench.search_quality_kinds`.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import astuple

from bench.search_quality_kinds import choose_kind
from tests.judged.judging import KINDS, JudgedQuery
from tests.judged.measures import DEPTH, QueryGrades, measure_ndcg

# Results that count as returned.
RETURNED = 100
_COLUMNS = ("lost", "not shown", "unmatched", "level", "below ten", "order", "unjudged")


class Losses(Struct, frozen=True):
    """Parts of 1 − nDCG@10 that sum up to `lost`, and how many of the first ten results nobody judged.

    `not_shown`: what a search may not show; `unmatched`: what has none of the words; `level`: what matches at a level
    that is not shown, or behind RETURNED; `below`: what is returned, but not among the first ten; `order`: theirs."""

    lost: float
    not_shown: float
    unmatched: float
    level: float
    below: float
    order: float
    unjudged: float


def print_losses(
    results: Mapping[str, Sequence[QueryGrades]],
    matches: Mapping[str, Sequence[QueryGrades]],
    judged: Mapping[str, Sequence[JudgedQuery]],
) -> None:
    """Half → grades of what is returned, and of all that matches at any level, query by query."""
    print(f"\n{'Where nDCG is lost':22}" + "".join(f"{column:>12}" for column in _COLUMNS))
    for half in judged:
        print_row(half, measure_losses(results[half], matches[half]))
        for kind in KINDS:
            chosen = (choose_kind(graded[half], judged[half], kind) for graded in (results, matches))
            print_row(f"  {kind}", measure_losses(*chosen))


def print_row(title: str, losses: Losses) -> None:
    *parts, unjudged = astuple(losses)
    print(f"{title:22}" + "".join(f"{part:12.3f}" for part in parts) + f"{unjudged:12.1f}")


def measure_losses(results: Sequence[QueryGrades], matches: Sequence[QueryGrades]) -> Losses:
    """The means over the queries that have something to find."""
    pairs = zip(results, matches, strict=True)
    parts = [astuple(_measure_query(one, whole)) for one, whole in pairs if not one.expects_nothing]
    columns = zip(*parts, strict=True) if parts else [[math.nan]] * len(Losses.__struct_fields__)
    return Losses(*(math.fsum(column) / len(column) for column in columns))


def _measure_query(result: QueryGrades, match: QueryGrades) -> Losses:
    """Each step is what the best order of fewer listings would have."""
    returned = result.grades[:RETURNED]
    choices = (result.shown, max(returned, match.grades, key=lambda value: _measure_best(value, result)), returned)
    best = [1.0, *(_measure_best(choice, result) for choice in (*choices, result.grades[:DEPTH]))]
    steps = [*best, measure_ndcg(result.grades, result.exported)]
    parts = (before - after for before, after in pairwise(steps))
    return Losses(*(1 - steps[-1], *parts, result.unjudged))


def _measure_best(grades: Sequence[int], result: QueryGrades) -> float:
    return measure_ndcg(sorted(grades, reverse=True), result.exported)
