"""Forecasts as readers get them: from memory, fresh as long as they hold, and none where nobody knows."""

import asyncio
import json
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from edge.app import Edge
from edge.services.forecasts import FileForecastSource, Forecasts, ForecastSource, open_forecasts
from edge.services.nws import RENEW, Nws, NwsForecasts
from outings.configuration.tables import WeatherTable
from tests.edge.conftest import Clock, Service
from tests.edge.weather.serving import PATIENT, Office

TARGET = "/v1/harbor/events/calendar?from=2026-08-10&to=2026-08-12&include=forecast"


@dataclass
class WeatherService:
    """An edge with a source of forecasts; `get` asks with a key that has every add-on."""

    service: Service
    edge: Edge

    def get(self, target: str = TARGET, **headers: str) -> Any:
        self.service.edge = self.edge
        return self.service.get(target, **headers)

    def read_days(self) -> list[Any]:
        body = self.get().read_json()
        shown = [day.get("forecast") for day in body["data"]]
        codes = [notice["code"] for notice in body.get("notices", [])]
        assert codes == ["forecast_unavailable"] * (None in shown)
        return shown


Serve = Callable[[Callable[[Clock], ForecastSource | None]], WeatherService]


@pytest.fixture
def serve(service: Service, tmp_path: Path) -> Iterator[Serve]:
    """Serve the worlds that all tests share, with a clock and an edge of its own."""
    made: list[Edge] = []

    def start(make: Callable[[Clock], ForecastSource | None]) -> WeatherService:
        clock = Clock()
        source = make(clock)
        forecasts = None if source is None else Forecasts(source, clock=clock)
        edge = Edge(service.store, cache=tmp_path / f"cache-{len(made)}", clock=clock, forecasts=forecasts)
        made.append(edge)
        edge.poll()
        own = Service(service.store, edge, service.keys, tmp_path, clock)
        return WeatherService(own, edge)

    yield start
    for entry in made:
        entry.close()


def serve_nws(serve: Serve, office: Office) -> WeatherService:
    def make(clock: Clock) -> ForecastSource:
        nws = Nws(office.url, contact="", policy=PATIENT)
        return NwsForecasts(nws, clock=lambda: clock().timestamp())

    return serve(make)


def test_a_forecast_is_there_once_it_was_fetched_beside_the_requests(serve: Serve, office: Office) -> None:
    served = serve_nws(serve, office)
    assert served.read_days() == [None] * 3
    assert office.requests == [], "no request waits for a provider"
    served.edge.poll_weather()
    first, *_ = served.read_days()
    assert first == {
        "summary": "Mostly Sunny", "temperature_f": {"min": 66, "max": 83}, "precipitation_chance_max": 70,
        "wet_hours": [[18, 19], [20, 21], [22, 23]],
        "issued_at": "2026-08-10T10:03:12Z", "expires_at": "2026-08-10T22:03:12Z",
    }  # fmt: skip
    before = len(office.requests)
    assert [served.get().status for _ in range(3)] == [200] * 3
    assert len(office.requests) == before


def test_the_tag_and_what_is_remembered_move_with_the_time_of_issue(serve: Serve, office: Office) -> None:
    served = serve_nws(serve, office)
    tags = [served.get().headers["etag"]]
    served.edge.poll_weather()
    for _ in range(2):
        tags.append(served.get().headers["etag"])
        assert served.get(**{"if-none-match": tags[-1]}).status == 304
        assert served.get(**{"if-none-match": tags[0]}).status == 200
        office.issued += timedelta(minutes=50)
        served.service.clock.now += timedelta(seconds=RENEW)
        served.edge.poll_weather()
    assert len({*tags, served.get().headers["etag"]}) == 4
    assert served.read_days()[0]["issued_at"] == "2026-08-10T11:43:12Z"
    plain = TARGET.replace("&include=forecast", "")
    before = served.get(plain).headers["etag"]
    served.service.clock.now += timedelta(seconds=RENEW)
    office.issued += timedelta(minutes=50)
    served.edge.poll_weather()
    assert served.get(plain).headers["etag"] == before


def test_while_the_provider_is_down_the_last_forecast_is_shown_until_it_expires(serve: Serve, office: Office) -> None:
    served = serve_nws(serve, office)
    served.edge.poll_weather()
    office.faults["forecast"] = (500, -1)
    whole = served.read_days()
    with capture_logs() as logged:
        served.service.clock.now = datetime(2026, 8, 10, 22, 3, 11, tzinfo=UTC)
        served.edge.poll_weather()
        assert served.read_days() == whole
        served.service.clock.now += timedelta(seconds=1)
        assert served.read_days() == [None] * 3
        assert served.get().status == 200
    assert [line["event"] for line in logged if "weather" in line["event"]] == ["weather_failed"] * 2
    office.faults.clear()
    office.issued += timedelta(hours=12)
    served.service.clock.now += timedelta(seconds=61)
    served.edge.poll_weather()
    assert None not in served.read_days()[1:]


