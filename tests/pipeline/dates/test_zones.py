"""Local times to instants, judged by walking the clock: which local times a zone shows, when, and which it skips."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from io import BytesIO
from itertools import pairwise
from random import Random
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from pipeline.dates.recurrence import expand_recurrence
from pipeline.dates.zones import find_zone, move_clock
from tests.pipeline.dates.expanding import list_occurrences

EPOCH = datetime(1970, 1, 1)
QUARTER = timedelta(minutes=15)
PARTS = 4  # so that workers share what is long
YEARS = range(2025, 2028)
DAYS = [datetime(YEARS[0], 1, 1) + timedelta(days=number) for number in range(3 * 365)]


def read_bytes(name: str) -> bytes:
    return files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()


def read_zone(name: str) -> ZoneInfo:
    return ZoneInfo.from_file(BytesIO(read_bytes(name)))


@cache
def list_changing(part: int, cases: int) -> dict[str, list[datetime]]:
    """A part of the zones of the world whose clocks change in these years, and when; of those alike to the byte, one.
    From 20 cases on, the parts are all of them together; below, as much less."""
    names = {read_bytes(name): name for name in files("tzdata").joinpath("zones").read_text().split()}
    chosen = list(names.values())[part :: PARTS * max(20 // cases, 1)]
    return {name: changes for name in chosen if (changes := list_changes(read_zone(name)))}


def list_changes(zone: ZoneInfo) -> list[datetime]:
    """The noons, in UTC, after which the offset is another one within a day."""
    noons = [day + timedelta(hours=12) for day in DAYS]
    offsets = [noon.replace(tzinfo=UTC).astimezone(zone).utcoffset() for noon in noons]
    return [noon for noon, pair in zip(noons, pairwise(offsets), strict=False) if len(set(pair)) > 1]


def list_steady(cases: int) -> list[str]:
    """A sample of the others."""
    names = sorted(files("tzdata").joinpath("zones").read_text().split())
    return [name for name in Random(cases).sample(names, min(cases, len(names))) if not list_changes(read_zone(name))]


def walk_clock(name: str, first: datetime, last: datetime) -> Iterator[tuple[datetime, int, bool]]:
    """Every quarter of an hour that the zone's clock shows or skips: local time, its first instant, whether skipped."""
    zone = read_zone(name)
    instant = first.replace(tzinfo=UTC)
    expected, offset = None, timedelta(0)
    while instant < last.replace(tzinfo=UTC):
        local = instant.astimezone(zone).replace(tzinfo=None)
        while expected is not None and expected < local:
            yield expected, (expected - offset - EPOCH) // timedelta(seconds=1), True
            expected += QUARTER
        if expected is None or local == expected:
            yield local, (instant.replace(tzinfo=None) - EPOCH) // timedelta(seconds=1), False
            expected = local + QUARTER
        offset = local - instant.replace(tzinfo=None)
        instant += QUARTER


