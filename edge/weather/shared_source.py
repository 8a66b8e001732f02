"""Forecasts in a folder that the workers of a machine share: one worker requests them, all read them."""

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from edge.remote.circuit_breaker import CircuitBreaker
from edge.remote.fetcher import RemoteError
from edge.weather.nws import Grid, Nws
from outings.answers.weather import Forecast
from outings.contract.resources.directories import Center
from outings.release.disk import FileState, name_state
from outings.release.manifest import MetroSettings

log = structlog.get_logger()

# In seconds. A forecast is asked for anew twice an hour; a point that has none, and where its cell is, once a day.
RENEW = 1_800.0
DAY = 86_400.0
# After a failure, and twice as long after each more in a row.
RETRY = 60.0
MOST_RETRY = 900.0


class CachedForecast(Struct, frozen=True, kw_only=True):
    """The forecast of a metro. `next_at`: when it is requested again, in seconds since 1970; `failures`: in a row."""

    point: Center
    next_at: float
    failures: int = 0
    grid: Grid | None = None
    grid_until: float = 0.0
    forecast: Forecast | None = None


_decode = msgspec.json.Decoder(CachedForecast).decode


class SharedForecastSource:
    """`clock`: seconds since 1970. Where the folder can't be written, each worker asks for itself."""

    def __init__(self, provider: Nws, *, folder: Path, clock: Callable[[], float]) -> None:
        self._provider = provider
        self._folder = folder
        self._clock = clock
        self._breaker = CircuitBreaker(clock=clock)
        self._entries: dict[str, CachedForecast] = {}
        self._states: dict[str, FileState] = {}
        self._is_alone = self._is_closed = False

    def list_forecasts(self, metros: Mapping[str, MetroSettings]) -> Mapping[str, Forecast]:
        due = [slug for slug, metro in metros.items() if self._is_due(slug, metro)]
        if due:
            with self._take_turn() as is_ours:
                for slug in due if is_ours else ():
                    self._renew(slug, metros[slug])
        known = {slug: self._entries[slug] for slug in metros if slug in self._entries}
        return {
            slug: entry.forecast
            for slug, entry in known.items()
            if entry.forecast is not None and entry.point == metros[slug].center
        }

    def close(self) -> None:
        """Send no further requests."""
        self._is_closed = True
        self._provider.close()

    def _is_due(self, slug: str, metro: MetroSettings) -> bool:
        self._read(slug)
        entry = self._entries.get(slug)
        # One that is due in more than a day was asked for before the clock was set back.
        return entry is None or entry.point != metro.center or not 0 < entry.next_at - self._clock() <= DAY

    def _renew(self, slug: str, metro: MetroSettings) -> None:
        """Unless another worker did meanwhile, or the provider is left alone."""
        if self._is_closed or not self._is_due(slug, metro) or self._breaker.enter() is not None:
            return
        entry = self._entries.get(slug)
        if entry is None or entry.point != metro.center:
            entry = CachedForecast(point=metro.center, next_at=0)
        try:
            renewed = self._ask(entry)
        except RemoteError as failure:
            wait = max(min(RETRY * 2**entry.failures, MOST_RETRY), failure.rest or 0)
            self._breaker.note_failure(rest=failure.rest)
            log.warning(
                "weather_failed", provider=self._provider.name, metro=slug, reason=str(failure), retry_after=int(wait)
            )
            renewed = replace(entry, next_at=self._clock() + wait, failures=min(entry.failures + 1, 10))
        self._entries[slug] = renewed
        self._write(slug, renewed)

    def _ask(self, entry: CachedForecast) -> CachedForecast:
        answer = self._provider.ask(entry.point, entry.grid if self._clock() < entry.grid_until else None)
        self._breaker.note_success()
        now, before, after = self._clock(), entry.forecast, answer.forecast
        if before is not None and after is not None and after.issued_at <= before.issued_at:
            after = before  # it has more of today, and one time of issue is one forecast
        return CachedForecast(
            point=entry.point,
            next_at=now + (DAY if answer.grid is None else RENEW),
            grid=answer.grid,
            grid_until=entry.grid_until if answer.grid == entry.grid and now < entry.grid_until else now + DAY,
            forecast=after,
        )

    @contextmanager
    def _take_turn(self) -> Iterator[bool]:
        """False while another worker asks. The lock goes with its process."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            self._go_alone(error)
            yield True
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
        finally:
            os.close(lock)

    def _read(self, slug: str) -> None:
        """Takes up what another worker wrote."""
        path = self._folder / f"{slug}.json"
        try:
            state = name_state(path.stat())
            if state == self._states.get(slug):
                return
            self._states[slug] = state
            self._entries[slug] = _decode(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._go_alone(error)
        except (ValueError, RecursionError) as error:
            log.warning("weather_not_read", path=str(path), reason=str(error))  # it is asked for anew

    def _write(self, slug: str, entry: CachedForecast) -> None:
        """Whole or not at all."""
        if self._is_alone:
            return
        fresh = self._folder / f".{slug}.{os.getpid()}"
        try:
            fresh.write_bytes(msgspec.json.encode(entry))
            fresh.replace(self._folder / f"{slug}.json")
        except OSError as error:
            self._go_alone(error)

    def _go_alone(self, error: OSError) -> None:
        if not self._is_alone:
            log.warning("weather_not_shared", folder=str(self._folder), reason=str(error))
        self._is_alone = True
