"""Describe the weather of a day or an event by a metro's forecast, from a provider or an operator's file."""

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict

from outings.configuration import read_zone
from outings.contract.resources.shared import DayForecast, EventForecast, HourForecast, TemperatureRange
from outings.contract.values import format_instant, format_local

Moment = Annotated[datetime, Meta(tz=True)]
Chance = Annotated[int, Meta(ge=0, le=100)]
Degrees = Annotated[int, Meta(ge=-150, le=200)]
Words = Annotated[str, Meta(min_length=1, max_length=200)]


class Hour(Struct, frozen=True, kw_only=True):
    """The weather of the hour from `starts_at` on."""

    starts_at: Moment
    temperature_f: Degrees | None = None
    precipitation_chance: Chance | None = None
    summary: Words | None = None


class HalfDay(Struct, frozen=True, kw_only=True):
    """The weather of a day or a night, or of the rest of it. `temperature_f`: a day's highest, a night's lowest."""

    starts_at: Moment
    ends_at: Moment
    is_daytime: bool
    temperature_f: Degrees | None = None
    precipitation_chance: Chance | None = None
    summary: Words | None = None


class Forecast(Struct, frozen=True, kw_only=True):
    """A metro's forecast: hours as far as they are known, and half-days. It is not shown from `expires_at` on."""

    issued_at: Moment
    expires_at: Moment
    hours: tuple[Hour, ...] = ()
    half_days: tuple[HalfDay, ...] = ()


# The least chance of precipitation, in percent, of hours that are called wet.
WET = 50
_HOUR = timedelta(hours=1)

# A part of a day: the date, and the clock hours of its start and end.
Spell = tuple[date, int, int]


def find_summary(hours: Sequence[Hour]) -> str | None:
    """Return the most frequent summary of the hours; of equally frequent ones, the first."""
    counted = Counter(hour.summary for hour in hours if hour.summary is not None)
    return max(counted, key=counted.__getitem__) if counted else None


def find_range(spells: Iterable[Hour | HalfDay]) -> TemperatureRange:
    temperatures = [spell.temperature_f for spell in spells if spell.temperature_f is not None]
    return TemperatureRange(min=min(temperatures, default=None), max=max(temperatures, default=None))


def find_chance(spells: Iterable[Hour | HalfDay]) -> int | None:
    """Return the highest chance of precipitation, in percent."""
    return max((spell.precipitation_chance for spell in spells if spell.precipitation_chance is not None), default=None)


def list_wet_hours(spells: Iterable[Hour | HalfDay], zone: ZoneInfo) -> tuple[tuple[int, int], ...]:
    """Return the wet parts of days, each as the clock hours of its start and end. They are split at midnight; a
    half-day is on the date on which it begins."""
    return _join(_clip(spell, zone) for spell in spells if (spell.precipitation_chance or 0) >= WET)


def _clip(spell: Hour | HalfDay, zone: ZoneInfo) -> Spell:
    """Return an hour or a half-day by the zone's clock, without the part of a half-day after midnight."""
    starts = spell.starts_at.astimezone(zone)
    if isinstance(spell, Hour):
        return starts.date(), starts.hour, starts.hour + 1
    ends = spell.ends_at.astimezone(zone)
    return starts.date(), starts.hour, 24 if ends.date() > starts.date() else ends.hour + (ends.minute > 0)


def _join(spells: Iterable[Spell]) -> tuple[tuple[int, int], ...]:
    """Join adjacent spells, which are sorted. An hour that the clock repeats counts once."""
    joined: list[Spell] = []
    for day, start, end in spells:
        before = joined[-1] if joined else None
        if before is not None and before[0] == day and start <= before[2]:
            joined[-1] = (day, before[1], max(before[2], end))
        else:
            joined.append((day, start, end))
    return tuple((start, end) for _, start, end in joined)


def are_unbroken(hours: Sequence[Hour]) -> bool:
    return all(after.starts_at - before.starts_at == _HOUR for before, after in pairwise(hours))


# The most hours of an event that is described by hours. A longer one is described by the date on which it begins.
MOST_HOURS = 24


