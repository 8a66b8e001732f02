"""A geocoder on loopback that speaks one of the formats, with faults when it is told."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.loopback import run_server

Point = tuple[float, float]


def write_nominatim(points: Sequence[Point]) -> Any:
    """Write an answer as nominatim.openstreetmap.org gives it to `format=jsonv2`."""
    return [
        {
            "place_id": 305_211_000 + number, "licence": "Data © OpenStreetMap contributors, ODbL 1.0.",
            "osm_type": "node", "osm_id": 2_473_051_010, "lat": f"{lat:.7f}", "lon": f"{lng:.7f}",
            "category": "building", "type": "house", "place_rank": 30, "importance": 0.0000625, "addresstype": "place",
            "name": "", "display_name": "12, Pier Street, Harbor, New Jersey, 07030, United States",
            "boundingbox": ["40.1", "40.2", "-74.2", "-74.1"],
        }
        for number, (lat, lng) in enumerate(points)
    ]  # fmt: skip


def write_photon(points: Sequence[Point]) -> Any:
    """Write an answer as photon.komoot.io gives it."""
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [lng, lat]},
                "properties": {"osm_type": "N", "osm_id": 1, "type": "house", "countrycode": "US", "city": "Harbor"},
            }
            for lat, lng in points
        ],
    }


def write_census(points: Sequence[Point]) -> Any:
    """Write an answer as geocoding.geo.census.gov gives it to `onelineaddress`."""
    return {
        "result": {
            "input": {"address": {"address": "12 Pier St"}, "benchmark": {"id": "4", "isDefault": True}},
            "addressMatches": [
                {
                    "tigerLine": {"side": "L", "tigerLineId": "76355984"},
                    "coordinates": {"x": lng, "y": lat},
                    "addressComponents": {"zip": "07030", "streetName": "PIER", "city": "HARBOR", "state": "NJ"},
                    "matchedAddress": "12 PIER ST, HARBOR, NJ, 07030",
                }
                for lat, lng in points
            ],
        }
    }


FORMATS = {
    "nominatim": ("/search", "q", write_nominatim),
    "photon": ("/api", "q", write_photon),
    "census": ("/locations/onelineaddress", "address", write_census),
}


@dataclass
class ServerBehaviour:
    """The behavior of a server: `status` and `headers`; `body` in place of `points`; `dripping`, the seconds between
    its bytes; `failing`, how many 500 it sends first. If `is_silent`, it answers nothing while the client waits.
    `gate` holds its answers back until the test is there too. `requests` are the queries that it got."""

    url: str
    points: list[Point] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    dripping: float = 0.0
    failing: int = 0
    is_silent: bool = False
    gate: threading.Barrier | None = None
    requests: list[dict[str, str]] = field(default_factory=list)

    def choose_status(self) -> int:
        if self.failing:
            self.failing -= 1
            return 500
        return self.status


@contextmanager
def serve_format(provider: str) -> Iterator[ServerBehaviour]:
    path, _, write = FORMATS[provider]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requested = urlsplit(self.path)
            answering.requests.append({name: texts[0] for name, texts in parse_qs(requested.query).items()})
            if answering.is_silent:
                self.connection.recv(1)  # nothing more is sent: it ends when the client closes
                return
            if answering.gate is not None:
                answering.gate.wait()
            status = answering.choose_status() if requested.path == path else 404
            body = json.dumps(write(answering.points)).encode() if answering.body is None else answering.body
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **answering.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.send_body(body)
            except OSError:
                return  # whoever asked has gone

        def send_body(self, body: bytes) -> None:
            if not answering.dripping:
                self.wfile.write(body)
            for sign in body if answering.dripping else b"":
                self.wfile.write(bytes([sign]))
                time.sleep(answering.dripping)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    answering = ServerBehaviour(f"http://127.0.0.1:{server.server_address[1]}")
    with run_server(server):
        yield answering
