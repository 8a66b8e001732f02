"""The times after which servers say to try again, as all of our clients read them."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.retry_policy import TRANSIENT_STATUSES, read_retry_after

NOW = datetime(1994, 11, 6, 8, 49, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("stated", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 120 ", 120.0),
        ("0000000000000007", 7.0),
        ("9" * 400, 1e9),
        # The three forms of a date that HTTP has had, and one that is over.
        ("Sun, 06 Nov 1994 08:49:37 GMT", 7.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 7.0),
        ("Sun Nov  6 08:49:37 1994", 7.0),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 1e9),
        # Neither.
        (None, None),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("1.5", None),
        ("٧", None),
        ("7, 7", None),
        ("Sun, 06 Nov 99999 08:49:37 GMT", None),
        ("Sun, 36 Nov 1994 08:49:37 GMT", None),
    ],
)
def test_seconds_and_dates_are_read(stated: str | None, seconds: float | None) -> None:
    assert read_retry_after(stated, NOW.timestamp()) == seconds


@given(st.text(max_size=60))
def test_whatever_a_server_says_is_no_fault_of_ours(stated: str) -> None:
    rest = read_retry_after(stated, NOW.timestamp())
    assert rest is None or 0 <= rest <= 1e9


@given(st.integers(min_value=0, max_value=10**8))
def test_a_date_is_the_seconds_until_then(seconds: int) -> None:
    stated = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert read_retry_after(stated, NOW.timestamp()) == seconds


def test_what_is_wrong_with_the_question_does_not_pass() -> None:
    assert TRANSIENT_STATUSES.isdisjoint({200, 304, 400, 401, 403, 404, 410, 501, 505, 525})
    assert {429, 503} <= TRANSIENT_STATUSES
