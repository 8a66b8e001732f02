"""Points of addresses: a build finds them among its own records, then asks a service, and remembers what that said."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from command import main
from outings.release.store import read_object
from pipeline import address_service
from pipeline.building import BuildResult
from pipeline.clean.record_report import list_account
from pipeline.reports.build import count_feeds
from tests.edge.geocoding.serving import ServerBehaviour, serve_format
from tests.pipeline.city import City, Record, make_event, make_place

UNKNOWN = "with an address that nobody has a point of (lat and lng, [geocoder] provider)"
WAITING = "with an address that the next build asks for ([geocoder] max_requests)"
LIBRARY = {"address": "400 Broad St, Seattle", "lat": 47.62, "lng": -122.35}


@pytest.fixture
def city(tmp_path: Path) -> City:
    city = City(tmp_path)
    city.site = "[geocoder]\nbuild = true\n"
    return city


@pytest.fixture
def server() -> Iterator[ServerBehaviour]:
    with serve_format("photon") as server:
        server.points = [(47.5, -122.5)]
        yield server


def connect(city: City, server: ServerBehaviour, settings: str = "") -> None:
    city.site = f'[geocoder]\nbuild = true\nprovider = "photon"\nurl = "{server.url}"\n{settings}\n'


def write_events(city: City, *addresses: str, **members: Any) -> None:
    events = [make_event(str(number), location={"address": address}) for number, address in enumerate(addresses)]
    city.write([{**event, **members} for event in events])


def list_points(city: City) -> list[tuple[float | None, float | None]]:
    events = sorted(city.ask("/v1/seattle/events")["data"], key=lambda event: event["name"])
    return [(event["location"]["lat"], event["location"]["lng"]) for event in events]


def list_lines(built: BuildResult, feed: str = "samples") -> list[str]:
    counts = {count.feed: count for count in count_feeds(built.feeds, built.accounts)}
    return [line for line in list_account(counts[feed]) if "address" in line]


def make_square(name: str) -> Record:
    ring = [[-122.4, 47.6], [-122.4, 47.7], [-122.3, 47.7], [-122.3, 47.6], [-122.4, 47.6]]
    geometry = {"type": "Polygon", "coordinates": [ring]}
    feature = {"type": "Feature", "properties": {"name": name}, "geometry": geometry}
    return {"type": "FeatureCollection", "features": [feature]}


def test_an_address_gets_the_point_of_a_place_of_another_feed(city: City) -> None:
    city.write([make_place("7", name="Central Library", location=LIBRARY)], feed="branches")
    write_events(city, "400 Broad Street, Seattle", "Central Library", "9 Nowhere Rd")
    built = city.build()
    assert list_points(city) == [(47.62, -122.35), (47.62, -122.35), (None, None)]
    assert list_lines(built) == [
        "2 got a point by the address ([geocoder] build)",
        f"1 {UNKNOWN}",
    ]


def test_without_the_setting_an_address_stays_without_a_point(city: City) -> None:
    city.site = ""
    city.write([make_place("7", name="Central Library", location=LIBRARY)], feed="branches")
    write_events(city, "400 Broad Street, Seattle")
    assert list_lines(city.build()) == []
    assert list_points(city) == [(None, None)]


def test_an_address_that_is_a_neighborhood_gets_its_middle_and_a_house_in_it_does_not(city: City) -> None:
    city.map = make_square("Old Town")
    write_events(city, "Old Town", "9 Nowhere Rd, Old Town")
    city.build()
    assert list_points(city) == [(47.65, -122.35), (None, None)]


def test_a_place_without_a_point_gets_one_and_so_do_its_events(city: City) -> None:
    city.write([make_place("7", name="Central Library", location=LIBRARY)], feed="branches")
    annex = make_place("1", name="Annex", location={"address": "400 Broad St"})
    city.write([annex, make_event("2", place={"source_id": "1"})])
    city.build()
    assert list_points(city) == [(47.62, -122.35)]


def test_what_nobody_here_knows_is_asked_of_the_service_once_and_never_again(
    city: City, server: ServerBehaviour
) -> None:
    connect(city, server)
    write_events(city, "9 Nowhere Rd", "9  nowhere RD", "10 Nowhere Rd")
    built = city.build()
    assert [request["q"] for request in server.requests] == ["9 Nowhere Rd", "10 Nowhere Rd"]
    assert list_points(city) == [(47.5, -122.5)] * 3
    assert list_lines(built) == ["3 got a point by the address ([geocoder] build)"]
    write_events(city, "9 Nowhere Rd", "10 Nowhere Rd", name="Another")
    city.build("2026-08-11")
    assert len(server.requests) == 2
    assert list_points(city) == [(47.5, -122.5)] * 2


def test_an_address_that_the_service_does_not_know_is_remembered_too(city: City, server: ServerBehaviour) -> None:
    connect(city, server)
    server.points = []
    write_events(city, "9 Nowhere Rd")
    for day in ("2026-08-10", "2026-08-11"):
        assert list_lines(city.build(day)) == [f"1 {UNKNOWN}"]
    assert len(server.requests) == 1


def test_a_build_asks_for_no_more_than_max_requests_and_the_next_for_the_others(
    city: City, server: ServerBehaviour
) -> None:
    connect(city, server, "max_requests = 2")
    write_events(city, *(f"{number} Nowhere Rd" for number in range(1, 6)))
    for count, left in ((2, [f"3 {WAITING}"]), (4, [f"1 {WAITING}"]), (5, [])):
        assert list_lines(city.build()) == [f"{count} got a point by the address ([geocoder] build)", *left]
        assert len(server.requests) == count


def test_a_service_that_is_down_is_said_and_asked_by_the_next_build(city: City, server: ServerBehaviour) -> None:
    connect(city, server)
    server.status = 404
    write_events(city, *(f"{number} Nowhere Rd" for number in range(1, 9)))
    messages: list[str] = []
    built = city.build(progress=messages.append)
    assert "geocoder photon: status 404: 8 addresses are not asked for; the next build asks" in messages
    assert len(server.requests) == 3
    assert list_lines(built) == [f"8 {WAITING}"]
    server.status = 200
    city.build()
    assert list_points(city) == [(47.5, -122.5)] * 8


# What the two say where they fail, as they write it.
BUSY = {
    "nominatim": b'{"error":{"code":429,"message":"Too Many Requests"}}',
    "census": b"<html><body>429 Too Many Requests</body></html>",
}
WRONG = {
    "nominatim": b'{"error":"Unable to geocode"}',
    "census": b'{"errors":["Specified benchmark is invalid"],"status":"400"}',
}


@pytest.mark.long
@pytest.mark.parametrize("provider", BUSY)
def test_a_service_is_asked_day_after_day_until_each_address_is_known_and_then_never_again(
    city: City, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = address_service._POLICY
    hasty = replace(patient, silence=0.2, whole=0.2, attempts=1)
    addresses = [f"{number} Nowhere Rd, Seattle, WA" for number in range(1, 6)]
    with serve_format(provider) as server:
        connect(city, server, "max_requests = 2")
        city.site = city.site.replace("photon", provider)
        write_events(city, *addresses)
        # Of each day: what the service does, how many requests it got so far, how many points there are, what is said.
        days: list[tuple[dict[str, Any], int, int, str]] = [
            ({"points": [(47.5, -122.5), (47.6, -122.4)]}, 2, 2, "max_requests is 2: 3 addresses are"),
            ({"points": [], "status": 429, "body": BUSY[provider], "headers": {"retry-after": "60"}}, 3, 2, "429: 3"),
            ({"status": 200, "body": WRONG[provider]}, 5, 2, f"its answer is none of {provider}'s: 3 addresses are"),
            ({"body": None, "is_silent": True}, 7, 2, "3 addresses are"),
            ({"is_silent": False}, 9, 2, "max_requests is 2: 1 address is"),  # it knows neither of the two
            ({"points": [(47.7, -122.3)]}, 10, 3, ""),
            ({"status": 500}, 10, 3, ""),
        ]
        for day, (behaviour, requests, located, message) in enumerate(days, start=10):
            for name, value in behaviour.items():
                setattr(server, name, value)
            monkeypatch.setattr(address_service, "_POLICY", hasty if server.is_silent else patient)
            messages: list[str] = []
            city.build(f"2026-08-{day}", progress=messages.append)
            points = [lat for lat, _ in list_points(city) if lat is not None]
            assert (len(server.requests), len(points)) == (requests, located), day
            assert [message in line for line in messages if "geocoder" in line] == [True] * bool(message), messages
    parameter = "address" if provider == "census" else "q"
    assert [request[parameter] for request in server.requests[:2]] == addresses[:2]


def test_the_same_answers_make_the_same_bytes_and_a_built_city_stays_as_it_is(
    city: City, server: ServerBehaviour, tmp_path: Path
) -> None:
    other = City(tmp_path)
    other.folder = tmp_path / "other"
    other.folder.mkdir()
    for entry in (city, other):
        connect(entry, server)
        entry.write([make_place("7", name="Central Library", location=LIBRARY)], feed="branches")
        write_events(entry, "9 Nowhere Rd", "Central Library")
        entry.build()
    assert city.list_objects() == other.list_objects()
    parts = city.current.root.parts
    assert city.build().unchanged == ("seattle",)
    assert city.current.root.parts == parts


def test_a_check_asks_nobody_and_says_what_a_build_would_ask(city: City, server: ServerBehaviour) -> None:
    connect(city, server)
    city.write([make_place("7", name="Central Library", location=LIBRARY)], feed="branches")
    write_events(city, "9 Nowhere Rd", "Central Library")
    assert city.configuration.feeds
    result = CliRunner().invoke(main, ["check", "-c", str(city.folder / "outings.toml")])
    assert server.requests == []
    assert "  samples: 1 got a point by the address ([geocoder] build)\n" in result.stdout
    assert f"  samples: 1 {WAITING}\n" in result.stdout


def test_no_address_is_stored_beside_the_listings_that_state_it(city: City, server: ServerBehaviour) -> None:
    connect(city, server)
    write_events(city, "9 Nowhere Rd")
    city.build()
    (event,) = city.ask("/v1/seattle/events")["data"]
    city.write([make_event("1", location=LIBRARY)])
    city.settings["samples"] = "max_shrink = 1"
    city.build("2026-08-11")
    manifest = json.loads(read_object(city.store, city.current.root.parts["seattle"].manifest))
    stored = read_object(city.store, manifest["located"])
    assert event["location"]["address"] == "9 Nowhere Rd"
    assert b"owhere" not in stored


ICS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//x//y
{events}
END:VCALENDAR
"""
VEVENT = """BEGIN:VEVENT
UID:{number}
DTSTAMP:20260801T000000Z
DTSTART:20260812T100000
SUMMARY:Event {number}
LOCATION:{location}
END:VEVENT"""


