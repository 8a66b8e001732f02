"""`facets`: the whole filtered set, counted by what its reader asked for, each dimension under its own filter too.

Buckets stand in the order of their vocabulary, empty ones among them, `unspecified` last. A listing counts once in each
bucket that it is in: with `occurrences=expand` each occurrence does, else a series with the weekdays and time blocks of
all its occurrences that match, a class and a camp with those of its sections and sessions.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np
from msgspec import Struct

from outings.answers.buckets import Buckets, Numbers, count_numbers, spread_bits, spread_categories
from outings.answers.engine import Statement
from outings.answers.happenings import compile_occurrence_slots, compile_rows, compile_slots
from outings.answers.opened import Opened
from outings.answers.sql import Selection
from outings.contract.resources.facets import Facets, FacetValue, OrganizationCount, OrganizationFacet
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, TIME_BLOCKS, UNSPECIFIED, WEEKDAYS, Vocabulary

_TOP = 10
_OF_SLOTS = frozenset({"weekday", "time_block"})


class Counted(Struct, frozen=True, kw_only=True, eq=False):
    """What is counted, by columns: `rows`, and bit sets of their `days` and `blocks` where asked for."""

    rows: Numbers
    days: Numbers | None
    blocks: Numbers | None
    buckets: Buckets
    vocabulary: Vocabulary


def count_facets(
    dimensions: Collection[str], selection: Selection, *, opened: Opened, vocabulary: Vocabulary, is_expanded: bool
) -> Facets:
    tables = opened.open_tables()
    found = tables.fetch_columns(_compile(dimensions, selection, is_expanded=is_expanded, schema=tables.schema))
    counted = Counted(
        rows=found["row"],
        days=found.get("days"),
        blocks=found.get("blocks"),
        buckets=opened.open_buckets(),
        vocabulary=vocabulary,
    )
    made: Mapping[str, Any] = {name: _DIMENSIONS[name](counted) for name in dimensions}
    return Facets(total=len(counted.rows), is_complete=True, **made)


def _compile(dimensions: Collection[str], selection: Selection, *, is_expanded: bool, schema: str) -> Statement:
    if is_expanded:
        return compile_occurrence_slots(selection, schema=schema)
    if _OF_SLOTS.isdisjoint(dimensions):
        return compile_rows(selection, schema=schema)
    return compile_slots(selection, schema=schema)


def _name_counts(values: Iterable[str], counts: Numbers) -> tuple[FacetValue, ...]:
    """`counts`: of each value, then of those that state none."""
    named = zip((*values, UNSPECIFIED), counts.tolist(), strict=True)
    return tuple(FacetValue(value=value, count=count) for value, count in named)


def _count_bits(numbers: Numbers, values: Collection[str]) -> tuple[FacetValue, ...]:
    width = len(values) + 1
    sets = np.arange(1 << width, dtype=np.int64)
    return _name_counts(values, count_numbers(numbers, sets.size) @ spread_bits(sets, width))


def _count_categories(counted: Counted) -> tuple[FacetValue, ...]:
    buckets, words = counted.buckets, counted.vocabulary.categories
    counts = count_numbers(buckets.categories[counted.rows], buckets.category_sets.size)
    return _name_counts(words, counts @ spread_categories(buckets.category_sets, len(words)))


def _count_weekdays(counted: Counted) -> tuple[FacetValue, ...]:
    assert counted.days is not None
    return _count_bits(counted.days, WEEKDAYS)


def _count_time_blocks(counted: Counted) -> tuple[FacetValue, ...]:
    assert counted.blocks is not None
    return _count_bits(counted.blocks, TIME_BLOCKS)


def _count_prices(counted: Counted) -> tuple[FacetValue, ...]:
    return _name_counts(PRICE_BANDS, count_numbers(counted.buckets.prices[counted.rows], len(PRICE_BANDS) + 1))


def _count_ages(counted: Counted) -> tuple[FacetValue, ...]:
    return _count_bits(counted.buckets.ages[counted.rows], AGE_BANDS)


def _count_organizations(counted: Counted) -> OrganizationFacet:
    """The top by count, then by name and id."""
    names = counted.buckets.organization_names
    *counts, unspecified = count_numbers(counted.buckets.organizations[counted.rows], len(names) + 1).tolist()
    found = [number for number, count in enumerate(counts) if count]
    top = sorted(found, key=lambda number: -counts[number])[:_TOP]
    return OrganizationFacet(
        distinct=len(found),
        top=tuple(
            OrganizationCount(id=names[number][0], name=names[number][1], count=counts[number]) for number in top
        ),
        other_count=len(counted.rows) - unspecified - sum(counts[number] for number in top),
        unspecified_count=unspecified,
    )


_DIMENSIONS: Mapping[str, Callable[[Counted], tuple[FacetValue, ...] | OrganizationFacet]] = {
    "category": _count_categories,
    "weekday": _count_weekdays,
    "time_block": _count_time_blocks,
    "price_band": _count_prices,
    "age_band": _count_ages,
    "organization": _count_organizations,
}
