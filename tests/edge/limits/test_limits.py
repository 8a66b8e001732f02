"""One contract for both stores: what passes, what is billed, what is told."""

import pytest

from edge.limits.limiter import Allowance, LimitState, Outcome, encode_fields, find_wait
from edge.response_headers import split_lines
from tests.edge.limits.conftest import BEGIN, CountedStore

SECOND = 1_000_000
MINUTE = 60 * SECOND
SEPTEMBER = BEGIN + MINUTE


def make_allowance(*, key: int = 1, client: int = 2, per_minute: int = 60, per_month: int | None = None) -> Allowance:
    return Allowance(key=key, client=client, per_minute=per_minute, per_month=per_month)


def read_fields(allowance: Allowance, reading: LimitState) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in split_lines(encode_fields(allowance, reading))}


def take_all(counting: CountedStore, allowance: Allowance) -> int:
    """Count how many requests pass before the first refused one."""
    passed = 0
    while counting.take(allowance).outcome is Outcome.PASSED:
        passed += 1
    return passed


@pytest.mark.parametrize("limit", [1, 7, 60, 90, 1200])
def test_a_full_bucket_passes_at_once_and_is_full_again_after_a_minute(counting: CountedStore, limit: int) -> None:
    allowance = make_allowance(per_minute=limit)
    assert take_all(counting, allowance) == limit
    counting.clock.now += MINUTE
    assert take_all(counting, allowance) == limit


def test_a_bucket_refills_evenly(counting: CountedStore) -> None:
    allowance = make_allowance(per_minute=120)
    take_all(counting, allowance)
    for _ in range(5):
        counting.clock.now += SECOND // 2 - 1
        assert counting.take(allowance).outcome is Outcome.RATE_SPENT
        counting.clock.now += 1
        assert take_all(counting, allowance) == 1
    counting.clock.now += 10 * SECOND
    assert take_all(counting, allowance) == 20


def test_a_refused_request_is_not_counted(counting: CountedStore) -> None:
    allowance = make_allowance(per_minute=3, per_month=4)
    take_all(counting, allowance)
    for _ in range(10):
        assert counting.take(allowance).outcome is Outcome.RATE_SPENT
    counting.clock.now += 20 * SECOND
    reading = counting.take(allowance)
    assert (reading.outcome, reading.used) == (Outcome.PASSED, 4)
    counting.clock.now += 20 * SECOND
    before = counting.show(allowance)
    for _ in range(10):
        refused = counting.take(allowance)
        assert (refused.outcome, refused.used, refused.load) == (Outcome.QUOTA_SPENT, 4, before.load)


def test_where_both_are_spent_the_rate_is_named_and_the_wait_is_enough_for_both(counting: CountedStore) -> None:
    allowance = make_allowance(per_minute=1, per_month=1)
    counting.clock.now = SEPTEMBER - 5 * SECOND
    counting.take(allowance)
    refused = counting.take(allowance)
    assert (refused.outcome, find_wait(allowance, refused)) == (Outcome.RATE_SPENT, 60)
    counting.clock.now += 60 * SECOND
    assert counting.take(allowance).outcome is Outcome.PASSED


def test_keys_of_a_client_have_a_rate_each_and_one_quota(counting: CountedStore) -> None:
    first, second = (make_allowance(key=key, per_minute=2, per_month=3) for key in (1, 5))
    assert take_all(counting, first) == 2
    assert [counting.take(second).outcome for _ in range(2)] == [Outcome.PASSED, Outcome.QUOTA_SPENT]
    other = make_allowance(key=7, client=8, per_month=3)
    assert counting.take(other).used == 1


def test_the_month_rolls_over_at_midnight_utc(counting: CountedStore) -> None:
    allowance = make_allowance(per_month=2)
    assert take_all(counting, allowance) == 2
    counting.clock.now = SEPTEMBER - 1
    refused = counting.take(allowance)
    assert (refused.outcome, find_wait(allowance, refused)) == (Outcome.QUOTA_SPENT, 1)
    counting.clock.now = SEPTEMBER
    assert take_all(counting, allowance) == 2
    assert read_fields(allowance, counting.show(allowance))["x-quota-reset"] == "1790812800"  # 2026-10-01


def test_the_quota_of_december_ends_with_the_year(counting: CountedStore) -> None:
    allowance = make_allowance(per_month=1)
    counting.clock.now = 1_798_761_599 * SECOND  # 2026-12-31T23:59:59Z
    counting.take(allowance)
    reading = counting.take(allowance)
    assert reading.outcome is Outcome.QUOTA_SPENT
    assert read_fields(allowance, reading)["x-quota-reset"] == "1798761600"
    counting.clock.now += SECOND
    assert counting.take(allowance).outcome is Outcome.PASSED


def test_a_refund_gives_back_the_quota_but_not_the_rate(counting: CountedStore) -> None:
    allowance = make_allowance(per_minute=2, per_month=2)
    taken = counting.take(allowance)
    back = counting.refund(allowance, taken.month)
    assert (back.used, back.load) == (0, taken.load)
    assert counting.take(allowance).used == 1
    assert counting.take(allowance).outcome is Outcome.RATE_SPENT


