"""Parquet files are written a group of rows at a time, and have the bytes that all rows at once would give."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from io import BytesIO

import polars as pl
import pytest

from pipeline.publish.objects.parquet_export import ROW_GROUP, encode_parquet, read_lines

MANY = 2 * ROW_GROUP + 5


def make_rows(numbers: Sequence[int]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": pl.Series([f"row {number}" for number in numbers], dtype=pl.String()),
            "place": pl.Series(
                [{"name": None if number % 3 else "x" * (number % 40), "ages": [number]} for number in numbers],
                dtype=pl.Struct({"name": pl.String(), "ages": pl.List(pl.Int64())}),
            ),
        }
    )


def encode(rows: pl.DataFrame) -> bytes:
    return encode_parquet(rows.iter_slices(ROW_GROUP), rows.schema)


@pytest.mark.parametrize("height", [0, 1, ROW_GROUP, ROW_GROUP + 1, MANY])
def test_a_file_has_the_bytes_of_all_rows_at_once(height: int) -> None:
    rows, whole = make_rows(range(height)), BytesIO()
    rows.write_parquet(whole, compression="zstd", row_group_size=ROW_GROUP, statistics=True)
    assert encode(rows) == whole.getvalue()


def test_lines_become_the_columns_of_their_types() -> None:
    columns = {
        "id": pl.String(), "at": pl.Float64(), "is_free": pl.Boolean(), "count": pl.Int64(),
        "offers": pl.List(pl.Struct({"name": pl.String(), "price": pl.Float64(), "on": pl.Date()})),
        "place": pl.Struct({"name": pl.String(), "tags": pl.List(pl.String())}),
        "hours": pl.Struct({"opens": pl.Time()}), "moments": pl.List(pl.Datetime("us", "UTC")),
        "local": pl.Datetime("us"),
    }  # fmt: skip
    lines = (
        b'{"id":"1","at":5,"is_free":true,"count":9007199254740993,"more":1,"place":{"name":"\\u00e9\\n","tags":["a"]},'
        b'"hours":{"opens":"09:00:00"},"moments":["2026-08-10T16:00:00Z"],"local":"2026-08-10T09:00:00",'
        b'"offers":[{"name":"x","price":0.1,"on":"2026-08-10"},{"name":null}]}\n'
        b'{"id":"2026-08-10","at":null,"place":null,"offers":[],"hours":null,"moments":[],"local":null}\n'
    )
    rows = read_lines(lines, columns)
    assert rows.schema == columns
    assert rows.to_dicts() == [
        {"id": "1", "at": 5.0, "is_free": True, "count": 9007199254740993,
         "offers": [{"name": "x", "price": 0.1, "on": date(2026, 8, 10)}, {"name": None, "price": None, "on": None}],
         "place": {"name": "é\n", "tags": ["a"]}, "hours": {"opens": time(9)},
         "moments": [datetime(2026, 8, 10, 16, tzinfo=UTC)], "local": datetime(2026, 8, 10, 9)},
        {"id": "2026-08-10", "at": None, "is_free": None, "count": None, "offers": [], "place": None,
         "hours": None, "moments": [], "local": None},
    ]  # fmt: skip
