"""Hours or half-days → what is said of them together."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from outings.answers.weather.forecast import HalfDay, Hour
from outings.contract.resources.forecast import TemperatureRange

# From this chance on it is called wet, in percent.
WET = 50
_HOUR = timedelta(hours=1)

Spell = tuple[date, int, int]


def find_summary(hours: Sequence[Hour]) -> str | None:
    """What most of the hours say; of those equally often the first."""
    counted = Counter(hour.summary for hour in hours if hour.summary is not None)
    return max(counted, key=counted.__getitem__) if counted else None


def find_range(hours: Iterable[Hour]) -> TemperatureRange:
    known = [hour.temperature_f for hour in hours if hour.temperature_f is not None]
    return TemperatureRange(min=min(known, default=None), max=max(known, default=None))


def find_chance(spells: Iterable[Hour | HalfDay]) -> int | None:
    """The greatest."""
    return max((each.precipitation_chance for each in spells if each.precipitation_chance is not None), default=None)


def list_wet_hours(hours: Iterable[Hour], zone: ZoneInfo) -> tuple[tuple[int, int], ...]:
    """By the clock; what goes on past midnight begins anew there."""
    locals_ = (hour.starts_at.astimezone(zone) for hour in hours if _is_wet(hour))
    return _join((local.date(), local.hour, local.hour + 1) for local in locals_)


def list_wet_half_days(half_days: Iterable[HalfDay], zone: ZoneInfo) -> tuple[tuple[int, int], ...]:
    """Of the date on which each begins."""
    return _join(_clip(each, zone) for each in half_days if _is_wet(each))


def _is_wet(spell: Hour | HalfDay) -> bool:
    return spell.precipitation_chance is not None and spell.precipitation_chance >= WET


def _clip(half_day: HalfDay, zone: ZoneInfo) -> Spell:
    starts, ends = half_day.starts_at.astimezone(zone), half_day.ends_at.astimezone(zone)
    end = 24 if ends.date() > starts.date() else ends.hour + (ends.minute > 0)
    return starts.date(), starts.hour, end


def _join(spells: Iterable[Spell]) -> tuple[tuple[int, int], ...]:
    """In order of time. An hour that a clock has twice is one."""
    joined: list[Spell] = []
    for day, start, end in spells:
        before = joined[-1] if joined else None
        if before is not None and before[0] == day and start <= before[2]:
            joined[-1] = (day, before[1], max(before[2], end))
        else:
            joined.append((day, start, end))
    return tuple((start, end) for _, start, end in joined)


def find_day(day: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """When a local date begins and ends."""
    midnights = (datetime.combine(each, datetime.min.time(), zone) for each in (day, day + timedelta(days=1)))
    first, last = midnights
    return first, last


def are_unbroken(hours: Sequence[Hour]) -> bool:
    return all(after.starts_at - before.starts_at == _HOUR for before, after in pairwise(hours))
