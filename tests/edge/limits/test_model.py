"""Rate and quota against a plain reference in fractions, which shares no code with them."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.limits.limiter import Allowance, LimitState, Outcome, encode_fields, find_wait
from edge.response_headers import split_lines
from tests.edge.limits.conftest import BEGIN, CountedStore

SECOND = 1_000_000

# Limits of the keys 0 to 3, and the quotas of the clients 10 and 11, who have two keys each.
LIMITS = st.lists(st.sampled_from([1, 2, 3, 7, 13, 60, 90, 300]), min_size=4, max_size=4)
QUOTAS = st.lists(st.sampled_from([None, 1, 3, 10, 40]), min_size=2, max_size=2)
PAUSES = st.one_of(
    st.just(0),
    st.integers(0, 2 * SECOND),
    st.sampled_from([SECOND // 5, SECOND, 60 * SECOND, 61 * SECOND, 86_400 * SECOND, 20 * 86_400 * SECOND]),
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["take", "take", "take", "burst", "show", "refund"]), st.integers(0, 3), PAUSES),
    min_size=1,
    max_size=60,
)
stores = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@dataclass
class Reference:
    """Tokens that drip into a bucket a key, and a list of what each client was billed for."""

    limits: list[int]
    quotas: list[int | None]
    tokens: dict[int, Fraction] = field(default_factory=dict)
    times: dict[int, int] = field(default_factory=dict)
    billed: dict[tuple[int, str], int] = field(default_factory=dict)

    def find_tokens(self, key: int, now: int) -> Fraction:
        limit = self.limits[key]
        dripped = Fraction(limit * (now - self.times.get(key, now)), 60 * SECOND)
        return min(Fraction(limit), self.tokens.get(key, Fraction(limit)) + dripped)

    def find_billed(self, key: int, now: int) -> int:
        return self.billed.get((key // 2, name_month(now)), 0)

    def take(self, key: int, now: int) -> str:
        tokens, billed, quota = self.find_tokens(key, now), self.find_billed(key, now), self.quotas[key // 2]
        if tokens < 1:
            return "rate"
        if quota is not None and billed >= quota:
            return "quota"
        self.tokens[key], self.times[key] = tokens - 1, now
        self.billed[key // 2, name_month(now)] = billed + 1
        return "passed"


def name_month(now: int) -> str:
    return f"{datetime.fromtimestamp(now / SECOND, UTC):%Y-%m}"


def find_next_month(now: int) -> int:
    """Unix seconds."""
    year, month = divmod(int(name_month(now)[:4]) * 12 + int(name_month(now)[5:]), 12)
    return int(datetime(year, month + 1, 1, tzinfo=UTC).timestamp())


WORDS = {Outcome.PASSED: "passed", Outcome.RATE_SPENT: "rate", Outcome.QUOTA_SPENT: "quota"}


@pytest.mark.parametrize("start", [BEGIN, BEGIN - 40 * 86_400 * SECOND])
@stores
@given(limits=LIMITS, quotas=QUOTAS, steps=STEPS)
def test_every_act_is_as_the_reference_says(
    begin: Callable[[], CountedStore],
    start: int,
    limits: list[int],
    quotas: list[int | None],
    steps: list[tuple[str, int, int]],
) -> None:
    counting, reference = begin(), Reference(limits, quotas)
    counting.clock.now = start
    charges: list[tuple[int, int, str]] = []
    for act, key, pause in steps:
        now = counting.clock.now = counting.clock.now + pause
        allowance = Allowance(key=key, client=10 + key // 2, per_minute=limits[key], per_month=quotas[key // 2])
        for _ in range(limits[key] if act == "burst" else 1):
            if act == "show":
                reading = counting.show(allowance)
            elif act == "refund" and charges:
                charged, month, name = charges.pop()
                allowance = Allowance(
                    key=charged, client=10 + charged // 2, per_minute=limits[charged], per_month=quotas[charged // 2]
                )
                reading, key = counting.refund(allowance, month), charged
                if name == name_month(now):
                    reference.billed[charged // 2, name] -= 1
            else:
                reading = counting.take(allowance)
                assert WORDS[reading.outcome] == reference.take(key, now)
                if reading.outcome is Outcome.PASSED:
                    charges.append((key, reading.month, name_month(now)))
            check_fields(reference, allowance, reading, key=key, now=now)


def check_fields(reference: Reference, allowance: Allowance, reading: LimitState, *, key: int, now: int) -> None:
    limit, quota = reference.limits[key], reference.quotas[key // 2]
    tokens, billed = reference.find_tokens(key, now), reference.find_billed(key, now)
    fields = {name.decode(): value.decode() for name, value in split_lines(encode_fields(allowance, reading))}
    full = Fraction(60 * (limit - tokens), limit)
    assert fields["x-ratelimit-limit"] == fields["ratelimit-limit"] == str(limit)
    assert fields["x-ratelimit-remaining"] == fields["ratelimit-remaining"] == str(math.floor(tokens))
    assert int(fields["ratelimit-reset"]) == math.ceil(full)
    assert int(fields["x-ratelimit-reset"]) == math.ceil(Fraction(now, SECOND) + full)
    ends = find_next_month(now)
    if quota is None:
        assert not [name for name in fields if "quota" in name]
    else:
        assert (fields["x-quota-limit"], fields["x-quota-reset"]) == (str(quota), str(ends))
        assert fields["x-quota-remaining"] == str(max(0, quota - billed))
    needed = max(Fraction(60 * (1 - tokens), limit), Fraction(0))
    if reading.outcome is not Outcome.PASSED and quota is not None and billed >= quota:
        assert find_wait(allowance, reading) == max(1, math.ceil(max(needed, ends - Fraction(now, SECOND))))
    elif reading.outcome is Outcome.RATE_SPENT:
        assert needed <= find_wait(allowance, reading) < needed + 1


@stores
@given(
    limit=st.sampled_from([1, 7, 60]),
    quota=st.sampled_from([None, 2, 70]),
    jumps=st.lists(st.sampled_from([0, 1, -1, 5, -5, 70, -70, 86_400, -86_400, 10**7, -(10**7)]), max_size=12),
)
def test_a_retry_after_retry_after_passes_whatever_the_clock_did_before(
    begin: Callable[[], CountedStore], limit: int, quota: int | None, jumps: list[int]
) -> None:
    counting = begin()
    allowance = Allowance(key=0, client=1, per_minute=limit, per_month=quota)
    for jump in jumps:
        counting.clock.now += jump * SECOND + 1
        while (reading := counting.take(allowance)).outcome is Outcome.PASSED:
            pass
        counting.clock.now += find_wait(allowance, reading) * SECOND
        assert counting.take(allowance).outcome is Outcome.PASSED


@stores
@given(limit=st.sampled_from([1, 7, 60, 90]), pauses=st.lists(st.integers(0, 3 * SECOND), max_size=150))
def test_in_any_time_no_more_passes_than_the_limit_allows(
    begin: Callable[[], CountedStore], limit: int, pauses: list[int]
) -> None:
    counting = begin()
    allowance = Allowance(key=0, client=1, per_minute=limit, per_month=None)
    passed = []
    for pause in (0,) * limit + tuple(pauses):
        counting.clock.now += pause
        if counting.take(allowance).outcome is Outcome.PASSED:
            passed.append(counting.clock.now)
    for first in range(len(passed)):
        for last in range(first, len(passed)):
            taken, time = last - first + 1, passed[last] - passed[first]
            assert taken <= limit * (1 + Fraction(time, 60 * SECOND))


@stores
@given(limit=st.sampled_from([1, 7, 60, 90, 1200]), pauses=st.lists(st.integers(0, SECOND), max_size=5))
def test_who_waits_as_told_passes(begin: Callable[[], CountedStore], limit: int, pauses: list[int]) -> None:
    counting = begin()
    allowance = Allowance(key=0, client=1, per_minute=limit, per_month=None)
    for _ in range(limit):
        counting.take(allowance)
    for pause in pauses:
        counting.clock.now += pause
        refused = counting.take(allowance)
        if refused.outcome is Outcome.RATE_SPENT:
            counting.clock.now += find_wait(allowance, refused) * SECOND
            assert counting.take(allowance).outcome is Outcome.PASSED
