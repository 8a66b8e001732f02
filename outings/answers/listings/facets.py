"""`facets`: the whole filtered set, counted by what its reader asked for, each dimension under its own filter too.

Buckets stand in the order of their vocabulary, empty ones among them, `unspecified` last. A listing counts once in each
bucket that it is in: with `occurrences=expand` each occurrence does, else a series with the weekdays and time blocks of
all its occurrences that match, a class and a camp with those of its sections and sessions, and their prices and ages.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache

import msgspec
from msgspec import Raw

from outings.answers.rows.column_tables import Numbers
from outings.answers.rows.evaluator import Evaluator
from outings.answers.rows.selection import Selection
from outings.contract.resources.directories import Facets, OrganizationCount, OrganizationFacet
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, TIME_BLOCKS, UNSPECIFIED, WEEKDAYS, Vocabulary

_TOP = 10
_VALUES: Mapping[str, Collection[str]] = {
    "weekday": WEEKDAYS,
    "time_block": TIME_BLOCKS,
    "price_band": PRICE_BANDS,
    "age_band": AGE_BANDS,
}
_encode = msgspec.json.encode


def encode_facets(
    dimensions: Collection[str],
    selection: Selection,
    *,
    evaluator: Evaluator,
    vocabulary: Vocabulary,
    is_expanded: bool,
) -> bytes:
    """A `Facets`, with each `FacetValue` written into its place in a text that is the same in each answer: to make
    forty of them takes a third of four facets."""
    counted = evaluator.count_buckets(selection, dimensions, is_expanded=is_expanded)
    members: dict[str, object] = {"total": counted.total, "is_complete": True}
    for name in Facets.__struct_fields__:
        counts = counted.counts.get(name)
        if counts is None:
            continue
        if name == "organization":
            members[name] = _name_organizations(counts, evaluator, total=counted.total)
        else:
            values = vocabulary.categories if name == "category" else tuple(_VALUES[name])
            members[name] = Raw(_make_template(values) % tuple(counts.tolist()))
    return _encode(members)


@lru_cache(maxsize=64)
def _make_template(values: tuple[str, ...]) -> bytes:
    """A place for the count of each value, then of those that state none."""
    words = [_encode(value).replace(b"%", b"%%") for value in (*values, UNSPECIFIED)]
    return b"[%b]" % b",".join([b'{"value":%b,"count":%%d}' % word for word in words])


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
