"""Mapped tables: what is written is read where it lies, and what is no mapped table is refused."""

from pathlib import Path

import polars as pl
import pytest

from outings.release.cache import MappedFile
from outings.release.mapped_table import MappedTable, encode_mapped
from outings.release.store import Corrupt

FRAME = pl.DataFrame(
    {"number": [3, 1, 2], "text": ["", "å", "longer than twelve bytes"], "hash": [b"\x00", b"", b"\xff\x00"]}
)


def read_texts(table: MappedTable, name: str) -> list[bytes]:
    ends, data = table.view_texts(name)
    return [bytes(data[ends[at] : ends[at + 1]]) for at in range(len(table))]


@pytest.mark.parametrize("rows", [3, 1, 0])
def test_a_table_reads_as_it_was_written_from_a_file_and_from_memory(rows: int, tmp_path: Path) -> None:
    frame = FRAME.head(rows)
    path = tmp_path / "table"
    path.write_bytes(encode_mapped(frame))
    for table in (MappedTable(MappedFile(path)), MappedTable(encode_mapped(frame))):
        assert len(table) == rows
        assert list(table.view_array("number")) == frame["number"].to_list()
        assert list(table.read_texts("text")) == frame["text"].to_list()
        assert read_texts(table, "text") == [text.encode() for text in frame["text"]]
        assert read_texts(table, "hash") == frame["hash"].to_list()


def test_the_same_rows_are_the_same_bytes() -> None:
    parts = pl.concat([FRAME.head(1), FRAME.tail(2)], rechunk=False)
    assert encode_mapped(parts) == encode_mapped(FRAME)


@pytest.mark.parametrize("kept", [0, 1, 8, 100, -1])
def test_a_torn_file_is_refused_and_named(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "torn"
    path.write_bytes(encode_mapped(FRAME)[:kept])
    with pytest.raises(Corrupt, match="torn: "):
        MappedTable(MappedFile(path))


def test_two_batches_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "two"
    FRAME.write_ipc(path, record_batch_size=2, compat_level=pl.CompatLevel.oldest())
    with pytest.raises(Corrupt, match="two: 2 record batches"):
        MappedTable(MappedFile(path))
