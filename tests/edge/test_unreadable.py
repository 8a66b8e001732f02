"""Listings of types that a key may not read: they move nothing in its searches and suggestions.

Two metros differ in camps, classes and places alone. A key of events gets the same bytes of both.
"""

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import quote_plus

import pytest

from edge.geocoding.geocoder import LocalGeocoder
from tests.answers.documents import make_ages, make_camp, make_class, make_event, make_location, make_place
from tests.answers.worlds import Document, World
from tests.edge.conftest import Service, list_published, make_service
from tests.edge.publishing import make_id
from tests.release.memory import MemoryStore

BOUNDS: Document = {"south": 40.4, "west": -74.8, "north": 40.8, "east": -74.4}
NO_BOUNDS: Document = dict.fromkeys(BOUNDS)
# On the map, so that every key may know of it.
NORTH_END: Document = {"slug": "north-end", "name": "North End", "key": "north end", "lat": 40.6, "lng": -74.6} | BOUNDS
# By what listings state alone: events one, camps the others.
OLD_TOWN: Document = {"slug": "old-town", "name": "Old Town", "key": "old town", "lat": 40.1, "lng": -74.1} | NO_BOUNDS
WESTMERE: Document = {"slug": "westmere", "name": "Westmere", "key": "westmere", "lat": 40.3, "lng": -74.3} | NO_BOUNDS
RED_HOOK: Document = {
    "slug": "gowanus-red-hook", "name": "Gowanus-Red Hook", "key": "gowanusred hook", "lat": 40.3, "lng": -74.3,
} | NO_BOUNDS  # fmt: skip


def locate(lat: float, lng: float, **where: str) -> Document:
    return make_location(lat=lat, lng=lng, **where)


def name_event(name: str, **members: object) -> Document:
    starts = "2026-08-12T10:00:00"
    return make_event(
        make_id(f"event {name}"), name=name, slug=name.lower().replace(" ", "-"), has_date=True, has_time=True,
        starts_local=starts, starts_at=f"{starts}Z", **members,
    )  # fmt: skip


HALL = {"id": make_id("hall"), "name": "Lantern Hall", "slug": "lantern-hall"}
IN_OLD_TOWN = locate(40.1, -74.1, neighborhood="Old Town", neighborhood_slug="old-town")
AT_HALL = locate(40.12, -74.12, address="7 Lamp St, Harbor, NJ", city="Harbor", state="NJ", zip="07030")
EVENTS = [
    name_event("Story hour", description="Quiet rhymes and stories."),
    name_event("Story of the red hook", location=IN_OLD_TOWN),
    name_event("Kite show in copper light"),
    name_event("Drumming", place=HALL, location=AT_HALL),
    name_event("Ballet 1-2 years", ages=make_ages(min=1, max=2)),
    name_event("Harbor center dance", location=locate(40.13, -74.13, address="Tea House")),
]  # fmt: skip

CAMP_AT = {"address": "99 Secret Rd, Inland, OR", "street_address": "99 Secret Rd", "city": "Inland", "state": "OR"}
UNREADABLE = [
    make_camp(
        make_id("camp"), name="Falconry saterdaz outdoor story hour", description="Kites.",
        location=locate(40.3, -74.3, zip="07099", neighborhood="Westmere", neighborhood_slug="westmere", **CAMP_AT),
    ),
    make_camp(
        make_id("hook"), name="Gowanus boats",
        location=locate(40.31, -74.31, neighborhood="Gowanus-Red Hook", neighborhood_slug="gowanus-red-hook"),
    ),
    make_class(make_id("ballet"), name="Ballet 1-2", ages=make_ages(min=9, max=12)),
    *(make_class(make_id(f"kite {day}"), name=f"Copper kite {day}", location=locate(40.1, -74.1, address="Tea House"))
      for day in ("one", "two", "three", "four", "five")),
    make_place(HALL["id"], name="Lantern Hall", location=locate(40.12, -74.12, address="7 Lamp St, Harbor, NJ")),
    make_place(make_id("aviary"), name="Aviary", location=locate(40.25, -74.25, address="5 Wing Way, Inland")),
    make_place(make_id("center"), name="Harbor Center", location=locate(40.26, -74.26, address="6 Wing Way, Harbor")),
    *(make_place(
        make_id(f"{area} {number}"), name=f"Court {area} {number}",
        location=locate(40.5 + number / 100, -74.5, address=f"{number} {area} St, Brooklyn",
                        neighborhood=area, neighborhood_slug=area.lower()))
      for area in ("Alder", "Birch", "Cedar") for number in range(3)),
]  # fmt: skip
AREAS: list[Document] = [
    {"slug": area.lower(), "name": area, "key": area.lower(), "lat": 40.51, "lng": -74.5} | NO_BOUNDS
    for area in ("Alder", "Birch", "Cedar", "Dogwood", "Elder")
]


