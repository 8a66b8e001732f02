"""Forecasts of the US National Weather Service."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from math import floor
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
import structlog
from msgspec import Meta, Struct
from msgspec.structs import replace

from outings.answers.weather import Forecast, HalfDay, Hour, Moment
from outings.contract.resources.directories import Center
from outings.release.manifest import MetroSettings
from outings.remote.fetcher import CircuitBreaker, Fetcher, PermanentRemoteError, RemoteError
from outings.retry_policy import RetryPolicy

log = structlog.get_logger()

# A forecast expires after this time. The service issues one every few hours, so an older one means that it is down.
LASTS = timedelta(hours=12)
# Longer than for a geocoder, since no reader waits for a forecast.
RETRY_POLICY = RetryPolicy(connect=3.0, silence=5.0, whole=8.0, attempts=2, pause=1.0, rest=300.0)
MOST_WORDS = 200
_GRIDS = "/gridpoints/"


class Grid(Struct, frozen=True, kw_only=True):
    """The paths of a point's hourly and half-day forecasts at the service."""

    hours: str
    half_days: str


class PointForecast(Struct, frozen=True, kw_only=True):
    """The service's answer for a point. Both members are None if it has no forecast there."""

    grid: Grid | None
    forecast: Forecast | None


class _Value(Struct, frozen=True):
    value: float | None = None
    unitCode: str = ""  # noqa: N815 - its own word


class _Chance(Struct, frozen=True):
    value: Annotated[float, Meta(ge=0, le=100)] | None = None


class _Period(Struct, frozen=True):
    """One hour or half a day. A temperature is a number or, as the service announced, a value with a unit."""

    startTime: Moment  # noqa: N815
    endTime: Moment  # noqa: N815
    isDaytime: bool  # noqa: N815
    temperature: float | _Value | None = None
    temperatureUnit: str | None = None  # noqa: N815
    probabilityOfPrecipitation: _Chance | None = None  # noqa: N815
    shortForecast: str | None = None  # noqa: N815


class _Periods(Struct, frozen=True):
    """The periods of a forecast. `updateTime`: when forecasters last changed it, which regenerating it does not."""

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
    """A client of the service. `url`: the service, or a proxy of it. `contact`: an address that the service may write
    to about our requests."""

    name = "nws"

    def __init__(self, url: str, *, contact: str, policy: RetryPolicy = RETRY_POLICY) -> None:
        agent = f"outings/1 ({contact})" if contact else "outings/1"
        headers = {"User-Agent": agent, "Accept": "application/geo+json"}
        self._fetcher = Fetcher(url, headers=headers, policy=policy, refusing=frozenset({404}))

    def ask(self, point: Center, grid: Grid | None) -> PointForecast:
        """Fetch the forecast of a point. `grid`: its grid as found before, or None. The service sometimes renumbers its
        grid; the new one is then found. Blocks. Raises RemoteError."""
        stored = None if grid is None else self._fetch_forecast(grid)
        if stored is not None:
            return PointForecast(grid=grid, forecast=stored)
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
        body = self._fetcher.fetch(f"/points/{_format_degrees(point.lat)},{_format_degrees(point.lng)}")
        if body is None:
            return None
        try:
            links = _decode_point(body).properties
            return Grid(hours=_read_path(links.forecastHourly), half_days=_read_path(links.forecast))
        except (ValueError, RecursionError):
            raise PermanentRemoteError("its point has no grid") from None

    def _fetch_forecast(self, grid: Grid) -> Forecast | None:
        """Fetch a forecast by its paths. Return None if the service no longer has them."""
        bodies = [self._fetcher.fetch(path) for path in (grid.hours, grid.half_days)]
        try:
            parts = [_decode_forecast(body).properties for body in bodies if body is not None]
            return _make_forecast(*parts) if len(parts) == len(bodies) else None
        except (ValueError, RecursionError):
            raise PermanentRemoteError("its answer is no forecast") from None


def _format_degrees(degrees: float) -> str:
    """Format a coordinate with at most four digits and no trailing zeros. The service redirects other forms."""
    return f"{degrees:.4f}".rstrip("0").rstrip(".")


def _read_path(link: str) -> str:
    """Return the path of a link without its host, so that requests stay on the operator's server."""
    path = urlsplit(link).path
    start = path.find(_GRIDS)
    if start < 0 or ".." in path:
        raise ValueError(f"no path of a grid: {path}")
    return path[start:]


