"""Read the columns of an expression from an export's Parquet file, in tables of bounded size."""

from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

# Bytes that one query may hold, all copies of a text counted: at first, and at most.
_FIRST_BYTES, _MOST_BYTES = 1 << 24, 1 << 26
# Bytes of a row besides its texts: fixed values, and what functions make of them.
_ROW_BYTES = 64
# Listings to decode at once. With descriptions of 20,000 characters they take 20 to 80 MB.
_DECODED_LISTINGS = 1_024
# Seconds that one query should take, because no query begins after the time of an expression is over.
_QUERY_SECONDS = 0.05


def read_batches(
    file: Any, paths: Sequence[str], *, copies: int, slots: Mapping[str, Any] | None, numbers: Numbers, owners: Numbers
) -> Iterator[Any]:
    """Yield Arrow tables with the columns `paths` of the file, the columns `slots`, and `number`. A table is smaller if
    the caller took long for the one before.

    Args:
        file: the Parquet file.
        paths: columns of listings, such as `price.min`.
        copies: how many copies of a row's texts a query may hold.
        slots: columns of occurrences, sections or sessions, or None if each row is a listing.
        numbers: the number of each row.
        owners: the index in the file of each row's listing, ascending.
    """
    import pyarrow as pa

    size = _FIRST_BYTES // copies
    for first, end, table in _read_listings(file, paths):
        begin, last = np.searchsorted(owners, [first, end]).tolist()
        ends = np.cumsum(_count_bytes(table, end - first)[owners[begin:last] - first])
        offset = begin
        while begin < last:
            limit = size + (ends[begin - offset - 1] if begin > offset else 0)
            stop = max(begin + 1, offset + int(np.searchsorted(ends, limit, side="right")))
            rows = owners[begin:stop] - first
            part = table.slice(begin - offset, stop - begin) if slots is None else table.take(_make_array(rows))
            columns = dict(zip(part.column_names, part.columns, strict=True))
            columns |= {name: column.slice(begin, stop - begin) for name, column in (slots or {}).items()}
            before = perf_counter()
            yield pa.table({**columns, "number": _make_array(numbers[begin:stop])})
            pace = _QUERY_SECONDS / max(perf_counter() - before, 1e-3)
            size = min(max(int(size * min(pace, 2)), 1), _MOST_BYTES // copies)
            begin = stop


def _read_listings(file: Any, paths: Sequence[str]) -> Iterator[tuple[int, int, Any]]:
    """Yield tables of the next listings, each with the index of its first listing and of the one after its last."""
    import pyarrow as pa

    parts: list[Any] = []
    first = end = size = 0
    for part in file.iter_batches(batch_size=_DECODED_LISTINGS, columns=paths, use_threads=False):
        parts.append(part)
        end, size = end + part.num_rows, size + part.nbytes
        if size >= _FIRST_BYTES or end == file.metadata.num_rows:
            table = pa.Table.from_batches(parts).combine_chunks()
            while any(pa.types.is_struct(field.type) for field in table.schema):
                table = table.flatten()
            yield first, end, table
            first, size, parts = end, 0, []


def _count_bytes(table: Any, rows: int) -> Numbers:
    """Return the number of bytes of each row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    counts = np.full(rows, _ROW_BYTES, dtype=np.int64)
    for column in table.columns:
        texts = pc.binary_join(column, "") if pa.types.is_list(column.type) else column
        if pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type):
            counts += pc.fill_null(pc.binary_length(texts), 0).to_numpy()
    return counts


def _make_array(numbers: Numbers) -> Any:
    import pyarrow as pa

    # From NumPy's array pyarrow would look for pandas.
    return pa.Array.from_buffers(pa.int64(), numbers.size, [None, pa.py_buffer(np.ascontiguousarray(numbers))])
