"""A series as iCalendar can say it: its rule and what the rule gets wrong, where that is little; else its dates.

Whether a rule is faithful is tried: `dateutil` expands it over the days that the build knew, and what it has too many
or too few become EXDATE and RDATE.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from dateutil.rrule import rrulestr
from msgspec import Struct

from outings.answers.series import Moment

# Beyond them a rule says less than the dates do.
MOST_EXCLUDED = 64
MOST_ADDED = 16
_ENDS = ("UNTIL", "COUNT")


class Recurrence(Struct, frozen=True, kw_only=True):
    """`rule`: the value of RRULE. The others are naive local times, in order."""

    rule: str
    excluded: tuple[datetime, ...]
    added: tuple[datetime, ...]


def find_recurrence(
    rrule: str | None, moments: Sequence[Moment], *, anchor: datetime, total: int | None, is_timed: bool
) -> Recurrence | None:
    """None where no rule says what the series is. `moments`: what the build knew of it; `total` as of a `Series`."""
    parts = _split_rule(rrule)
    if parts is None or not moments:
        return None
    live = [read_local(moment.starts_local) for moment in moments]
    endless = ";".join(f"{name}={value}" for name, value in parts.items() if name not in _ENDS)
    try:
        expanded = rrulestr(endless, dtstart=anchor).between(live[0], live[-1], inc=True)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):  # what it raises for rules it can't read
        return None
    excluded, added = sorted({*expanded} - {*live}), sorted({*live} - {*expanded})
    if len(excluded) > MOST_EXCLUDED or len(added) > MOST_ADDED:
        return None
    end = _name_end(parts, moments[-1], total=total, is_timed=is_timed)
    return Recurrence(rule=endless + end, excluded=tuple(excluded), added=tuple(added))


def read_local(seconds: int) -> datetime:
    """Of the local clock, naive."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


def _split_rule(rrule: str | None) -> dict[str, str] | None:
    text = (rrule or "").strip().upper().removeprefix("RRULE:")
    pairs = [pair.partition("=") for pair in text.split(";") if pair]
    if not pairs or not all(separator and value for _, separator, value in pairs):
        return None
    return {name.strip(): value.strip() for name, _, value in pairs}


def _name_end(parts: dict[str, str], last: Moment, *, total: int | None, is_timed: bool) -> str:
    """A series that ends in sight ends at its last date; one that ends later as its rule says."""
    if last.index == total:
        moment = datetime.fromtimestamp(last.starts_at, UTC) if is_timed else read_local(last.starts_local)
        return f";UNTIL={moment:%Y%m%dT%H%M%SZ}" if is_timed else f";UNTIL={moment:%Y%m%d}"
    if "COUNT" in parts:
        return f";COUNT={parts['COUNT']}"
    if "UNTIL" in parts:
        day = parts["UNTIL"][:8]
        if not is_timed:
            return f";UNTIL={day}"
        return f";UNTIL={parts['UNTIL'] if parts['UNTIL'].endswith('Z') else f'{day}T235959Z'}"
    return ""
