"""The tables over which an expression is evaluated, one after another."""

from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from outings.answers.expressions.batches import read_batches
from outings.answers.expressions.parsing import parse_expression

LETTERS = 20_000
BOUND = 1 << 26  # bytes


def write_listings(texts: list[str | None]) -> parquet.ParquetFile:
    """Write listings in groups of 700, with a description and labels."""
    file = BytesIO()
    listings = {"id": [*map(str, range(len(texts)))], "description": texts, "categories": [[text] for text in texts]}
    parquet.write_table(pa.table(listings), file, row_group_size=700)
    return parquet.ParquetFile(pa.BufferReader(file.getvalue()))


def read_all(file: parquet.ParquetFile, owners: list[int], **given: Any) -> list[pa.Table]:
    options = {"copies": 1, "slots": None, "paths": ["id", "description", "categories"], **given}
    return [*read_batches(file, numbers=np.arange(len(owners)) * 2, owners=np.array(owners), **options)]


@pytest.mark.parametrize("copies", [1, 60, 3_000])
def test_a_batch_has_few_bytes_for_an_expression_that_copies_often(copies: int) -> None:
    file = write_listings([("é" if row % 3 else "a") * LETTERS for row in range(800)])
    batches = read_all(file, [*range(800)], copies=copies)
    assert [text for batch in batches for text in batch["id"].to_pylist()] == [*map(str, range(800))]
    assert [number for batch in batches for number in batch["number"].to_pylist()] == [*range(0, 1600, 2)]
    for batch in batches:
        assert batch.num_rows == 1 or batch.nbytes * copies <= BOUND


def test_the_dates_of_a_long_series_are_in_several_batches() -> None:
    file = write_listings(["a", "é" * LETTERS, None, "c"])
    owners = [0, 0, *[1] * 1_000, 3]
    slots = {"slot.index": pa.chunked_array([[*range(len(owners))]])}
    batches = read_all(file, owners, slots=slots, copies=60, paths=["id", "description"])
    assert [text for batch in batches for text in batch["id"].to_pylist()] == [*map(str, owners)]
    assert [index for batch in batches for index in batch["slot.index"].to_pylist()] == [*range(len(owners))]
    assert all(batch.num_rows == 1 or batch.nbytes * 60 <= BOUND for batch in batches)


def test_short_texts_and_numbers_are_one_batch() -> None:
    file = write_listings(["Storytime for all"] * 5_000)
    assert [batch.num_rows for batch in read_all(file, [*range(5_000)], copies=5)] == [5_000]
    assert [batch.num_rows for batch in read_all(file, [*range(5_000)], paths=[])] == [5_000]


@pytest.mark.parametrize(
    ("where", "copies"),
    [
        ("true", 1),
        ("price.max < 15", 1),
        ("contains(lower(description), 'lunch')", 2),
        ("lower(description) = upper(description)", 4),
        ("lower(lower(lower(description))) = 'x'", 4),
        ("[description, lower(name)] = ['x']", 5),
        ("length(lower(description)) + 1 > 3", 2),
        ("CASE WHEN has_time THEN description END = 'x'", 4),
        ("categories && ['a', 'b']", 1),
    ],
)
def test_an_expression_counts_its_copies_of_texts(where: str, copies: int) -> None:
    assert parse_expression(where, "event").copies == copies
