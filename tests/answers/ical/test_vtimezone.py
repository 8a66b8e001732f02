"""A VTIMEZONE as calendars read it, by two other readers: the clock that the zone has, before and after each change."""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from io import StringIO
from random import Random
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from dateutil.tz import tzical
from icalendar import Timezone

from outings.answers.ical import encode_vtimezone

# Two rules a year; none; the weekday before the last Sunday; winter as the exception; dates of the moon; half an hour;
# a rule that ended; days of the month of their own.
PICKED = (
    "America/Los_Angeles", "Asia/Tokyo", "America/Nuuk", "Europe/Dublin", "Africa/Casablanca", "Australia/Lord_Howe",
    "America/Sao_Paulo", "Asia/Jerusalem",
)  # fmt: skip
HOUR = timedelta(hours=1)


def read_zone(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def list_instants(zone: ZoneInfo, first: int, last: int) -> Iterator[datetime]:
    """A noon of each week, and each hour of the two days round a change."""
    noon = datetime(first, 1, 1, 12, tzinfo=UTC)
    while noon.year < last:
        yield noon
        after = noon + timedelta(days=7)
        if noon.astimezone(zone).utcoffset() != after.astimezone(zone).utcoffset():
            change = noon
            while change.astimezone(zone).utcoffset() == noon.astimezone(zone).utcoffset():
                change += HOUR / 2
            yield from (change + HOUR * hours for hours in range(-24, 25))
        noon = after


def read_onsets(name: str, last: datetime) -> list[tuple[datetime, timedelta]]:
    """Read onsets as RFC 5545 says (3.6.5): each is a local time in the offset before it, and holds until the next."""
    results = []
    for part in Timezone.from_ical(encode_vtimezone(name)).subcomponents:
        before, after, starts = part["TZOFFSETFROM"].td, part["TZOFFSETTO"].td, part["DTSTART"].dt
        onsets = [starts, *(value.dt for value in part["RDATE"].dts)] if "RDATE" in part else [starts]
        if "RRULE" in part:
            rule = part["RRULE"].to_ical().decode()
            onsets += rrulestr(rule, dtstart=starts.replace(tzinfo=UTC)).between(
                starts.replace(tzinfo=UTC), last, inc=True
            )
        results += [(onset.replace(tzinfo=UTC) - before, after) for onset in onsets]
    return sorted(results)


def check_zone(name: str) -> None:
    zone = read_zone(name)
    onsets = read_onsets(name, datetime(2040, 1, 1, tzinfo=UTC))
    wrong = [
        (instant, offset)
        for instant in list_instants(zone, 1970, 2037)
        if (offset := onsets[bisect_right(onsets, (instant, timedelta.max)) - 1][1])
        != instant.astimezone(zone).utcoffset()
    ]
    assert wrong == []


@pytest.mark.parametrize("name", PICKED)
def test_another_reader_has_the_zone_s_own_clock(name: str) -> None:
    check_zone(name)


def test_so_it_is_in_the_zones_of_the_world(cases: int) -> None:
    names = files("tzdata").joinpath("zones").read_text().split()
    for name in names if cases > len(names) else Random(cases).sample(names, cases):
        check_zone(name)


@pytest.mark.parametrize("name", ["America/Los_Angeles", "Europe/Dublin", "Australia/Lord_Howe"])
def test_it_holds_long_after_the_dates_that_are_written(name: str) -> None:
    """Beyond 2100, as far as any record says."""
    calendar = b"BEGIN:VCALENDAR\r\n" + encode_vtimezone(name) + b"END:VCALENDAR\r\n"
    zone, read = read_zone(name), tzical(StringIO(calendar.decode().replace("\r\n ", ""))).get(name)
    for instant in list_instants(zone, 2198, 2200):
        local = instant.astimezone(zone)
        if local.replace(tzinfo=zone, fold=1).utcoffset() == local.replace(tzinfo=zone, fold=0).utcoffset():
            assert local.replace(tzinfo=read).utcoffset() == local.utcoffset(), local


def test_a_change_is_a_rule_that_begins_in_the_offset_before() -> None:
    """Clocks in Los Angeles go forward at 2:00, to 3:00 (RFC 5545, 3.6.5)."""
    daylight = [
        part for part in Timezone.from_ical(encode_vtimezone("America/Los_Angeles")).walk("DAYLIGHT") if "RRULE" in part
    ]
    now = max(daylight, key=lambda part: part["DTSTART"].dt)
    assert now["DTSTART"].dt == datetime(2007, 3, 11, 2)
    assert now["RRULE"].to_ical() == b"FREQ=YEARLY;BYDAY=2SU;BYMONTH=3"


@pytest.mark.parametrize("name", PICKED)
def test_each_date_of_a_change_is_a_component(name: str) -> None:
    """The reader of Thunderbird and Nextcloud, ical.js, takes only the first of a list of dates."""
    assert b"RDATE" not in encode_vtimezone(name)


def test_a_zone_without_changes_has_one_offset() -> None:
    (standard,) = Timezone.from_ical(encode_vtimezone("Asia/Tokyo")).subcomponents
    assert (standard.name, standard["TZOFFSETTO"].td) == ("STANDARD", timedelta(hours=9))
