"""The circuit breaker for remote services that fail several times in a row."""

from outings.remote.fetcher import CircuitBreaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def break_down(breaker: CircuitBreaker, times: int) -> list[int]:
    return [breaker.note_failure() for _ in range(times)]


def test_a_breaker_opens_after_so_many_failures_in_a_row() -> None:
    breaker = CircuitBreaker(clock=Clock(), failures=3, rest=30)
    assert break_down(breaker, 2) == [1, 1]
    assert breaker.enter() is None
    assert breaker.note_failure() == 30
    assert breaker.enter() == 30


def test_a_success_between_them_starts_again() -> None:
    breaker = CircuitBreaker(clock=Clock(), failures=3)
    break_down(breaker, 2)
    breaker.note_success()
    break_down(breaker, 2)
    assert breaker.enter() is None


def test_it_says_how_long_is_left_in_whole_seconds() -> None:
    breaker, clock = CircuitBreaker(clock=(clock := Clock()), failures=1, rest=30), clock
    break_down(breaker, 1)
    clock.now += 29.5
    assert breaker.enter() == 1


def test_then_one_is_let_through_at_a_time_until_one_succeeds() -> None:
    clock = Clock()
    breaker = CircuitBreaker(clock=clock, failures=2, rest=30, trial=10)
    break_down(breaker, 2)
    clock.now += 30
    assert [breaker.enter(), breaker.enter()] == [None, 10]
    assert breaker.note_failure() == 30
    clock.now += 30
    assert breaker.enter() is None
    breaker.note_success()
    assert [breaker.enter(), breaker.enter()] == [None, None]


def test_a_call_that_never_says_how_it_went_does_not_block_the_breaker_for_ever() -> None:
    clock = Clock()
    breaker = CircuitBreaker(clock=clock, failures=1, rest=30, trial=10)
    break_down(breaker, 1)
    clock.now += 30
    assert breaker.enter() is None
    clock.now += 10
    assert breaker.enter() is None


def test_a_breaker_opens_at_once_for_as_long_as_the_other_side_asks() -> None:
    breaker = CircuitBreaker(clock=Clock(), failures=5, rest=30)
    assert breaker.note_failure(rest=120) == 120
    assert breaker.enter() == 120
