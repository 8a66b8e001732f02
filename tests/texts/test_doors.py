"""The table of texts through the doors by which they come: columns of tables, records, and schema.org."""

from typing import Any

import duckdb
import pytest

from pipeline.fetch.jsonld.members import _parse_ages
from pipeline.fetch.table.ranges import register_readers, take_range
from tests.pipeline.clean.record_cleaning import clean
from tests.texts.table import TODAY, list_texts, write_bounds


def read_column(kind: str, texts: list[str]) -> list[tuple[str | None, str | None]]:
    connection = duckdb.connect(":memory:")
    register_readers(connection, today=TODAY)
    ends = ", ".join(take_range("text", kind, end) for end in ("start", "end"))
    rows = connection.execute(f"SELECT {ends} FROM (SELECT unnest(?::VARCHAR[]) AS text)", [texts]).fetchall()
    return [(low, high) for low, high in rows]


def write_ages(low: Any, high: Any) -> str:
    return "?" if low is None and high is None else f"{low}+" if high is None else f"{low}-{high}"


def clean_text(member: str, text: str) -> Any:
    cleaned = clean({"type": "event", "source_id": "1", "name": "X", member: {"text": text}})
    return getattr(cleaned.record, member)


@pytest.mark.parametrize("door", ["column", "record", "schema.org"])
def test_ages_are_the_same_through_every_door(door: str) -> None:
    texts = list(list_texts("ages"))
    columns = read_column("ages", [text.text for text in texts])
    wrong = []
    for text, column in zip(texts, columns, strict=True):
        stated = clean_text("ages", text.text) if door == "record" else None
        members = _parse_ages(text.text)
        low, high = (
            column if door == "column"
            else (stated.min, stated.max) if stated is not None
            else (members.get("min"), members.get("max"))
        )  # fmt: skip
        if write_ages(low, high) != text.answer.replace("all", "?"):
            wrong.append((text, low, high))
    assert wrong == []


@pytest.mark.parametrize("door", ["column", "record"])
def test_prices_are_the_same_through_every_door(door: str) -> None:
    texts = list(list_texts("amounts"))
    columns = read_column("amount", [text.text for text in texts])
    wrong = []
    for text, column in zip(texts, columns, strict=True):
        low, high = (None if end is None else float(end) for end in column)
        answer = text.answer
        if door == "record":
            price = clean_text("price", text.text)
            low, high = price.min, price.max
            if answer in ("donation", "paid", "free"):
                assert price.type == {"paid": "varies"}.get(answer, answer), text
        if write_bounds(low, high) != {"paid": "?", "donation": "?"}.get(answer, answer):
            wrong.append((text, low, high))
    assert wrong == []


def test_a_clock_time_is_read_in_a_column() -> None:
    texts = list(list_texts("hours"))
    columns = read_column("clock", [text.text for text in texts])
    written = ["-".join(filter(None, column)) or "?" for column in columns]
    assert written == [text.answer.rpartition(" ")[2] for text in texts]