def make_worlds() -> tuple[World, World]:
    """Of events alone, and with listings of all other types."""
    dates = {each["id"]: [datetime.fromisoformat(each["starts_local"])] for each in EVENTS}
    areas = sorted([NORTH_END, OLD_TOWN], key=lambda each: each["slug"])
    more = sorted([NORTH_END, OLD_TOWN, WESTMERE, RED_HOOK, *AREAS], key=lambda each: each["slug"])
    zips = {"07030": (40.12, -74.12), "07099": (40.3, -74.3)}
    return (
        World(listings=EVENTS, dates=dates, neighborhoods=areas, zips=zips),
        World(listings=[*EVENTS, *UNREADABLE], dates=dates, neighborhoods=more, zips=zips),
    )


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Service]]:
    """Over events alone, and over all of the listings."""
    made = []
    for number, world in enumerate(make_worlds()):
        store = MemoryStore()
        store.put_many(list_published([world]))
        folder = tmp_path_factory.mktemp(f"unreadable-{number}")
        made.append(make_service(folder, store=store, published=False, geocoder=LocalGeocoder()))
    yield made[0], made[1]
    for service in made:
        service.close()


SEARCHES = [
    # Beginnings: of a word that only a camp has, and of one of an event.
    "falconr", "falconri", "falconrx", "story falc", "dru",
    # Corrections, of words with a role and of others.
    "story saterday", "falcnory", "coppr",
    # Names of neighborhoods: on the map, of events, of camps, and a part of one of camps.
    "story north end", "story old town", "story westmere", "drumming gowanus", "westmere",
    # Ages, dropped words, one thing of two words, the metro's name in a place's, a region, a postal code.
    "ballet 1-2", "outdoor story hour", "story camp kite", "copper kite", "harbor center", "story brooklyn",
    "07099 5 year olds", "story 07099", "aviary", "court",
]  # fmt: skip
LETTERS = ["f", "fal", "we", "west", "a", "c", "l", "lan", "s", "story", "n", "north", "g", "red", "h", "copper", "b"]
TARGETS = [
    *(f"/v1/harbor/search?q={quote_plus(q)}{match}" for q in SEARCHES for match in ("", "&match=auto")),
    *(f"/v1/harbor/suggest?q={letters}" for letters in LETTERS),
]


@pytest.mark.parametrize("target", TARGETS)
def test_what_a_key_may_not_read_moves_nothing_in_its_answers(services: tuple[Service, Service], target: str) -> None:
    alone, among_others = (service.get(target, kind="events") for service in services)
    assert (alone.status, alone.read_body()) == (among_others.status, among_others.read_body())


@pytest.mark.parametrize("target", ["search?q=falconri", "suggest?q=falc"])
def test_a_key_of_all_types_is_told_of_all(services: tuple[Service, Service], target: str) -> None:
    alone, among_others = (service.get(f"/v1/harbor/{target}").read_body() for service in services)
    assert alone != among_others