def test_a_metro_that_no_forecast_covers_has_the_notice(serve: Serve, office: Office) -> None:
    office.is_missing = True
    served = serve_nws(serve, office)
    served.edge.poll_weather()
    assert served.read_days() == [None] * 3


def test_a_running_server_looks_for_forecasts_by_itself(service: Service, office: Office, tmp_path: Path) -> None:
    table = WeatherTable(provider="nws", url=office.url, contact="ops@example.org")
    clock = Clock()
    forecasts = open_forecasts(table, clock=clock)
    edge = Edge(service.store, cache=tmp_path / "cache", clock=clock, poll_seconds=0.01, forecasts=forecasts)

    async def run() -> None:
        async with edge._run_beside(None):
            for _ in range(6_000):
                await asyncio.sleep(0.01)
                if forecasts.read():
                    return

    asyncio.run(run())
    assert forecasts.read().keys() == {"harbor", "lakeside"}
    # Both metros lie at the same point: what was asked is that point, the metro's own.
    assert {path for path in office.paths if path.startswith("/points")} == {"/points/40,-74"}


def write_file(path: Path, **forecasts: Any) -> None:
    path.write_text(json.dumps(forecasts))


def tell(**replaced: Any) -> dict[str, Any]:
    hours = [
        {"starts_at": f"2026-08-11T{hour:02}:00:00-04:00", "temperature_f": 70 + hour, "precipitation_chance": 5 * hour}
        for hour in range(20)
    ]
    return {
        "issued_at": "2026-08-10T10:00:00Z", "expires_at": "2026-08-12T00:00:00Z", "hours": hours,
        "half_days": [{
            "starts_at": "2026-08-12T06:00:00-04:00", "ends_at": "2026-08-12T18:00:00-04:00", "is_daytime": True,
            "temperature_f": 91, "precipitation_chance": 60, "summary": "Storms",
        }], **replaced,
    }  # fmt: skip


def test_an_operators_file_is_read_again_when_it_changes(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "forecasts.json"
    served = serve(lambda _: FileForecastSource(path))
    with capture_logs() as logged:
        served.edge.poll_weather()
        served.edge.poll_weather()
    assert [line["event"] for line in logged] == ["forecast_file_not_read"]
    assert served.read_days() == [None] * 3
    write_file(path, harbor=tell(), nowhere=tell())
    assert served.read_days() == [None] * 3
    served.edge.poll_weather()
    stamps = {"issued_at": "2026-08-10T10:00:00Z", "expires_at": "2026-08-12T00:00:00Z"}
    storms = {
        "summary": "Storms", "temperature_f": {"min": None, "max": 91}, "precipitation_chance_max": 60,
        "wet_hours": [[6, 18]], **stamps,
    }  # fmt: skip
    assert served.read_days() == [None, None, storms]
    write_file(path, harbor=tell(issued_at="2026-08-10T11:00:00Z", half_days=[]), lakeside=tell())
    served.edge.poll_weather()
    assert served.read_days() == [None] * 3


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", '{"harbor": {}}', '{"harbor": {"issued_at": "2026-08-10T10:00:00", "expires_at": "2026-08-11"}}',
        json.dumps({"harbor": tell(hours=[{"starts_at": "2026-08-11T00:00:00Z", "precipitation_chance": 101}])}),
    ],
)  # fmt: skip
def test_a_file_that_is_none_leaves_what_was_read_and_is_reported_once(serve: Serve, tmp_path: Path, text: str) -> None:
    path = tmp_path / "forecasts.json"
    write_file(path, harbor=tell())
    served = serve(lambda _: FileForecastSource(path))
    served.edge.poll_weather()
    before = served.get().read_body()
    path.write_text(text)
    with capture_logs() as logged:
        served.edge.poll_weather()
        served.edge.poll_weather()
        assert served.get().read_body() == before
    assert [line["event"] for line in logged] == ["forecast_file_not_read"]
    path.unlink()
    served.edge.poll_weather()
    assert served.get().read_body() == before
    served.service.clock.now = datetime(2026, 8, 12, tzinfo=UTC)
    assert served.read_days() == [None] * 3


def test_a_file_that_could_not_be_read_is_read_when_it_can_be(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "forecasts.json"
    write_file(path, harbor=tell())
    served = serve(lambda _: FileForecastSource(path))
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with capture_logs() as logged:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, most))
        try:
            served.edge.poll_weather()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (few, most))
    assert [line["event"] for line in logged] == ["forecast_file_not_read"]
    served.edge.poll_weather()
    assert served.read_days()[2] is not None


def test_without_a_provider_nobody_is_asked(serve: Serve) -> None:
    assert open_forecasts(WeatherTable(), clock=Clock()) is None
    served = serve(lambda _: None)
    served.edge.poll_weather()
    assert served.read_days() == [None] * 3
