"""Measures of how good an order of results is, by their grades."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

DEPTH = 10
# A result of this grade serves; of one below it nothing is lost when it is missing.
SERVES = 2


def measure_ndcg(expected: Sequence[int], existing: Iterable[int], *, depth: int = DEPTH) -> float:
    """Return from 0 to 1 how the grades in the order found compare with the best order of all existing grades."""
    best = _add_gains(sorted(existing, reverse=True)[:depth])
    return _add_gains(expected[:depth]) / best if best else 0.0


def measure_recall(expected: Sequence[int], existing: Iterable[int], *, depth: int) -> float:
    """Return the share of useful existing results that are among the first `depth`. Results beyond a page's size are
    not missed."""
    wanted = min(depth, count_serving(existing))
    return count_serving(expected[:depth]) / wanted if wanted else 0.0


def count_serving(grades: Iterable[int]) -> int:
    return sum(grade >= SERVES for grade in grades)


def fold_things(ids: Iterable[str], things: Mapping[str, str]) -> list[str]:
    """Results in their order: of one thing the first. `things`: by id, whatever name it has."""
    first: dict[str, str] = {}
    for value in ids:
        first.setdefault(things[value], value)
    return list(first.values())


def _add_gains(grades: Sequence[int]) -> float:
    return sum((2**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


@dataclass(frozen=True)
class Measures:
    """Means over the queries that have something to find (NaN where none has), and two counts."""

    ndcg: float
    recall_10: float
    recall_50: float
    without_results: float  # share of those queries
    unwanted_results: int  # queries that should find nothing and do not
    unjudged: float  # of the first DEPTH results, those that nobody graded


@dataclass(frozen=True)
class QueryGrades:
    """One query's grades: as found, of all in the export, of all that may be shown. None to find: `grades` alone."""

    grades: Sequence[int]
    exported: Sequence[int]
    shown: Sequence[int]
    expects_nothing: bool
    # Of the first DEPTH results those that nobody graded: they count as 0.
    unjudged: int = 0


def measure_all(graded: Sequence[QueryGrades]) -> Measures:
    some = [entry for entry in graded if not entry.expects_nothing]
    return Measures(
        ndcg=_mean(measure_ndcg(entry.grades, entry.exported) for entry in some),
        recall_10=_mean(measure_recall(entry.grades, entry.shown, depth=10) for entry in some),
        recall_50=_mean(measure_recall(entry.grades, entry.shown, depth=50) for entry in some),
        without_results=_mean(float(not entry.grades) for entry in some),
        unwanted_results=sum(bool(entry.grades) for entry in graded if entry.expects_nothing),
        unjudged=_mean(entry.unjudged for entry in some),
    )


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return math.fsum(known) / len(known) if known else math.nan
