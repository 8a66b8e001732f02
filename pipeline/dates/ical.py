"""A series as iCalendar says it: its rule and what the rule gets wrong, where that is little.

Before and after the dates within the horizon, exceptions are what the source states.
"""

from collections import defaultdict
from datetime import UTC, datetime

import numpy as np

from outings.answers.ical.lines import encode_lines
from outings.contract.instants import DAY, count_seconds, read_local
from pipeline.dates.rule_days import list_days
from pipeline.dates.rules import TIMES
from pipeline.dates.series import LiveDates, Series, localize_until, merge_starts, place_all

# Beyond them a rule says less than the dates do.
MOST_EXCLUDED = 64
MOST_ADDED = 16


def write_recurrence(series: Series, live: LiveDates, *, first: int, stop: int) -> str | None:
    """Return the lines RRULE, EXDATE and RDATE; "" where the anchor says it all, None where only the dates do.

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
    excluded |= {each for each in stated if not known.size or not low <= each <= high}
    added |= {each for each in others if not known.size or not low <= each <= high}
    parts = [f"{name}={value}" for name, value in rule.parts if series.has_time or name not in TIMES]
    lines = ["RRULE:" + ";".join(parts + _write_end(series, live, first=first, stop=stop))]
    kind = f";TZID={series.zone.info.key}" if series.has_time else ";VALUE=DATE"
    for name, dates in (("EXDATE", excluded), ("RDATE", added)):
        if dates:
            lines.append(f"{name}{kind}:{','.join(_format_local(each, series) for each in sorted(dates))}")
    return encode_lines(lines).decode()


def _list_excluded(series: Series) -> set[int]:
    """Return what the source takes out, of whatever date. A midnight at which nothing starts is its whole day."""
    by_day = defaultdict[int, set[int]](set)
    for each in place_all(series.added, series).tolist():
        by_day[each // DAY].add(each)
    excluded = set[int]()
    for each in map(count_seconds, series.excluded):
        started = by_day.get(each // DAY, set()) | {each - each % DAY + series.anchor % DAY}
        is_day = not series.has_time or (each % DAY == 0 and each not in started)
        excluded |= started if is_day else {each}
    return excluded


def _write_end(series: Series, live: LiveDates, *, first: int, stop: int) -> list[str]:
    """A rule that ends within the horizon ends at its last date, another as it is written."""
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