def write_calendar(city: City, *locations: str) -> None:
    city.write([], feed="calendar")
    city.formats["calendar"], city.urls["calendar"] = "ics", "calendar.ics"
    events = "\n".join(VEVENT.format(number=number, location=location) for number, location in enumerate(locations))
    (city.folder / "calendar.ics").write_text(ICS.format(events=events))


def list_places(city: City) -> list[str | None]:
    events = sorted(city.ask("/v1/seattle/events")["data"], key=lambda event: event["name"])
    return [event["place"] and event["place"]["name"] for event in events]


def test_the_location_of_a_calendar_is_a_place_of_another_feed(city: City) -> None:
    city.site = ""
    north = make_place("8", name="Branch", location={"address": "1 North St, Seattle", "lat": 47.7, "lng": -122.3})
    south = make_place("9", name="Branch", location={"address": "2 South St, Seattle", "lat": 47.5, "lng": -122.3})
    city.write([make_place("7", name="Central Library", location=LIBRARY), north, south], feed="branches")
    write_calendar(
        city, "Central Library", "Central Library\\, 400 Broad Street\\, Seattle", "400 Broad St\\, Seattle",
        "Branch\\, 2 South St", "Branch", "Central Library\\, 5 Elm St", "Town Hall",
    )  # fmt: skip
    city.build()
    library = "Central Library"
    assert list_places(city) == [library, library, library, "Branch", None, None, None]
    assert list_points(city)[:4] == [(47.62, -122.35)] * 3 + [(47.5, -122.3)]
