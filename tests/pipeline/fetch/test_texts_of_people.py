"""What people write in a feed, through each of the doors: what was not read is counted, and weekdays make a series."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from dateutil.rrule import rrulestr

from pipeline.clean.feed_read import FeedRead
from pipeline.feed_task import read_feed
from pipeline.records.record import EventRecord
from tests.pipeline.fetch.settings import Configure

Read = Callable[[list[dict[str, str]]], FeedRead]
DAY = "2026-12-10"
MAP = """[feeds.map]
type = {{ value = "event" }}
source_id = "id"
name = "title"
starts_local = {{ join = ["day", "hours"], format = ["%Y-%m-%d %H:%M", "%Y-%m-%d"] }}
"ages.min" = {{ column = "ages", range = "start" }}
"ages.max" = {{ column = "ages", range = "end" }}
"price.min" = {{ column = "{price}", range = "start" }}
"price.max" = {{ column = "{price}", range = "end" }}
"""


def write_csv(rows: list[dict[str, str]]) -> str:
    return "\n".join(["id;title;day;hours;ages;fee", *(";".join(row.values()) for row in rows)]) + "\n"


def write_rss(rows: list[dict[str, str]]) -> str:
    items = ("".join(f"<{name}>{value}</{name}>" for name, value in row.items()) for row in rows)
    return f"<rss><channel>{''.join(f'<item>{item}</item>' for item in items)}</channel></rss>"


def write_records(rows: list[dict[str, str]]) -> str:
    records = [
        {"type": "event", "source_id": row["id"], "name": row["title"], "date_on": row["day"],
         "ages": {"text": row["ages"]}, "price": {"text": row["fee"]}}
        for row in rows
    ]  # fmt: skip
    return "".join(json.dumps(record) + "\n" for record in records)


def write_jsonld(rows: list[dict[str, str]]) -> str:
    events: list[dict[str, Any]] = [
        {"@context": "https://schema.org", "@type": "Event", "@id": f"https://a.example/{row['id']}",
         "name": row["title"], "startDate": row["day"], "typicalAgeRange": row["ages"],
         "offers": {"@type": "Offer", "price": row["fee"]}}
        for row in rows
    ]  # fmt: skip
    return json.dumps(events)


DOORS = {
    "csv": ("feed.csv", write_csv, 'format = "table"\n' + MAP.format(price="fee")),
    "rss": ("feed.rss", write_rss, 'format = "table"\nrecords = "channel.item"\n' + MAP.format(price="fee")),
    "records": ("feed.ndjson", write_records, 'format = "ndjson"'),
    "jsonld": ("feed.jsonld", write_jsonld, 'format = "jsonld"'),
}


@pytest.fixture(params=DOORS)
def read_rows(request: pytest.FixtureRequest, configure: Configure, tmp_path: Path) -> Read:
    name, write, settings = DOORS[request.param]

    def read(rows: list[dict[str, str]]) -> FeedRead:
        (tmp_path / name).write_text(write(rows), encoding="utf-8")
        configuration = configure(f'metro = "seattle"\nurl = "{name}"\n{settings}')
        return read_feed(configuration.feeds[0], configuration)

    return read


def make_row(number: int, **cells: str) -> dict[str, str]:
    row = {"id": str(number), "title": "A walk", "day": DAY, "hours": "10:00", "ages": "3-5", "fee": "$5"}
    return row | cells


def list_lines(read: FeedRead) -> list[str]:
    """The lines on ages and prices, without the member that a door has them in."""
    return [line.partition(": ")[2] for line in read.unread if line.startswith(("ages", "price"))]


def test_two_numbers_the_wrong_way_round_are_put_right_and_reported(read_rows: Read) -> None:
    read = read_rows([make_row(1), make_row(2, ages="12 to 6 years"), make_row(3, fee="$60 - $25")])
    events = [record for record in read.records if isinstance(record, EventRecord)]
    assert [(record.ages.min, record.ages.max) for record in events] == [(3, 5), (6, 12), (3, 5)]
    assert [(record.price.min, record.price.max) for record in events] == [(5, 5), (5, 5), (25, 60)]
    turned = "1 of {} texts have the greater number first, and are read the other way round: {}"
    lines = list_lines(read)
    assert lines[0] == turned.format(3, '"12 to 6 years"')
    swapped = [problem.reason for problem in read.problems]  # an offer's amounts are numbers when they are cleaned
    assert lines[1:] == [turned.format(3, '"$60 - $25"')] or "they are swapped" in swapped[0]


def test_texts_that_nobody_understands_are_counted_with_the_three_most_frequent(read_rows: Read) -> None:
    words = ["by level", "by level", "ask us", "ask us", "see web", "other"]
    read = read_rows([make_row(0), *(make_row(n, ages=word, fee=word) for n, word in enumerate(words, 1))])
    assert len(read.records) == 7
    line = 'texts not understood: "ask us" (2), "by level" (2), "other"'
    assert [text.rpartition(" of ")[2].partition(" ")[2] for text in list_lines(read)] == [line, line]
    assert [text.partition(" ")[0] for text in list_lines(read)] == ["6", "6"]


def test_dates_that_nobody_understands_are_counted(read_rows: Read) -> None:
    read = read_rows([make_row(1), make_row(2, day="soon"), make_row(3, day="soon")])
    (line,) = [line for line in read.unread if not line.startswith(("ages", "price", "starts_local (hour)"))]
    assert "2 of " in line
    assert " texts not understood: " in line
    assert "soon" in line


SERIES = """[feeds.map]
type = { value = "event" }
source_id = "id"
name = "title"
starts_local = { join = ["from", "hours"], range = "start", format = ["%d/%m/%Y %H:%M", "%d/%m/%Y"] }
"""
SERIES += SERIES.splitlines()[-1].replace("starts", "ends").replace('"from"', '"to"').replace('"start"', '"end"')
SERIES = SERIES.removesuffix("}") + ', fallback = { column = "to" } }\n'

# The hours of a row from Sunday 5 to Sunday 26 July 2026; the days in July, and the clock times.
CELLS = {
    "Samedis 11h-12h": ([11, 18, 25], "11:00-12:00"),
    "le samedi de 11h à 12h": ([11, 18, 25], "11:00-12:00"),
    "lundi et mercredi 14h": ([6, 8, 13, 15, 20, 22], "14:00-"),
    "sábados y domingos, 22h-2h": ([5, 11, 12, 18, 19, 25, 26], "22:00-02:00"),
    "Di-Do 15-17 Uhr": ([7, 8, 9, 14, 15, 16, 21, 22, 23], "15:00-17:00"),
    "Samedis": ([11, 18, 25], ""),
    "mardi au vendredi 10h-12h et 14h-18h": ([7, 8, 9, 10, 14, 15, 16, 17, 21, 22, 23, 24], "10:00-12:00"),
    "11h-12h": (None, "11:00-12:00"),
    "Fri 18:00 - Sun 11:00": (None, "18:00-00:00"),
    "vendredi 20h, samedi 10h-12h": (None, "20:00-00:00"),
    "10h-18h, fermé le lundi": (None, "10:00-18:00"),
    "selon programme": (None, ""),
}


def test_weekdays_in_a_cell_of_hours_make_the_series(configure: Configure, tmp_path: Path) -> None:
    rows = [f"{number};x;05/07/2026;26/07/2026;{hours}" for number, hours in enumerate(CELLS)]
    (tmp_path / "feed.csv").write_text("\n".join(["id;title;from;to;hours", *rows]) + "\n", encoding="utf-8")
    configuration = configure(f'metro = "seattle"\nurl = "feed.csv"\nformat = "table"\n{SERIES}')
    read = read_feed(configuration.feeds[0], configuration)
    found: dict[str, Any] = {}
    for hours, record in zip(CELLS, read.records, strict=True):
        assert isinstance(record, EventRecord)
        assert record.begins is not None
        series = rrulestr(record.rrule, dtstart=record.begins) if record.rrule else None
        ends = f"{record.ends_local:%H:%M}" if record.ends_local else ""
        clock = f"{record.starts_local:%H:%M}-{ends}" if record.starts_local else ""
        found[hours] = series and [day.day for day in series], clock
    assert found == CELLS
    spans = [record for record in read.records if isinstance(record, EventRecord) and not record.rrule]
    assert {record.ends_local.date() for record in spans if record.ends_local} == {date(2026, 7, 26), date(2026, 7, 27)}
    assert read.unread == ('starts_local (hour): 1 of 12 texts not understood: "selon programme"',)
