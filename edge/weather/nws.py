"""`nws`: the United States' National Weather Service (https://www.weather.gov/documentation/services-web-api).

A point has a cell of a grid of 2.5 km, and that has two forecasts: by the hour, and by half-days.
"""

from collections.abc import Iterator
from datetime import timedelta
from math import floor
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from edge.remote.fetcher import Fetcher, PermanentRemoteError
from outings.answers.weather import Forecast, HalfDay, Hour, Moment
from outings.contract.resources.directories import Center
from outings.retry_policy import RetryPolicy

# Of forecasts issued every few hours at least: one that is older tells that the service stands still.
LASTS = timedelta(hours=12)
# Nobody waits for it.
RETRY_POLICY = RetryPolicy(connect=3.0, silence=5.0, whole=8.0, attempts=2, pause=1.0, rest=300.0)
MOST_WORDS = 200
_GRIDS = "/gridpoints/"


class Grid(Struct, frozen=True, kw_only=True):
    """Where the service keeps a point's forecast: paths at its server."""

    hours: str
    half_days: str


class PointForecast(Struct, frozen=True, kw_only=True):
    """What the service says of a point; without a grid it has no forecast there."""

    grid: Grid | None
    forecast: Forecast | None


class _Value(Struct, frozen=True):
    value: float | None = None
    unitCode: str = ""  # noqa: N815 - its own word


class _Chance(Struct, frozen=True):
    value: Annotated[float, Meta(ge=0, le=100)] | None = None


class _Period(Struct, frozen=True):
    """An hour, or a half-day. A temperature is a number, or, as announced, a value with its unit."""

    startTime: Moment  # noqa: N815
    endTime: Moment  # noqa: N815
    isDaytime: bool  # noqa: N815
    temperature: float | _Value | None = None
    temperatureUnit: str | None = None  # noqa: N815
    probabilityOfPrecipitation: _Chance | None = None  # noqa: N815
    shortForecast: str | None = None  # noqa: N815


class _Periods(Struct, frozen=True):
    """`updateTime`: when forecasters last changed it; what is generated from that anew is no newer."""

    updateTime: Moment  # noqa: N815
    periods: Annotated[list[_Period], Meta(min_length=1, max_length=1_000)]


class _PointLinks(Struct, frozen=True):
    forecast: str
    forecastHourly: str  # noqa: N815


class _Point(Struct, frozen=True):
    properties: _PointLinks


class _Forecast(Struct, frozen=True):
    properties: _Periods


_decode_point = msgspec.json.Decoder(_Point).decode
_decode_forecast = msgspec.json.Decoder(_Forecast).decode


class Nws:
    """`url`: its server's, or of one that stands before it. `contact`: whom it may write to about our questions."""

    name = "nws"

    def __init__(self, url: str, *, contact: str, policy: RetryPolicy = RETRY_POLICY) -> None:
        agent = f"outings/1 ({contact})" if contact else "outings/1"
        headers = {"User-Agent": agent, "Accept": "application/geo+json"}
        self._fetcher = Fetcher(url, headers=headers, policy=policy, refusing=frozenset({404}))

    def ask(self, point: Center, grid: Grid | None) -> PointForecast:
        """`grid`: what it said of the point before. Cells are now and then laid out anew: one that is gone is looked
        for again. Blocks. Raises RemoteError."""
        known = None if grid is None else self._fetch_forecast(grid)
        if known is not None:
            return PointForecast(grid=grid, forecast=known)
        grid = self._find_grid(point)
        if grid is None:
            return PointForecast(grid=None, forecast=None)
        forecast = self._fetch_forecast(grid)
        if forecast is None:
            raise PermanentRemoteError("it has no forecast where it says")
        return PointForecast(grid=grid, forecast=forecast)

    def close(self) -> None:
        self._fetcher.close()

    def _find_grid(self, point: Center) -> Grid | None:
        body = self._fetcher.fetch(f"/points/{_show(point.lat)},{_show(point.lng)}")
        if body is None:
            return None
        try:
            links = _decode_point(body).properties
            return Grid(hours=_read_path(links.forecastHourly), half_days=_read_path(links.forecast))
        except (ValueError, RecursionError):
            raise PermanentRemoteError("its point has no grid") from None

    def _fetch_forecast(self, grid: Grid) -> Forecast | None:
        """None where the cell is gone."""
        bodies = [self._fetcher.fetch(path) for path in (grid.hours, grid.half_days)]
        try:
            parts = [_decode_forecast(body).properties for body in bodies if body is not None]
            return _make_forecast(*parts) if len(parts) == len(bodies) else None
        except (ValueError, RecursionError):
            raise PermanentRemoteError("its answer is no forecast") from None


def _show(degrees: float) -> str:
    """It sends elsewhere who asks with more than four digits, or with zeros at their end."""
    return f"{degrees:.4f}".rstrip("0").rstrip(".")


def _read_path(link: str) -> str:
    """What is asked stays on the operator's server, whatever host its links name."""
    path = urlsplit(link).path
    start = path.find(_GRIDS)
    if start < 0 or ".." in path:
        raise ValueError(f"no path of a grid: {path}")
    return path[start:]


def _make_forecast(hourly: _Periods, by_half_days: _Periods) -> Forecast:
    issued_at = max(hourly.updateTime, by_half_days.updateTime)
    return Forecast(
        issued_at=issued_at, expires_at=issued_at + LASTS, hours=tuple(_read_hours(hourly)),
        half_days=tuple(_read_half_days(by_half_days)),
    )  # fmt: skip


def _read_hours(hourly: _Periods) -> Iterator[Hour]:
    for each in hourly.periods:
        yield Hour(
            starts_at=each.startTime, temperature_f=_read_degrees(each), precipitation_chance=_read_chance(each),
            summary=_read_words(each),
        )  # fmt: skip


def _read_half_days(by_half_days: _Periods) -> Iterator[HalfDay]:
    for each in by_half_days.periods:
        yield HalfDay(
            starts_at=each.startTime, ends_at=each.endTime, is_daytime=each.isDaytime,
            temperature_f=_read_degrees(each), precipitation_chance=_read_chance(each), summary=_read_words(each),
        )  # fmt: skip


def _read_degrees(period: _Period) -> int | None:
    """In Fahrenheit, half up."""
    temperature = period.temperature
    stated = temperature.value if isinstance(temperature, _Value) else temperature
    unit = temperature.unitCode if isinstance(temperature, _Value) else period.temperatureUnit or ""
    if stated is None:
        return None
    if not unit.endswith(("F", "C")) or not -150 <= stated <= 200:
        raise ValueError(f"no temperature: {stated} {unit}")
    return floor((stated * 9 / 5 + 32 if unit.endswith("C") else stated) + 0.5)


def _read_chance(period: _Period) -> int | None:
    chance = period.probabilityOfPrecipitation
    return None if chance is None or chance.value is None else floor(chance.value + 0.5)


def _read_words(period: _Period) -> str | None:
    return (period.shortForecast or "").strip()[:MOST_WORDS] or None
