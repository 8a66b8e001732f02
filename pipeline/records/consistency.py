"""Consistency of the members of one object: ends after starts, a point of two coordinates, one way to state a time."""

from collections.abc import Callable, Iterator
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

# Software that knows no end names one in centuries; and a snapshot has 32 bits for the seconds that an event lasts.
LONGEST = timedelta(days=50 * 365)


class Inconsistency(NamedTuple):
    """`member` contradicts the others. `drop`: without it the rest is valid; otherwise the record is quarantined."""

    member: str
    reason: str
    drop: bool


Values = dict[str, Any]
Check = Callable[[Values], Iterator[Inconsistency]]


def check_range(values: Values) -> Iterator[Inconsistency]:
    low, high = values.get("min"), values.get("max")
    if low is not None and high is not None and low > high:
        yield Inconsistency("min", f"contradictory: is above max, {high:g}", drop=False)


def check_point(values: Values) -> Iterator[Inconsistency]:
    for one, other in (("lat", "lng"), ("lng", "lat")):
        if one in values and other not in values:
            yield Inconsistency(one, f"contradictory: is given without {other}", drop=False)


def check_reference(values: Values) -> Iterator[Inconsistency]:
    if "feed" in values and "source_id" not in values:
        yield Inconsistency("feed", "contradictory: is given without the source_id of its record", drop=True)
    if "address" in values and "name" not in values:
        yield Inconsistency("address", "contradictory: is given without the name of its place", drop=True)


def check_dates(values: Values) -> Iterator[Inconsistency]:
    starts, ends = values.get("starts_on"), values.get("ends_on")
    if starts and ends and ends < starts:
        yield Inconsistency("ends_on", f"contradictory: is before starts_on, {starts}", drop=True)


def check_event(values: Values) -> Iterator[Inconsistency]:
    starts, ends, day = values.get("starts_local"), values.get("ends_local"), values.get("date_on")
    if starts and day and starts.date() != day:
        yield Inconsistency("date_on", f"contradictory: starts_local is {starts.isoformat()}", drop=True)
    begins: datetime | None = starts or (datetime.combine(day, time()) if day else None)
    if ends and begins is None:
        yield Inconsistency("ends_local", "contradictory: is given without starts_local or date_on", drop=True)
    elif ends and begins and ends < begins:
        yield Inconsistency("ends_local", f"contradictory: is before the start, {begins.isoformat()}", drop=True)
    elif ends and begins and ends - begins > LONGEST:
        reason = f"out_of_range: is more than {LONGEST.days // 365} years after the start, {begins.isoformat()}"
        yield Inconsistency("ends_local", reason, drop=True)
