"""Listings of types that a key may not read: they move nothing in its searches, suggestions and addresses.

A metro of events alone and one that has camps, classes and places too: a key of events gets the same bytes of both.
Likewise a key of places.
"""

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import quote_plus

import pytest

from edge.services.geocoder import LocalGeocoder
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
    for area in ("Alder", "Birch", "Cedar")
]


def make_worlds() -> dict[str, World]:
    """Make worlds by the kind of a key that may read only events, only places, or listings of every type."""
    places = [item for item in UNREADABLE if item["type"] == "place"]
    neighborhoods = {
        "events": [NORTH_END, OLD_TOWN],
        "places": [*AREAS, NORTH_END],
        "all": [NORTH_END, OLD_TOWN, WESTMERE, RED_HOOK, *AREAS],
    }
    listings = {"events": EVENTS, "places": places, "all": [*EVENTS, *UNREADABLE]}
    dates = {event["id"]: [datetime.fromisoformat(event["starts_local"])] for event in EVENTS}
    return {
        kind: World(
            listings=own,
            dates={row_id: of_row for row_id, of_row in dates.items() if own is not places},
            neighborhoods=sorted(neighborhoods[kind], key=lambda neighborhood: neighborhood["slug"]),
            zips={"07030": (40.12, -74.12), "07099": (40.3, -74.3)},
        )
        for kind, own in listings.items()
    }


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Service]]:
    made = {}
    for kind, world in make_worlds().items():
        store = MemoryStore()
        store.put_many(list_published([world]))
        folder = tmp_path_factory.mktemp(f"unreadable-{kind}")
        made[kind] = make_service(folder, store=store, published=False, geocoder=LocalGeocoder())
    yield made
    for service in made.values():
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
ADDRESSES = [
    "99 Secret Rd", "99 Secret Rd, Inland", "7 Lamp St, Inland", "7 Lamp St, Oregon", "7 Lamp St, OR", "Aviary",
    "5 Wing Way", "Harbor Center", "07099", "Westmere", "Gowanus-Red Hook", "Alder", "Tea House", "Court Alder 1",
    "Tea House, Inland",
]  # fmt: skip
TARGETS = [
    *(f"/v1/harbor/search?q={quote_plus(q)}{match}" for q in SEARCHES for match in ("", "&match=auto")),
    *(f"/v1/harbor/suggest?q={letters}" for letters in LETTERS),
    *(f"/v1/harbor/around?address={quote_plus(address)}" for address in ADDRESSES),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["events", "places"])
def test_what_a_key_may_not_read_moves_nothing_in_its_answers(
    services: dict[str, Service], kind: str, target: str
) -> None:
    alone, among_others = (services[world].get(target, kind=kind) for world in (kind, "all"))
    assert alone.status == among_others.status
    if alone.status == 200:
        assert alone.read_body() == among_others.read_body()
    else:
        assert {**alone.error, "request_id": ""} == {**among_others.error, "request_id": ""}


@pytest.mark.parametrize("target", ["search?q=falconri", "suggest?q=falc", "around?address=99+Secret+Rd"])
def test_a_key_of_all_types_is_reported_of_all(services: dict[str, Service], target: str) -> None:
    alone, among_others = (services[world].get(f"/v1/harbor/{target}").read_body() for world in ("events", "all"))
    assert alone != among_others


@pytest.mark.parametrize(
    ("address", "point"),
    [
        # The reference and the location of a listing are part of it.
        ("Lantern Hall", (40.12, -74.12)), ("7 Lamp St, Harbor", (40.12, -74.12)), ("07030", (40.12, -74.12)),
        ("Old Town", (40.1, -74.1)), ("Tea House", (40.13, -74.13)),
        # So is, for all, what the map has.
        ("North End", (40.6, -74.6)),
    ],
)  # fmt: skip
def test_an_address_of_what_the_key_may_read_is_found(
    services: dict[str, Service], address: str, point: tuple[float, float]
) -> None:
    for world in ("events", "all"):
        got = services[world].get(f"/v1/harbor/around?address={quote_plus(address)}", kind="events").read_json()
        assert got["data"]["location"] == {"lat": point[0], "lng": point[1], "source": "address"}
