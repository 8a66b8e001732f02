"""The export of a build: its files are the details, whole and checked, and are made again only when they are others."""

import hashlib
import io
import json
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from icalendar import Calendar

from outings.contract.resources.sync import EXPORTS
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
        *(f"{collection}.{name}" for collection in EXPORTS for name in ("jsonl", "parquet")), "events.ics",
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


def spell(value: Any) -> Any:
    """Return a value of Parquet as JSON has it: `…Z` for an instant, no offset for a local time."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat() + ("" if value.tzinfo is None else "Z")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, list):
        return [spell(item) for item in value]
    return {name: spell(item) for name, item in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("collection", EXPORTS)
def test_parquet_has_what_the_lines_have_as_types_of_its_own(city: City, collection: str) -> None:
    frame = pl.read_parquet(io.BytesIO(read_file(city, f"{collection}.parquet")))
    lines = read_lines(city, collection)
    assert spell(frame.to_dicts()) == lines
    assert frame.columns == list(lines[0] if lines else frame.columns)
    ends = {"_at": pl.Datetime("us", "UTC"), "_local": pl.Datetime("us"), "_on": pl.Date(), "start_time": pl.Time()}
    for name, kind in frame.schema.items():
        assert all(kind == wanted for end, wanted in ends.items() if name.endswith(end)), name


def test_occurrences_are_the_dates_of_published_events_by_their_permanent_ids(city: City) -> None:
    lines = read_lines(city, "occurrences")
    events = {event["id"]: event for event in read_lines(city, "events")}
    dates = [line["starts_local"] for line in lines if events[line["event_id"]]["name"] == "Event weekly"]
    assert dates == [f"2026-{day}T10:00:00" for day in ("08-12", "08-19", "08-26", "09-02", "09-09")]
    assert {line["event_id"] for line in lines} == {row_id for row_id, event in events.items() if event["has_date"]}
    expanded = city.ask("/v1/seattle/events?occurrences=expand&audience=all&min_confidence=0&limit=200")["data"]
    by_key = {line["key"]: line for line in lines}
    for item in expanded:
        line = by_key[item["occurrence"]["key"]]
        assert line == {
            "event_id": item["id"],
            **{name: item["occurrence"][name] for name in line if name != "event_id"},
        }
    assert read_exports(city)["occurrences.jsonl"].rows == len(lines)


def test_an_export_says_up_to_which_version_it_says_all(city: City) -> None:
    latest = city.ask("/v1/seattle/export")["meta"]["latest_version_id"]
    assert city.ask(f"/v1/changes?cursor={latest}")["data"] == []
    assert len(city.ask("/v1/changes")["data"]) == latest


def test_the_manifest_names_each_file_and_where_it_is(city: City) -> None:
    body = city.ask("/v1/seattle/export")
    exports = read_exports(city)
    names = [item["links"]["self"].rpartition("/")[2] for item in body["data"]]
    assert names == [
        "events.jsonl", "events.parquet", "events.ics", "classes.jsonl", "classes.parquet", "camps.jsonl",
        "camps.parquet", "places.jsonl", "places.parquet", "organizations.jsonl", "organizations.parquet",
        "occurrences.jsonl", "occurrences.parquet",
    ]  # fmt: skip
    for name, item in zip(names, body["data"], strict=True):
        export = exports[name]
        assert (item["size"], item["sha256"], item["rows"]) == (export.size, export.sha256, export.rows)
        assert city.ask_bytes(item["links"]["self"]) == read_file(city, item["links"]["self"].rpartition("/")[2])
    assert (body["meta"]["metro"], body["meta"]["count"]) == ("seattle", 13)
    assert len(city.ask("/v1/seattle/export?types=places&format=parquet")["data"]) == 1


def test_the_calendar_has_the_events_that_have_a_date(city: City) -> None:
    events = Calendar.from_ical(read_file(city, "events.ics")).walk("VEVENT")
    dated = {line["id"]: line["name"] for line in read_lines(city, "events") if line["has_date"]}
    assert {str(event["UID"]): str(event["SUMMARY"]) for event in events} == dated
    assert read_exports(city)["events.ics"].rows == len(dated)


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


def test_the_next_day_only_files_of_dates_may_be_others(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write([make_event("daily", rrule="FREQ=DAILY"), make_place("hall")])
    city.build("2026-08-10")
    before = read_exports(city)
    city.build("2026-08-11")
    after = read_exports(city)
    assert {name for name in after if after[name] != before[name]} <= {
        "events.ics", "occurrences.jsonl", "occurrences.parquet"
    }  # fmt: skip
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
