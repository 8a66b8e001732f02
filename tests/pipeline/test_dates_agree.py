"""Whoever copies a city has the API's dates: from exports and changes, from the files of a tree, or from the API."""

import io
import json
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from dateutil.rrule import rrulestr

from outings.configuration.tables import StaticTable
from pipeline.publish.static.hosts import FolderHost
from pipeline.publish.static.publishing import publish_static
from tests.pipeline.city import City, Record, make_event

FIRST, DAYS = date(2026, 10, 20), 60  # the clocks go back on 1 November
Dates = set[tuple[str, str, str]]


class DateMirror:
    """A copy of the events: an export at first, then the changes after it. It knows rules by dateutil alone."""

    def __init__(self) -> None:
        self.events: dict[str, Any] = {}
        self.cursor: int | None = None

    def catch_up(self, city: City) -> None:
        if self.cursor is None:
            self.cursor = city.ask("/v1/seattle/export")["meta"]["latest_version_id"]
            lines = city.ask_bytes("/v1/seattle/export/events.jsonl").splitlines()
            self.events = {event["id"]: event for event in map(json.loads, lines)}
            return
        page = city.ask(f"/v1/changes?cursor={self.cursor}&limit=1000&type=event")
        assert not page["meta"]["has_more"]
        self.cursor = page["meta"]["next_cursor"]
        for change in page["data"]:
            self.events.pop(change["listing_id"], None)
            if change["kind"] != "removed":
                self.events[change["listing_id"]] = city.ask(change["links"]["self"])["data"]

    def list_dates(self, first: date) -> Dates:
        shown = (event for event in self.events.values() if event["has_date"] and event["audience"] != "adults")
        return {(event["id"], *moment) for event in shown for moment in expand(event, first)}


def expand(event: Any, first: date) -> Iterator[tuple[str, str]]:
    """Yield the local and UTC starts of an event: the first, those of the rule and of `rdates`, less `exdates`."""
    zone = ZoneInfo(event["timezone"])
    starts = datetime.fromisoformat(event["starts_local"])
    dates = {starts, *map(datetime.fromisoformat, event["rdates"])}
    begins, ends = datetime.combine(first, time()), datetime.combine(first + timedelta(days=DAYS), time())
    if event["rrule"] is not None:
        own = zone if event["has_time"] else None  # UNTIL is a date where no time is stated
        moments = rrulestr(event["rrule"], dtstart=starts.replace(tzinfo=own)).between(
            begins.replace(tzinfo=own), ends.replace(tzinfo=own), inc=True
        )
        dates |= {moment.replace(tzinfo=None) for moment in moments}
    for moment in dates - {*map(datetime.fromisoformat, event["exdates"])}:
        instant = moment.replace(tzinfo=zone).astimezone(ZoneInfo("UTC"))
        exists = instant.astimezone(zone).replace(tzinfo=None) == moment
        if begins <= moment < ends and exists:
            yield moment.isoformat(), f"{instant:%Y-%m-%dT%H:%M:%SZ}"


def ask_dates(city: City, first: date) -> Dates:
    dates: Dates = set()
    for start in range(0, DAYS, 30):
        begins = first + timedelta(days=start)
        window = f"from={begins}&to={begins + timedelta(days=29)}&min_confidence=0&limit=200"
        page = 1
        while True:
            body = city.ask(f"/v1/seattle/events?occurrences=expand&{window}&page={page}", day=first.isoformat())
            dates |= {(item["id"], item["starts_local"], item["starts_at"]) for item in body["data"]}
            if not body["meta"]["has_more"]:
                break
            page += 1
    return dates


def read_dates(folder: Path, first: date) -> Dates:
    """Read the dates of the tree's export, whose two files say the same."""
    export = folder / "v1/seattle/export"
    lines = [json.loads(line) for line in (export / "occurrences.jsonl").read_bytes().splitlines()]
    frame = pl.read_parquet(io.BytesIO((export / "occurrences.parquet").read_bytes()))
    assert [f"{value:%Y-%m-%dT%H:%M:%SZ}" for value in frame["starts_at"]] == [line["starts_at"] for line in lines]
    assert frame["starts_at"].is_sorted()
    assert [value.isoformat() for value in frame["starts_local"]] == [line["starts_local"] for line in lines]
    assert frame["key"].to_list() == [line["key"] for line in lines]
    last = first + timedelta(days=DAYS - 1)
    return {
        (line["event_id"], line["starts_local"], line["starts_at"])
        for line in lines
        if first.isoformat() <= line["starts_local"][:10] <= last.isoformat()
    }


def draw_event(random: Random, number: int) -> Record:
    hour = random.choice((1, 1, 9, 18))
    starts = datetime.combine(FIRST + timedelta(days=random.randrange(-40, 50)), time(hour, 30))
    rule = random.choice((
        None, "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=TU,SA", "FREQ=WEEKLY;INTERVAL=2", "FREQ=MONTHLY;BYDAY=-1SU",
        "FREQ=WEEKLY;BYDAY=MO;COUNT=6", "FREQ=DAILY;COUNT=9", "FREQ=DAILY;UNTIL=20261112",
        "FREQ=WEEKLY;BYDAY=WE;UNTIL=20261201T080000Z", "FREQ=DAILY;UNTIL=20261105T183000",
    ))  # fmt: skip

    def draw_dates() -> list[str]:
        days = [starts + timedelta(days=random.randrange(60)) for _ in range(random.randrange(4))]
        return [(day if random.random() < 0.7 else datetime.combine(day, time())).isoformat() for day in days]

    record = make_event(f"event {number}", starts_local=starts.isoformat(), rrule=rule, exdates=draw_dates())
    record |= {"rdates": draw_dates() if random.random() < 0.5 else [], "confidence": random.choice((0.2, 0.9))}
    record |= {"audience": random.choice(("kids", "kids", "families", "adults"))}
    if random.random() < 0.2:  # days without a clock time
        record |= {"starts_local": None, "date_on": f"{starts:%Y-%m-%d}"}
        record |= {name: [f"{text[:10]}T00:00:00" for text in record[name]] for name in ("exdates", "rdates")}
    elif random.random() < 0.2 and rule is None and not record["rdates"]:
        record["ends_local"] = (starts + timedelta(days=random.randrange(5), hours=1)).isoformat()
    return record


@pytest.mark.parametrize(("seed", "builds"), [(0, 2), *(pytest.param(n, 10, marks=pytest.mark.long) for n in (1, 2))])
def test_mirrors_of_exports_and_of_files_have_the_dates_of_the_api(seed: int, builds: int, tmp_path: Path) -> None:
    random, city, mirror = Random(seed), City(tmp_path), DateMirror()
    pool = {number: draw_event(random, number) for number in range(30)}
    day = FIRST
    for _ in range(builds):
        city.write(random.sample([*pool.values()], len(pool) - 3), feed="events")
        city.build(day.isoformat(), allow_shrink=True)
        publish_static(
            city.store, StaticTable(url="file:tree", days=1), host=FolderHost(tmp_path / "tree"),
            read_date=lambda _, day=day: day, cache=city.cache, allow_shrink=True,
        )  # fmt: skip
        mirror.catch_up(city)
        expected = ask_dates(city, day)
        assert len(expected) > 100
        assert mirror.list_dates(day) == expected
        assert read_dates(tmp_path / "tree", day) == expected
        for number in random.sample([*pool], 5):
            pool[number] = draw_event(random, number)
        day += timedelta(days=random.randrange(1, 4))
