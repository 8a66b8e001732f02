"""The tables of texts through the doors by which they come: columns, records, RSS, Atom, JSON-LD, names, queries."""

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import duckdb
import pytest

from outings.answers.search.understanding.ages import find_ages, join_ages
from outings.answers.search.understanding.words import QueryWords
from outings.configuration import read_configuration
from outings.contract.languages.language import SHIPPED, read_shipped_language
from outings.texts.age_phrases import AgeSpan
from outings.texts.tokens import fold
from pipeline.feed_task import read_feed
from pipeline.fetch.table.ranges import register_readers, take_range
from pipeline.resolve.facts.audience import join_ages as join_text_ages
from pipeline.resolve.facts.audience import read_classifier
from tests.pipeline.clean.record_cleaning import clean
from tests.settings import format_metro
from tests.texts.table import TODAY, Text, list_texts, list_unseen, read, write_ages, write_bounds


def read_column(kind: str, texts: list[str]) -> list[tuple[str | None, str | None]]:
    connection = duckdb.connect(":memory:")
    register_readers(connection, today=TODAY)
    ends = ", ".join(take_range("text", kind, end) for end in ("start", "end"))
    rows = connection.execute(f"SELECT {ends} FROM (SELECT unnest(?::VARCHAR[]) AS text)", [texts]).fetchall()
    return [(low, high) for low, high in rows]


def clean_text(member: str, text: str) -> Any:
    cleaned = clean({"type": "event", "source_id": "1", "name": "X", member: {"text": text}})
    return getattr(cleaned.record, member)


def write_xml(door: str, texts: Sequence[str]) -> str:
    item = "item" if door == "rss" else "entry"
    items = "".join(f"<{item}><id>{n}</id><text>{escape(text)}</text></{item}>" for n, text in enumerate(texts))
    if door == "rss":
        return f"<rss><channel>{items}</channel></rss>"
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>X</title>{items}</feed>'


def write_jsonld(member: str, texts: Sequence[str]) -> str:
    stated = ({"typicalAgeRange": text} if member == "ages" else {"offers": {"price": text}} for text in texts)
    return json.dumps(
        [{"@type": "Event", "@id": f"https://a.example/{n:04}", "name": "X", **own} for n, own in enumerate(stated)]
    )


def read_file(member: str, door: str, texts: Sequence[str], folder: Path) -> list[Any]:
    """Return the member of each record of a feed whose texts stand in a file of this kind."""
    rule = 'type = { value = "event" }\nsource_id = "id"\nname = { value = "X" }'
    ends = "\n".join(
        f'"{member}.{end}" = {{ column = "text", range = "{place}" }}'
        for end, place in (("min", "start"), ("max", "end"))
    )
    table = f'format = "table"\nrecords = "{"channel.item" if door == "rss" else "entry"}"\n[feeds.map]\n{rule}\n{ends}'
    settings = {"rss": table, "atom": table, "jsonld": 'format = "jsonld"'}
    (folder / f"feed.{door}").write_text(write_jsonld(member, texts) if door == "jsonld" else write_xml(door, texts))
    feed = f'\n[[feeds]]\nname = "spl"\nmetro = "seattle"\nurl = "feed.{door}"\n{settings[door]}\n'
    (folder / "outings.toml").write_text(format_metro("seattle") + feed)
    configuration = read_configuration(folder / "outings.toml", {})
    return [getattr(record, member) for record in read_feed(configuration.feeds[0], configuration).records]


def write_span(low: Any, high: Any) -> str:
    return "?" if low is None and high is None else f"{low}+" if high is None else f"{low}-{high}"


def answer(kind: str, door: str, texts: Sequence[str], folder: Path) -> list[str]:
    """Return what each text is read as through a door."""
    if door == "column" and kind == "hours":
        return ["-".join(filter(None, ends)) or "?" for ends in read_column("clock", list(texts))]
    if door == "column" and kind == "ages":
        return [write_span(low, high) for low, high in read_column("ages", list(texts))]
    if door == "column":
        numbers = [[None if end is None else float(end) for end in ends] for ends in read_column("amount", list(texts))]
        return [write_bounds(low, high) for low, high in numbers]
    member = {"ages": "ages", "amounts": "price"}[kind]
    stated = (
        [clean_text(member, text) for text in texts] if door == "record" else read_file(member, door, texts, folder)
    )
    if kind == "ages":
        return [write_span(ages.min, ages.max) for ages in stated]
    return ["free" if price.type == "free" else write_bounds(price.min, price.max) for price in stated]


DOORS = [*product(("ages", "amounts"), ("column", "record", "rss", "atom", "jsonld")), ("hours", "column")]
LONGEST_QUERY = 50
NO_BOUND = {"all": "?", "paid": "?", "donation": "?", "none": "?"}


@pytest.mark.parametrize(("kind", "door"), DOORS)
def test_a_text_is_the_same_through_every_door(kind: str, door: str, tmp_path: Path) -> None:
    texts = list(list_texts(kind))
    answers = answer(kind, door, [text.text for text in texts], tmp_path)
    expected = [NO_BOUND.get(text.answer, text.answer) for text in texts]
    expected = [text.rpartition(" ")[2] for text in expected] if kind == "hours" else expected
    assert [pair for pair in zip(texts, answers, expected, strict=True) if pair[1] != pair[2]] == []


@pytest.mark.parametrize(("kind", "door"), [*DOORS, *((kind, "") for kind in ("ages", "amounts", "hours", "days"))])
def test_texts_that_the_readers_had_not_seen_are_read_through_every_door(kind: str, door: str, tmp_path: Path) -> None:
    texts = list(list_unseen(kind))
    answers = (
        answer(kind, door, [text.text for text in texts], tmp_path) if door
        else [read(kind, text.text, text.language) for text in texts]
    )  # fmt: skip
    wrong = [
        (text, given) for text, given in zip(texts, answers, strict=True)
        if not {NO_BOUND.get(given, given), given} & {NO_BOUND.get(one, one) for one in list_answers(text, door)}
    ]  # fmt: skip
    assert len(wrong) <= 0.05 * len(texts), wrong


def list_answers(text: Text, door: str) -> list[str]:
    """Return the right answers. A column of hours has no weekdays."""
    answers = text.answer.split("|")
    return [answer.rpartition(" ")[2] for answer in answers] if text.kind == "hours" and door else answers


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
    texts = [text for text in texts if door != "query" or len(text.text) <= LONGEST_QUERY]
    answers = [(text, read_in(door, text.language, text.text)) for text in texts]
    other = [(text, given) for text, given in answers if given not in ("?", *text.answer.split("|"))]
    assert other == []
    assert sum(given != "?" for _, given in answers) > len(answers) / 2
