"""Find the listings for which an expression of `where=` is true. DuckDB reads the columns that it names from the
export's Parquet files of published listings, and from the tables of occurrences, sections and sessions."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from threading import Timer
from typing import TYPE_CHECKING, Any

import numpy as np

from outings.answers.cache import LruCache
from outings.answers.expressions.batches import Numbers, read_batches
from outings.answers.expressions.parsing import NAME, SETTINGS, Expression, parse_expression, refuse
from outings.answers.rows.column_tables import open_columns
from outings.answers.rows.columns import pack_rows
from outings.answers.rows.filters import ExpressionSet
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.errors import ApiError, bad_request, not_enabled, unavailable
from outings.contract.expression_columns import INSTANT, LISTING_COLUMNS, OCCURRENCE_COLUMNS, TEXTS, TIME, list_columns
from outings.contract.vocabulary import COLLECTIONS, TYPES, WEEKDAYS
from outings.lazy_polars import pl
from outings.release.cache import MappedFile
from outings.release.snapshot import Release, Snapshot
from outings.release.store import Bytes, Corrupt, NotFound, StoreError
from outings.release.tables import OCCURRENCE_TABLES, PUBLISHED, TABLES, read_columns
from outings.sql_quoting import literal, quote

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SECONDS = 1.0
# The size of a snapshot's cache of results, enough for some 150 sets of 100,000 listings, or 30 of 500,000 occurrences.
_CACHE_BYTES = 1 << 21


class Expressions:
    """An evaluator of `where=` over one snapshot, with a cache of results. Thread-safe."""

    def __init__(self, reader: SnapshotReader) -> None:
        self._tables, self._columns = reader.tables, reader.open_index(open_columns)
        self._files: dict[str, Any] = {}
        self._rows: dict[str, Numbers] = {}
        self._cache: LruCache[tuple[str, str], ExpressionSet] = LruCache(
            size=_CACHE_BYTES, weigh=lambda marked: min(marked.words.nbytes, _CACHE_BYTES)
        )

    def open_file(self, listing_type: str, read: Callable[[], Bytes]) -> None:
        """Read the Parquet file of a type's listings, unless it is already open."""
        if listing_type not in self._files:
            self._files[listing_type] = _open_parquet(read())

    def mark(self, text: str, listing_type: str) -> ExpressionSet:
        """Return the set of listings, or of occurrences, sections or sessions, for which a checked expression is true.
        Raises `invalid_value` for a value that it can't convert, and `out_of_range` if it takes too much time."""
        name = (text, listing_type)
        return self._cache.read(name, lambda: self._evaluate(parse_expression(text, None), listing_type))

    def _evaluate(self, expression: Expression, listing_type: str) -> ExpressionSet:
        is_of_occurrence = expression.is_of_occurrence(listing_type)
        with _lock:
            numbers = np.concatenate([[], *self._select(expression, listing_type, is_of_occurrence=is_of_occurrence)])
        numbers = numbers.astype(np.int64)
        if is_of_occurrence:
            size = self._columns.occurrence_tables[OCCURRENCE_TABLES[listing_type]]["row"].size
            return ExpressionSet(pack_rows(numbers, size), is_of_occurrence=True)
        return ExpressionSet(self._columns.types[listing_type].pack_rows(numbers), is_of_occurrence=False)

    def _select(self, expression: Expression, listing_type: str, *, is_of_occurrence: bool) -> Iterator[Numbers]:
        """Yield, batch by batch, the matching rows or the numbers of matching occurrences, sections or sessions."""
        connection, file = connect(), self._files[listing_type]
        query = _compile(expression, listing_type)
        numbers, slots = self._number_rows(listing_type, file), None
        owners = np.arange(numbers.size)
        if is_of_occurrence:
            slots = self._read_occurrences(expression, listing_type, numbers)
            numbers, owners = (slots[name].to_numpy().astype(np.int64) for name in ("number", "owner"))
        batches = read_batches(
            file,
            sorted(path for path in expression.columns if path in LISTING_COLUMNS[listing_type]),
            copies=expression.copies,
            slots=None if slots is None else {f"slot.{name}": slots[name].to_arrow() for name in slots.columns},
            numbers=numbers,
            owners=owners,
        )
        with _bound(connection) as is_over:
            for batch in batches:
                connection.register("batch", batch)
                yield connection.execute(query).fetchnumpy()["number"].astype(np.int64)
                if is_over():
                    raise _too_slow()

    def _number_rows(self, listing_type: str, file: Any) -> Numbers:
        """Return the row of each listing in the file, which has only published listings."""
        if listing_type not in self._rows:
            listings = read_columns(self._tables["listings"], "listings", ("row", "id", "type", "status"))
            own = (pl.col("type") == TYPES.index(listing_type)) & (pl.col("status") == PUBLISHED)
            ids = pl.DataFrame(file.read(columns=["id"]))
            numbered = ids.join(listings.filter(own), on="id", how="left", maintain_order="left")["row"]
            self._rows[listing_type] = numbered.to_numpy().astype(np.int64)
        return self._rows[listing_type]

    def _read_occurrences(self, expression: Expression, listing_type: str, rows: Numbers) -> "pl.DataFrame":
        """Return the occurrences, sections or sessions of `rows`, each with its `number` and the index of its listing's
        row as `owner`, in the order of the owners."""
        table, members = OCCURRENCE_TABLES[listing_type], OCCURRENCE_COLUMNS[listing_type]
        columns = sorted({members[path].column for path in expression.columns if path in members})
        own = [name for name in columns if name in TABLES[table]]
        frame = read_columns(self._tables.get(table), table, ("row", *own)).with_row_index("number")
        if len(own) < len(columns):  # columns of the listing that apply to all of its occurrences
            inherited = ("row", *(name for name in columns if name not in own))
            frame = frame.join(read_columns(self._tables["listings"], "listings", inherited), on="row", how="left")
        owner_rows = frame["row"].to_numpy().astype(np.int64)
        indexes = np.full(max(owner_rows.max(initial=0), rows.max(initial=0)) + 1, -1)
        indexes[rows] = np.arange(rows.size)
        owners = indexes[owner_rows]
        order = np.argsort(owners, kind="stable")
        order = order[np.searchsorted(owners[order], 0) :]
        return frame[order].with_columns(owner=owners[order])


