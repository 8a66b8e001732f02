"""The interface of a provider: a server that is asked for the forecast of a point."""

from typing import Protocol

from msgspec import Struct

from outings.answers.weather.forecast import Forecast
from outings.contract.resources.metro import Center


class Grid(Struct, frozen=True, kw_only=True):
    """Where the provider keeps a point's forecast: paths at its server."""

    hours: str
    half_days: str


class PointForecast(Struct, frozen=True, kw_only=True):
    """What a provider says of a point; without a grid it has no forecast there."""

    grid: Grid | None
    forecast: Forecast | None


class Provider(Protocol):
    name: str

    def ask(self, point: Center, grid: Grid | None) -> PointForecast:
        """`grid`: what it said of the point before. Blocks. Raises `edge.remote.fetcher.RemoteError`."""

    def close(self) -> None: ...
