"""A server on loopback that answers as api.weather.gov does, with faults when it is told."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from outings.retry_policy import RetryPolicy
from tests.loopback import run_server

# The East's, in summer.
ZONE = timezone(timedelta(hours=-4))
ISSUED = datetime(2026, 8, 10, 6, 3, 12, tzinfo=ZONE)
CELL = "/gridpoints/PHI/64,79"
HOURS = 156
HALF_DAYS = 14
# Nothing takes as long, however busy the machine is. A test of a slow server makes its times short.
PATIENT = RetryPolicy(connect=30.0, silence=30.0, whole=60.0, attempts=2, pause=0.01, rest=300.0)


def write_point(url: str) -> Any:
    """Write an answer to `/points/40,-74`, without most links to the office's own pages."""
    return {
        "@context": ["https://geojson.org/geojson-ld/geojson-context.jsonld", {"@version": "1.1"}],
        "id": f"{url}/points/40,-74",
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [-74, 40]},
        "properties": {
            "@id": f"{url}/points/40,-74", "@type": "wx:Point", "cwa": "PHI",
            "forecastOffice": f"{url}/offices/PHI", "gridId": "PHI", "gridX": 64, "gridY": 79,
            "forecast": f"{url}{CELL}/forecast", "forecastHourly": f"{url}{CELL}/forecast/hourly",
            "forecastGridData": f"{url}{CELL}", "observationStations": f"{url}{CELL}/stations",
            "relativeLocation": {"type": "Feature", "properties": {"city": "Point Pleasant Beach", "state": "NJ"}},
            "timeZone": "America/New_York", "radarStation": "KDIX",
        },
    }  # fmt: skip


def write_forecast(issued: datetime, periods: list[Any]) -> Any:
    """Write answers to `/gridpoints/PHI/64,79/forecast` and `…/forecast/hourly`."""
    return {
        "@context": ["https://geojson.org/geojson-ld/geojson-context.jsonld", {"@version": "1.1"}],
        "type": "Feature",
        "geometry": {"type": "Polygon", "coordinates": [[[-74.0, 40.0], [-74.0, 40.02], [-73.97, 40.0]]]},
        "properties": {
            "units": "us", "forecastGenerator": "HourlyForecastGenerator",
            "generatedAt": (issued + timedelta(minutes=40)).isoformat(), "updateTime": issued.isoformat(),
            "validTimes": f"{issued.isoformat()}/P7DT19H",
            "elevation": {"unitCode": "wmoUnit:m", "value": 3.048}, "periods": periods,
        },
    }  # fmt: skip


def write_hours(first: datetime, count: int = HOURS) -> list[Any]:
    """A degree for each hour of the day, wet in the evening; of odd hours nothing is said of rain."""
    made = []
    for number in range(count):
        starts = first + timedelta(hours=number)
        is_wet = starts.hour in (18, 20, 22)
        made.append({
            "number": number + 1, "name": "", "startTime": starts.isoformat(),
            "endTime": (starts + timedelta(hours=1)).isoformat(), "isDaytime": 6 <= starts.hour < 18,
            "temperature": 60 + starts.hour, "temperatureUnit": "F", "temperatureTrend": None,
            "probabilityOfPrecipitation": {
                "unitCode": "wmoUnit:percent", "value": None if starts.hour % 2 else 70 if is_wet else 10,
            },
            "dewpoint": {"unitCode": "wmoUnit:degC", "value": 18.333333333333332},
            "relativeHumidity": {"unitCode": "wmoUnit:percent", "value": 78},
            "windSpeed": "5 mph", "windDirection": "SE",
            "icon": "https://api.weather.gov/icons/land/day/rain_showers,70?size=small",
            "shortForecast": "Rain Showers Likely" if is_wet else "Mostly Sunny", "detailedForecast": "",
        })  # fmt: skip
    return made


def write_half_days(first: datetime, count: int = HALF_DAYS) -> list[Any]:
    """Write half days from six in the morning on."""
    made = []
    for number in range(count):
        starts, is_daytime = first + timedelta(hours=12 * number), number % 2 == 0
        made.append({
            "number": number + 1, "name": starts.strftime("%A") + ("" if is_daytime else " Night"),
            "startTime": starts.isoformat(), "endTime": (starts + timedelta(hours=12)).isoformat(),
            "isDaytime": is_daytime, "temperature": 88 if is_daytime else 66, "temperatureUnit": "F",
            "temperatureTrend": "", "probabilityOfPrecipitation": {"unitCode": "wmoUnit:percent", "value": 40},
            "windSpeed": "5 to 10 mph", "windDirection": "S",
            "icon": "https://api.weather.gov/icons/land/day/tsra_hi,40?size=medium",
            "shortForecast": "Chance Showers And Thunderstorms", "detailedForecast": "A chance of showers after 2pm.",
        })  # fmt: skip
    return made


def write_problem(status: int) -> Any:
    kinds = {404: ("InvalidPoint", "Data Unavailable For Requested Point"), 503: ("ServiceUnavailable", "Unavailable")}
    kind, title = kinds.get(status, ("UnexpectedProblem", "Unexpected Problem"))
    return {
        "correlationId": "320c1b23", "title": title, "type": f"https://api.weather.gov/problems/{kind}",
        "status": status, "detail": "An unexpected problem has occurred.",
        "instance": "https://api.weather.gov/requests/320c1b23",
    }  # fmt: skip


@dataclass
class Office:
    """`issued` and `first`: of its forecasts; `faults`: by the end of a path, a status, a body, or None: silence for as
    long as the client waits; as often as said (for ever below 0). `is_missing`: there is no such point. `requests`:
    paths, with what asked."""

    url: str = ""
    issued: datetime = ISSUED
    first: datetime = datetime(2026, 8, 10, 6, tzinfo=ZONE)
    points: Any = None
    is_missing: bool = False
    faults: dict[str, tuple[int | bytes | None, int]] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def answer(self, path: str) -> tuple[int, bytes] | None:
        for end, (fault, times) in [*self.faults.items()]:
            if times and path.endswith(end):
                self.faults[end] = (fault, times - 1)
                if fault is None:
                    return None
                return (200, fault) if isinstance(fault, bytes) else (fault, json.dumps(write_problem(fault)).encode())
        if path.startswith("/points/"):
            status, body = (404, write_problem(404)) if self.is_missing else (200, self.points or write_point(self.url))
        elif path == f"{CELL}/forecast/hourly":
            status, body = 200, write_forecast(self.issued, write_hours(self.first))
        elif path == f"{CELL}/forecast":
            status, body = 200, write_forecast(self.issued, write_half_days(self.first))
        else:
            status, body = 404, write_problem(404)
        return status, json.dumps(body).encode()


@contextmanager
def serve_office() -> Iterator[Office]:
    office = Office()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            office.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            answer = office.answer(self.path)
            if answer is None:
                self.connection.recv(1)  # nothing more is sent: it ends when the client closes
                return
            status, body = answer
            if not self.headers.get("user-agent"):
                status = 403
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **office.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                return  # whoever asked has gone

        def log_message(self, *args: object) -> None:
            pass

    with run_server(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as office.url:
        yield office