def _compile(expression: Expression, listing_type: str) -> str:
    """Return the SQL query over `batch`. A column that the type lacks is null."""
    kinds, own, members = list_columns(None), LISTING_COLUMNS[listing_type], OCCURRENCE_COLUMNS[listing_type]
    columns = ["number"]
    for path in sorted(expression.columns):
        if path in members:
            value = convert_column(quote(f"slot.{members[path].column}"), kinds[path])
        else:
            value = quote(path) if path in own else "NULL"
        columns.append(f"TRY_CAST({value} AS {kinds[path]}) AS {quote(path)}")
    return f"SELECT number FROM (SELECT {', '.join(columns)} FROM batch) WHERE {expression.sql}"


def convert_column(column: str, kind: str) -> str:
    """Return SQL that converts a column of the tables to the type `kind` of expressions."""
    if kind == INSTANT:
        return f"to_timestamp({column})"
    if kind == TIME:
        return f"make_time({column} // 3600, {column} // 60 % 60, CAST({column} % 60 AS DOUBLE))"
    if kind == TEXTS:
        bits = f"CAST(coalesce({column}, 0) AS INTEGER)"
        return f"[word FOR word, place IN {literal(WEEKDAYS)} IF ({bits} >> CAST(place - 1 AS INTEGER)) & 1 = 1]"
    return column


def _open_parquet(data: Bytes) -> Any:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    return ParquetFile(pa.BufferReader(pa.py_buffer(data.view if isinstance(data, MappedFile) else data[:])))


# One expression is evaluated at a time, so that one has all of the memory.
_lock = threading.Lock()


@cache
def connect() -> "DuckDBPyConnection":
    import duckdb
    import pyarrow.compute  # noqa: F401 - loaded here, before the time of an expression counts

    from outings.select_statement import lock

    # A scan of Arrow's tables fails for filters that are pushed into it: IS NOT DISTINCT FROM, for one.
    own = {"memory_limit": "256MB", "disabled_optimizers": "filter_pushdown"}
    connection = duckdb.connect(":memory:", config={**SETTINGS, **own})
    lock(connection)
    return connection


@contextmanager
def _bound(connection: "DuckDBPyConnection") -> Iterator[Callable[[], bool]]:
    """Limit a query's time and yield a function that is True when it is over. DuckDB's errors become `invalid_value` or
    `out_of_range`, whose messages do not show the listing's value."""
    import duckdb

    over = threading.Event()

    def end() -> None:
        over.set()
        connection.interrupt()

    timer = Timer(SECONDS, end)
    timer.start()
    try:
        yield over.is_set
    except duckdb.InterruptException:
        raise _too_slow() from None
    except duckdb.ConversionException:
        raise refuse("converts a value that has another form; TRY_CAST makes it null.") from None
    except duckdb.Error as error:
        raise refuse(f"can't be evaluated ({type(error).__name__})") from None
    finally:
        timer.cancel()


def _too_slow() -> ApiError:
    message = f"{NAME} takes longer than {SECONDS:g} s; ask for less in one expression."
    return bad_request(param=NAME, reason="out_of_range", message=message, max=SECONDS)


def evaluate(text: str, types: Iterable[str], *, snapshot: Snapshot, release: Release) -> None:
    """Evaluate an expression over the listings of these types, so that answers find the result cached. Raises what
    `mark` raises, 501 if the release has no export, and 503 if the store does not respond."""
    expressions = open_snapshot(snapshot).open_index(Expressions)
    for listing_type in types:
        export = snapshot.exports.get(f"{COLLECTIONS[listing_type]}.parquet")
        if export is None:
            raise not_enabled(NAME, param=NAME)
        try:
            expressions.open_file(listing_type, partial(release.read_object, export.object))
        except (NotFound, Corrupt, StoreError):
            raise unavailable() from None
        expressions.mark(text, listing_type)
