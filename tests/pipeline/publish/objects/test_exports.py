"""The export of a build: its files are the details, whole and checked, and are made again only when they are others."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from icalendar import Calendar

from tests.answers.worlds import COLLECTIONS
from tests.pipeline.city import City, Record, make_event, make_place
from tests.pipeline.publish.objects.exports import read_exports, read_file

# Made when answering, so in no file.
MOVING = {"occurrence"}


def read_lines(city: City, collection: str) -> list[Any]:
    return [json.loads(line) for line in read_file(city, f"{collection}.jsonl").splitlines()]


def add_up(documents: list[Any]) -> str:
    """Count by hand as docs/readers.md says."""
    numbers = [
        int(hashlib.sha256(f"{document['id']} {document['updated_at']}".encode()).hexdigest(), 16)
        for document in documents
    ]
    return f"{sum(numbers) % 2**256:064x}"


def make_records() -> list[Record]:
    """Make records of each type. Some are in no default list, and some are unpublished."""
    return [
        make_event("plain"), make_event("adults", audience="adults"), make_event("unsure", confidence=0.1),
        make_event("past", starts_local="2026-01-02T10:00:00"), make_event("dateless", starts_local=None),
        make_event("weekly", rrule="FREQ=WEEKLY;COUNT=5"), make_event("gone", status="archived"),
        make_event("draft", status="draft"), make_event("quoted", name='A "b", c; d\\e\nf é 日本'),
        make_place("hall"), make_place("shed", confidence=0.2),
        {"type": "class", "source_id": "clay", "name": "Clay", "program_key": "clay", "confidence": 0.9,
         "sections": [{"id": "a", "name": "A", "schedule": {"days": ["monday"]}}, {"id": "b", "name": "B"}]},
        {"type": "class", "source_id": "more clay", "name": "Clay", "program_key": "clay", "confidence": 0.9},
        {"type": "camp", "source_id": "woods", "name": "Woods", "confidence": 0.9,
         "sessions": [{"id": "one", "name": "One", "starts_on": "2026-08-17", "ends_on": "2026-08-21"}]},
    ]  # fmt: skip


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> City:
    city = City(tmp_path_factory.mktemp("exports"))
    city.write(make_records())
    city.build()
    return city


def test_there_is_a_file_a_type_and_format_and_a_calendar_of_events(city: City) -> None:
    assert set(read_exports(city)) == {
        *(f"{collection}.{name}" for collection in COLLECTIONS.values() for name in ("jsonl", "parquet")), "events.ics",
    }  # fmt: skip


@pytest.mark.parametrize(("collection", "rows"), [("events", 7), ("classes", 2), ("camps", 1), ("places", 2)])
def test_a_file_has_every_published_row_as_its_detail_is(city: City, collection: str, rows: int) -> None:
    lines = read_lines(city, collection)
    assert len(lines) == rows
    for line in lines:
        detail = city.ask(f"/v1/{collection}/{line['id']}")["data"]
        assert line == {name: value for name, value in detail.items() if name not in MOVING}
        assert line["status"] == "published"
    for name in ("jsonl", "parquet"):
        export = read_exports(city)[f"{collection}.{name}"]
        assert (export.rows, export.rows_hash) == (rows, add_up(lines))


@pytest.mark.parametrize("collection", COLLECTIONS.values())
def test_parquet_has_what_the_lines_have(city: City, collection: str) -> None:
    frame = pl.read_parquet(io.BytesIO(read_file(city, f"{collection}.parquet")))
    lines = read_lines(city, collection)
    assert frame.to_dicts() == lines
    assert frame.columns == list(lines[0])


def test_the_manifest_names_each_file_and_where_it_is(city: City) -> None:
    body = city.ask("/v1/seattle/export")
    exports = read_exports(city)
    assert [f"{COLLECTIONS[item['type']]}.{item['format']}" for item in body["data"]] == [
        "events.jsonl", "events.parquet", "events.ics", "classes.jsonl", "classes.parquet", "camps.jsonl",
        "camps.parquet", "places.jsonl", "places.parquet",
    ]  # fmt: skip
    for item in body["data"]:
        export = exports[f"{COLLECTIONS[item['type']]}.{item['format']}"]
        assert (item["size"], item["sha256"], item["rows"]) == (export.size, export.sha256, export.rows)
        assert city.ask_bytes(item["links"]["self"]) == read_file(city, item["links"]["self"].rpartition("/")[2])
    assert (body["meta"]["metro"], body["meta"]["count"]) == ("seattle", 9)
    assert len(city.ask("/v1/seattle/export?types=places&format=parquet")["data"]) == 1


def test_the_calendar_has_the_events_that_have_a_date(city: City) -> None:
    events = Calendar.from_ical(read_file(city, "events.ics")).walk("VEVENT")
    dated = {line["id"]: line["name"] for line in read_lines(city, "events") if line["has_date"]}
    assert {str(event["UID"]): str(event["SUMMARY"]) for event in events} == dated


def test_a_build_that_changes_nothing_of_a_type_makes_its_files_not_again(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write(make_records())
    city.build()
    before = read_exports(city)
    city.write([*make_records(), make_place("new")])
    city.build()
    after = read_exports(city)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"places.jsonl", "places.parquet"}
    assert all(city.has_object(export.object) for export in after.values())


def test_the_next_day_only_the_calendar_may_be_another(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write([make_event("daily", rrule="FREQ=DAILY"), make_place("hall")])
    city.build("2026-08-10")
    before = read_exports(city)
    city.build("2026-08-11")
    after = read_exports(city)
    assert {name for name in after if after[name] != before[name]} <= {"events.ics"}
    # The rule says the same, however far the build saw.
    assert after["events.ics"].sha256 == before["events.ics"].sha256


def test_two_builds_from_nothing_make_the_same_files(tmp_path: Path, city: City) -> None:
    other = City(tmp_path)
    other.write(make_records())
    other.build()
    assert read_exports(other) == read_exports(city)


def test_rows_that_left_are_taken_off_the_hash(tmp_path: Path) -> None:
    city = City(tmp_path)
    for records in (make_records(), make_records()[1:], make_records()):
        city.write(records)
        city.build()
        assert read_exports(city)["events.jsonl"].rows_hash == add_up(read_lines(city, "events"))


def test_a_type_without_rows_has_empty_files(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write([make_event("a")])
    city.build()
    assert read_file(city, "camps.jsonl") == b""
    frame = pl.read_parquet(io.BytesIO(read_file(city, "camps.parquet")))
    assert frame.height == 0
    assert "sessions" in frame.columns
    assert read_exports(city)["camps.jsonl"].rows_hash == "0" * 64
