"""Parts of rules that software writes in its own ways: ends, times of the day, days and weeks of the year."""

from datetime import date, datetime

import pytest

from tests.pipeline.dates.expanding import NINE, at, expand, list_occurrences, read_starts


@pytest.mark.parametrize(
    ("anchor", "rrule", "starts"),
    [
        (datetime(1997, 1, 1, 9), "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
         "1997-01-01;1997-04-10;1997-07-19;2000-01-01;2000-04-09;2000-07-18;2003-01-01;2003-04-10;2003-07-19;2006-01-01"),
        (datetime(1997, 5, 12, 9), "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3", "1997-05-12;1998-05-11;1999-05-17"),
        # A week alone is the first date's weekday in it, as every part that a rule leaves out is the first date's.
        (datetime(1997, 5, 12, 9), "FREQ=YEARLY;BYWEEKNO=20;COUNT=3", "1997-05-12;1998-05-11;1999-05-17"),
        (datetime(1997, 12, 31, 9), "FREQ=YEARLY;BYYEARDAY=-1;COUNT=2", "1997-12-31;1998-12-31"),
    ],
)  # fmt: skip
def test_the_standards_examples_of_days_and_weeks_of_a_year_have_its_dates(
    anchor: datetime, rrule: str, starts: str
) -> None:
    expansion = expand(anchor, rrule, timezone="America/New_York", horizon=(date(1997, 1, 1), date(2010, 1, 1)))
    assert (read_starts(expansion), expansion.problems) == (at(starts), ())


@pytest.mark.parametrize(
    ("rrule", "has_time"),
    [
        ("FREQ=DAILY;COUNT=2;BYHOUR=9", True), ("FREQ=DAILY;COUNT=2;BYHOUR=9;BYMINUTE=0;BYSECOND=0", True),
        ("FREQ=DAILY;COUNT=2;BYMINUTE=0", True), ("FREQ=DAILY;COUNT=2;BYHOUR=7,15", False),
    ],
)  # fmt: skip
def test_a_time_of_day_that_only_repeats_the_start_or_is_of_days_says_nothing(rrule: str, has_time: bool) -> None:
    expansion = expand(NINE if has_time else NINE.replace(hour=0), rrule, has_time=has_time)
    assert [start.day for start in read_starts(expansion)] == [10, 11]
    assert expansion.problems == ()


def test_a_count_of_minus_one_is_no_end() -> None:
    """Software writes it that asks for a number of dates, where none is asked for."""
    expansion = expand(NINE, "FREQ=DAILY;COUNT=-1")
    assert (expansion.total, len(list_occurrences(expansion)), expansion.problems) == (None, 401, ())


@pytest.mark.parametrize(
    ("until", "timezone", "last"),
    [
        ("20260812T070000Z", "America/Los_Angeles", 12), ("20260811T220000Z", "Europe/Madrid", 12),
        # The second before it is the end of the day before.
        ("20260812T065959Z", "America/Los_Angeles", 11), ("20260812T000000Z", "America/Los_Angeles", 11),
    ],
)  # fmt: skip
def test_an_end_in_utc_that_is_a_local_midnight_keeps_its_day(until: str, timezone: str, last: int) -> None:
    """Exchange names the last day in this way."""
    starts = read_starts(expand(NINE, f"FREQ=DAILY;UNTIL={until}", timezone=timezone))
    assert [start.day for start in starts] == list(range(10, last + 1))


@pytest.mark.parametrize("timezone", ["America/Los_Angeles", "Europe/Madrid", "UTC", "Pacific/Auckland"])
@pytest.mark.parametrize("until", ["20260812", "20260812T000000Z", "20260812T235959Z", "20260812T000000"])
def test_days_end_on_the_day_that_is_written(until: str, timezone: str) -> None:
    expansion = expand(NINE.replace(hour=0), f"FREQ=DAILY;UNTIL={until}", timezone=timezone, has_time=False)
    assert [start.day for start in read_starts(expansion)] == [10, 11, 12]


@pytest.mark.parametrize(
    ("until", "timezone"),
    [
        ("20260812T070000Z", "America/Los_Angeles"),
        ("20260813T065959Z", "America/Los_Angeles"),
        ("20260811T220000Z", "Europe/Madrid"),
        ("20260812T215959Z", "Europe/Madrid"),
    ],
)
def test_days_end_on_the_local_day_of_which_the_end_is_the_first_or_last_second(until: str, timezone: str) -> None:
    expansion = expand(NINE.replace(hour=0), f"FREQ=DAILY;UNTIL={until}", timezone=timezone, has_time=False)
    assert [start.day for start in read_starts(expansion)] == [10, 11, 12]


@pytest.mark.parametrize("timezone", ["America/Los_Angeles", "Europe/Madrid"])
@pytest.mark.parametrize("frequency", ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
@pytest.mark.parametrize("until", ["00010101T000000Z", "00010101", "00011231T235959", "17760704T000000Z"])
def test_a_series_that_ended_before_it_began_is_its_first_date(until: str, frequency: str, timezone: str) -> None:
    expansion = expand(NINE, f"FREQ={frequency};UNTIL={until}", timezone=timezone)
    assert (read_starts(expansion), expansion.total, expansion.problems) == ([NINE], 1, ())
