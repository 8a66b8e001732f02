"""Calendar programs' own readers subscribe to events: they ask again with their tag, and see each date that changed."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from icalendar import Calendar

from edge.app import Edge
from outings.answers.ical import render_event
from outings.keys.registry import change_registry, revoke_key
from tests.edge.asking import ask
from tests.edge.conftest import CALENDAR_SECRETS, Clock
from tests.edge.publishing import NOW, add_keys
from tests.pipeline.city import City, make_event

# What readers are asked for: a series is in the calendar as a whole.
FIRST, LAST = date(2026, 8, 1), date(2026, 12, 31)
# A name and a date, or an instant.
Dates = set[tuple[str, str]]


def show(starts: date | datetime) -> str:
    return f"{starts.astimezone(UTC):%m-%d %H:%MZ}" if isinstance(starts, datetime) else f"{starts:%m-%d}"


def read_with_icalendar(text: str) -> tuple[str, Dates]:
    """`recurring-ical-events` expands what `icalendar` parses."""
    import recurring_ical_events

    calendar = Calendar.from_ical(text)
    events = recurring_ical_events.of(calendar).between(FIRST, LAST)
    return str(calendar["X-WR-CALNAME"]), {(str(event["SUMMARY"]), show(event["DTSTART"].dt)) for event in events}


def read_with_vobject(text: str) -> tuple[str, Dates]:
    """Read a calendar with vobject, as CalDAV servers do."""
    import vobject

    calendar = vobject.readOne(text)
    results: Dates = set()
    for event in calendar.contents.get("vevent", []):
        starts = event.dtstart.value
        dates = [starts] if event.rruleset is None else list(event.getrruleset(addRDate=True))
        results |= {(event.summary.value, show(value)) for value in dates}
    return calendar.x_wr_calname.value, results


def read_with_ical(text: str) -> tuple[str, Dates]:
    """Read a calendar with ical, as Home Assistant does."""
    from ical.calendar_stream import IcsCalendarStream

    calendar = IcsCalendarStream.calendar_from_ics(text)
    events = calendar.timeline.overlapping(FIRST, LAST)
    (name,) = (extra.value for extra in calendar.extras if extra.name == "x-wr-calname")
    return name, {(event.summary, show(event.dtstart)) for event in events}


def read_with_ical_js(text: str) -> tuple[str, Dates]:
    """Thunderbird's own."""
    words = ["node", str(Path(__file__).with_name("read_with_ical_js.mjs")), os.environ["ICAL_JS"], LAST.isoformat()]
    done = subprocess.run(words, input=text.encode(), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    read = json.loads(done.stdout)
    return read["name"], {(name, show(parse(starts))) for name, starts in read["dates"]}


def parse(starts: str) -> date | datetime:
    return datetime.fromisoformat(starts) if "T" in starts else date.fromisoformat(starts)


Reader = Callable[[str], tuple[str, Dates]]
READERS: list[Reader] = [read_with_icalendar, read_with_vobject, read_with_ical]
READERS += [read_with_ical_js] if "ICAL_JS" in os.environ else []


@dataclass
class Town:
    """A city whose releases an edge serves, under a clock that stands still."""

    city: City
    edge: Edge
    key: str
    clock: Clock

    def publish(self, *records: object) -> None:
        self.city.write(records)  # type: ignore[arg-type]
        self.city.build()
        self.edge.poll()

    def make_address(self, filters: str = "") -> str:
        got = ask(self.edge, f"/v1/seattle/events.ics/address?{filters}", key=self.key)
        url = got.read_json()["data"]["url"]
        assert isinstance(url, str)
        return url


@dataclass
class Subscriber:
    """A calendar program that subscribes to an address. It stores the last file and its ETag."""

    town: Town
    url: str
    text: str = ""
    tags: dict[str, str] = field(default_factory=dict)

    def refresh(self) -> int:
        got = ask(self.town.edge, self.url, **self.tags)
        if got.status == 200:
            self.text, self.tags = got.read_body().decode(), {"if_none_match": got.headers["etag"]}
        return got.status


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    city, clock = City(tmp_path), Clock()
    city.write([])
    city.build()
    (key,) = add_keys(city.store, {"reader": {}}).values()
    edge = Edge(city.store, cache=tmp_path / "edge", clock=clock, calendar_secrets=CALENDAR_SECRETS)
    edge.poll()
    yield Town(city, edge, key, clock)
    edge.close()


def make(name: str, **members: object) -> dict[str, object]:
    return make_event(name, name=name, ends_local=None, **members)


# Clocks change on 1 November: 10:00 is 17:00Z before it, and 18:00Z after it.
STORIES = make("Stories", starts_local="2026-08-12T10:30:00", rrule="FREQ=WEEKLY;COUNT=4")
CLUB = make("Club", starts_local="2026-08-15T10:00:00", rrule="FREQ=MONTHLY;BYDAY=3SA;COUNT=4")
WALK = make("Walk", starts_local="2026-08-16T09:00:00")
FAIR = make("Fair", starts_local=None, date_on="2026-08-22")
BEFORE: Dates = {
    ("Stories", "08-12 17:30Z"), ("Stories", "08-19 17:30Z"), ("Stories", "08-26 17:30Z"), ("Stories", "09-02 17:30Z"),
    ("Club", "08-15 17:00Z"), ("Club", "09-19 17:00Z"), ("Club", "10-17 17:00Z"), ("Club", "11-21 18:00Z"),
    ("Walk", "08-16 16:00Z"), ("Fair", "08-22"),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_a_reader_subscribes_and_follows_added_moved_and_cancelled_dates(town: Town, read: Reader) -> None:
    town.publish(STORIES, CLUB, WALK, FAIR)
    subscriber = Subscriber(town, town.make_address())
    assert subscriber.refresh() == 200
    assert read(subscriber.text) == ("Events in seattle", BEFORE)
    assert subscriber.refresh() == 304
    changed = STORIES | {
        "exdates": ["2026-08-19T10:30:00", "2026-08-26T10:30:00"],
        "rdates": ["2026-08-14T15:00:00", "2026-08-20T10:30:00"],
    }
    fair = FAIR | {"date_on": "2026-08-23"}
    cancelled = WALK | {"status": "archived", "reason": "cancelled"}
    picnic = make("Picnic", starts_local="2026-08-30T12:00:00")
    town.publish(changed, CLUB, cancelled, fair, picnic)
    assert subscriber.refresh() == 200
    gone = {("Stories", "08-19 17:30Z"), ("Stories", "08-26 17:30Z"), ("Walk", "08-16 16:00Z"), ("Fair", "08-22")}
    come = {("Stories", "08-14 22:00Z"), ("Stories", "08-20 17:30Z"), ("Fair", "08-23"), ("Picnic", "08-30 19:00Z")}
    assert read(subscriber.text) == ("Events in seattle", (BEFORE - gone) | come)


def test_readers_have_the_clocks_of_zones_that_no_rule_says(town: Town) -> None:
    """For such zones ical.js has only what the file states."""
    noons = {"Europe/Istanbul": "09", "Africa/Cairo": "09", "America/Argentina/Cordoba": "15", "Asia/Tokyo": "03"}
    town.publish(*(make(zone, timezone=zone, starts_local="2026-08-12T12:00:00") for zone in noons))
    subscriber = Subscriber(town, town.make_address())
    subscriber.refresh()
    for read in READERS:
        assert read(subscriber.text)[1] == {(zone, f"08-12 {hour}:00Z") for zone, hour in noons.items()}, read


@pytest.mark.long
@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_a_reader_keeps_what_it_had_when_the_key_ends(town: Town, read: Reader) -> None:
    town.publish(WALK)
    subscriber = Subscriber(town, town.make_address())
    assert subscriber.refresh() == 200
    change_registry(town.city.store, lambda registry: revoke_key(registry, town.key[4:12], now=NOW))
    town.publish(WALK, FAIR)
    assert subscriber.refresh() == 401
    assert read(subscriber.text)[1] == {("Walk", "08-16 16:00Z")}


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_a_reader_sees_the_window_move_on_with_the_day_and_an_empty_calendar(town: Town, read: Reader) -> None:
    town.publish(WALK, make("Later", starts_local="2026-09-20T12:00:00"))
    subscriber = Subscriber(town, town.make_address())
    nothing = Subscriber(town, town.make_address("free=true"))
    assert (subscriber.refresh(), nothing.refresh()) == (200, 200)
    assert read(subscriber.text)[1] == {("Walk", "08-16 16:00Z")}
    assert read(nothing.text) == ("Events in seattle", set())
    town.clock.now = NOW + timedelta(days=14)
    assert subscriber.refresh() == 200
    assert read(subscriber.text)[1] == {("Later", "09-20 19:00Z")}


def test_a_calendar_says_its_name_and_how_often_to_ask(town: Town) -> None:
    town.publish(WALK)
    subscriber = Subscriber(town, town.make_address())
    subscriber.refresh()
    head = subscriber.text.partition("BEGIN:VTIMEZONE")[0].splitlines()
    assert {"NAME:Events in seattle", "X-WR-CALNAME:Events in seattle"} < set(head)
    assert {"REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H"} < set(head)


def test_an_event_is_rendered_once_for_all_filters_and_again_for_a_release_that_changes_it(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered = list[int]()

    def render(*words: Any, row: int, **named: Any) -> Any:
        rendered.append(row)
        return render_event(*words, row=row, **named)

    monkeypatch.setattr("outings.answers.ical.render_event", render)
    town.publish(STORIES, WALK)
    subscribers = [Subscriber(town, town.make_address(f"max_price={price}&min_confidence=0.{price}")) for price in "56"]
    subscribers += [Subscriber(town, town.make_address(f"min_confidence=0.{number}")) for number in "56"]
    assert [subscriber.refresh() for subscriber in subscribers] == [200] * 4
    assert len(rendered) == 2
    town.publish(STORIES, WALK | {"name": "Long walk"})
    assert [subscriber.refresh() for subscriber in subscribers] == [200] * 4
    assert "SUMMARY:Long walk" in subscribers[-1].text
    assert len(rendered) == 4
