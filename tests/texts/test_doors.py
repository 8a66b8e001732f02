"""The tables of texts through the doors by which they come, but feeds: columns, records, names, texts and queries."""

from collections.abc import Sequence
from typing import Any

import duckdb
import pytest

from outings.answers.search.understanding.ages import find_ages, join_ages
from outings.answers.search.understanding.words import QueryWords
from outings.contract.languages.language import SHIPPED, read_shipped_language
from outings.texts.age_phrases import AgeSpan
from outings.texts.tokens import fold
from pipeline.fetch.table.ranges import register_readers, take_range
from pipeline.resolve.facts.audience import join_ages as join_text_ages
from pipeline.resolve.facts.audience import read_classifier
from tests.pipeline.clean.record_cleaning import clean
from tests.texts.table import TODAY, list_texts, list_unseen, read, write_ages, write_bounds


def read_column(kind: str, texts: list[str]) -> list[tuple[str | None, str | None]]:
    connection = duckdb.connect(":memory:")
    register_readers(connection, today=TODAY)
    ends = ", ".join(take_range("text", kind, end) for end in ("start", "end"))
    rows = connection.execute(f"SELECT {ends} FROM (SELECT unnest(?::VARCHAR[]) AS text)", [texts]).fetchall()
    return [(low, high) for low, high in rows]


def clean_text(member: str, text: str) -> Any:
    cleaned = clean({"type": "event", "source_id": "1", "name": "X", member: {"text": text}})
    return getattr(cleaned.record, member)


def write_span(low: Any, high: Any) -> str:
    return "?" if low is None and high is None else f"{low}+" if high is None else f"{low}-{high}"


def answer(kind: str, door: str, texts: Sequence[str]) -> list[str]:
    """Return what each text is read as through a door."""
    if door == "column" and kind == "hours":
        return ["-".join(filter(None, ends)) or "?" for ends in read_column("clock", list(texts))]
    if door == "column" and kind == "ages":
        return [write_span(low, high) for low, high in read_column("ages", list(texts))]
    if door == "column":
        numbers = [[None if end is None else float(end) for end in ends] for ends in read_column("amount", list(texts))]
        return [write_bounds(low, high) for low, high in numbers]
    stated = [clean_text({"ages": "ages", "amounts": "price"}[kind], text) for text in texts]
    if kind == "ages":
        return [write_span(ages.min, ages.max) for ages in stated]
    return ["free" if price.type == "free" else write_bounds(price.min, price.max) for price in stated]


DOORS = [("ages", "column"), ("ages", "record"), ("amounts", "column"), ("amounts", "record"), ("hours", "column")]
NO_BOUND = {"all": "?", "paid": "?", "donation": "?", "none": "?"}


@pytest.mark.parametrize(("kind", "door"), DOORS)
def test_a_text_is_the_same_through_every_door(kind: str, door: str) -> None:
    texts = list(list_texts(kind))
    answers = answer(kind, door, [text.text for text in texts])
    expected = [NO_BOUND.get(text.answer, text.answer) for text in texts]
    expected = [text.rpartition(" ")[2] for text in expected] if kind == "hours" else expected
    assert [pair for pair in zip(texts, answers, expected, strict=True) if pair[1] != pair[2]] == []


@pytest.mark.parametrize(("kind", "door"), [*DOORS, *((kind, "") for kind in ("ages", "amounts", "hours", "days"))])
def test_texts_that_the_readers_had_not_seen_are_read_through_every_door(kind: str, door: str) -> None:
    texts = list(list_unseen(kind))
    answers = (
        answer(kind, door, [text.text for text in texts]) if door
        else [read(kind, text.text, text.language) for text in texts]
    )  # fmt: skip
    wrong = [
        (text, given) for text, given in zip(texts, answers, strict=True)
        if not {NO_BOUND.get(given, given), given} & {NO_BOUND.get(one, one) for one in text.answer.split("|")}
    ]  # fmt: skip
    assert len(wrong) <= 0.05 * len(texts), wrong


def read_in(door: str, language: str, text: str) -> str:
    """Return the ages that a name, a description or a query has, as `write_ages` does."""
    if door == "query":
        spans = find_ages(QueryWords(read_shipped_language(language)).ages, " ".join(fold(text).split()))
        return write_ages(AgeSpan(*join_ages(spans))) if spans else "?"
    reader = read_classifier(read_shipped_language(language))._own
    return write_ages(join_text_ages(reader.find_ages(door, text)))


@pytest.mark.parametrize("door", ["name", "description", "query"])
def test_a_name_a_text_and_a_query_have_the_same_ages_or_none(door: str) -> None:
    """Among other words less says surely that a number is an age: "3-5" does in a column alone."""
    texts = [text for text in (*list_texts("ages"), *list_unseen("ages")) if text.language in SHIPPED]
    answers = [(text, read_in(door, text.language, text.text)) for text in texts]
    other = [(text, given) for text, given in answers if given not in ("?", *text.answer.split("|"))]
    assert other == []
    assert sum(given != "?" for _, given in answers) > len(answers) / 2
