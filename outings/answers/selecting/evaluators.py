"""Which evaluator answers for a snapshot: its columns where the build mapped them, else DuckDB over its tables."""

from outings.answers.queries import QUERIES
from outings.answers.selecting.buckets import read_buckets
from outings.answers.selecting.columns.columns import Columns
from outings.answers.selecting.columns.derived import COLUMNS
from outings.answers.selecting.columns.evaluator import ColumnEvaluator
from outings.answers.selecting.evaluator import Evaluator
from outings.answers.selecting.row_conditions import open_row_finder
from outings.answers.selecting.sql.engine import open_engine
from outings.answers.selecting.sql.evaluator import SqlEvaluator
from outings.answers.snapshot.reader import SnapshotReader


def open_evaluator(reader: SnapshotReader) -> Evaluator:
    """For one question each time: they are counted."""
    QUERIES.add()
    return prepare_evaluator(reader)


def prepare_evaluator(reader: SnapshotReader) -> Evaluator:
    """So that no question waits for it."""
    return reader.open_index(_open_columns) if has_columns(reader) else reader.open_index(open_sql)


def has_columns(reader: SnapshotReader) -> bool:
    return reader.is_mapped(COLUMNS)


def _open_columns(reader: SnapshotReader) -> ColumnEvaluator:
    columns = Columns(reader.open_tables(COLUMNS), facts=reader.rows)
    finder = reader.open_index(open_row_finder)
    return ColumnEvaluator(columns, finder=finder, words=len(reader.vocabulary.categories))


def open_sql(reader: SnapshotReader) -> SqlEvaluator:
    """DuckDB loads the tables that it evaluates."""
    return SqlEvaluator(
        open_engine().load_tables(reader.tables),
        buckets=read_buckets(listings=reader.tables["listings"], organizations=reader.tables["organizations"]),
        series=reader.series,
        finder=reader.open_index(open_row_finder),
        words=len(reader.vocabulary.categories),
    )