def _make_forecast(hourly: _Periods, by_half_days: _Periods) -> Forecast:
    issued_at = max(hourly.updateTime, by_half_days.updateTime)
    return Forecast(
        issued_at=issued_at,
        expires_at=issued_at + LASTS,
        hours=tuple(Hour(**_read_period(period)) for period in hourly.periods),
        half_days=tuple(
            HalfDay(**_read_period(period), ends_at=period.endTime, is_daytime=period.isDaytime)
            for period in by_half_days.periods
        ),
    )


def _read_period(period: _Period) -> dict[str, Any]:
    chance = period.probabilityOfPrecipitation
    return {
        "starts_at": period.startTime,
        "temperature_f": _read_degrees(period),
        "precipitation_chance": None if chance is None or chance.value is None else floor(chance.value + 0.5),
        "summary": (period.shortForecast or "").strip()[:MOST_WORDS] or None,
    }


def _read_degrees(period: _Period) -> int | None:
    """Return a period's temperature in Fahrenheit, rounded half up, or None."""
    temperature = period.temperature
    stated = temperature.value if isinstance(temperature, _Value) else temperature
    unit = temperature.unitCode if isinstance(temperature, _Value) else period.temperatureUnit or ""
    if stated is None:
        return None
    if not unit.endswith(("F", "C")) or not -150 <= stated <= 200:
        raise ValueError(f"no temperature: {stated} {unit}")
    return floor((stated * 9 / 5 + 32 if unit.endswith("C") else stated) + 0.5)


# In seconds. A forecast is fetched twice an hour; a point without one, and the grid of a point, once a day.
RENEW = 1_800.0
DAY = 86_400.0
# Seconds to wait after a failure. They double with each further failure in a row, up to the maximum.
RETRY = 60.0
MOST_RETRY = 900.0


class CachedForecast(Struct, frozen=True, kw_only=True):
    """The last forecast of a metro. `next_at`: when to request the next one, in seconds since 1970; `failures`: failed
    requests in a row."""

    point: Center
    next_at: float
    failures: int = 0
    grid: Grid | None = None
    grid_until: float = 0.0
    forecast: Forecast | None = None


class NwsForecasts:
    """Fetches and caches the forecasts of this worker's metros. `clock`: seconds since 1970."""

    def __init__(self, provider: Nws, *, clock: Callable[[], float]) -> None:
        self._provider = provider
        self._clock = clock
        self._breaker = CircuitBreaker(clock=clock)
        self._cached: dict[str, CachedForecast] = {}
        self._is_closed = False

    def list_forecasts(self, metros: Mapping[str, MetroSettings]) -> Mapping[str, Forecast]:
        for slug, metro in metros.items():
            cached = self._cached.get(slug)
            # One that is due in more than a day was asked for before the clock was set back.
            if cached is None or cached.point != metro.center or not 0 < cached.next_at - self._clock() <= DAY:
                self._renew(slug, metro)
        return {
            slug: cached.forecast
            for slug, cached in self._cached.items()
            if cached.forecast is not None and slug in metros and cached.point == metros[slug].center
        }

    def close(self) -> None:
        """Send no further requests."""
        self._is_closed = True
        self._provider.close()

    def _renew(self, slug: str, metro: MetroSettings) -> None:
        """Request a metro's forecast, unless the provider is paused. After a failure keep the last forecast."""
        if self._is_closed or self._breaker.enter() is not None:
            return
        cached = self._cached.get(slug)
        if cached is None or cached.point != metro.center:
            cached = CachedForecast(point=metro.center, next_at=0)
        try:
            renewed = self._ask(cached)
        except RemoteError as failure:
            wait = max(min(RETRY * 2**cached.failures, MOST_RETRY), failure.rest or 0)
            self._breaker.note_failure(rest=failure.rest)
            log.warning(
                "weather_failed", provider=self._provider.name, metro=slug, reason=str(failure), retry_after=int(wait)
            )
            renewed = replace(cached, next_at=self._clock() + wait, failures=min(cached.failures + 1, 10))
        self._cached[slug] = renewed

    def _ask(self, cached: CachedForecast) -> CachedForecast:
        answer = self._provider.ask(cached.point, cached.grid if self._clock() < cached.grid_until else None)
        self._breaker.note_success()
        now, before, after = self._clock(), cached.forecast, answer.forecast
        if before is not None and after is not None and after.issued_at <= before.issued_at:
            after = before  # it has more of today, and one time of issue is one forecast
        return CachedForecast(
            point=cached.point,
            next_at=now + (DAY if answer.grid is None else RENEW),
            grid=answer.grid,
            grid_until=cached.grid_until if answer.grid == cached.grid and now < cached.grid_until else now + DAY,
            forecast=after,
        )
