"""What is near a point, in one sentence of its own numbers."""

from collections.abc import Mapping
from datetime import date

_SINGULAR = {"events": "event", "classes": "class", "camps": "camp", "places": "place"}


def write_summary(counts: Mapping[str, int], *, radius_m: int, window: tuple[date, date] | None) -> str:
    """`counts` by collection, of those that were asked for; `window`: where one of them has dates."""
    there = [_count(number, name) for name, number in counts.items() if number]
    when = "" if window is None else f" from {_write(window[0])} to {_write(window[1])}"
    return f"{_join(there) or 'Nothing'} within {radius_m:,} metres{when}."


def _count(number: int, name: str) -> str:
    return f"{number:,} {_SINGULAR[name] if number == 1 else name}"


def _join(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _write(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"
