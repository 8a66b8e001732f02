"""`[weather]` → forecasts."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from edge.weather.file_source import FileForecastSource
from edge.weather.forecasts import Forecasts, ForecastSource
from outings.configuration.tables import WeatherTable


def open_forecasts(table: WeatherTable, *, state: Path, clock: Callable[[], datetime]) -> Forecasts:
    """`state`: the folder in which workers share what they know of this machine."""
    return Forecasts(_open_source(table, state=state, clock=clock), clock=clock)


def _open_source(table: WeatherTable, *, state: Path, clock: Callable[[], datetime]) -> ForecastSource | None:
    if table.provider == "nws":
        # With an HTTP client, which takes an eighth of all imports.
        from edge.weather.nws import Nws
        from edge.weather.shared_source import SharedForecastSource

        provider = Nws(table.url, contact=table.contact)
        return SharedForecastSource(provider, folder=state / "weather", clock=lambda: clock().timestamp())
    if table.provider == "file":
        assert table.path is not None, "the configuration asks for it"
        return FileForecastSource(table.path)
    return None
