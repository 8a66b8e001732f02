"""A series as its VEVENT says it, on its own clock, and the dates that this gives.

Local times are naive seconds since 1970, as those of `pipeline.dates.series`.
"""

from collections.abc import Iterable
from datetime import date, datetime

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.contract.instants import DAY, number_day
from pipeline.dates.rule_days import list_days
from pipeline.dates.rules import RecurrenceRule
from pipeline.dates.series import LiveDates, Seconds, Series, find_excluded, list_live, localize_until, merge_starts
from pipeline.dates.zones import find_zone, move_clock
from pipeline.feeds.ics.zones import Clock

# A series without an end is listed up to here, and compared with the rule that says it up to a year before: some of its
# dates may be moved.
_FOLLOWED = number_day(date(2100, 1, 1))
COMPARED = number_day(date(2099, 1, 1)) * DAY


class Pattern(Struct, frozen=True, kw_only=True):
    """`rules` and `exrules` are readable, their UNTIL is on this clock. For an `excluded` midnight see `exclude`."""

    anchor: int
    rules: tuple[RecurrenceRule, ...] = ()
    exrules: tuple[RecurrenceRule, ...] = ()
    added: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()


def settle_rule(rule: RecurrenceRule, clock: Clock, *, is_days: bool) -> RecurrenceRule:
    """With its UNTIL on that clock."""
    if clock.zone:
        return localize_until(rule, find_zone(clock.zone), has_time=not is_days)
    if rule.until is None or rule.until.tzinfo is None:
        return rule
    return msgspec.structs.replace(rule, until=move_clock(rule.until, clock.info))


def list_named(pattern: Pattern, *, last_day: int = _FOLLOWED) -> LiveDates:
    """What its rules and RDATEs name, whatever is excluded. The first date is one of them; of several rules only that
    counts it which falls on it."""
    rules = pattern.rules
    counted = rules if len(rules) == 1 else [_count_own(rule, pattern.anchor) for rule in rules]
    parts = [list_ruled(rule, pattern.anchor, last_day=last_day) for rule in counted]
    starts = [part.starts for part in parts] + [make_array([pattern.anchor, *pattern.added])]
    return LiveDates(starts=merge_starts(*starts), has_end=all(part.has_end for part in parts))


def list_dates(pattern: Pattern) -> LiveDates:
    """The dates that take place, were no time skipped by clocks."""
    named = list_named(pattern)
    gone = exclude(named.starts, pattern.excluded)
    for rule in pattern.exrules:
        gone |= np.isin(named.starts, _list_own(rule, pattern.anchor))
    return LiveDates(starts=named.starts[~gone], has_end=named.has_end)


def list_ruled(
    rule: RecurrenceRule, anchor: int, *, last: datetime | None = None, last_day: int = _FOLLOWED
) -> LiveDates:
    """What one rule names from its first date on, which is the first; to `last` in place of its own end."""
    if last is not None:
        rule = msgspec.structs.replace(rule, until=last, count=None)
    return list_live(
        Series(zone=find_zone("UTC"), anchor=anchor, rule=rule, added=(), excluded=(), has_time=True, last_day=last_day)
    )


def exclude(starts: Seconds, excluded: Iterable[int]) -> NDArray[np.bool_]:
    """Which of the dates are excluded; a midnight at which nothing starts excludes its day."""
    return find_excluded(starts, make_array(excluded))


def list_unmet(pattern: Pattern, excluded: Iterable[int]) -> list[int]:
    """Of excluded dates those that the series does not have."""
    wanted = make_array(excluded)
    if wanted.size == 0:
        return []
    named = list_named(pattern, last_day=int(wanted.max()) // DAY).starts
    met = np.isin(wanted, named) | np.isin(wanted, named - named % DAY)
    unmet: list[int] = wanted[~met].tolist()
    return unmet


def _count_own(rule: RecurrenceRule, anchor: int) -> RecurrenceRule:
    if rule.count is None or _falls_on(rule, anchor):
        return rule
    return msgspec.structs.replace(rule, count=rule.count + 1)


def _falls_on(rule: RecurrenceRule, anchor: int) -> bool:
    return bool(list_days(rule, anchor=anchor // DAY, last=anchor // DAY).size)


def _list_own(rule: RecurrenceRule, anchor: int) -> Seconds:
    """What an EXRULE names: the first date only where it falls on it."""
    starts = list_ruled(_count_own(rule, anchor), anchor).starts
    return starts if _falls_on(rule, anchor) else starts[starts != anchor]


def make_array(seconds: Iterable[int]) -> Seconds:
    return np.array([*seconds], dtype=np.int64)
