"""The current forecasts: updated by a task of the worker, read by its requests."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from edge.weather.file_source import FileForecastSource
from outings.answers.weather import Forecast, Weather
from outings.configuration.tables import WeatherTable
from outings.release.manifest import MetroSettings

_NEVER = datetime.max.replace(tzinfo=UTC)

Known = Mapping[str, Weather]


class ForecastSource(Protocol):
    def list_forecasts(self, metros: Mapping[str, MetroSettings]) -> Mapping[str, Forecast]:
        """Return the known forecasts by metro, expired ones too. May block: don't call it on the event loop."""

    def close(self) -> None: ...


class Forecasts:
    """The current forecasts of a `source`, none without one. `poll` and `read` may be called from different threads."""

    def __init__(self, source: ForecastSource | None, *, clock: Callable[[], datetime]) -> None:
        self._source = source
        self._clock = clock
        self._known: Known = {}
        # What is shown of `_basis`, and until when.
        self._shown: Known = {}
        self._basis: Known = self._known
        self._until = _NEVER

    @property
    def has_source(self) -> bool:
        return self._source is not None

    def read(self) -> Known:
        """Return the forecasts by metro that have not expired. While nothing changes it is the same mapping."""
        # Most servers know none, and no clock is read for them.
        if self._known is not self._basis or (self._until is not _NEVER and self._clock() >= self._until):
            self._settle(self._known, self._clock())
        return self._shown

    def poll(self, metros: Mapping[str, MetroSettings]) -> None:
        """Takes over what the source knows now. Blocks."""
        if self._source is None:
            return
        latest = self._source.list_forecasts(metros)
        known = {slug: self._open(slug, forecast, metros[slug].timezone) for slug, forecast in latest.items()}
        if known != self._known:
            self._known = known

    def close(self) -> None:
        if self._source is not None:
            self._source.close()

    def _open(self, slug: str, forecast: Forecast, timezone: str) -> Weather:
        """The weather of a forecast; the earlier object if the forecast has not changed."""
        before = self._known.get(slug)
        is_same = before is not None and before.forecast == forecast and before.timezone == timezone
        return before if before is not None and is_same else Weather(forecast, timezone=timezone)

    def _settle(self, known: Known, now: datetime) -> None:
        shown: Known = {slug: each for slug, each in known.items() if now < each.forecast.expires_at}
        if shown != self._shown:
            self._shown = shown
        self._until = min((each.forecast.expires_at for each in shown.values()), default=_NEVER)
        self._basis = known


def open_forecasts(table: WeatherTable, *, state: Path, clock: Callable[[], datetime]) -> Forecasts:
    """Open the provider that `[weather]` names. `state`: the folder in which a machine's workers share forecasts."""
    source: ForecastSource | None = None
    if table.provider == "nws":
        # With an HTTP client, which takes an eighth of all imports.
        from edge.weather.nws import Nws
        from edge.weather.shared_source import SharedForecastSource

        provider = Nws(table.url, contact=table.contact)
        source = SharedForecastSource(provider, folder=state / "weather", clock=lambda: clock().timestamp())
    elif table.provider == "file":
        assert table.path is not None, "the configuration asks for it"
        source = FileForecastSource(table.path)
    return Forecasts(source, clock=clock)
