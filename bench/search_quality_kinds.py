"""How good search is on what parents type: kind by kind, in the half to work with and in the half that is only scored.

Of the latter nothing but means is printed: tests/judged/parents/README.md says why.
"""

from collections.abc import Mapping, Sequence

from tests.judged.judging import HALVES, KINDS, JudgedQuery
from tests.judged.measures import Measures, QueryGrades, measure_all

# Half → engine's name → its grades, query by query.
HalfResults = Mapping[str, Mapping[str, Sequence[QueryGrades]]]


def print_halves(results: HalfResults) -> None:
    """A row an engine."""
    columns = [f"{half}, {column}" for half in HALVES for column in ("nDCG@10", "nothing found", "unjudged@10")]
    print(f"\n{'What parents type':22}" + "".join(f"{column:>24}" for column in columns))
    for name in results[HALVES[0]]:
        print_row(name, [measure_all(results[half][name]) for half in HALVES])


def print_kinds(results: HalfResults, judged: Mapping[str, Sequence[JudgedQuery]], *, engine: str) -> None:
    print(f"\n{engine.strip() + ', by kind':22}(queries that have something to find)")
    for kind in KINDS:
        chosen = {half: choose_kind(results[half][engine], judged[half], kind) for half in HALVES}
        counts = ", ".join(str(sum(not each.expects_nothing for each in chosen[half])) for half in HALVES)
        print_row(f"{kind} ({counts})", [measure_all(chosen[half]) for half in HALVES])


def choose_kind(graded: Sequence[QueryGrades], judged: Sequence[JudgedQuery], kind: str) -> list[QueryGrades]:
    return [grades for grades, each in zip(graded, judged, strict=True) if each.kind == kind]


def print_row(name: str, halves: Sequence[Measures]) -> None:
    print(
        f"{name:22}" + "".join(f"{each.ndcg:24.3f}{each.without_results:24.1%}{each.unjudged:24.1f}" for each in halves)
    )
