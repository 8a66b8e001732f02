"""The next date of a series, however far: also where it lies beyond the 400 days that a build expands."""

from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from dateutil.rrule import rrulestr

from tests.pipeline.city import City, Record, make_event

TODAY = date(2026, 8, 10)
SERIES: dict[str, Record] = {
    "every other year": {"starts_local": "2024-08-09T10:00:00", "rrule": "FREQ=YEARLY;INTERVAL=2"},
    "four of every third year": {"starts_local": "2026-08-01T10:00:00", "rrule": "FREQ=YEARLY;INTERVAL=3;COUNT=4"},
    "leap days": {"starts_local": "2024-02-29T10:00:00", "rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"},
    "added": {"starts_local": "2020-01-05T10:00:00", "rdates": ["2031-05-04T18:30:00", "2021-05-04T18:30:00"]},
    "not begun": {"starts_local": "2028-01-03T10:00:00", "rrule": "FREQ=WEEKLY"},
    "without its first date": {
        "starts_local": "2028-01-03T10:00:00", "rrule": "FREQ=WEEKLY", "exdates": ["2028-01-03T10:00:00"],
    },
    "without its next date": {
        "starts_local": "2025-08-09T10:00:00", "rrule": "FREQ=YEARLY;INTERVAL=2", "exdates": ["2027-08-09T10:00:00"],
    },
    "in a gap of the clocks": {"starts_local": "2027-03-01T02:30:00", "rrule": "FREQ=YEARLY;BYMONTH=3;BYDAY=2SU"},
    "ended": {"starts_local": "2020-01-05T10:00:00", "rrule": "FREQ=WEEKLY;COUNT=3"},
    "never again": {"starts_local": "2020-02-01T10:00:00", "rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"},
    "each week": {"starts_local": "2020-01-06T10:00:00", "rrule": "FREQ=WEEKLY"},
}  # fmt: skip
# The next one, how many are left from it on, how many there are.
EXPECTED = {
    "every other year": ("2028-08-09T10:00:00", None, None),
    "four of every third year": ("2029-08-01T10:00:00", 3, 4),
    "leap days": ("2028-02-29T10:00:00", None, None),
    "added": ("2031-05-04T18:30:00", 1, 3),
    "not begun": ("2028-01-03T10:00:00", None, None),
    "without its first date": ("2028-01-10T10:00:00", None, None),
    "without its next date": ("2029-08-09T10:00:00", None, None),
    "ended": (None, 0, 3),
    "never again": (None, None, None),
    "each week": ("2026-08-10T10:00:00", None, None),
}


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> City:
    city = City(tmp_path_factory.mktemp("city"))
    city.write([make_event(name, name=name, **times) for name, times in SERIES.items()])
    city.build(TODAY.isoformat())
    return city


def read_block(city: City, name: str, *, day: date = TODAY) -> Any:
    """Read blocks by slug, because a list would have to reach that date."""
    return city.ask(f"/v1/events/slug/{name.replace(' ', '-')}", day=day.isoformat())["data"]["occurrence"]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_next_date_is_reported_however_far_it_is(city: City, name: str) -> None:
    block = read_block(city, name)
    assert (block["next_starts_local"], block["remaining"], block["total"]) == EXPECTED[name]


def test_its_instant_is_that_of_the_clock_there(city: City) -> None:
    assert read_block(city, "every other year")["next_starts_at"] == "2028-08-09T17:00:00Z"
    assert read_block(city, "leap days")["next_starts_at"] == "2028-02-29T18:00:00Z"
    # On the second Sunday of March clocks go from two to three: only its first date, a Monday, takes place.
    assert read_block(city, "in a gap of the clocks")["next_starts_local"] == "2027-03-01T02:30:00"
    assert read_block(city, "in a gap of the clocks", day=date(2027, 3, 2))["next_starts_local"] is None


@pytest.mark.long
def test_it_is_the_same_in_a_build_to_which_nothing_new_was_said(tmp_path: Path) -> None:
    city = City(tmp_path)
    name = "every other year"
    city.write([make_event(name, name=name, starts_local="2026-08-11T10:00:00", rrule="FREQ=YEARLY;INTERVAL=2")])
    city.build("2026-08-10")
    assert read_block(city, name)["next_starts_local"] == "2026-08-11T10:00:00"
    assert read_block(city, name, day=date(2026, 8, 12))["next_starts_local"] == "2028-08-11T10:00:00"
    city.build("2026-08-12")
    assert read_block(city, name, day=date(2026, 8, 12))["next_starts_local"] == "2028-08-11T10:00:00"
    city.build("2027-09-30")
    assert read_block(city, name, day=date(2027, 9, 30))["next_starts_local"] == "2028-08-11T10:00:00"
    city.build("2028-08-12")
    assert read_block(city, name, day=date(2028, 8, 12))["next_starts_local"] == "2030-08-11T10:00:00"


def test_any_rule_has_the_next_date_that_dateutil_finds(tmp_path: Path, cases: int) -> None:
    random, city = Random(3), City(tmp_path)
    rules = {f"series {number}": make_rule(random) for number in range(8 * cases)}
    city.write([make_event(name, name=name, **times) for name, times in rules.items()])
    city.build(TODAY.isoformat())
    for name, times in rules.items():
        for day in (TODAY, TODAY + timedelta(days=random.randrange(30))):
            assert read_block(city, name, day=day)["next_starts_local"] == find_next(times, day), (times, day)


def make_rule(random: Random) -> Record:
    anchor = datetime(2020, 1, 1, 12) + timedelta(days=random.randrange(3_000))
    frequency, most = random.choice([("DAILY", 900), ("WEEKLY", 120), ("MONTHLY", 40), ("YEARLY", 6)])
    parts = [f"FREQ={frequency}", f"INTERVAL={random.randrange(1, most)}"]
    parts += random.choice([[], [], ["BYMONTH=2"], [f"COUNT={random.randrange(1, 9)}"], ["UNTIL=20310101T000000"]])
    times = {"starts_local": anchor.isoformat(), "rrule": ";".join(parts)}
    if random.random() < 0.4:
        following = rrulestr(times["rrule"], dtstart=anchor).after(datetime.combine(TODAY, datetime.min.time()))
        times["exdates"] = [anchor.isoformat(), *([following.isoformat()] if following else [])]
    return times


def find_next(times: Record, day: date) -> str | None:
    """The anchor is a date of its series, also where the rule does not name it."""
    anchor = datetime.fromisoformat(times["starts_local"])
    excluded = {datetime.fromisoformat(value) for value in times.get("exdates", ())}
    begin = datetime.combine(day, datetime.min.time())
    if anchor >= begin and anchor not in excluded:
        return anchor.isoformat()
    following = rrulestr(times["rrule"], dtstart=anchor).xafter(begin, inc=True)
    return next((entry.isoformat() for entry in following if entry not in excluded), None)
