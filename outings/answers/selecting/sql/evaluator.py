"""The evaluator of a metro whose columns are not in memory: DuckDB over its tables, and the reference of the other."""

from collections.abc import Callable, Collection, Mapping
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np

from outings.answers.selecting.buckets import Buckets, count_bits, count_numbers, spread_bits, spread_categories
from outings.answers.selecting.cursors import Position
from outings.answers.selecting.evaluator import DayCounts, FacetCounts, Numbers, ResultSet
from outings.answers.selecting.row_finder import RowFinder
from outings.answers.selecting.selection import Selection, Span
from outings.answers.selecting.sql.engine import Rows, Statement, Tables
from outings.answers.selecting.sql.happenings import (
    compile_buckets,
    compile_days,
    compile_expansion,
    compile_occurrence_buckets,
    compile_rows,
)
from outings.answers.selecting.sql.listings import compile_count, compile_list, compile_organizations
from outings.answers.snapshot.series import Series
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, TIME_BLOCKS, WEEKDAYS

_ALL = 1 << 40
_OF_HAPPENINGS = frozenset({"weekday", "time_block"})


class SqlEvaluator:
    """`words`: how many categories there are. `read_buckets` is called where something is counted."""

    def __init__(
        self,
        tables: Tables,
        *,
        read_buckets: Callable[[], Buckets],
        series: Series,
        finder: RowFinder,
        words: int,
    ) -> None:
        self.schema = tables.schema
        self._tables = tables
        self._read_buckets = read_buckets
        self._series = series
        self._finder = finder
        self._words = words

    @cached_property
    def _buckets(self) -> Buckets:
        return self._read_buckets()

    def list_rows(self, selection: Selection, span: Span) -> ResultSet:
        matches = self._fetch(selection, compile_list(selection, span, schema=self.schema))

        def locate(at: int) -> Position:
            _, key, row_id = matches[at]
            return key.isoformat() if isinstance(key, date) else key, row_id

        return ResultSet(rows=[row for row, _, _ in matches], locate=locate)

    def list_occurrences(self, selection: Selection, span: Span) -> ResultSet:
        """No two occurrences of an event start at one instant (what the clocks skip does not take place), so start and
        id tell where a walk stands."""
        ties = (0, 0)
        if span.after is not None:
            starts_at = span.after[0]
            assert isinstance(starts_at, int)
            ties = self._series.find_ties(starts_at)
        matches = self._fetch(selection, compile_expansion(selection, span, ties=ties, schema=self.schema))
        numbers = [number for number, _, _ in matches]
        return ResultSet(
            rows=[row for _, row, _ in matches],
            numbers=numbers,
            locate=lambda at: (self._series.read_moment(numbers[at]).starts_at, matches[at][2]),
        )

    def keep_rows(self, selection: Selection, rows: Numbers) -> Numbers:
        matches = self._fetch(selection, compile_list(selection, Span(limit=_ALL), schema=self.schema))
        return np.intersect1d(rows, np.array([row for row, _, _ in matches], dtype=np.int64))

    def list_all_rows(self, selection: Selection) -> Numbers:
        columns = self._tables.fetch_columns(compile_rows(selection, schema=self.schema), self._choose(selection))
        return np.sort(columns["row"])

    def count_rows(self, selection: Selection) -> int:
        [(count,)] = self._fetch(selection, compile_count(selection, schema=self.schema))
        return int(count)

    def count_organizations(self, selection: Selection) -> Mapping[str, int]:
        return dict(self._fetch(selection, compile_organizations(selection, schema=self.schema)))

    def count_buckets(self, selection: Selection, dimensions: Collection[str], *, is_expanded: bool) -> FacetCounts:
        statement = _compile_buckets(dimensions, selection, is_expanded=is_expanded, schema=self.schema)
        columns = self._tables.fetch_columns(statement, self._choose(selection))
        return FacetCounts(total=len(columns["row"]), counts={name: self._count(name, columns) for name in dimensions})

    def _count(self, dimension: str, columns: Mapping[str, Numbers]) -> Numbers:
        rows, buckets = columns["row"], self._buckets
        match dimension:
            case "category":
                counts = count_numbers(buckets.categories[rows], buckets.category_sets.size)
                total: Numbers = counts @ spread_categories(buckets.category_sets, self._words)
                return total
            case "weekday":
                return count_bits(columns["days"], len(WEEKDAYS) + 1)
            case "time_block":
                return count_bits(columns["blocks"], len(TIME_BLOCKS) + 1)
            case "price_band":
                return count_numbers(buckets.prices[rows], len(PRICE_BANDS) + 1)
            case "age_band":
                return count_bits(buckets.ages[rows], len(AGE_BANDS) + 1)
            case _:
                return count_numbers(buckets.organizations[rows], len(buckets.organization_names) + 1)

    def count_days(self, selection: Selection, *, days: int) -> DayCounts:
        statement = compile_days(selection, schema=self.schema)
        columns = self._tables.fetch_columns(statement, self._choose(selection))
        rows, numbers, sets = columns["row"], columns["day"], self._buckets.category_sets
        together = numbers * sets.size + self._buckets.categories[rows]
        by_set = count_numbers(together, days * sets.size).reshape(days, sets.size)
        return DayCounts(
            counts=count_numbers(numbers, days),
            free=count_numbers(numbers[self._buckets.is_free[rows]], days),
            categories=by_set @ spread_bits(sets, self._words),
        )

    def name_organization(self, number: int) -> tuple[str, str]:
        return self._buckets.organization_names[number]

    def _fetch(self, selection: Selection, statement: Statement) -> list[tuple[Any, ...]]:
        return self._tables.fetch_rows(statement, self._choose(selection))

    def _choose(self, selection: Selection) -> Rows | None:
        return self._finder.find_rows(selection.conditions.by_row, selection.type)


def _compile_buckets(dimensions: Collection[str], selection: Selection, *, is_expanded: bool, schema: str) -> Statement:
    if is_expanded:
        return compile_occurrence_buckets(selection, schema=schema)
    if _OF_HAPPENINGS.isdisjoint(dimensions):
        return compile_rows(selection, schema=schema)
    return compile_buckets(selection, schema=schema)
