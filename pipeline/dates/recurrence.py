"""Expand an anchor (first date), a rule and its exceptions to the dates of an event, and write them as iCalendar.

A date belongs to the local day on which it starts, even if it ends after midnight.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime, time

import msgspec
import numpy as np
from msgspec import Struct

from outings.answers.ical import encode_lines
from outings.contract.values import DAY, count_seconds, number_day, read_local
from pipeline.dates.rule_days import LAST_DAY, TIMES, RecurrenceRule, RuleError, list_days, parse_rule
from pipeline.dates.series import LiveDates, Seconds, Series, list_live, localize_until, merge_starts, place_all
from pipeline.dates.zones import Zone, find_zone

# Stands in an `ends_*` column for an end that is not stated.
NO_END = np.iinfo(np.int64).min


class Moment(Struct, frozen=True, kw_only=True):
    """The start and end of an event, as naive local times and as seconds since 1970."""

    starts_local: datetime
    ends_local: datetime | None
    starts_at: int
    ends_at: int | None


class Occurrences(Struct, frozen=True, kw_only=True, eq=False):
    """The dates of an event in order of time, numbered from 1 by `index`. Local times are seconds since 1970 in their
    own wall-clock time. They are columns, because a metro has millions: objects would not fit in memory."""

    index: Seconds
    starts_local: Seconds
    ends_local: Seconds
    starts_at: Seconds
    ends_at: Seconds


_NONE = Occurrences(**dict.fromkeys(Occurrences.__struct_fields__, np.empty(0, dtype=np.int64)))


# Beyond them a rule says less than the dates do.
MOST_EXCLUDED = 64
MOST_ADDED = 16


def write_recurrence(series: Series, live: LiveDates, *, first: int, stop: int) -> str | None:
    """Return a series' RRULE, EXDATE and RDATE lines; "" if its anchor needs none, None if they can't state it.

    `first` and `stop`: the slice of the live dates that is within the horizon.
    """
    known, rule = live.starts[first:stop], series.rule
    if rule is None:
        return "" if not known.size and series.anchor in live.starts else None
    if live.has_end and not live.starts.size:
        return None
    # Nothing takes place before the first live date: what the rule names there is too many.
    low = int(known[0]) if first and known.size else series.anchor
    high = int(known[-1]) if known.size else series.anchor
    excluded, added = set[int](), set[int]()
    if known.size:
        last = min(high, live.last_ruled) if live.has_end else high
        named = list_days(rule, anchor=series.anchor // DAY, last=last // DAY) * DAY + series.anchor % DAY
        named = named[(named >= low) & (named <= last)]
        excluded = {*np.setdiff1d(merge_starts(named, np.array([low])), known, assume_unique=True).tolist()}
        added = {*np.setdiff1d(known, named, assume_unique=True).tolist()}
    if len(excluded) > MOST_EXCLUDED or len(added) > MOST_ADDED:
        return None
    stated = _list_excluded(series)
    others = {*place_all(series.added, series).tolist()} - stated
    excluded |= {second for second in stated if not known.size or not low <= second <= high}
    added |= {other for other in others if not known.size or not low <= other <= high}
    parts = [f"{name}={value}" for name, value in rule.parts if series.has_time or name not in TIMES]
    lines = ["RRULE:" + ";".join(parts + _write_end(series, live, first=first, stop=stop))]
    kind = f";TZID={series.zone.info.key}" if series.has_time else ";VALUE=DATE"
    for name, dates in (("EXDATE", excluded), ("RDATE", added)):
        if dates:
            lines.append(f"{name}{kind}:{','.join(_format_local(second, series) for second in sorted(dates))}")
    return encode_lines(lines).decode()


def _list_excluded(series: Series) -> set[int]:
    """Return the starts that the source excludes, on any date. A midnight at which nothing starts excludes its day."""
    by_day = defaultdict[int, set[int]](set)
    for second in place_all(series.added, series).tolist():
        by_day[second // DAY].add(second)
    excluded = set[int]()
    for second in map(count_seconds, series.excluded):
        started = by_day.get(second // DAY, set()) | {second - second % DAY + series.anchor % DAY}
        is_day = not series.has_time or (second % DAY == 0 and second not in started)
        excluded |= started if is_day else {second}
    return excluded


def state_rule(rrule: str | None, series: Series) -> str | None:
    """Return the rule with its UNTIL as RFC 5545 wants it, so that every program reads the same last date: in UTC if
    the series has clock times, else a date."""
    rule = None if series.rule is None else localize_until(series.rule, series.zone, has_time=series.has_time)
    if rrule is None or rule is None or rule.until is None:
        return rrule
    until = _format_until(count_seconds(rule.until), series)
    return re.sub(r"UNTIL\s*=\s*[^;\s]+", f"UNTIL={until}", rrule, count=1, flags=re.IGNORECASE)


def list_exceptions(series: Series, live: LiveDates) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the local starts to leave out of what the rule says, and those to add to it.

    An anchor that the rule does not name is added. Programs differ in whether COUNT counts it, so the date that one of
    them would have too many is left out.
    """
    excluded, added = _list_excluded(series), {*place_all(series.added, series).tolist()}
    if not live.is_anchor_ruled:
        added.add(series.anchor)
        if series.rule is not None and series.rule.count is not None:
            longer = msgspec.structs.replace(series.rule, count=series.rule.count + 1)
            last = list_live(msgspec.structs.replace(series, rule=longer, added=(), excluded=())).last_ruled
            excluded |= {last} - {live.last_ruled} - added
    return tuple(sorted(excluded)), tuple(sorted(added - excluded))


