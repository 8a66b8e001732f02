"""The National Weather Service's answers, by a server of ours that speaks its format."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from edge.services.nws import Grid, Nws
from outings.answers.weather import Forecast
from outings.remote.fetcher import PermanentRemoteError, RemoteError
from outings.retry_policy import RetryPolicy
from tests.edge.weather.conftest import HARBOR
from tests.edge.weather.serving import (
    CELL,
    ISSUED,
    PATIENT,
    ZONE,
    Office,
    write_forecast,
    write_half_days,
    write_hours,
    write_point,
)

GRID = Grid(hours=f"{CELL}/forecast/hourly", half_days=f"{CELL}/forecast")
PATHS = ["/points/40,-74.0042", GRID.hours, GRID.half_days]


def make_nws(office: Office, *, contact: str = "", policy: RetryPolicy = PATIENT) -> Nws:
    return Nws(office.url, contact=contact, policy=policy)


def ask(office: Office, grid: Grid | None = None) -> Forecast:
    nws = make_nws(office)
    answer = nws.ask(HARBOR.center, grid)
    nws.close()
    assert answer.grid == GRID
    assert answer.forecast is not None
    return answer.forecast


def test_a_point_has_a_cell_and_that_its_hours_and_half_days(office: Office) -> None:
    forecast = ask(office)
    assert office.paths == PATHS
    assert forecast.issued_at == ISSUED
    assert forecast.expires_at == ISSUED + timedelta(hours=12)
    assert (len(forecast.hours), len(forecast.half_days)) == (156, 14)
    first = forecast.hours[0]
    assert first.starts_at == datetime(2026, 8, 10, 10, tzinfo=UTC)
    assert (first.temperature_f, first.precipitation_chance, first.summary) == (66, 10, "Mostly Sunny")
    assert [hour.precipitation_chance for hour in forecast.hours[11:15]] == [None, 70, None, 70]
    night = forecast.half_days[1]
    assert (night.starts_at, night.ends_at) == (
        datetime(2026, 8, 10, 22, tzinfo=UTC), datetime(2026, 8, 11, 10, tzinfo=UTC),
    )  # fmt: skip
    assert (night.is_daytime, night.temperature_f, night.precipitation_chance) == (False, 66, 40)
    assert night.summary == "Chance Showers And Thunderstorms"


def test_who_asks_says_who_it_is_and_for_whom(office: Office) -> None:
    for contact, agent in (("", "outings/1"), ("ops@example.org", "outings/1 (ops@example.org)")):
        office.requests.clear()
        make_nws(office, contact=contact).ask(HARBOR.center, GRID)
        assert {headers["user-agent"] for _, headers in office.requests} == {agent}
        assert {headers["accept"] for _, headers in office.requests} == {"application/geo+json"}


def test_a_cell_that_is_known_is_not_looked_for(office: Office) -> None:
    ask(office, GRID)
    assert office.paths == PATHS[1:]


@pytest.mark.parametrize("path", PATHS[1:])
def test_a_cell_that_is_gone_is_looked_for_again(office: Office, path: str) -> None:
    office.faults[path] = (404, 1)
    ask(office, GRID)
    assert [path for path in office.paths if path.startswith("/points")] == PATHS[:1]
    assert office.paths[-2:] == PATHS[1:]


def test_a_point_that_it_does_not_know_has_no_forecast(office: Office) -> None:
    office.is_missing = True
    answer = make_nws(office).ask(HARBOR.center, None)
    assert (answer.grid, answer.forecast) == (None, None)


def test_a_link_to_another_host_is_followed_at_the_operators_own(office: Office) -> None:
    office.points = write_point("https://api.weather.gov")
    ask(office)
    assert office.paths == PATHS


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("status", [500, 503])
def test_one_failure_is_tried_again(office: Office, path: str, status: int) -> None:
    office.faults[path] = (status, 1)
    assert len(ask(office).hours) == 156
    assert len(office.requests) == 4


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("fault", "is_broken"),
    [
        (500, False), (502, False), (503, False), (None, False),
        # Asked again it would say the same.
        (403, True), (400, True), (301, True), (429, True), (b"", True), (b"<html>busy</html>", True),
        (b"{}", True), (b'{"properties": null}', True), (b'{"properties": {"periods": []}}', True),
        (b"[" * 9_999, True),
    ],
)  # fmt: skip
def test_a_fault_is_reported(office: Office, path: str, fault: int | bytes | None, is_broken: bool) -> None:
    office.faults[path] = (fault, -1)
    policy = replace(PATIENT, silence=0.3) if fault is None else PATIENT
    with pytest.raises(RemoteError) as caught:
        make_nws(office, policy=policy).ask(HARBOR.center, None)
    assert isinstance(caught.value, PermanentRemoteError) is is_broken
    assert "gridpoints" not in str(caught.value)


def test_no_forecast_where_it_says_is_reported(office: Office) -> None:
    office.faults["/forecast"] = (404, -1)
    with pytest.raises(PermanentRemoteError):
        make_nws(office).ask(HARBOR.center, None)


def test_how_long_it_wants_to_rest_is_reported(office: Office) -> None:
    office.faults["/hourly"] = (429, -1)
    office.headers = {"retry-after": "5"}
    with pytest.raises(RemoteError) as caught:
        make_nws(office).ask(HARBOR.center, GRID)
    assert caught.value.rest == 5


def test_a_server_that_is_not_there_is_unreached() -> None:
    with pytest.raises(RemoteError):
        Nws("http://127.0.0.1:1", contact="", policy=PATIENT).ask(HARBOR.center, None)


def serve_period(office: Office, **members: Any) -> None:
    """Serve a forecast of which only the first hour has other members."""
    [first, *_] = write_hours(office.first)
    period = {name: value for name, value in {**first, **members}.items() if value is not ...}
    office.faults["/hourly"] = (json.dumps(write_forecast(ISSUED, [period])).encode(), 1)


@pytest.mark.parametrize(
    ("members", "degrees"),
    [
        ({"temperature": 71.6}, 72),
        ({"temperature": -4}, -4),
        ({"temperature": 20, "temperatureUnit": "C"}, 68),
        ({"temperature": {"unitCode": "wmoUnit:degC", "value": 21.5}}, 71),
        ({"temperature": {"unitCode": "wmoUnit:degF", "value": 70}, "temperatureUnit": ...}, 70),
        ({"temperature": {"unitCode": "wmoUnit:degC", "value": None}}, None),
        ({"temperature": None}, None),
    ],
)
def test_temperatures_are_in_fahrenheit_however_they_are_reported(
    office: Office, members: dict[str, Any], degrees: int | None
) -> None:
    serve_period(office, **members)
    assert [hour.temperature_f for hour in ask(office, GRID).hours] == [degrees]


@pytest.mark.parametrize(
    "members",
    [
        {"temperature": 300}, {"temperature": "warm"}, {"temperatureUnit": "K"}, {"temperatureUnit": None},
        {"startTime": "2026-08-10T06:00:00"}, {"startTime": "soon"}, {"isDaytime": None}, {"endTime": ...},
        {"probabilityOfPrecipitation": {"value": 101}}, {"probabilityOfPrecipitation": {"value": -1}},
        {"shortForecast": 3},
    ],
)  # fmt: skip
def test_a_period_that_is_none_is_no_forecast(office: Office, members: dict[str, Any]) -> None:
    serve_period(office, **members)
    with pytest.raises(PermanentRemoteError):
        ask(office, GRID)


@pytest.mark.parametrize(
    ("members", "chance", "words"),
    [
        ({"probabilityOfPrecipitation": ...}, None, "Mostly Sunny"),
        ({"probabilityOfPrecipitation": None}, None, "Mostly Sunny"),
        ({"probabilityOfPrecipitation": {"value": 12.5}}, 13, "Mostly Sunny"),
        ({"shortForecast": ""}, 10, None),
        ({"shortForecast": None}, 10, None),
        ({"shortForecast": " Fog " * 100}, 10, (" Fog " * 100).strip()[:200]),
    ],
)
def test_what_it_does_not_say_is_not_said(
    office: Office, members: dict[str, Any], chance: int | None, words: str | None
) -> None:
    serve_period(office, **members)
    [hour] = ask(office, GRID).hours
    assert (hour.precipitation_chance, hour.summary) == (chance, words)


def test_the_later_of_its_two_forecasts_says_when_it_was_issued(office: Office) -> None:
    later = ISSUED + timedelta(hours=1)
    body = write_forecast(later, write_half_days(datetime(2026, 8, 10, 6, tzinfo=ZONE)))
    office.faults["79/forecast"] = (json.dumps(body).encode(), 1)
    assert ask(office, GRID).issued_at == later
