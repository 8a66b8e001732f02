"""List the dates of a series: its anchor, the days of its rule and added dates, without excluded and skipped ones.

Local times are seconds since 1970 in their own wall-clock time: a series repeats by the clock, not by the instant.
"""

from collections.abc import Sequence
from datetime import datetime, time

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.contract.values import DAY, count_seconds
from pipeline.dates.rule_days import DAY_END, LAST_DAY, RecurrenceRule, list_days
from pipeline.dates.zones import Zone, move_clock

Seconds = NDArray[np.int64]


# The longest that a period is, in days: as far as a COUNT reaches where each period has a date.
_PERIODS = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 31, "YEARLY": 366}


class Series(Struct, frozen=True, kw_only=True):
    """A series of dates as its source states it: `anchor` (the first), those of `rule` if any, and added ones.

    `last_day`, in days since 1970: where a series without an end is cut. Without a clock time (`has_time` false) added
    and excluded dates count by their day alone; with one, see `find_excluded`.
    """

    zone: Zone
    anchor: int
    rule: RecurrenceRule | None
    added: tuple[datetime, ...]
    excluded: tuple[datetime, ...]
    has_time: bool
    last_day: int


class LiveDates(Struct, frozen=True, kw_only=True, eq=False):
    """The dates on which a series takes place.

    Attributes:
        starts: in order, without duplicates.
        has_end: False if the series continues after `last_day`.
        last_ruled: the last start that the rule gives, even if it is excluded.
        is_anchor_ruled: False if the rule does not name the anchor.
    """

    starts: Seconds
    has_end: bool
    last_ruled: int = 0
    is_anchor_ruled: bool = True


def list_live(series: Series) -> LiveDates:
    """List the dates on which the series takes place."""
    ruled = _list_ruled(series)
    starts = merge_starts(ruled.starts, place_all(series.added, series))
    starts = starts[~find_excluded(starts, place_all(series.excluded, series))]
    # A date without a clock time is skipped only where the whole day is.
    clocks = starts if series.has_time else starts - starts % DAY + DAY // 2
    return msgspec.structs.replace(ruled, starts=starts[~series.zone.find_gaps(clocks)])


def merge_starts(*parts: Seconds) -> Seconds:
    """Join arrays of starts, sorted and without duplicates. `np.unique` hashes: 20 ms for a century of days."""
    starts = np.sort(np.concatenate(parts))
    return starts[np.append(True, starts[1:] != starts[:-1])] if starts.size else starts


def find_excluded(starts: Seconds, excluded: Seconds) -> NDArray[np.bool_]:
    """Mark the starts that are excluded, by their own time or by a midnight of their day at which nothing starts."""
    if not excluded.size:  # else NumPy hashes all starts, which takes 9 ms for a century of days
        return np.zeros(starts.size, dtype=np.bool_)
    midnights = excluded[excluded % DAY == 0]
    days = midnights[~np.isin(midnights, starts)]
    is_excluded: NDArray[np.bool_] = np.isin(starts, excluded) | np.isin(starts - starts % DAY, days)
    return is_excluded


def place_all(moments: Sequence[datetime], series: Series) -> Seconds:
    """Convert stated dates to seconds. In a series without a time of day, each gets the anchor's time."""
    seconds = np.array([count_seconds(moment) for moment in moments], dtype=np.int64)
    return seconds if series.has_time else seconds - seconds % DAY + series.anchor % DAY


def _list_ruled(series: Series) -> LiveDates:
    """List the anchor and the rule's dates. As in RFC 5545, COUNT includes the anchor and excluded dates."""
    if series.rule is None:
        return LiveDates(starts=np.array([series.anchor], dtype=np.int64), has_end=True, last_ruled=series.anchor)
    rule = localize_until(series.rule, series.zone, has_time=series.has_time)
    if rule.count is not None:
        return _list_counted(rule, series, count=rule.count)
    last = series.last_day if rule.until is None else count_seconds(rule.until) // DAY
    starts, is_ruled = _list_starts(rule, series, last=last)
    return LiveDates(
        starts=starts, has_end=rule.until is not None, last_ruled=int(starts[-1]), is_anchor_ruled=is_ruled
    )


def localize_until(rule: RecurrenceRule, zone: Zone, *, has_time: bool) -> RecurrenceRule:
    """Return the rule with UNTIL as local time of the zone, or without one past the last day that we follow."""
    until = rule.until
    if until is not None and until.tzinfo is not None:
        until = _convert_until(until, zone, has_time=has_time)
    if until is not None and count_seconds(until) // DAY > LAST_DAY:
        until = None
    return msgspec.structs.replace(rule, until=until)


def _convert_until(until: datetime, zone: Zone, *, has_time: bool) -> datetime:
    """Return the last local time of a rule with an UNTIL in UTC.

    A local midnight means the whole day that it begins, as Exchange writes it. In a series of days, UNTIL otherwise
    means the end of its written date, unless it is the last second of a local day.
    """
    local = move_clock(until, zone.info)
    if local.time() == time():
        return datetime.combine(local.date(), DAY_END)
    if has_time or local.time() == DAY_END:
        return local
    return datetime.combine(until.date(), DAY_END)


def _list_counted(rule: RecurrenceRule, series: Series, *, count: int) -> LiveDates:
    first = series.anchor // DAY
    last = LAST_DAY if rule.until is None else count_seconds(rule.until) // DAY
    reach = count * rule.interval * _PERIODS[rule.frequency]
    starts, is_ruled = _list_starts(rule, series, last=min(first + reach, last))
    while starts.size < count and first + reach < last:
        reach *= 2
        starts, is_ruled = _list_starts(rule, series, last=min(first + reach, last))
    # A rule that fell on no other day for centuries has ended; one that still goes on then counts as endless.
    has_end = starts.size >= count or rule.until is not None or starts.size == 1
    starts = starts[:count]
    known = starts if has_end else starts[starts < (series.last_day + 1) * DAY]
    return LiveDates(starts=known, has_end=has_end, last_ruled=int(starts[-1]), is_anchor_ruled=is_ruled)


def _list_starts(rule: RecurrenceRule, series: Series, *, last: int) -> tuple[Seconds, bool]:
    """List the rule's starts up to the day `last` and its UNTIL, with the anchor even if the rule does not name it.
    Also return True if it does."""
    starts = list_days(rule, anchor=series.anchor // DAY, last=last) * DAY + series.anchor % DAY
    if rule.until is not None:
        starts = starts[starts <= count_seconds(rule.until)]
    if starts.size and starts[0] == series.anchor:
        return starts, True
    return np.insert(starts, 0, series.anchor), False
