"""The rate of a key: GCRA in its form of a leaky bucket (ITU-T I.371), in whole numbers and so exact.

    load(now) = max(0, load(then) - limit × (now - then)), times in microseconds
    a request passes if load + MINUTE ≤ limit × MINUTE, and adds MINUTE

A request weighs `MINUTE`, so that the bucket leaks `limit` a microsecond and holds `limit` requests: a full allowance
passes at once, and in any t seconds never more than limit × (1 + t/60). What is refused adds
nothing.
"""

MINUTE = 60_000_000


def leak(load: int, *, then: int, now: int, limit: int) -> int:
    """The load as of `now`. A clock that went back leaks nothing; a limit that was lowered caps the load."""
    most = limit * MINUTE
    left = (load if load < most else most) - (limit * (now - then) if now > then else 0)
    return left if left > 0 else 0


def has_room(load: int, limit: int) -> bool:
    return load + MINUTE <= limit * MINUTE


def count_left(load: int, limit: int) -> int:
    """Requests that would pass at once."""
    return limit - -(-load // MINUTE)


def wait_for_room(load: int, limit: int) -> int:
    """Microseconds until a request passes, if none does meanwhile."""
    return max(0, -(-(load + MINUTE - limit * MINUTE) // limit))


def wait_for_all(load: int, limit: int) -> int:
    """Microseconds until a whole allowance is left, if nothing passes meanwhile."""
    return -(-load // limit)
