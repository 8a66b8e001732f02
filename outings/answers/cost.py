"""What an answer is planned to cost, before it is made: who serves it decides by that where to make it.

A sum of parts, each measured by `python -m bench.paths` on columns of 100,000 listings; those that look at listings
grow with how many there are. It needs to be right within a factor of two or so.
"""

from collections.abc import Iterable

from msgspec import Struct

# Microseconds.
LOOK_UP = 100
LIST = 300
UNKNOWN = 5_000


class Rate(Struct, frozen=True, kw_only=True):
    """Microseconds: `each` for an item or a dimension, `thousand` for a thousand listings that are looked at."""

    each: float = 0
    thousand: float = 0


def add_costs(parts: Iterable[tuple[Rate, int]], *, listings: int = 0) -> int:
    """Of each rate so many times, in microseconds, beside what any answer costs."""
    total = 0.0
    for rate, count in parts:
        total += count * (rate.each + rate.thousand * listings / 1000)
    return LIST + round(total)
