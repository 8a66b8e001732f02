"""Leases keep what is promised, in whatever order their messages come, and what they cost is no more than stated."""

import contextlib
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.simulation.leases import BEGIN, LEASE, POLL, SECOND, SHARE, Point, World

UNLIMITED = 10**9
MINUTE = 60 * SECOND
WORDS = ["ask", "ask", "burst", "burst", "deliver", "deliver", "deliver", "deliver", "deliver", "end"]
PAUSES = st.one_of(st.just(0), st.just(0), st.integers(0, SECOND), st.sampled_from([LEASE - 1, LEASE, 60 * SECOND]))
LIMITS = st.sampled_from([1, 7, 30, 60])


def draw_steps(*more: str) -> st.SearchStrategy[list[tuple[str, int, int]]]:
    return st.lists(st.tuples(st.sampled_from([*WORDS, *more]), st.integers(0, 7), PAUSES), min_size=20, max_size=120)


def check_rate(answered: Sequence[int], limit: int) -> None:
    """Check that in any t seconds at most limit × (1 + (t + a lease) / 60) requests are answered."""
    for first, since in enumerate(answered):
        for count, when in enumerate(answered[first:], start=1):
            assert count * MINUTE <= limit * (MINUTE + when - since + LEASE)


@given(limit=LIMITS, points=st.integers(1, 5), steps=draw_steps("lose", "crash"))
def test_the_rate_is_exceeded_by_no_more_than_what_comes_back_in_a_lease(
    limit: int, points: int, steps: list[tuple[str, int, int]]
) -> None:
    with contextlib.closing(World(limit, UNLIMITED, [Point() for _ in range(points)])) as world:
        for step in steps:
            world.live(*step)
        check_rate(world.answered, limit)


@given(quota=st.integers(1, 40), points=st.integers(1, 5), steps=draw_steps("lose", "crash"))
def test_a_quota_is_never_exceeded_whatever_is_lost(quota: int, points: int, steps: list[tuple[str, int, int]]) -> None:
    """Lost requests stay billed, because a dead point can't report what it had not used."""
    with contextlib.closing(World(30, quota, [Point() for _ in range(points)])) as world:
        for word, number, pause in steps:
            world.live(word, number, min(pause, SECOND // 3))  # 40 s in all: the month is one
            assert len(world.answered) <= world.read_used() <= quota


@given(points=st.integers(1, 5), steps=draw_steps())
def test_what_was_taken_and_not_used_is_given_back_to_the_last_request(
    points: int, steps: list[tuple[str, int, int]]
) -> None:
    with contextlib.closing(World(30, UNLIMITED, [Point() for _ in range(points)])) as world:
        for word, number, pause in steps:
            world.live(word, number, min(pause, SECOND // 3))
        world.settle()
        assert world.read_used() == len(world.answered)


@given(points=st.integers(1, 5), steps=draw_steps("lose", "crash", "revoke"))
def test_a_revoked_key_gets_no_answer_ten_seconds_later(points: int, steps: list[tuple[str, int, int]]) -> None:
    with contextlib.closing(World(60, UNLIMITED, [Point() for _ in range(points)])) as world:
        for step in steps:
            world.live(*step)
        if world.revoked is not None:
            assert all(when < world.revoked + POLL + LEASE for when in world.answered)


def test_a_lease_of_just_before_a_revocation_is_known_ends_within_ten_seconds() -> None:
    with contextlib.closing(World(60, UNLIMITED, [Point(), Point()])) as world:
        world.revoked = BEGIN
        answers = []
        for point, when in [(0, POLL - 1), (1, POLL), (0, POLL + LEASE - 2), (0, POLL + LEASE - 1)]:
            world.now = BEGIN + when
            world.ask(point)
            world.deliver_all()
            answers.append(len(world.answered))
        assert answers == [1, 1, 2, 2]
        assert world.refused == 2


def test_one_minutes_limit_may_come_at_once_with_what_came_back_meanwhile() -> None:
    """Ten points take the whole allowance and wait; before their leases end, two others take what came back."""
    limit = 600
    with contextlib.closing(World(limit, UNLIMITED, [Point() for _ in range(SHARE + 2)])) as world:
        for index in range(SHARE):
            world.ask(index)
        world.deliver_all()
        assert len(world.answered) == SHARE
        world.now = BEGIN + LEASE - 1
        for index in range(SHARE):
            for _ in range(limit // SHARE - 1):
                world.ask(index)
        for index in (SHARE, SHARE + 1):
            for _ in range(limit // SHARE):
                world.ask(index)
        world.deliver_all()
        assert world.answered.count(world.now) == limit - SHARE + limit * (LEASE - 1) // MINUTE > limit
        check_rate(world.answered, limit)


def test_readers_of_one_point_may_be_refused_what_other_points_hold() -> None:
    limit = 60
    with contextlib.closing(World(limit, UNLIMITED, [Point() for _ in range(3)])) as world:
        for index in (0, 1):
            world.ask(index)
        world.deliver_all()
        for _ in range(limit):
            world.ask(2)
            world.deliver_all()
        elsewhere = 2 * (limit // SHARE - 1)
        assert world.refused == elsewhere + 2
        assert len(world.answered) == limit - elsewhere
