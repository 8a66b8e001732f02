"""One worker of a machine asks, all of them read, and what was known is shown until it expires."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from edge.services.nws import DAY, MOST_RETRY, RENEW, RETRY, Grid, PointForecast, SharedForecastSource
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
    meanwhile: Callable[[], object] | None = None

    def ask(self, point: Center, grid: Grid | None) -> PointForecast:
        self.requests.append((point, grid))
        if self.meanwhile is not None:
            self.meanwhile()
        if self.failure is not None:
            raise self.failure
        return self.answer

    def close(self) -> None:
        """There is nothing to close."""


class Machine:
    """Workers over one folder and one clock, all with the same provider."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.provider = ScriptedProvider()
        self.seconds = NOON.timestamp()
        self.first = self.start_worker()

    def start_worker(self) -> SharedForecastSource:
        return SharedForecastSource(self.provider, folder=self.folder, clock=lambda: self.seconds)

    def show(self, worker: SharedForecastSource | None = None) -> Forecast | None:
        return (worker or self.first).list_forecasts(METROS).get("harbor")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "state/weather")


def test_one_worker_asks_and_all_read(machine: Machine) -> None:
    others = [machine.start_worker() for _ in range(3)]
    assert machine.show() == make_forecast()
    assert [machine.show(each) for each in others] == [make_forecast()] * 3
    assert machine.provider.requests == [(HARBOR.center, None)]
    # A new process too.
    assert machine.show(machine.start_worker()) == make_forecast()
    assert len(machine.provider.requests) == 1


def test_while_one_worker_asks_the_others_show_what_they_have(machine: Machine) -> None:
    other, shown = machine.start_worker(), []
    machine.provider.meanwhile = lambda: shown.append(machine.show(other))
    machine.show()
    machine.seconds += RENEW
    machine.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(30))
    assert machine.show() == make_forecast(30)
    assert shown == [None, make_forecast()]
    machine.provider.meanwhile = None
    assert machine.show(other) == make_forecast(30)
    assert len(machine.provider.requests) == 2


def test_workers_that_begin_at_once_ask_once(machine: Machine) -> None:
    workers = [machine.start_worker() for _ in range(6)]
    threads = [threading.Thread(target=machine.show, args=(each,)) for each in workers]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(machine.provider.requests) == 1


def test_it_is_asked_anew_twice_an_hour_by_whoever_comes_first(machine: Machine) -> None:
    other = machine.start_worker()
    machine.show()
    machine.seconds += RENEW - 1
    assert machine.show(other) == make_forecast()
    assert len(machine.provider.requests) == 1
    machine.seconds += 1
    machine.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(29))
    assert machine.show(other) == machine.show() == make_forecast(29)
    assert machine.provider.requests == [(HARBOR.center, None), (HARBOR.center, GRID)]


def test_after_the_clock_was_set_back_it_is_asked_anew_and_not_when_the_clock_has_caught_up(machine: Machine) -> None:
    machine.show()
    machine.seconds -= 2 * DAY
    machine.show()
    assert len(machine.provider.requests) == 2
    machine.show()
    assert len(machine.provider.requests) == 2


def test_what_is_no_newer_changes_nothing(machine: Machine) -> None:
    machine.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(10, hours=3))
    machine.show()
    for issued in (10, 9):
        machine.seconds += RENEW
        machine.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(issued, hours=2))
        assert machine.show() == make_forecast(10, hours=3)


def test_where_the_cell_is_is_asked_once_a_day(machine: Machine) -> None:
    machine.show()
    while machine.seconds < NOON.timestamp() + 2 * DAY:
        machine.seconds += RENEW
        machine.show()
    looked_for = [grid is None for _, grid in machine.provider.requests]
    assert [number for number, each in enumerate(looked_for) if each] == [0, 48, 96]


def test_a_failure_leaves_what_was_known_and_is_tried_again_ever_later(machine: Machine) -> None:
    machine.show()
    machine.seconds += RENEW
    machine.provider.failure = RemoteError("status 500")
    waits = []
    with capture_logs() as logged:
        for _ in range(6):
            assert machine.show() == make_forecast()
            before, since = len(machine.provider.requests), machine.seconds
            while len(machine.provider.requests) == before:
                machine.seconds += 20
                machine.show(machine.start_worker())
                assert machine.seconds - since < 2 * MOST_RETRY
            waits.append(machine.seconds - since)
    assert waits == [RETRY, 2 * RETRY, 4 * RETRY, 8 * RETRY, MOST_RETRY, MOST_RETRY]
    assert {line["event"] for line in logged} == {"weather_failed"}
    assert {line["reason"] for line in logged} == {"status 500"}
    machine.provider.failure, machine.seconds = None, machine.seconds + MOST_RETRY
    machine.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(60))
    assert machine.show() == make_forecast(60)


def test_a_provider_rests_as_long_as_it_wants(machine: Machine) -> None:
    machine.provider.failure = RemoteError("status 429", rest=200.0)
    assert machine.show() is None
    machine.seconds += 199
    machine.show()
    assert len(machine.provider.requests) == 1
    machine.seconds += 1
    machine.provider.failure = None
    assert machine.show() == make_forecast()


def test_while_it_is_down_not_every_metro_is_tried(machine: Machine) -> None:
    metros = {f"m{number}": replace(HARBOR, slug=f"m{number}") for number in range(20)}
    machine.provider.failure = RemoteError("it takes too long")
    assert machine.first.list_forecasts(metros) == {}
    assert len(machine.provider.requests) == 5
    machine.provider.failure = None
    machine.seconds += RETRY
    assert machine.first.list_forecasts(metros).keys() == metros.keys()


def test_a_point_without_a_forecast_is_asked_for_once_a_day(machine: Machine) -> None:
    machine.provider.answer = PointForecast(grid=None, forecast=None)
    assert machine.show() is None
    machine.seconds += DAY - 1
    assert machine.show() is None
    assert len(machine.provider.requests) == 1
    machine.seconds += 1
    machine.provider.answer = PointForecast(grid=GRID, forecast=make_forecast(1_440))
    assert machine.show() == make_forecast(1_440)


def test_a_metro_that_moved_is_asked_for_where_it_is(machine: Machine) -> None:
    machine.show()
    moved = replace(HARBOR, center=Center(lat=41.0, lng=-74.0))
    machine.provider.failure = RemoteError("status 500")
    assert machine.first.list_forecasts({"harbor": moved}) == {}
    assert machine.provider.requests[-1] == (moved.center, None)


@pytest.mark.parametrize("written", [b"", b"{", b"null", b'{"point": 3}', b"\xff"])
def test_a_file_that_is_none_is_made_anew(machine: Machine, written: bytes) -> None:
    machine.folder.mkdir(parents=True)
    (machine.folder / "harbor.json").write_bytes(written)
    assert machine.show() == make_forecast()
    assert machine.show(machine.start_worker()) == make_forecast()
    assert len(machine.provider.requests) == 1


def test_where_nothing_can_be_written_each_worker_asks_for_itself(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file is no folder")
    machine = Machine(tmp_path / "state/weather")
    other = machine.start_worker()
    with capture_logs() as logged:
        for worker in (machine.first, other, machine.first, other):
            assert machine.show(worker) == make_forecast()
    assert len(machine.provider.requests) == 2
    assert [line["event"] for line in logged] == ["weather_not_shared"] * 2


def test_one_that_is_closed_asks_no_more(machine: Machine) -> None:
    machine.first.close()
    assert machine.show() is None
    assert machine.provider.requests == []
