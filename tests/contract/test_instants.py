"""Text forms of times."""

from datetime import UTC, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.values import format_clock, format_instant, format_local

WHOLE_SECONDS = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)).map(
    lambda moment: moment.replace(microsecond=0)
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (1786377600, "2026-08-10T16:00:00Z"),
        (datetime(2026, 8, 10, 16, tzinfo=UTC), "2026-08-10T16:00:00Z"),
        (datetime(2026, 8, 10, 9, tzinfo=timezone(timedelta(hours=-7))), "2026-08-10T16:00:00Z"),
        (datetime(2026, 8, 10, 16, 0, 0, 999_999, tzinfo=UTC), "2026-08-10T16:00:00Z"),
        (datetime(33, 1, 1, tzinfo=UTC), "0033-01-01T00:00:00Z"),
    ],
)
def test_an_instant_is_utc_in_whole_seconds(value: int | datetime, text: str) -> None:
    assert format_instant(value) == text


@given(WHOLE_SECONDS)
def test_an_instant_reads_back(moment: datetime) -> None:
    seconds = (moment - datetime(1970, 1, 1)) // timedelta(seconds=1)
    assert datetime.strptime(format_instant(seconds), "%Y-%m-%dT%H:%M:%SZ") == moment
    assert format_instant(moment.replace(tzinfo=UTC)) == format_instant(seconds)


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError) as refused:
        format_instant(datetime(2026, 8, 10, 16))
    assert str(refused.value) == "an instant needs its zone: 2026-08-10T16:00:00"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2026, 8, 10, 9), "2026-08-10T09:00:00"),
        (datetime(2026, 8, 10, 9, 5, 7, 123_456), "2026-08-10T09:05:07"),
    ],
)
def test_a_local_time_has_no_offset(value: datetime, text: str) -> None:
    assert format_local(value) == text


def test_a_local_time_with_a_zone_is_refused() -> None:
    with pytest.raises(ValueError) as refused:
        format_local(datetime(2026, 8, 10, 9, tzinfo=UTC))
    assert str(refused.value) == "a local time has no zone: 2026-08-10T09:00:00+00:00"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "00:00:00"),
        (32_400, "09:00:00"),
        (86_399, "23:59:59"),
        (time(9), "09:00:00"),
        (time(9, 5, 7, 123_456), "09:05:07"),
    ],
)
def test_a_clock_time_has_seconds(value: int | time, text: str) -> None:
    assert format_clock(value) == text