def _write_end(series: Series, live: LiveDates, *, first: int, stop: int) -> list[str]:
    """Return UNTIL or COUNT. A series that ends within the horizon gets its last date, another keeps its own end."""
    if not live.has_end or series.rule is None:
        return []
    if first < stop == live.starts.size:
        return [f"UNTIL={_format_until(min(int(live.starts[-1]), live.last_ruled), series)}"]
    rule = localize_until(series.rule, series.zone, has_time=series.has_time)
    if rule.until is None:
        return [f"COUNT={rule.count}"]
    until = count_seconds(rule.until) if rule.count is None else live.last_ruled
    return [f"UNTIL={_format_until(max(until, series.anchor), series)}"]


def _format_until(local: int, series: Series) -> str:
    """Format `UNTIL`, in UTC if the series has clock times (RFC 5545, 3.3.10)."""
    if not series.has_time:
        return _format_local(local, series)
    return f"{datetime.fromtimestamp(series.zone.resolve(read_local(local)), UTC):%Y%m%dT%H%M%SZ}"


def _format_local(local: int, series: Series) -> str:
    return f"{read_local(local):%Y%m%dT%H%M%S}" if series.has_time else f"{read_local(local):%Y%m%d}"


# Of one series within the horizon. A rule has one a day at most: only added dates can be more.
MAX_OCCURRENCES = 2_000
# A series without an end that has a date so near to the last day in sight needs none beyond it, in days: it is built
# again long before.
_NEAR_END = 31


class Expansion(Struct, frozen=True, kw_only=True, eq=False):
    """The dates of an event. `anchor`: the times that its row shows, None for a dateless event. `occurrences`: the
    dates within the horizon; `beyond`: the local start and the instant of the next one after these, if any. `given`:
    how many dates of the series come before it.

    `total`: the number of dates of the series, None if it has no end (or runs past 2299). `rrule`: None if it can't be
    read; `excluded` and `added`: the local starts by which the dates differ from it. `recurrence`: the result of
    `write_recurrence`. `problems` are codes for the report: `recurrence_unreadable`, `recurrence_unsupported`,
    `recurrence_truncated` (the limit of 2,000 left out dates).
    """

    anchor: Moment | None = None
    occurrences: Occurrences = _NONE
    total: int | None = None
    beyond: tuple[int, int] | None = None
    given: int | None = None
    rrule: str | None = None
    excluded: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
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
    days: int = 1,
    day_ends: datetime | None = None,
) -> Expansion:
    """Expand an event's dates. All times are local and naive; `ends_local` is not before `starts_local`. `horizon`: the
    first and last local date to return. `days`: on how many days each date of a series happens, unless the next one
    begins before these are over; `day_ends`: the end of the first of them.

    A single event is returned whatever its date, and so is the one date of a series whose rule we can't follow. Raises
    ValueError for an unknown time zone.
    """
    rule, problems = _read_rule(rrule, starts_local.time() if starts_local and has_time else None)
    text = None if rule is None else rrule
    is_recurring = rule is not None or (bool(rdates) and not problems)
    if starts_local is None:
        return Expansion(rrule=text, is_recurring=is_recurring, problems=problems)
    zone = find_zone(timezone)
    anchor = _make_moment(zone, starts_local, ends_local)
    if problems or not is_recurring:
        start = np.array([count_seconds(anchor.starts_local)])
        return Expansion(
            anchor=anchor, occurrences=_time_occurrences(start, zone, anchor=anchor, first_index=1), total=1,
            rrule=text, is_recurring=is_recurring, recurrence="" if is_recurring else None, problems=problems,
        )  # fmt: skip
    series = Series(
        zone=zone, anchor=count_seconds(anchor.starts_local), rule=rule, added=tuple(rdates), excluded=tuple(exdates),
        has_time=has_time, last_day=number_day(horizon[1]),
    )  # fmt: skip
    live = list_live(series)
    if live.starts.size > 1 and days > 1 and np.diff(live.starts).min() < days * DAY:
        days = 1
    return _cut_series(
        series, live, anchor=anchor, rrule=text, first_day=number_day(horizon[0]), days=days,
        each=anchor if days == 1 else _make_moment(zone, starts_local, day_ends),
    )  # fmt: skip


