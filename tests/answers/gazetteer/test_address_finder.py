"""Locations of addresses that a metro's own listings give."""

from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from outings.answers.gazetteer.address_finder import Gazetteer, locate_types
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.vocabulary import TYPES
from tests.answers.documents import make_event, make_location, make_place
from tests.answers.worlds import Document, World, open_world

open_gazetteer = locate_types(frozenset(TYPES))
BOUNDS = {"south": 40.4, "west": -74.8, "north": 40.8, "east": -74.4}
NORTH = {"slug": "north-end", "name": "North End", "key": "north end", "lat": 40.5, "lng": -74.5} | BOUNDS
HARBOR_PARK = {"slug": "harbor-park", "name": "Harbor Park", "key": "harbor park", "lat": 40.7, "lng": -74.7} | BOUNDS


def make_id(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, name))


def place(name: str, lat: float, lng: float, **where: str) -> Document:
    return make_place(make_id(f"{name}{lat}{lng}"), name=name, location=make_location(lat=lat, lng=lng, **where))


def event(address: str, lat: float, lng: float, **members: object) -> Document:
    row_id = make_id(f"{address}{lat}{lng}")
    return make_event(row_id, location=make_location(address=address, lat=lat, lng=lng), **members)


LISTINGS = [
    place(
        "Clay Studio", 40.1, -74.1, address="2323 E Cherry St, Harbor, NJ", street_address="2323 E Cherry St",
        city="Harbor", state="NJ", zip="07030", neighborhood="Old Town",
    ),
    place("Far Studio", 40.15, -74.1, address="6020 - 28th Ave NW, Lakes", zip="07031-1234"),
    # One park of two courts 100 m apart, one of two 2 km apart, and two gyms of one name.
    place("Elm Park: north court", 40.2, -74.2, address="1 Ave. bet. 3 St. and 4 St., Harbor"),
    place("Elm Park: south court", 40.2009, -74.2, address="1 Ave. bet. 4 St. and 5 St., Harbor"),
    place("Harbor Park: north court", 40.72, -74.7, address="Harbor"),
    place("Harbor Park: south court", 40.70, -74.7, address="Harbor"),
    place("School gym", 40.3, -74.3, address="Harbor"),
    place("School gym", 40.4, -74.4, address="9 Pine Rd, Lakes"),
    event("Upper Terrace (in Rose Garden)", 40.25, -74.25),
    event("Boat House", 40.26, -74.26),
    event("Secret Room", 40.27, -74.27, status="draft"),
    event("Old Room", 40.27, -74.27, status="archived"),
]  # fmt: skip


@pytest.fixture(scope="module")
def gazetteer(tmp_path_factory: pytest.TempPathFactory) -> Gazetteer:
    world = World(listings=LISTINGS, neighborhoods=[NORTH, HARBOR_PARK])
    return open_snapshot(open_world(world, tmp_path_factory.mktemp("harbor"))).open_index(open_gazetteer)


CLAY, FAR, ELM = (40.1, -74.1), (40.15, -74.1), (40.20045, -74.2)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        # Houses.
        ("2323 E Cherry St", CLAY),
        ("2323 east cherry street, harbor, nj 07030", CLAY),
        ("2323 E Cherry St Apt 4, Harbor", CLAY),
        ("2323 E Cherry, New Jersey", CLAY),
        ("2323 E. Cherry St., Old Town", CLAY),
        ("2323 E Cherry St, Harbor NJ, USA", CLAY),
        ("6020 28th Avenue Northwest", FAR),
        ("6020 28th Ave NW, Lakes, NJ 07031", FAR),
        # Names.
        ("clay studio", CLAY),
        ("the Clay Studio, harbor-city", CLAY),
        ("Elm Park", ELM),
        ("Elm Park, Harbor", ELM),
        ("Elm Park: south court", (40.2009, -74.2)),
        ("Rose Garden", (40.25, -74.25)),
        ("Upper Terrace", (40.25, -74.25)),
        ("Boat House, Lakes", (40.26, -74.26)),  # nothing says that it is not there
        # Corners.
        ("1st Ave & 3rd St", (40.2, -74.2)),
        ("4 St and First Avenue, Harbor", ELM),
        # Middles.
        ("North End", (40.5, -74.5)),
        ("North End, Harbor NJ", (40.5, -74.5)),
        ("Harbor Park", (40.7, -74.7)),  # its courts are too far apart for one place
        ("07030", CLAY),
        ("07031", FAR),
    ],
)
def test_an_address_is_found(gazetteer: Gazetteer, address: str, expected: tuple[float, float]) -> None:
    point = gazetteer.find_address(address)
    assert point is not None
    assert (point.lat, point.lng) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    "address",
    [
        "2325 E Cherry St",  # a house that nothing is listed in
        "2323 W Cherry St",
        "2323 Cherry St",
        "2323 E Cherry Ave",
        "6020 28th NW",  # Avenue or Street?
        "2323 E Cherry St, Portland",
        "2323 E Cherry St, OR",
        "2323 E Cherry St, 07031",
        "2323 E Cherry St, Lakes",
        "School gym",  # there are two
        "3rd St & 5th St",  # they do not meet
        "Secret Room",
        "Old Room",
        "North End, Portland OR",
        "99999",
        "Harbor",
        "???",
        ",",
        " ",
        "&",
        "1" * 300,
        "ß" * 300,
        "\x00",
    ],
)
def test_an_unknown_address_is_not_guessed(gazetteer: Gazetteer, address: str) -> None:
    assert gazetteer.find_address(address) is None


def test_an_area_after_a_name_distinguishes_two_places(gazetteer: Gazetteer) -> None:
    point = gazetteer.find_address("School gym, Lakes")
    assert point is not None
    assert (point.lat, point.lng) == (40.4, -74.4)


def test_a_metro_without_listings_knows_nothing(tmp_path: Path) -> None:
    empty = open_snapshot(open_world(World(), tmp_path)).open_index(open_gazetteer)
    assert empty.find_address("2323 E Cherry St") is None
