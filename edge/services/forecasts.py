"""The current forecasts: updated by a task of the worker, read by its requests."""

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Protocol

import msgspec
import structlog

from outings.answers.weather import Forecast, Weather
from outings.configuration.tables import WeatherTable
from outings.release.folder import FileState, name_state
from outings.release.manifest import MetroSettings

log = structlog.get_logger()

MOST_BYTES = 64 * 2**20

_decode = msgspec.json.Decoder(dict[str, Forecast]).decode


class FileForecastSource:
    """Forecasts from a file. If it is missing or can't be read, the last good ones are served."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state: FileState | None = None
        self._reason: str | None = None
        self._forecasts: Mapping[str, Forecast] = {}

    def list_forecasts(self, metros: Mapping[str, MetroSettings]) -> Mapping[str, Forecast]:
        try:
            status = self._path.stat()
            if name_state(status) != self._state:
                self._read(status)
        except (OSError, ValueError, RecursionError) as error:
            self._warn(str(error))
        return {slug: self._forecasts[slug] for slug in metros if slug in self._forecasts}

    def close(self) -> None:
        """Do nothing: no file is open."""

    def _read(self, status: os.stat_result) -> None:
        """Read the file. A faulty file is read again once it is replaced, a forbidden one each time."""
        data = self._path.read_bytes() if status.st_size <= MOST_BYTES else None
        self._state = name_state(status)
        if data is None:
            raise ValueError(f"it has {status.st_size} bytes; allowed: at most {MOST_BYTES}")
        self._forecasts = _decode(data)
        self._reason = None

    def _warn(self, reason: str) -> None:
        """Log each fault once."""
        if reason != self._reason:
            log.warning("forecast_file_not_read", path=str(self._path), reason=reason)
            self._reason = reason


WeatherByMetro = Mapping[str, Weather]


class ForecastSource(Protocol):
    def list_forecasts(self, metros: Mapping[str, MetroSettings]) -> Mapping[str, Forecast]:
        """Return the known forecasts by metro, expired ones too. May block: don't call it on the event loop."""

    def close(self) -> None: ...


class Forecasts:
    """The current forecasts of a `source`. `poll` and `read` may be called from different threads."""

    def __init__(self, source: ForecastSource, *, clock: Callable[[], datetime]) -> None:
        self._source = source
        self._clock = clock
        self._current: WeatherByMetro = {}

    def read(self) -> WeatherByMetro:
        """Return the forecasts by metro that have not expired. While nothing changes it is the same mapping."""
        valid = self._drop_expired(self._current)
        if len(valid) < len(self._current):
            self._current = valid
        return self._current

    def poll(self, metros: Mapping[str, MetroSettings]) -> None:
        """Update the forecasts from the source. Blocks."""
        latest = self._source.list_forecasts(metros)
        opened = {slug: self._open(slug, forecast, metros[slug].timezone) for slug, forecast in latest.items()}
        valid = self._drop_expired(opened)
        if valid != self._current:
            self._current = valid

    def close(self) -> None:
        self._source.close()

    def _open(self, slug: str, forecast: Forecast, timezone: str) -> Weather:
        """Return the weather of a forecast: the earlier object if the forecast has not changed."""
        before = self._current.get(slug)
        is_same = before is not None and before.forecast == forecast and before.timezone == timezone
        return before if before is not None and is_same else Weather(forecast, timezone=timezone)

    def _drop_expired(self, weather: WeatherByMetro) -> WeatherByMetro:
        now = self._clock()
        return {slug: of_metro for slug, of_metro in weather.items() if now < of_metro.forecast.expires_at}


def open_forecasts(table: WeatherTable, *, clock: Callable[[], datetime]) -> Forecasts | None:
    """Open the provider that `[weather]` names, None for `none`."""
    if table.provider == "none":
        return None
    source: ForecastSource
    if table.provider == "nws":
        # Only here, because it imports an HTTP client: an eighth of all import time.
        from edge.services.nws import Nws, NwsForecasts

        source = NwsForecasts(Nws(table.url, contact=table.contact), clock=lambda: clock().timestamp())
    else:
        assert table.path is not None, "the configuration asks for it"
        source = FileForecastSource(table.path)
    return Forecasts(source, clock=clock)
