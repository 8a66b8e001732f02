"""Parquet files are written a group of rows at a time, and have the bytes that all rows at once would give."""

import random
from collections.abc import Sequence
from io import BytesIO

import polars as pl
import pytest

from pipeline.publish.objects.parquet_export import ROW_GROUP, EarlierParquet, encode_parquet, read_lines

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


class Documents:
    """What rows are made of, and of how many they were made."""

    def __init__(self) -> None:
        self.made = 0

    def make(self, rows: pl.DataFrame) -> pl.DataFrame:
        self.made += rows.height
        return make_rows([int(row_id.removeprefix("row ")) for row_id in rows["id"]])


def complete(earlier: EarlierParquet, numbers: Sequence[int]) -> tuple[pl.DataFrame, int]:
    """The rows, group by group, and how many of them were made anew."""
    documents = Documents()
    groups = make_rows(numbers).select("id").iter_slices(ROW_GROUP)
    return pl.concat([earlier.complete(some, documents.make) for some in groups]), documents.made


@pytest.mark.parametrize("height", [0, 1, ROW_GROUP, ROW_GROUP + 1, MANY])
def test_a_file_has_the_bytes_of_all_rows_at_once(height: int) -> None:
    rows, whole = make_rows(range(height)), BytesIO()
    rows.write_parquet(whole, compression="zstd", row_group_size=ROW_GROUP, statistics=False)
    assert encode(rows) == whole.getvalue()


@pytest.mark.parametrize(
    "order",
    [range(MANY), range(100, MANY), [*range(5), MANY, *range(5, MANY)], random.Random(1).sample(range(MANY), MANY)],
    ids=["the same", "fewer", "one more", "mixed"],
)
def test_rows_that_stay_are_those_of_the_file_before(order: Sequence[int]) -> None:
    changed = {f"row {number}" for number in range(0, MANY, 100)} | {f"row {MANY}"}
    ids = {f"row {number}" for number in range(MANY)} - changed
    rows, made = complete(EarlierParquet(encode(make_rows(range(MANY))), ids), order)
    assert rows.equals(make_rows(order))
    assert len(changed.intersection(rows["id"])) <= made < MANY / 2


def test_without_a_file_before_every_row_is_made() -> None:
    rows, made = complete(EarlierParquet(), range(7))
    assert rows.equals(make_rows(range(7)))
    assert made == 7


def test_a_group_is_not_read_for_few_of_its_rows() -> None:
    earlier = EarlierParquet(encode(make_rows(range(MANY))), {f"row {number}" for number in range(0, MANY, 100)})
    rows, made = complete(earlier, range(ROW_GROUP))
    assert rows.equals(make_rows(range(ROW_GROUP)))
    assert made == ROW_GROUP


def test_lines_become_the_columns_of_their_types() -> None:
    columns = {
        "id": pl.String(), "at": pl.Float64(), "is_free": pl.Boolean(), "count": pl.Int64(),
        "offers": pl.List(pl.Struct({"name": pl.String(), "price": pl.Float64(), "on": pl.String()})),
        "place": pl.Struct({"name": pl.String(), "tags": pl.List(pl.String())}),
    }  # fmt: skip
    lines = (
        b'{"id":"1","at":5,"is_free":true,"count":9007199254740993,"more":1,"place":{"name":"\\u00e9\\n","tags":["a"]},'
        b'"offers":[{"name":"x","price":0.1,"on":"2026-08-10"},{"name":null}]}\n'
        b'{"id":"2026-08-10","at":null,"place":null,"offers":[]}\n'
    )
    rows = read_lines(lines, columns)
    assert rows.schema == columns
    assert rows.to_dicts() == [
        {"id": "1", "at": 5.0, "is_free": True, "count": 9007199254740993,
         "offers": [{"name": "x", "price": 0.1, "on": "2026-08-10"}, {"name": None, "price": None, "on": None}],
         "place": {"name": "é\n", "tags": ["a"]}},
        {"id": "2026-08-10", "at": None, "is_free": None, "count": None, "offers": [], "place": None},
    ]  # fmt: skip
