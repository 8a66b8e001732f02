"""A series as iCalendar can say it: its rule and what the rule gets wrong, where that is little; else its dates.

Whether a rule is faithful is tried: `dateutil` expands it over the days that the build knew, and what it has too many
or too few become EXDATE and RDATE. Before and after those days they are what the source states.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime, time

from msgspec import Struct

from outings.answers.snapshot.series import Moment
from outings.configuration import read_zone
from outings.contract.instants import read_local

# Beyond them a rule says less than the dates do.
MOST_EXCLUDED = 64
MOST_ADDED = 16
_ENDS = ("UNTIL", "COUNT")
_LAST_SECOND = time(23, 59, 59)


class SeriesFacts(Struct, frozen=True, kw_only=True):
    """What is known of a series. Times are naive and local. `zone`: None for one of whole days. `moments`: what the
    build listed of it; `total`: how many dates there are in all, None where they do not end. `excluded` and `added`: as
    the source states them, of whatever date.
    """

    anchor: datetime
    zone: str | None
    moments: Sequence[Moment]
    total: int | None
    excluded: tuple[datetime, ...] = ()
    added: tuple[datetime, ...] = ()


class Recurrence(Struct, frozen=True, kw_only=True):
    """`rule`: the value of RRULE. The others are naive local times, in order."""

    rule: str
    excluded: tuple[datetime, ...]
    added: tuple[datetime, ...]


def find_recurrence(rrule: str | None, known: SeriesFacts) -> Recurrence | None:
    """None where no rule says what the series is."""
    parts = _split_rule(rrule)
    if parts is None:
        return None
    from dateutil.rrule import rrulestr  # only calendars need it

    endless = ";".join(f"{name}={value}" for name, value in parts.items() if name not in _ENDS)
    live = [read_local(moment.starts_local) for moment in known.moments]
    try:
        # Nothing takes place before the first live date: what the rule names there is too many.
        first = known.anchor if not live or known.moments[0].index == 1 else live[0]
        last = live[-1] if live else known.anchor
        named = {*rrulestr(endless, dtstart=known.anchor).between(first, last, inc=True)}
        end = _name_end(parts, known)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):  # what it raises for rules it can't read
        return None
    excluded, added = ({*named, first} - {*live}, {*live} - named) if live else (set[datetime](), set[datetime]())
    if len(excluded) > MOST_EXCLUDED or len(added) > MOST_ADDED:
        return None
    stated = list_excluded(known)
    others = {_place(each, known) for each in known.added} - stated
    return Recurrence(
        rule=endless + end,
        excluded=tuple(sorted(excluded | {each for each in stated if not live or not first <= each <= last})),
        added=tuple(sorted(added | {each for each in others if not live or not first <= each <= last})),
    )


def list_excluded(known: SeriesFacts) -> set[datetime]:
    """What the source takes out, of whatever date. A midnight at which nothing starts is its whole day."""
    by_day = defaultdict[date, set[datetime]](set)
    for each in known.added:
        placed = _place(each, known)
        by_day[placed.date()].add(placed)
    excluded = set[datetime]()
    for each in known.excluded:
        started = by_day.get(each.date(), set()) | {datetime.combine(each.date(), known.anchor.time())}
        is_day = known.zone is None or (each.time() == time() and each not in started)
        excluded |= started if is_day else {each}
    return excluded


def _place(stated: datetime, known: SeriesFacts) -> datetime:
    """A date of whole days counts by its day alone."""
    return datetime.combine(stated.date(), known.anchor.time()) if known.zone is None else stated


def _split_rule(rrule: str | None) -> dict[str, str] | None:
    text = (rrule or "").strip().upper().removeprefix("RRULE:")
    pairs = [pair.partition("=") for pair in text.split(";") if pair]
    if not pairs or not all(separator and value for _, separator, value in pairs):
        return None
    return {name.strip(): value.strip() for name, _, value in pairs}


def _name_end(parts: dict[str, str], known: SeriesFacts) -> str:
    """A series that ends in sight ends at its last date; one that ends later as its rule says. One whose end is
    further off than anyone looks has none."""
    if known.total is None:
        return ""
    if known.moments and known.moments[-1].index == known.total:
        return f";UNTIL={_format_until(read_local(known.moments[-1].starts_local), known)}"
    if "COUNT" in parts:
        return f";COUNT={parts['COUNT']}"
    if "UNTIL" not in parts:
        return ""
    text = parts["UNTIL"].replace("-", "").replace(":", "")
    if known.zone is None:
        return f";UNTIL={text[:8]}"
    if text.endswith("Z"):
        last = datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return f";UNTIL={_keep_day(last, known) if last > datetime(1900, 1, 1, tzinfo=UTC) else text}"
    until = datetime.strptime(text, "%Y%m%dT%H%M%S") if "T" in text else _end_day(text)
    return f";UNTIL={_format_until(max(until, known.anchor), known)}"


def _keep_day(last: datetime, known: SeriesFacts) -> str:
    """A local midnight is the day that begins there, as Exchange means it."""
    local = last.astimezone(read_zone(known.zone or "UTC")).replace(tzinfo=None)
    is_midnight = local.time() == time()
    return _format_until(datetime.combine(local, _LAST_SECOND), known) if is_midnight else f"{last:%Y%m%dT%H%M%SZ}"


def _end_day(text: str) -> datetime:
    return datetime.combine(datetime.strptime(text, "%Y%m%d"), _LAST_SECOND)


def _format_until(local: datetime, known: SeriesFacts) -> str:
    """Of a series with clock times it is in UTC (RFC 5545, 3.3.10)."""
    if known.zone is None:
        return f"{local:%Y%m%d}"
    return f"{local.replace(tzinfo=read_zone(known.zone)).astimezone(UTC):%Y%m%dT%H%M%SZ}"
