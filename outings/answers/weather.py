"""Describe the weather of a day or an event by a metro's forecast, from a provider or an operator's file."""

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
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


# From this chance on it is called wet, in percent.
WET = 50
_HOUR = timedelta(hours=1)

Spell = tuple[date, int, int]


def find_summary(hours: Sequence[Hour]) -> str | None:
    """Return the most frequent summary of the hours; of equally frequent ones, the first."""
    counted = Counter(hour.summary for hour in hours if hour.summary is not None)
    return max(counted, key=counted.__getitem__) if counted else None


def find_range(spells: Iterable[Hour | HalfDay]) -> TemperatureRange:
    known = [spell.temperature_f for spell in spells if spell.temperature_f is not None]
    return TemperatureRange(min=min(known, default=None), max=max(known, default=None))


def find_chance(spells: Iterable[Hour | HalfDay]) -> int | None:
    """Return the highest chance of precipitation, in percent."""
    return max((spell.precipitation_chance for spell in spells if spell.precipitation_chance is not None), default=None)


def list_wet_hours(spells: Iterable[Hour | HalfDay], zone: ZoneInfo) -> tuple[tuple[int, int], ...]:
    """Return the wet spells, each as the clock hours of its start and end. A spell past midnight is split there; a
    half-day is on the date on which it begins."""
    return _join(_clip(spell, zone) for spell in spells if _is_wet(spell))


def _is_wet(spell: Hour | HalfDay) -> bool:
    return spell.precipitation_chance is not None and spell.precipitation_chance >= WET


def _clip(spell: Hour | HalfDay, zone: ZoneInfo) -> Spell:
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


def find_day(day: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Return when a local date begins and ends."""
    midnights = (datetime.combine(date_, datetime.min.time(), zone) for date_ in (day, day + timedelta(days=1)))
    first, last = midnights
    return first, last


def are_unbroken(hours: Sequence[Hour]) -> bool:
    return all(after.starts_at - before.starts_at == _HOUR for before, after in pairwise(hours))


# What goes on for longer is spoken of by its date.
MOST_HOURS = 24


class Weather:
    """A metro's forecast, which describes days and events. `timezone`: the metro's, which determines dates; `tag`: a
    hash of the forecast."""

    def __init__(self, forecast: Forecast, *, timezone: str) -> None:
        self.forecast, self.timezone = forecast, timezone
        self.tag = hashlib.sha256(msgspec.json.encode(forecast)).hexdigest()
        self._zone = read_zone(timezone)
        self._hours = sorted(forecast.hours, key=lambda hour: hour.starts_at)
        self._half_days = sorted(forecast.half_days, key=lambda half_day: half_day.starts_at)
        self._starts = [hour.starts_at for hour in self._hours]
        self._stamps = {
            "issued_at": format_instant(forecast.issued_at),
            "expires_at": format_instant(forecast.expires_at),
        }
        self._days: dict[date, DayForecast | None] = {}

    def describe_day(self, day: date) -> DayForecast | None:
        """Describe a day by its hours if they are known to its end, else by the half-days that begin on it; return None
        without either."""
        if day not in self._days:
            hours = self._list_hours(day)
            half_days = [
                half_day for half_day in self._half_days if half_day.starts_at.astimezone(self._zone).date() == day
            ]
            described = self._sum_hours(hours) if hours else self._sum_half_days(half_days) if half_days else None
            self._days[day] = described
        return self._days[day]

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
        return EventForecast(
            covers="event_hours",
            summary=find_summary(hours),
            temperature_f=find_range(hours),
            precipitation_chance_max=find_chance(hours),
            wet_hours=list_wet_hours(hours, zone),
            hours=tuple(
                HourForecast(
                    starts_local=format_local(hour.starts_at.astimezone(zone).replace(tzinfo=None)),
                    summary=hour.summary,
                    temperature_f=hour.temperature_f,
                    precipitation_chance=hour.precipitation_chance,
                )
                for hour in hours
            ),
            **self._stamps,
        )

    def _list_hours(self, day: date) -> list[Hour]:
        """Return the hours of a date, from its start or the forecast's to its end; empty if any is missing."""
        start, end = find_day(day, self._zone)
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

    def _sum_hours(self, hours: list[Hour]) -> DayForecast:
        return DayForecast(
            summary=find_summary(hours),
            temperature_f=find_range(hours),
            precipitation_chance_max=find_chance(hours),
            wet_hours=list_wet_hours(hours, self._zone),
            **self._stamps,
        )

    def _sum_half_days(self, half_days: list[HalfDay]) -> DayForecast:
        """Summarize a day from its half-days. The summary is that of daytime, if it has one."""
        days = find_range(spell for spell in half_days if spell.is_daytime)
        nights = find_range(spell for spell in half_days if not spell.is_daytime)
        with_summary = sorted(
            (half_day for half_day in half_days if half_day.summary is not None),
            key=lambda half_day: not half_day.is_daytime,
        )
        return DayForecast(
            summary=with_summary[0].summary if with_summary else None,
            temperature_f=TemperatureRange(min=nights.min, max=days.max),
            precipitation_chance_max=find_chance(half_days),
            wet_hours=list_wet_hours(half_days, self._zone),
            **self._stamps,
        )
