"""`[weather]` → forecasts."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from edge.weather.file import FileSource
from edge.weather.forecasts import Forecasts, Source
from edge.weather.nws import Nws
from edge.weather.sharing import SharedSource
from outings.configuration.tables import WeatherTable


def open_forecasts(table: WeatherTable, *, state: Path, clock: Callable[[], datetime]) -> Forecasts:
    """`state`: the folder in which workers share what they know of this machine."""
    return Forecasts(_open_source(table, state=state, clock=clock), clock=clock)


def _open_source(table: WeatherTable, *, state: Path, clock: Callable[[], datetime]) -> Source | None:
    if table.provider == "nws":
        provider = Nws(table.url, contact=table.contact)
        return SharedSource(provider, folder=state / "weather", clock=lambda: clock().timestamp())
    if table.provider == "file":
        assert table.path is not None, "the configuration asks for it"
        return FileSource(table.path)
    return None
