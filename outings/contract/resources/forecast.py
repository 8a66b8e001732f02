"""The forecast block of `include=forecast`: of a date in the calendar, and of an event."""

from typing import Annotated

from msgspec import Meta

from outings.contract.resources.shared import Member
from outings.contract.resources.words import Instant, Local, means, one_of

# What an event's block speaks of: its own hours, or the local date on which it begins.
COVERS = ("event_hours", "local_day")

Covers = Annotated[str, one_of(*COVERS)]
Percent = Annotated[int, Meta(ge=0, le=100)]
# An hour of the local clock, and the one before which it ends.
_HOUR = Annotated[int, Meta(ge=0, le=24)]


class TemperatureRange(Member, frozen=True, kw_only=True):
    """In degrees Fahrenheit."""

    min: Annotated[int | None, means("The least.")]
    max: Annotated[int | None, means("The greatest.")]


class DayForecast(Member, frozen=True, kw_only=True):
    """Of a local date, today's of what is left of it when it was issued. `wet_hours`: from which hour to before which
    it is more likely wet than not. `expires_at`: after that nobody should show it."""

    summary: str | None
    temperature_f: TemperatureRange
    precipitation_chance_max: Percent | None
    wet_hours: tuple[tuple[_HOUR, _HOUR], ...]
    issued_at: Instant
    expires_at: Instant


class HourForecast(Member, frozen=True, kw_only=True):
    """The hour that begins then, by the event's clock."""

    starts_local: Annotated[Local, means("The hour that begins then, by the event's clock.")]
    summary: str | None
    temperature_f: int | None
    precipitation_chance: Annotated[Percent | None, means("The chance of rain or snow, in percent.")]


class EventForecast(Member, frozen=True, kw_only=True):
    """`hours` has an event's own, from the one in which it begins to the one in which it ends; it is empty where the
    block is of the local date. The other members are as a date's, over what it `covers`."""

    covers: Annotated[Covers, means("Whether it is of the event's own hours or of its local date.")]
    summary: str | None
    temperature_f: TemperatureRange
    precipitation_chance_max: Percent | None
    wet_hours: tuple[tuple[_HOUR, _HOUR], ...]
    hours: Annotated[
        tuple[HourForecast, ...], means("The event's own hours; empty where the forecast is of the local date.")
    ]
    issued_at: Instant
    expires_at: Instant
