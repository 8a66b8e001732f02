"""Answers computed by DuckDB over a snapshot's tables. Tests compare every answer of the program with this one's."""

from collections.abc import Collection, Mapping
from datetime import date
from functools import cached_property, reduce
from typing import Any

import numpy as np

from outings.answers.documents.occurrences import open_series
from outings.answers.plan import Position
from outings.answers.rows.column_tables import (
    BUCKET_COLUMNS,
    ORGANIZATION_COLUMNS,
    Buckets,
    Numbers,
    count_bits,
    spread_bits,
)
from outings.answers.rows.counting import DayCounts, FacetCounts
from outings.answers.rows.evaluator import ResultSet, make_evaluator
from outings.answers.rows.filters import RowCondition, Selection, Span, Within
from outings.answers.rows.row_sets import RowFinder
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, TIME_BLOCKS, WEEKDAYS
from outings.release.tables import read_columns
from tests.answers.sql.engine import Engine, Rows, Statement, open_engine
from tests.answers.sql.listings import compile_count, compile_list, compile_organizations
from tests.answers.sql.occurrences import (
    compile_buckets,
    compile_days,
    compile_expansion,
    compile_occurrence_buckets,
    compile_rows,
)

_ALL = 1 << 40
_OF_DATES = frozenset({"weekday", "time_block"})
_OF_OFFERS = _OF_DATES | {"price_band", "age_band"}


class SqlEvaluator:
    """Gives what `Evaluator` gives, method by method. What `finder` answers by rows, it takes from there."""

    def __init__(self, reader: SnapshotReader, engine: Engine) -> None:
        self._tables = engine.open_tables({name: file.path for name, file in reader.tables.items()})
        self.schema = self._tables.schema
        self._files, self._series, self._size = reader.tables, open_series(reader), len(reader.listings)
        self._finder = reader.open_index(RowFinder)
        self._words = len(reader.vocabulary.categories)
        # Tests of these dates have values written by hand.
        self.find_starts = reader.open_index(make_evaluator).find_starts

    @cached_property
    def _buckets(self) -> Buckets:
        listings = read_columns(self._files["listings"], "listings", BUCKET_COLUMNS)
        return Buckets(listings, read_columns(self._files["organizations"], "organizations", ORGANIZATION_COLUMNS))

    def list_rows(self, selection: Selection, span: Span) -> ResultSet:
        matches = self._fetch(selection, compile_list(selection, span, schema=self.schema))

        def locate(at: int) -> Position:
            _, key, row_id = matches[at]
            return key.isoformat() if isinstance(key, date) else key, row_id

        return ResultSet(rows=[row for row, _, _ in matches], locate=locate)

    def list_event_dates(self, selection: Selection, span: Span) -> ResultSet:
        """List occurrences by start and id. These identify a cursor's position, because no two occurrences of an event
        start at one instant."""
        matches = self._fetch(selection, compile_expansion(selection, span, schema=self.schema))
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
        return np.sort(columns["row"]).astype(np.int64)

    def count_rows(self, selection: Selection) -> int:
        [(count,)] = self._fetch(selection, compile_count(selection, schema=self.schema))
        return int(count)

    def count_organizations(self, selection: Selection) -> Numbers:
        counts = dict(self._fetch(selection, compile_organizations(selection, schema=self.schema)))
        return np.array([counts.get(row_id, 0) for row_id, _ in self._buckets.organization_names], dtype=np.int64)

    def count_buckets(self, selection: Selection, dimensions: Collection[str], *, is_expanded: bool) -> FacetCounts:
        statement = _compile_buckets(dimensions, selection, is_expanded=is_expanded, schema=self.schema)
        columns = self._tables.fetch_columns(statement, self._choose(selection))
        return FacetCounts(total=len(columns["row"]), counts={name: self._count(name, columns) for name in dimensions})

    def _count(self, dimension: str, columns: Mapping[str, Numbers]) -> Numbers:
        rows, buckets = columns["row"], self._buckets
        match dimension:
            case "category":
                counts = np.bincount(buckets.categories[rows], minlength=buckets.category_sets.size)
                sets = buckets.category_sets
                total: Numbers = counts @ np.column_stack((spread_bits(sets, self._words), sets == 0))
                return total
            case "weekday":
                return count_bits(columns["days"], len(WEEKDAYS) + 1)
            case "time_block":
                return count_bits(columns["blocks"], len(TIME_BLOCKS) + 1)
            case "price_band" if "prices" in columns:
                return count_bits(columns["prices"], len(PRICE_BANDS) + 1)
            case "price_band":
                return np.bincount(buckets.prices[rows], minlength=len(PRICE_BANDS) + 1)
            case "age_band" if "ages" in columns:
                return count_bits(columns["ages"], len(AGE_BANDS) + 1)
            case "age_band":
                return count_bits(buckets.ages[rows], len(AGE_BANDS) + 1)
            case _:
                return np.bincount(buckets.organizations[rows], minlength=len(buckets.organization_names) + 1)

    def count_days(self, selection: Selection, *, days: int) -> DayCounts:
        statement = compile_days(selection, schema=self.schema)
        columns = self._tables.fetch_columns(statement, self._choose(selection))
        rows, numbers, sets = columns["row"], columns["day"], self._buckets.category_sets
        together = numbers * sets.size + self._buckets.categories[rows]
        by_set = np.bincount(together, minlength=days * sets.size).reshape(days, sets.size)
        return DayCounts(
            counts=np.bincount(numbers, minlength=days),
            free=np.bincount(numbers[self._buckets.is_free[rows]], minlength=days),
            categories=by_set @ spread_bits(sets, self._words),
        )

    def name_organization(self, number: int) -> tuple[str, str]:
        return self._buckets.organization_names[number]

    def _fetch(self, selection: Selection, statement: Statement) -> list[tuple[Any, ...]]:
        return self._tables.fetch_rows(statement, self._choose(selection))

    def _choose(self, selection: Selection) -> Rows | None:
        rows = [self._find_rows(value, selection.type) for value in selection.conditions.by_row]
        return reduce(np.intersect1d, rows) if rows else None

    def _find_rows(self, condition: RowCondition, listing_type: str) -> Rows:
        if isinstance(condition, Within):
            near = self._finder.test_near(condition, np.arange(self._size))
            return np.flatnonzero(near).astype(np.uint32)
        return self._finder.find_rows(condition, listing_type)


def _compile_buckets(dimensions: Collection[str], selection: Selection, *, is_expanded: bool, schema: str) -> Statement:
    if is_expanded:
        return compile_occurrence_buckets(selection, schema=schema)
    own = _OF_OFFERS if selection.type in ("class", "camp") else _OF_DATES
    if own.isdisjoint(dimensions):
        return compile_rows(selection, schema=schema)
    return compile_buckets(selection, schema=schema)


def open_sql(reader: SnapshotReader, engine: Engine | None = None) -> SqlEvaluator:
    """`engine`: the process's own unless another is given."""
    return SqlEvaluator(reader, engine or open_engine())
