"""The service is asked twice an hour, and what was known is shown until it expires."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from edge.services.nws import DAY, MOST_RETRY, RENEW, RETRY, Grid, NwsForecasts, PointForecast
from outings.answers.weather import Forecast, Hour
from outings.contract.resources.directories import Center
from outings.remote.fetcher import RemoteError
from tests.edge.weather.conftest import HARBOR

NOON = datetime(2026, 8, 10, 16, tzinfo=UTC)
GRID = Grid(hours="/gridpoints/A/1,1/forecast/hourly", half_days="/gridpoints/A/1,1/forecast")
METROS = {"harbor": HARBOR}


def make_forecast(number: int = 0, *, hours: int = 1) -> Forecast:
    issued = NOON + timedelta(minutes=number)
    hours_ahead = tuple(Hour(starts_at=NOON + timedelta(hours=hour), temperature_f=70) for hour in range(hours))
    return Forecast(issued_at=issued, expires_at=issued + timedelta(hours=12), hours=hours_ahead)


@dataclass
class ScriptedProvider:
    """Says what it is told, and keeps what it was asked."""

    name: str = "scripted"
    answer: PointForecast = field(default_factory=lambda: PointForecast(grid=GRID, forecast=make_forecast()))
    failure: RemoteError | None = None
    requests: list[tuple[Center, Grid | None]] = field(default_factory=list)

    def ask(self, point: Center, grid: Grid | None) -> PointForecast:
        self.requests.append((point, grid))
        if self.failure is not None:
            raise self.failure
        return self.answer

    def close(self) -> None:
        """Do nothing, because nothing is open."""


class Worker:
    """A worker with a clock and a provider."""

    def __init__(self) -> None:
        self.provider = ScriptedProvider()
        self.seconds = NOON.timestamp()
        self.forecasts = NwsForecasts(self.provider, clock=lambda: self.seconds)  # type: ignore[arg-type]

    def show(self) -> Forecast | None:
        return self.forecasts.list_forecasts(METROS).get("harbor")


@pytest.fixture
def worker() -> Worker:
    return Worker()


def test_it_is_asked_again_twice_an_hour(worker: Worker) -> None:
    worker.show()
    worker.seconds += RENEW - 1
    assert worker.show() == make_forecast()
    assert len(worker.provider.requests) == 1
    worker.seconds += 1
    worker.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(29))
    assert worker.show() == make_forecast(29)
    assert worker.provider.requests == [(HARBOR.center, None), (HARBOR.center, GRID)]


def test_after_the_clock_was_set_back_it_is_asked_again_and_not_when_the_clock_has_caught_up(worker: Worker) -> None:
    worker.show()
    worker.seconds -= 2 * DAY
    worker.show()
    assert len(worker.provider.requests) == 2
    worker.show()
    assert len(worker.provider.requests) == 2


def test_what_is_no_newer_changes_nothing(worker: Worker) -> None:
    worker.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(10, hours=3))
    worker.show()
    for issued in (10, 9):
        worker.seconds += RENEW
        worker.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(issued, hours=2))
        assert worker.show() == make_forecast(10, hours=3)


def test_where_the_cell_is_is_asked_once_a_day(worker: Worker) -> None:
    worker.show()
    while worker.seconds < NOON.timestamp() + 2 * DAY:
        worker.seconds += RENEW
        worker.show()
    looked_for = [grid is None for _, grid in worker.provider.requests]
    assert [number for number, value in enumerate(looked_for) if value] == [0, 48, 96]


def test_a_failure_leaves_what_was_known_and_is_tried_again_ever_later(worker: Worker) -> None:
    worker.show()
    worker.seconds += RENEW
    worker.provider.failure = RemoteError("status 500")
    waits = []
    with capture_logs() as logged:
        for _ in range(6):
            assert worker.show() == make_forecast()
            before, since = len(worker.provider.requests), worker.seconds
            while len(worker.provider.requests) == before:
                worker.seconds += 20
                worker.show()
                assert worker.seconds - since < 2 * MOST_RETRY
            waits.append(worker.seconds - since)
    assert waits == [RETRY, 2 * RETRY, 4 * RETRY, 8 * RETRY, MOST_RETRY, MOST_RETRY]
    assert {line["event"] for line in logged} == {"weather_failed"}
    assert {line["reason"] for line in logged} == {"status 500"}
    worker.provider.failure, worker.seconds = None, worker.seconds + MOST_RETRY
    worker.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(60))
    assert worker.show() == make_forecast(60)


def test_a_provider_rests_as_long_as_it_wants(worker: Worker) -> None:
    worker.provider.failure = RemoteError("status 429", rest=200.0)
    assert worker.show() is None
    worker.seconds += 199
    worker.show()
    assert len(worker.provider.requests) == 1
    worker.seconds += 1
    worker.provider.failure = None
    assert worker.show() == make_forecast()


def test_while_it_is_down_not_every_metro_is_tried(worker: Worker) -> None:
    metros = {f"m{number}": replace(HARBOR, slug=f"m{number}") for number in range(20)}
    worker.provider.failure = RemoteError("it takes too long")
    assert worker.forecasts.list_forecasts(metros) == {}
    assert len(worker.provider.requests) == 5
    worker.provider.failure = None
    worker.seconds += RETRY
    assert worker.forecasts.list_forecasts(metros).keys() == metros.keys()


def test_a_point_without_a_forecast_is_asked_for_once_a_day(worker: Worker) -> None:
    worker.provider.answer = PointForecast(grid=None, forecast=None)
    assert worker.show() is None
    worker.seconds += DAY - 1
    assert worker.show() is None
    assert len(worker.provider.requests) == 1
    worker.seconds += 1
    worker.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(1_440))
    assert worker.show() == make_forecast(1_440)


def test_a_metro_that_moved_is_asked_for_where_it_is(worker: Worker) -> None:
    worker.show()
    moved = replace(HARBOR, center=Center(lat=41.0, lng=-74.0))
    worker.provider.failure = RemoteError("status 500")
    assert worker.forecasts.list_forecasts({"harbor": moved}) == {}
    assert worker.provider.requests[-1] == (moved.center, None)


def test_one_that_is_closed_asks_no_more(worker: Worker) -> None:
    worker.forecasts.close()
    assert worker.show() is None
    assert worker.provider.requests == []
