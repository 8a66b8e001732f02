"""Read and write mapped tables: a metro's tables as uncompressed Arrow files, with derived bit sets and orders of rows.

A reader maps these files into memory within milliseconds, and all processes of a machine share them. The build derives
them from the tables alone, so they are no part of the snapshot's hash.

A set of rows is bits in 64-bit words, with bit i for the i-th row of its type. A value that is not stated is the least
integer or NaN, and -1 for a boolean.
"""

import io
from collections.abc import Iterable, Mapping
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import ipc

from outings.contract.parameters import PARAMETERS
from outings.contract.values import Parameter
from outings.lazy_polars import pl
from outings.release.cache import MappedFile
from outings.release.store import Corrupt

Words = NDArray[np.uint64]

NOT_STATED = -(1 << 31)
# A position after all others.
NEVER = (1 << 63) - 1
# How many days before and after the build's local date have a set of rows of their own.
DAYS_BEFORE, DAYS_AFTER = 31, 400

# Raise it if the mapped files change. Changes of the columns that filters compare count by themselves.
LAYOUT_NUMBER = 29

WORD = 64


def number_layout(parameters: Iterable[Parameter]) -> int:
    """Return the check sum of the layout of mapped files: of LAYOUT_NUMBER and the columns that filters compare."""
    columns = sorted((row.column, row.kind, row.compares, row.vocabulary or "") for row in parameters if row.column)
    return crc32(repr((LAYOUT_NUMBER, columns)).encode())


# The layout of mapped files. A program with another one ignores them, and derives what it needs from the tables.
LAYOUT = number_layout(PARAMETERS.values())


def count_words(rows: int) -> int:
    return max(-(-rows // WORD), 1)


def encode_mapped(frame: "pl.DataFrame") -> bytes:
    """Encode rows as an Arrow file with one record batch. Equal rows give equal bytes."""
    buffer = io.BytesIO()
    frame.rechunk().write_ipc(
        buffer, compression="uncompressed", compat_level=pl.CompatLevel.oldest(), record_batch_size=max(frame.height, 1)
    )
    return buffer.getvalue()


class MappedTable:
    """The columns of an Arrow file that is mapped into memory, or given as bytes. Raises Corrupt if it is none, or has
    several record batches."""

    def __init__(self, source: MappedFile | bytes) -> None:
        name = source.path.name if isinstance(source, MappedFile) else "mapped table"
        data = pa.py_buffer(source.view if isinstance(source, MappedFile) else source)
        try:
            file = ipc.open_file(data)
            batches = file.num_record_batches
            self._batch = file.get_batch(0) if batches else _make_empty(file.schema)
        except (OSError, pa.ArrowInvalid) as error:
            raise Corrupt(f"{name}: {error}") from None
        if batches > 1:
            raise Corrupt(f"{name}: {batches} record batches; a mapped table has one")

    def __len__(self) -> int:
        height: int = self._batch.num_rows
        return height

    def read_array(self, name: str) -> NDArray[Any]:
        """Return a numeric column as an array, without a copy."""
        array: NDArray[Any] = self._batch.column(name).to_numpy(zero_copy_only=True)
        return array

    def read_arrays(self) -> Mapping[str, NDArray[Any]]:
        """Return all numeric columns by name."""
        schema = self._batch.schema
        return {field.name: self.read_array(field.name) for field in schema if pa.types.is_primitive(field.type)}

    def view_array(self, name: str) -> "memoryview[int]":
        """Return a numeric column for reading single values as Python numbers, ten times as fast as from NumPy."""
        return self.read_array(name).data

    def view_texts(self, name: str) -> tuple["memoryview[int]", "memoryview[int]"]:
        """Return a column of texts or bytes: the offset of each and of the end, and the bytes of all."""
        _, ends, data = self._batch.column(name).buffers()
        if not len(self):
            return memoryview(bytes(8)).cast("q"), memoryview(b"")
        return memoryview(ends).cast("q"), memoryview(data or b"")

    def read_lists(self, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return a column of lists, as the offsets of all lists and of the end, and the values of all lists."""
        column = self._batch.column(name)
        return column.offsets.to_numpy(zero_copy_only=True), column.values.to_numpy(zero_copy_only=True)

    def read_matrix(self, name: str) -> NDArray[Any]:
        """Return a column of arrays of equal length, or of bit sets, as a matrix with one row for each."""
        column = self._batch.column(name)
        values: NDArray[Any] = column.values.to_numpy(zero_copy_only=True)
        return values.reshape(len(column), -1) if len(column) else values.reshape(0, 0)

    def read_texts(self, name: str) -> list[str]:
        texts: list[str] = self._batch.column(name).to_pylist()
        return texts


def _make_empty(schema: Any) -> Any:
    return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)