def test_a_refund_of_the_month_before_takes_nothing_from_this_one(counting: CountedStore) -> None:
    allowance = make_allowance(per_month=5)
    taken = counting.take(allowance)
    counting.clock.now = SEPTEMBER
    assert counting.refund(allowance, taken.month).used == 0
    now = counting.take(allowance)
    assert counting.refund(allowance, taken.month).used == 1
    assert counting.refund(allowance, now.month).used == 0
    assert counting.refund(allowance, now.month).used == 0


def test_reading_what_is_left_is_not_counted(counting: CountedStore) -> None:
    allowance = make_allowance(per_minute=5, per_month=9)
    counting.take(allowance)
    for _ in range(20):
        reading = counting.show(allowance)
        assert (reading.outcome, reading.used) == (Outcome.PASSED, 1)
    assert take_all(counting, allowance) == 4


def test_an_unlimited_client_gets_no_quota_headers(counting: CountedStore) -> None:
    allowance = make_allowance()
    fields = read_fields(allowance, counting.take(allowance))
    assert not [name for name in fields if "quota" in name]
    assert fields["ratelimit-policy"] == '"minute";q=60;w=60'
    assert fields["ratelimit"] == '"minute";r=59;t=1'


def test_every_field_says_what_is_left(counting: CountedStore) -> None:
    allowance = make_allowance(per_minute=120, per_month=100)
    for _ in range(3):
        reading = counting.take(allowance)
    assert read_fields(allowance, reading) == {
        "x-ratelimit-limit": "120",
        "x-ratelimit-remaining": "117",
        "x-ratelimit-reset": str(BEGIN // SECOND + 2),
        "ratelimit-limit": "120",
        "ratelimit-remaining": "117",
        "ratelimit-reset": "2",
        "ratelimit-policy": '"minute";q=120;w=60, "month";q=100',
        "ratelimit": '"minute";r=117;t=2, "month";r=97;t=60',
        "x-quota-limit": "100",
        "x-quota-remaining": "97",
        "x-quota-reset": str(SEPTEMBER // SECOND),
    }


def test_another_limit_holds_at_once_for_what_was_counted_before(counting: CountedStore) -> None:
    wide, narrow = make_allowance(per_minute=100, per_month=50), make_allowance(per_minute=10, per_month=5)
    for _ in range(20):
        counting.take(wide)
    refused = counting.take(narrow)
    assert (refused.outcome, find_wait(narrow, refused)) == (Outcome.RATE_SPENT, 60)
    assert read_fields(narrow, refused)["x-quota-remaining"] == "0"
    slow = make_allowance(per_minute=10, per_month=50)
    refused = counting.take(slow)
    assert (refused.outcome, find_wait(slow, refused)) == (Outcome.RATE_SPENT, 6)
    counting.clock.now += 30 * SECOND
    assert counting.take(wide).used == 21


@pytest.mark.parametrize("back", [1, SECOND, 10 * MINUTE, 400 * 1440 * MINUTE])
def test_a_clock_that_goes_back_gives_nothing_and_a_bucket_refills_by_it(counting: CountedStore, back: int) -> None:
    allowance = make_allowance(per_minute=60)
    take_all(counting, allowance)
    counting.clock.now -= back
    refused = counting.take(allowance)
    assert (refused.outcome, find_wait(allowance, refused)) == (Outcome.RATE_SPENT, 1)
    counting.clock.now += SECOND
    assert take_all(counting, allowance) == 1
    counting.clock.now += MINUTE
    assert take_all(counting, allowance) == 60


def test_a_clock_that_goes_back_into_the_month_before_gives_no_quota_before_it_said(counting: CountedStore) -> None:
    allowance = make_allowance(per_month=3)
    counting.clock.now = SEPTEMBER
    assert take_all(counting, allowance) == 3
    counting.clock.now -= 30 * SECOND
    refused = counting.take(allowance)
    assert (refused.outcome, find_wait(allowance, refused)) == (Outcome.QUOTA_SPENT, 30)
    counting.clock.now += 30 * SECOND
    assert counting.take(allowance).used == 1


def test_a_quota_that_was_counted_by_a_clock_far_ahead_is_free_when_the_month_ends(counting: CountedStore) -> None:
    allowance = make_allowance(per_month=3)
    counting.clock.now += 400 * 1440 * MINUTE
    take_all(counting, allowance)
    counting.clock.now = BEGIN
    refused = counting.take(allowance)
    assert (refused.outcome, find_wait(allowance, refused)) == (Outcome.QUOTA_SPENT, 60)
    counting.clock.now += MINUTE
    assert take_all(counting, allowance) == 3


def test_large_numbers_are_exact(counting: CountedStore) -> None:
    allowance = make_allowance(key=900_000, client=900_001, per_minute=10_000_000, per_month=10**12)
    for expected in range(1, 50):
        reading = counting.take(allowance)
        assert (reading.used, reading.load) == (expected, expected * MINUTE)
        assert read_fields(allowance, reading)["x-quota-remaining"] == str(10**12 - expected)
