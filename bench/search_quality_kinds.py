"""Measure how good search is on what parents type: kind by kind, in the halves to work with and in those that are only
scored.

Of the latter nothing but means is printed: tests/judged/parents/README.md says why.
"""

from collections.abc import Iterable, Mapping, Sequence

from tests.judged.judging import EDITIONS, HALVES, KINDS, JudgedQuery, read_parents
from tests.judged.measures import Measures, QueryGrades, measure_all

# "held" or "second held" → engine's name → its grades, query by query.
HalfResults = Mapping[str, Mapping[str, Sequence[QueryGrades]]]
_COLUMNS = ("nDCG@10", "none", "unjudged")


def read_halves() -> dict[str, list[JudgedQuery]]:
    """Read both halves of each edition."""
    return {
        half if edition == "first" else f"{edition} {half}": read_parents(half, edition=edition)
        for edition in EDITIONS
        for half in HALVES
    }


def print_halves(results: HalfResults) -> None:
    """A row an engine. None: the share of the queries for which nothing was found."""
    _print_heads("What parents type", results)
    for name in next(iter(results.values())):
        print_row(name, [measure_all(graded[name]) for graded in results.values()])


def print_kinds(results: HalfResults, judged: Mapping[str, Sequence[JudgedQuery]], *, engine: str) -> None:
    """Print the score of each kind, and in brackets how many queries have something to find."""
    _print_heads(f"{engine.strip()}, by kind", results)
    for kind in KINDS:
        chosen = [choose_kind(graded[engine], judged[half], kind) for half, graded in results.items()]
        counts = ", ".join(str(sum(not entry.expects_nothing for entry in graded)) for graded in chosen)
        print_row(f"{kind} ({counts})", [measure_all(graded) for graded in chosen])


def choose_kind(graded: Sequence[QueryGrades], judged: Sequence[JudgedQuery], kind: str) -> list[QueryGrades]:
    return [grades for grades, entry in zip(graded, judged, strict=True) if entry.kind == kind]


def print_row(name: str, halves: Sequence[Measures]) -> None:
    print(
        f"{name:28}" + "".join(f"{half.ndcg:12.3f}{half.without_results:9.1%}{half.unjudged:9.1f}" for half in halves)
    )


def _print_heads(title: str, halves: Iterable[str]) -> None:
    heads = list(halves)
    print(f"\n{title:28}" + "".join(f"{half:>30}" for half in heads))
    first, *others = _COLUMNS
    print(" " * 28 + (f"{first:>12}" + "".join(f"{column:>9}" for column in others)) * len(heads))
