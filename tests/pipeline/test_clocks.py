"""Clocks that change, from a feed to the answer: a series keeps its local time, and what is skipped does not happen."""

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.pipeline.city import City, make_event

DAYS = 5


def exists(local: datetime, zone: ZoneInfo) -> bool:
    """Return True if a clock there ever shows this local time: converting it to UTC and back gives the same."""
    return local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None) == local


@pytest.mark.parametrize(
    ("timezone", "change"),
    [
        ("America/Los_Angeles", "2026-03-08"),
        ("America/Los_Angeles", "2026-11-01"),
        ("Europe/Berlin", "2026-03-29"),
        ("Australia/Lord_Howe", "2026-10-04"),  # half an hour
        ("Africa/Cairo", "2026-04-24"),  # at midnight
        ("America/Havana", "2026-03-08"),  # at midnight
    ],
)
def test_dates_of_a_daily_series_around_a_change_are_those_that_take_place(
    tmp_path: Path, timezone: str, change: str
) -> None:
    zone, middle = ZoneInfo(timezone), date.fromisoformat(change)
    first, last = middle - timedelta(days=2), middle + timedelta(days=2)
    clocks = [time(hour, minute) for hour in range(4) for minute in (0, 30)]
    city = City(tmp_path, timezone=timezone)
    city.write(
        make_event(f"at-{clock}", starts_local=f"{first - timedelta(days=1)}T{clock}", rrule="FREQ=DAILY")
        for clock in clocks
    )
    city.build(first.isoformat())
    locals_ = [datetime.combine(first + timedelta(days=day), clock) for day in range(DAYS) for clock in clocks]
    expected = sorted(
        (local.replace(tzinfo=zone).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), local.isoformat())
        for local in locals_
        if exists(local, zone)
    )
    window = f"from={first}&to={last}"
    listed = city.ask(f"/v1/seattle/events?occurrences=expand&limit=200&{window}", day=first.isoformat())["data"]
    assert sorted((item["starts_at"], item["starts_local"]) for item in listed) == expected
    assert [item["starts_at"] for item in listed] == [instant for instant, _ in expected]
    assert all(item["start_time"] == item["starts_local"][11:] for item in listed)
    calendar = city.ask(f"/v1/seattle/events/calendar?{window}", day=first.isoformat())
    days = [local[:10] for _, local in expected]
    assert [item["count"] for item in calendar["data"]] == [
        days.count((first + timedelta(days=number)).isoformat()) for number in range(DAYS)
    ]
    assert calendar["meta"]["total"] == len(listed)


def test_past_the_horizon_a_window_has_single_events_alone(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.write([
        make_event("daily", starts_local="2026-08-01T10:00:00", rrule="FREQ=DAILY"),
        make_event("once", starts_local="2027-09-20T10:00:00"),
    ])  # fmt: skip
    city.build("2026-08-10")  # 400 days before 2027-09-14
    window = "from=2027-09-10&to=2027-09-25"
    days = city.ask(f"/v1/seattle/events/calendar?{window}")["data"]
    assert [day["date"] for day in days if day["count"]] == [f"2027-09-{day}" for day in (10, 11, 12, 13, 14, 20)]
    items = city.ask(f"/v1/seattle/events?occurrences=expand&{window}")["data"]
    assert [item["occurrence"]["date_on"] for item in items] == [day["date"] for day in days if day["count"]]
