"""Local times to instants, judged by walking the clock: which local times a zone shows, when, and which it skips."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from random import Random
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from pipeline.zones import find_zone

EPOCH = datetime(1970, 1, 1)
QUARTER = timedelta(minutes=15)
# Gaps and folds of an hour and of half of one, at midnight, of two hours, moved by Ramadan, and none.
ODD = [
    "America/Los_Angeles", "America/New_York", "Europe/London", "Europe/Dublin", "Australia/Lord_Howe", "Africa/Cairo",
    "Africa/Casablanca", "America/Santiago", "Asia/Beirut", "Antarctica/Troll", "Pacific/Chatham", "Asia/Kathmandu",
    "UTC",
]  # fmt: skip


def sample_zones(cases: int) -> list[str]:
    names = files("tzdata").joinpath("zones").read_text().split()
    return [*ODD, *Random(cases).sample(names, min(cases, len(names)))]


def read_zone(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file)


def list_changes(name: str, first: datetime, last: datetime) -> Iterator[datetime]:
    """The days after whose noon in UTC the offset is another, and the first of each year."""
    zone, noon = read_zone(name), first.replace(hour=12, tzinfo=UTC)
    while noon < last.replace(tzinfo=UTC):
        offsets = {(noon + timedelta(days=days)).astimezone(zone).utcoffset() for days in (0, 1)}
        if len(offsets) > 1 or noon.timetuple().tm_yday == 1:
            yield noon.replace(tzinfo=None)
        noon += timedelta(days=1)


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


def test_around_each_change_every_local_time_is_the_instant_at_which_the_clock_first_shows_it(cases: int) -> None:
    for name in sample_zones(cases):
        for change in list_changes(name, datetime(2025, 1, 1), datetime(2028, 1, 1)):
            check_zone(name, change - timedelta(days=2), change + timedelta(days=3))


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
        ("America/Los_Angeles", datetime(9999, 7, 1), datetime(9999, 7, 1, 7)),
        ("Asia/Kathmandu", datetime(2026, 1, 1), datetime(2025, 12, 31, 18, 15)),
    ],
)
def test_a_single_time_in_a_fold_is_the_first_and_in_a_gap_the_one_by_the_offset_before(
    name: str, local: datetime, instant: datetime
) -> None:
    assert find_zone(name).resolve(local) == (instant - EPOCH) // timedelta(seconds=1)


def test_an_instant_is_shown_on_the_clock_of_the_place() -> None:
    zone = find_zone("America/Los_Angeles")
    assert zone.localize(datetime(2026, 8, 10, 16, tzinfo=UTC)) == datetime(2026, 8, 10, 9)


@pytest.mark.parametrize(
    "name", ["", "Seattle", "America", "America/", "/etc/localtime", "../../etc/passwd", "zone.tab", "a\0b"]
)
def test_a_name_that_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(ValueError) as refused:
        find_zone(name)
    assert str(refused.value) == f"unknown time zone {name!r}: an IANA name such as America/Los_Angeles is needed"