def _spread(live: LiveDates, days: int) -> LiveDates:
    """Return each of the days on which the dates happen."""
    return msgspec.structs.replace(live, starts=merge_starts(*(live.starts + day * DAY for day in range(days))))


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
    # A start that the clocks skip moves behind the gap, maybe past the end of a short event.
    ends_at = None if ends is None else max(starts_at, zone.resolve(ends))
    return Moment(starts_local=starts, ends_local=ends, starts_at=starts_at, ends_at=ends_at)


def _cut_series(
    series: Series, live: LiveDates, *, anchor: Moment, rrule: str | None, first_day: int, days: int, each: Moment
) -> Expansion:
    """Cut a series at the horizon. `each`: the start and end of the first of its dates' `days`."""
    spread = live if days == 1 else _spread(live, days)
    first = int(np.searchsorted(spread.starts, first_day * DAY))
    stop = int(np.searchsorted(spread.starts, (series.last_day + 1) * DAY))
    starts = spread.starts[first : min(stop, first + MAX_OCCURRENCES)]
    given = first + starts.size
    excluded, added = list_exceptions(series, live)
    own = np.searchsorted(live.starts, [first_day * DAY, spread.starts[given - 1] + 1 if given else 0]).tolist()
    return Expansion(
        anchor=anchor, occurrences=_time_occurrences(starts, series.zone, anchor=each, first_index=first + 1),
        beyond=_find_beyond(series, spread, given=given, days=days), given=given,
        total=spread.starts.size if live.has_end else None, rrule=state_rule(rrule, series), excluded=excluded,
        added=added, is_recurring=True,
        recurrence=write_recurrence(series, live, first=own[0], stop=max(own)),
        problems=("recurrence_truncated",) if stop - first > starts.size else (),
    )  # fmt: skip


def _find_beyond(series: Series, live: LiveDates, *, given: int, days: int) -> tuple[int, int] | None:
    """Return the local start and the instant of the first date after the `given` ones, or None. A series without an end
    is followed as far as needed."""
    last, reach = series.last_day, _NEAR_END
    ends_near = given > 0 and live.starts[given - 1] // DAY > last - _NEAR_END
    while live.starts.size <= given and not live.has_end and not ends_near and last < LAST_DAY:
        reach *= 4
        last = min(last + reach, LAST_DAY)
        live = _spread(list_live(msgspec.structs.replace(series, last_day=last)), days)
    starts = live.starts[given : given + 1]
    return (int(starts[0]), int(series.zone.resolve_all(starts)[0])) if starts.size else None


def _time_occurrences(starts: Seconds, zone: Zone, *, anchor: Moment, first_index: int) -> Occurrences:
    """Return occurrences with these starts, each as long by the clock as the anchor."""
    starts_at = zone.resolve_all(starts)
    ends_local = ends_at = np.full(starts.size, NO_END)
    if anchor.ends_local is not None:
        ends_local = starts + (count_seconds(anchor.ends_local) - count_seconds(anchor.starts_local))
        ends_at = np.maximum(starts_at, zone.resolve_all(ends_local))
    index = np.arange(first_index, first_index + starts.size, dtype=np.int64)
    return Occurrences(
        index=index, starts_local=starts, ends_local=ends_local, starts_at=starts_at, ends_at=ends_at
    )  # fmt: skip