class Weather:
    """A describer of days and events by a metro's forecast. `timezone`: the metro's, which determines dates; `tag`: a
    hash of the forecast."""

    def __init__(self, forecast: Forecast, *, timezone: str) -> None:
        self.forecast, self.timezone = forecast, timezone
        self.tag = hashlib.sha256(msgspec.json.encode(forecast)).hexdigest()
        self._zone = read_zone(timezone)
        self._hours = sorted(forecast.hours, key=lambda hour: hour.starts_at)
        self._half_days = sorted(forecast.half_days, key=lambda half_day: half_day.starts_at)
        self._starts = [hour.starts_at for hour in self._hours]

    def describe_day(self, day: date) -> DayForecast | None:
        """Describe a day by its hours if they are known to its end, else by the half-days that begin on it; return None
        without either."""
        if hours := self._list_hours(day):
            return self._describe_hours(hours, self._zone)
        half_days = [spell for spell in self._half_days if spell.starts_at.astimezone(self._zone).date() == day]
        return self._describe_half_days(half_days) if half_days else None

    def describe_event(self, starts_at: int, ends_at: int | None, *, timezone: str) -> EventForecast | None:
        """Describe an event by the hours that it touches if all are known, else by the date on which it begins. An
        event without an end touches the hour of its start. Times are in seconds since 1970."""
        starts = datetime.fromtimestamp(starts_at, UTC)
        ends = starts if ends_at is None else datetime.fromtimestamp(ends_at, UTC)
        zone = read_zone(timezone)
        hours = self._find_hours(starts, ends)
        if not hours:
            day = self.describe_day(starts.astimezone(zone).date())
            return None if day is None else EventForecast(covers="local_day", hours=(), **asdict(day))
        shown = tuple(
            HourForecast(
                starts_local=format_local(hour.starts_at.astimezone(zone).replace(tzinfo=None)),
                summary=hour.summary,
                temperature_f=hour.temperature_f,
                precipitation_chance=hour.precipitation_chance,
            )
            for hour in hours
        )
        return EventForecast(covers="event_hours", hours=shown, **asdict(self._describe_hours(hours, zone)))

    def _list_hours(self, day: date) -> list[Hour]:
        """Return the hours of a date, from its start or the forecast's to its end; empty if any is missing."""
        start, end = (datetime.combine(day + timedelta(days), time(), self._zone) for days in (0, 1))
        first = bisect_left(self._starts, start)
        hours = self._hours[first : bisect_left(self._starts, end)]
        is_whole = bool(hours) and (first == 0 or hours[0].starts_at - start < _HOUR)
        is_whole = is_whole and hours[-1].starts_at + _HOUR >= end and are_unbroken(hours)
        return hours if is_whole else []

    def _find_hours(self, starts: datetime, ends: datetime) -> list[Hour]:
        """Return the hours that an event touches; empty if any is missing, or they are too many."""
        first = bisect_right(self._starts, starts) - 1
        last = max(bisect_left(self._starts, ends), first + 1)
        hours = self._hours[max(first, 0) : last]
        is_whole = first >= 0 and starts < hours[0].starts_at + _HOUR and ends <= hours[-1].starts_at + _HOUR
        return hours if is_whole and len(hours) <= MOST_HOURS and are_unbroken(hours) else []

    def _describe_hours(self, hours: list[Hour], zone: ZoneInfo) -> DayForecast:
        return self._describe(hours, zone, summary=find_summary(hours), temperature=find_range(hours))

    def _describe_half_days(self, half_days: list[HalfDay]) -> DayForecast:
        """Describe a day by its half-days. The summary is that of daytime, if it has one."""
        days = find_range(spell for spell in half_days if spell.is_daytime)
        nights = find_range(spell for spell in half_days if not spell.is_daytime)
        by_daytime = sorted(half_days, key=lambda half_day: not half_day.is_daytime)
        summary = next((half_day.summary for half_day in by_daytime if half_day.summary is not None), None)
        temperature = TemperatureRange(min=nights.min, max=days.max)
        return self._describe(half_days, self._zone, summary=summary, temperature=temperature)

    def _describe(
        self, spells: Sequence[Hour | HalfDay], zone: ZoneInfo, *, summary: str | None, temperature: TemperatureRange
    ) -> DayForecast:
        return DayForecast(
            summary=summary,
            temperature_f=temperature,
            precipitation_chance_max=find_chance(spells),
            wet_hours=list_wet_hours(spells, zone),
            issued_at=format_instant(self.forecast.issued_at),
            expires_at=format_instant(self.forecast.expires_at),
        )
