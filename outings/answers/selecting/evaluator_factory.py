"""Which evaluator answers for a snapshot: its columns, or DuckDB over its Parquet.

Columns answer 15 to 100 times as fast. Where the build mapped none, because another program did or their layout was
another, making them takes as long as DuckDB takes for some twenty questions (`python -m bench.evaluators`). A release
that is served gets them before it is; one that is opened again, for a walk that began in it, when so many were asked.
"""

from collections.abc import Iterator
from functools import partial
from itertools import count

from outings.answers.query_counter import QUERIES
from outings.answers.selecting.buckets import read_buckets
from outings.answers.selecting.columns.columns import Columns
from outings.answers.selecting.columns.derived import COLUMNS
from outings.answers.selecting.columns.evaluator import ColumnEvaluator
from outings.answers.selecting.evaluator import Evaluator
from outings.answers.selecting.row_finder import open_row_finder
from outings.answers.selecting.sql.engine import Engine, open_engine
from outings.answers.selecting.sql.evaluator import SqlEvaluator
from outings.answers.snapshot.reader import SnapshotReader

# About a snapshot without columns: whoever asks more gets them.
QUESTIONS_FOR_DUCKDB = 20


def open_evaluator(reader: SnapshotReader) -> Evaluator:
    """For one question each time: they are counted."""
    QUERIES.add()
    if has_columns(reader) or next(reader.open_index(_count_questions)) >= QUESTIONS_FOR_DUCKDB:
        return reader.open_index(open_columns)
    return reader.open_index(open_sql)


def _count_questions(_: SnapshotReader) -> Iterator[int]:
    return count()


def has_columns(reader: SnapshotReader) -> bool:
    """Whether the build mapped them, or whoever serves the snapshot has made them."""
    return reader.find_index(open_columns) is not None or reader.is_mapped(COLUMNS)


def open_columns(reader: SnapshotReader) -> ColumnEvaluator:
    columns = Columns(reader.open_tables(COLUMNS), facts=reader.rows, index=reader.listings)
    finder = reader.open_index(open_row_finder)
    return ColumnEvaluator(columns, finder=finder, words=len(reader.vocabulary.categories))


def open_sql(reader: SnapshotReader, engine: Engine | None = None) -> SqlEvaluator:
    """`engine`: the process's own unless another is given."""
    listings, organizations = reader.tables["listings"], reader.tables["organizations"]
    return SqlEvaluator(
        (engine or open_engine()).open_tables(reader.tables),
        read_buckets=partial(read_buckets, listings=listings, organizations=organizations),
        series=reader.series,
        finder=reader.open_index(open_row_finder),
        words=len(reader.vocabulary.categories),
    )