def check_zone(name: str, first: datetime, last: datetime) -> int:
    """All three ways of asking; how many skipped times were seen."""
    walked = list(walk_clock(name, first, last))
    zone = find_zone(name)
    seconds = np.array([(local - EPOCH) // timedelta(seconds=1) for local, _, _ in walked])
    assert zone.resolve_all(seconds).tolist() == [instant for _, instant, _ in walked]
    assert zone.find_gaps(seconds).tolist() == [skipped for _, _, skipped in walked]
    for local, instant, _ in walked[::97]:
        assert zone.resolve(local) == instant
    return sum(skipped for _, _, skipped in walked)


@pytest.mark.parametrize("part", range(PARTS))
def test_around_each_change_every_local_time_is_the_instant_at_which_the_clock_first_shows_it(
    part: int, cases: int
) -> None:
    for name, changes in list_changing(part, cases).items():
        for noon in changes:
            check_zone(name, noon - timedelta(days=1), noon + timedelta(days=2))


def test_where_no_clock_changes_the_days_are_alike(cases: int) -> None:
    for name in list_steady(cases):
        for year in YEARS:
            check_zone(name, datetime(year, 1, 1), datetime(year, 1, 3))


def list_odd_clocks(zone: ZoneInfo, changes: list[datetime]) -> list[time]:
    """Times of day, by quarters of an hour, that its clocks skip or show twice on any of these days."""
    quarters = (noon + number * QUARTER for noon in changes for number in range(-96, 2 * 96))
    odd = (quarter for quarter in quarters if zone.utcoffset(quarter) != zone.utcoffset(quarter.replace(fold=1)))
    return sorted({entry.time() for entry in odd})


@pytest.mark.parametrize("part", range(PARTS))
def test_a_daily_series_takes_place_at_its_local_time_on_every_day_that_has_it(part: int, cases: int) -> None:
    """Clocks change at these hours: in a gap it does not take place, and in a fold it takes place the first time."""
    for name, changes in list_changing(part, cases).items():
        zone = read_zone(name)
        for clock in list_odd_clocks(zone, changes)[::2]:
            locals_ = [datetime.combine(day, clock) for day in DAYS]
            instants = [int(local.replace(tzinfo=zone).timestamp()) for local in locals_]
            expansion = expand_recurrence(
                starts_local=locals_[0], ends_local=None, has_time=True, rrule="FREQ=DAILY", exdates=(), rdates=(),
                timezone=name, horizon=(DAYS[0].date(), DAYS[-1].date()),
            )  # fmt: skip
            assert [(one.starts_local, one.starts_at) for one in list_occurrences(expansion)] == [
                (local, instant)
                for local, instant in zip(locals_, instants, strict=True)
                if datetime.fromtimestamp(instant, zone).replace(tzinfo=None) == local
            ]


@pytest.mark.parametrize(
    ("name", "first", "skipped"),
    [
        ("America/Los_Angeles", datetime(2026, 3, 8), 4),
        ("America/Los_Angeles", datetime(2026, 11, 1), 0),
        ("Australia/Lord_Howe", datetime(2026, 10, 3), 2),
        ("Antarctica/Troll", datetime(2026, 3, 29), 8),
        ("Pacific/Apia", datetime(2011, 12, 30), 96),
        ("America/Los_Angeles", datetime(1974, 1, 6), 4),
        ("America/Los_Angeles", datetime(2250, 3, 10), 4),
        ("UTC", datetime(2026, 3, 8), 0),
    ],
)
def test_a_gap_is_as_long_as_the_clocks_jump(name: str, first: datetime, skipped: int) -> None:
    assert check_zone(name, first - timedelta(days=2), first + timedelta(days=3)) == skipped


@pytest.mark.parametrize(
    ("name", "local", "instant"),
    [
        ("America/Los_Angeles", datetime(2026, 8, 10, 9), datetime(2026, 8, 10, 16)),
        ("America/Los_Angeles", datetime(2026, 11, 1, 1, 30), datetime(2026, 11, 1, 8, 30)),
        ("America/Los_Angeles", datetime(2026, 11, 1, 1, 30, fold=1), datetime(2026, 11, 1, 8, 30)),
        ("America/Los_Angeles", datetime(2026, 3, 8, 2, 30), datetime(2026, 3, 8, 10, 30)),
        ("America/Los_Angeles", datetime(2026, 3, 8, 1, 59, 59), datetime(2026, 3, 8, 9, 59, 59)),
        ("America/Los_Angeles", datetime(2026, 3, 8, 3), datetime(2026, 3, 8, 10)),
        ("America/Los_Angeles", datetime(1890, 1, 1), datetime(1890, 1, 1, 8)),
        ("America/Los_Angeles", datetime(2299, 7, 1), datetime(2299, 7, 1, 7)),
        ("Asia/Kathmandu", datetime(2026, 1, 1), datetime(2025, 12, 31, 18, 15)),
    ],
)
def test_a_single_time_in_a_fold_is_the_first_and_in_a_gap_the_one_by_the_offset_before(
    name: str, local: datetime, instant: datetime
) -> None:
    assert find_zone(name).resolve(local) == (instant - EPOCH) // timedelta(seconds=1)


def test_an_instant_is_shown_on_the_clock_of_the_place() -> None:
    zone = find_zone("America/Los_Angeles").info
    assert move_clock(datetime(2026, 8, 10, 16, tzinfo=UTC), zone) == datetime(2026, 8, 10, 9)


@pytest.mark.parametrize(
    "name", ["", "Seattle", "America", "America/", "/etc/localtime", "../../etc/passwd", "zone.tab", "a\0b"]
)
def test_a_name_that_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(ValueError) as refused:
        find_zone(name)
    assert str(refused.value) == f"unknown time zone {name!r}: allowed: an IANA name such as America/Los_Angeles"
