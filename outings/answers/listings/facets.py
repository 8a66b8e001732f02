"""`facets`: the whole filtered set, counted by what its reader asked for, each dimension under its own filter too.

Buckets stand in the order of their vocabulary, empty ones among them, `unspecified` last. A listing counts once in each
bucket that it is in: with `occurrences=expand` each occurrence does, else a series with the weekdays and time blocks of
all its occurrences that match, a class and a camp with those of its sections and sessions.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from outings.answers.selecting.buckets import Numbers
from outings.answers.selecting.evaluator import Evaluator
from outings.answers.selecting.selection import Selection
from outings.contract.resources.facets import Facets, FacetValue, OrganizationCount, OrganizationFacet
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, TIME_BLOCKS, UNSPECIFIED, WEEKDAYS, Vocabulary

_TOP = 10
_VALUES: Mapping[str, Collection[str]] = {
    "weekday": WEEKDAYS,
    "time_block": TIME_BLOCKS,
    "price_band": PRICE_BANDS,
    "age_band": AGE_BANDS,
}


def count_facets(
    dimensions: Collection[str],
    selection: Selection,
    *,
    evaluator: Evaluator,
    vocabulary: Vocabulary,
    is_expanded: bool,
) -> Facets:
    counted = evaluator.count_buckets(selection, dimensions, is_expanded=is_expanded)
    values = {**_VALUES, "category": vocabulary.categories}
    made: dict[str, Any] = {
        name: _name_counts(values[name], counts) for name, counts in counted.counts.items() if name != "organization"
    }
    if "organization" in counted.counts:
        made["organization"] = _name_organizations(counted.counts["organization"], evaluator, total=counted.total)
    return Facets(total=counted.total, is_complete=True, **made)


def _name_counts(values: Iterable[str], counts: Numbers) -> tuple[FacetValue, ...]:
    """`counts`: of each value, then of those that state none."""
    named = zip((*values, UNSPECIFIED), counts.tolist(), strict=True)
    return tuple(FacetValue(value=value, count=count) for value, count in named)


def _name_organizations(counts: Numbers, evaluator: Evaluator, *, total: int) -> OrganizationFacet:
    """The top by count, then by name and id: the order of the numbers."""
    unspecified = int(counts[-1])
    numbers = counts[:-1].nonzero()[0]
    top = numbers[(-counts[numbers]).argsort(kind="stable")[:_TOP]]
    return OrganizationFacet(
        distinct=len(numbers),
        top=tuple(_name_organization(number, int(counts[number]), evaluator) for number in top.tolist()),
        other_count=total - unspecified - int(counts[top].sum()),
        unspecified_count=unspecified,
    )


def _name_organization(number: int, count: int, evaluator: Evaluator) -> OrganizationCount:
    row_id, name = evaluator.name_organization(number)
    return OrganizationCount(id=row_id, name=name, count=count)
