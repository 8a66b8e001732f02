"""Forecast: of one point, as a provider issued it. Also the layout of an operator's own file, and of what the workers
of a machine share."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

Moment = Annotated[datetime, Meta(tz=True)]
Chance = Annotated[int, Meta(ge=0, le=100)]
Degrees = Annotated[int, Meta(ge=-150, le=200)]
Words = Annotated[str, Meta(min_length=1, max_length=200)]


class Hour(Struct, frozen=True, kw_only=True):
    """The hour from `starts_at` on."""

    starts_at: Moment
    temperature_f: Degrees | None = None
    precipitation_chance: Chance | None = None
    summary: Words | None = None


class HalfDay(Struct, frozen=True, kw_only=True):
    """A day or a night, or what is left of it; its temperature is the highest of a day, the lowest of a night."""

    starts_at: Moment
    ends_at: Moment
    is_daytime: bool
    temperature_f: Degrees | None = None
    precipitation_chance: Chance | None = None
    summary: Words | None = None


class Forecast(Struct, frozen=True, kw_only=True):
    """Hours as far as they are known, half-days beyond them. Nobody is shown it from `expires_at` on."""

    issued_at: Moment
    expires_at: Moment
    hours: tuple[Hour, ...] = ()
    half_days: tuple[HalfDay, ...] = ()
