"""From an anchor, a rule and its exceptions to the dates that an event has."""

from collections.abc import Sequence
from datetime import date, datetime, time

import msgspec
import numpy as np
from msgspec import Struct

from outings.contract.instants import DAY, count_seconds, number_day
from pipeline.dates.ical import write_recurrence
from pipeline.dates.occurrences import NO_END, Occurrences, join_occurrences
from pipeline.dates.rule_days import LAST_DAY, list_days
from pipeline.dates.rules import RecurrenceRule, RuleError, parse_rule
from pipeline.dates.series import LiveDates, Seconds, Series, list_live
from pipeline.dates.zones import Zone, find_zone

# Of one series within the horizon. A rule has one a day at most: only added dates can be more.
MAX_OCCURRENCES = 2_000
# A series without an end that has a date so near to the last day in sight needs none beyond it, in days: it is built
# again long before.
_NEAR_END = 31


class Moment(Struct, frozen=True, kw_only=True):
    """When an event is, on the clock there (naive) and as seconds since 1970."""

    starts_local: datetime
    ends_local: datetime | None
    starts_at: int
    ends_at: int | None


class Expansion(Struct, frozen=True, kw_only=True, eq=False):
    """`anchor`: the times that the row shows, None for a dateless event. `occurrences`: those within the horizon;
    `beyond`: the first one after these, if there is any. `given`: how many of the series come before that.

    `total` counts the whole series, None when it has no end (or runs past 2299). `rrule` is the text as given, None
    where it can't be read; `recurrence` is what `write_recurrence` returns. `problems` are reasons for the report:
    `recurrence_unreadable`, `recurrence_unsupported`, `recurrence_truncated`, where the limit of 2,000 left out dates
    within the horizon.
    """

    anchor: Moment | None = None
    occurrences: Occurrences = join_occurrences([])
    total: int | None = None
    beyond: Occurrences = join_occurrences([])
    given: int | None = None
    rrule: str | None = None
    is_recurring: bool = False
    recurrence: str | None = None
    problems: tuple[str, ...] = ()


def expand_recurrence(
    *,
    starts_local: datetime | None,
    ends_local: datetime | None,
    has_time: bool,
    rrule: str | None,
    exdates: Sequence[datetime],
    rdates: Sequence[datetime],
    timezone: str,
    horizon: tuple[date, date],
) -> Expansion:
    """Naive local times; `ends_local` is not before `starts_local`. `horizon`: the first and last local date given.

    A single event is given at any date, and so is the one date of a series whose rule we can't follow. ValueError for
    a time zone that is none.
    """
    rule, problems = _read_rule(rrule, starts_local.time() if starts_local and has_time else None)
    text = None if rule is None else rrule
    is_recurring = rule is not None or (bool(rdates) and not problems)
    if starts_local is None:
        return Expansion(rrule=text, is_recurring=is_recurring, problems=problems)
    zone = find_zone(timezone)
    anchor = _make_moment(zone, starts_local, ends_local)
    if problems or not is_recurring:
        return Expansion(
            anchor=anchor, occurrences=_list_single(anchor), total=1,
            rrule=text, is_recurring=is_recurring, recurrence="" if is_recurring else None, problems=problems,
        )  # fmt: skip
    series = Series(
        zone=zone,
        anchor=count_seconds(anchor.starts_local),
        rule=rule,
        added=tuple(rdates),
        excluded=tuple(exdates),
        has_time=has_time,
        last_day=number_day(horizon[1]),
    )
    return _cut_series(series, list_live(series), anchor=anchor, rrule=text, first_day=number_day(horizon[0]))


def names_start(rrule: str, starts_local: datetime) -> bool:
    """Whether the rule names the day on which its series starts; of a rule that we do not follow nothing is known."""
    rule, problems = _read_rule(rrule, starts_local.time())
    if rule is None or problems:
        return True
    day = number_day(starts_local.date())
    return list_days(rule, anchor=day, last=day).size > 0


def _read_rule(rrule: str | None, starts: time | None) -> tuple[RecurrenceRule | None, tuple[str, ...]]:
    if rrule is None or not rrule.strip():
        return None, ()
    try:
        rule = parse_rule(rrule)
    except RuleError:
        return None, ("recurrence_unreadable",)
    return rule, ("recurrence_unsupported",) if rule.list_unsupported(starts) else ()


def _make_moment(zone: Zone, starts_local: datetime, ends_local: datetime | None) -> Moment:
    starts = starts_local.replace(microsecond=0)
    ends = None if ends_local is None else ends_local.replace(microsecond=0)
    starts_at = zone.resolve(starts)
    # A start that the clocks skip lies behind the gap, maybe past the end of a short event.
    ends_at = None if ends is None else max(starts_at, zone.resolve(ends))
    return Moment(starts_local=starts, ends_local=ends, starts_at=starts_at, ends_at=ends_at)


def _list_single(moment: Moment) -> Occurrences:
    return Occurrences(
        index=np.array([1]),
        starts_local=np.array([count_seconds(moment.starts_local)]),
        ends_local=np.array([NO_END if moment.ends_local is None else count_seconds(moment.ends_local)]),
        starts_at=np.array([moment.starts_at]),
        ends_at=np.array([NO_END if moment.ends_at is None else moment.ends_at]),
    )


def _cut_series(series: Series, live: LiveDates, *, anchor: Moment, rrule: str | None, first_day: int) -> Expansion:
    first = int(np.searchsorted(live.starts, first_day * DAY))
    stop = int(np.searchsorted(live.starts, (series.last_day + 1) * DAY))
    starts = live.starts[first : min(stop, first + MAX_OCCURRENCES)]
    given = first + starts.size
    beyond = _find_beyond(series, live, given=given)
    return Expansion(
        anchor=anchor,
        occurrences=_time_occurrences(starts, series.zone, anchor=anchor, first_index=first + 1),
        beyond=_time_occurrences(beyond, series.zone, anchor=anchor, first_index=given + 1),
        given=given,
        total=live.starts.size if live.has_end else None,
        rrule=rrule,
        is_recurring=True,
        recurrence=write_recurrence(series, live, first=first, stop=given),
        problems=("recurrence_truncated",) if stop - first > starts.size else (),
    )


def _find_beyond(series: Series, live: LiveDates, *, given: int) -> Seconds:
    """The start of the first date after the `given` ones, or nothing. A series without an end is followed as far as it
    takes, to the last day that we follow."""
    last, reach = series.last_day, _NEAR_END
    ends_near = given > 0 and live.starts[given - 1] // DAY > last - _NEAR_END
    while live.starts.size <= given and not live.has_end and not ends_near and last < LAST_DAY:
        reach *= 4
        last = min(last + reach, LAST_DAY)
        live = list_live(msgspec.structs.replace(series, last_day=last))
    return live.starts[given : given + 1]


def _time_occurrences(starts: Seconds, zone: Zone, *, anchor: Moment, first_index: int) -> Occurrences:
    """Each lasts as long as the anchor, by the clock."""
    starts_at = zone.resolve_all(starts)
    ends_local = ends_at = np.full(starts.size, NO_END)
    if anchor.ends_local is not None:
        ends_local = starts + (count_seconds(anchor.ends_local) - count_seconds(anchor.starts_local))
        ends_at = np.maximum(starts_at, zone.resolve_all(ends_local))
    return Occurrences(
        index=np.arange(first_index, first_index + starts.size, dtype=np.int64),
        starts_local=starts,
        ends_local=ends_local,
        starts_at=starts_at,
        ends_at=ends_at,
    )
