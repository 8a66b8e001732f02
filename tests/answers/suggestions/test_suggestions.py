"""`/v1/{metro}/suggest`: what begins with the letters that somebody has typed, of what the key may read."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given

from outings.contract.errors import ApiError
from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import fetch, read_all
from tests.answers.documents import make_neighborhood, make_organization, make_uuid
from tests.answers.generated import make_world, seeds
from tests.answers.worlds import COLLECTIONS, World, fold, open_release, split_text

PATH = "/v1/harbor/suggest"
EVENTS_ALONE = Entitlement(types=frozenset({"event"}))

Document = dict[str, Any]


def suggest(release: Release, q: str, **context: Any) -> list[tuple[str, str]]:
    """Text and kind, in the order of the answer."""
    params = context.pop("params", {})
    return [
        (suggestion["text"], suggestion["kind"])
        for suggestion in fetch(release, PATH, {"q": q, **params}, **context)["data"]
    ]


def hold(number: int, name: str, **members: Any) -> tuple[Document, dict[str, list[datetime]]]:
    """An event on the day that is asked about, and its date."""
    event = documents.make_event(
        make_uuid(number), name=name, has_date=True, starts_local="2026-08-10T09:00:00",
        starts_at="2026-08-10T13:00:00Z", **members,
    )  # fmt: skip
    return event, {make_uuid(number): [datetime(2026, 8, 10, 9)]}


def open_events(folder: Path, *named: tuple[Document, dict[str, list[datetime]]], **world: Any) -> Release:
    dates = {row_id: starts for _, own in named for row_id, starts in own.items()}
    listings = [event for event, _ in named] + world.pop("listings", [])
    return open_release([World(listings=listings, dates=dates, **world)], folder)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Release:
    ballard = documents.make_location(neighborhood="Ballard", neighborhood_slug="ballard")
    society = {"id": make_uuid(50), "name": "Ballet Society", "slug": "ballet-society"}
    return open_events(
        tmp_path_factory.mktemp("town"),
        hold(1, "Ball Games", location=ballard, categories=["sports_active_play"]),
        hold(2, "Ball Games", organization=society),
        hold(3, "Big Ball"),
        hold(4, "Balloons for Adults", audience="adults"),
        listings=[
            documents.make_place(make_uuid(20), name="Ball Park"),
            documents.make_place(make_uuid(21), name="Ball Park"),
            documents.make_class(make_uuid(30), name="Ballet", organization=society, categories=["dance_gymnastics"]),
            documents.make_class(make_uuid(31), name="Balancing", status="archived"),
        ],
        neighborhoods=[make_neighborhood("ballard", "Ballard"), make_neighborhood("balmoral", "Balmoral")],
        organizations=[
            make_organization(make_uuid(50), name="Ballet Society", slug="ballet-society"),
            make_organization(make_uuid(51), name="Balance Beams"),
        ],
    )  # fmt: skip


def test_letters_find_what_begins_with_them_by_kind_then_what_has_more(town: Release) -> None:
    assert suggest(town, "ball") == [
        ("ball", "query"),
        ("Ballard", "neighborhood"),
        ("Ball Park", "place"),
        ("Ballet Society", "organization"),
        ("Ball Games", "listing"),
        ("Ballet", "listing"),
        ("Big Ball", "listing"),
    ]


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("SPORTS act", [("sports active play", "category")]),
        ("activ", [("sports active play", "category")]),
        ("ball g", [("Ball Games", "listing")]),
        ("  bíg-B ", [("Big Ball", "listing")]),
        ("games ball", [("games ball", "query")]),
        ("all", []),
        ("museums", []),
        ("balm", []),
        ("bala", []),
        ("!?", []),
        ("\N{CJK UNIFIED IDEOGRAPH-6D77}", []),
    ],
)
def test_words_are_met_from_their_beginning_in_their_order_and_only_where_something_is_live(
    town: Release, q: str, expected: list[tuple[str, str]]
) -> None:
    assert suggest(town, q) == expected


def test_an_item_says_what_it_is_and_where_to_read_on(town: Release) -> None:
    body = fetch(town, PATH, {"q": "ball", "limit": "5"})
    query, area, place, organization, listing = body["data"]
    no_lists = dict.fromkeys(COLLECTIONS.values())
    assert query == {
        "text": "ball", "kind": "query", "count": 5, "type": None, "id": None, "slug": None,
        "links": {"self": None, "search": "/v1/harbor/search?q=ball&match=auto", **no_lists},
    }  # fmt: skip
    lists = {name: f"/v1/harbor/{name}?neighborhood=ballard" for name in COLLECTIONS.values()}
    assert area == {
        "text": "Ballard", "kind": "neighborhood", "count": 1, "type": None, "id": None, "slug": "ballard",
        "links": {"self": None, "search": None, **lists},
    }  # fmt: skip
    path = f"/v1/places/{make_uuid(20)}"
    assert place["links"] == {
        "self": path, "search": None, "places": None,
        **{name: f"{path}/{name}" for name in ("events", "classes", "camps")},
    }  # fmt: skip
    path = f"/v1/organizations/{make_uuid(50)}"
    assert (organization["type"], organization["id"]) == ("organization", make_uuid(50))
    assert organization["links"] == {
        "self": path, "search": None, **{name: f"{path}/{name}?metro=harbor" for name in COLLECTIONS.values()}
    }  # fmt: skip
    assert (listing["type"], listing["id"], listing["links"]["self"]) == (
        "event", make_uuid(1), f"/v1/events/{make_uuid(1)}",
    )  # fmt: skip
    assert body["meta"] == {
        "query": "ball", "types": ["events", "classes", "camps", "places"], "limit": 5, "count": 5, "metro": "harbor",
        "generated_at": "2026-08-01T12:00:00Z",
    }  # fmt: skip


def test_a_category_links_to_its_lists(town: Release) -> None:
    [category] = fetch(town, PATH, {"q": "sports"})["data"]
    assert category["slug"] == "sports_active_play"
    assert category["links"]["events"] == "/v1/harbor/events?category=sports_active_play"


def test_a_key_is_suggested_what_it_may_read_alone(town: Release) -> None:
    suggestions = suggest(town, "ball", entitlement=EVENTS_ALONE)
    assert suggestions == [
        ("ball", "query"), ("Ballard", "neighborhood"), ("Ballet Society", "organization"), ("Ball Games", "listing"),
        ("Big Ball", "listing"),
    ]  # fmt: skip
    assert suggest(town, "ball", params={"types": "events"}) == suggestions
    assert suggest(town, "dance", entitlement=EVENTS_ALONE) == []


def test_what_is_over_is_not_suggested(tmp_path: Path) -> None:
    release = open_events(tmp_path, hold(1, "Walk"))
    assert suggest(release, "walk") == [("Walk", "listing")]
    assert suggest(release, "walk", today=datetime(2026, 8, 11).date()) == []


def test_a_metro_without_listings_suggests_nothing(tmp_path: Path) -> None:
    society = make_organization(make_uuid(50), name="Ballet Society")
    world = World(neighborhoods=[make_neighborhood("ballard", "Ballard")], organizations=[society])
    assert suggest(open_release([world], tmp_path), "ball") == []


def test_listings_of_one_name_are_one_suggestion_that_leads_to_the_first_live_one(tmp_path: Path) -> None:
    release = open_events(
        tmp_path, hold(1, "Walk", status="archived"), hold(2, "WALK", confidence=0.1), hold(3, "Wálk")
    )
    [item] = fetch(release, PATH, {"q": "w"})["data"]
    assert (item["text"], item["id"]) == ("Wálk", make_uuid(3))


def test_one_text_is_one_suggestion_whatever_its_type_and_kind(tmp_path: Path) -> None:
    """The one whose kind is first of those that are live."""
    mill = documents.make_location(neighborhood="The Mill", neighborhood_slug="the-mill")
    release = open_events(
        tmp_path, hold(1, "Walk"), hold(2, "The Mill", location=mill),
        hold(3, "Dance Gymnastics", categories=["dance_gymnastics"]),
        listings=[
            documents.make_class(make_uuid(10), name="WALK"),
            documents.make_place(make_uuid(11), name="The Mill"),
            documents.make_place(make_uuid(12), name="Walk", status="archived"),
        ],
        neighborhoods=[make_neighborhood("the-mill", "The Mill")],
    )  # fmt: skip
    assert suggest(release, "wal") == [("Walk", "listing")]
    assert suggest(release, "mill") == [("The Mill", "neighborhood")]
    assert suggest(release, "dance") == [("dance gymnastics", "category")]
    assert suggest(release, "mill", entitlement=Entitlement(types=frozenset({"place"}))) == [("The Mill", "place")]


@pytest.mark.parametrize("q", ["millrace", "millra", "Mill-Race", "old millr", "mill racepar"])
def test_words_may_be_written_as_one(tmp_path: Path, q: str) -> None:
    release = open_events(tmp_path, hold(1, "Old Mill-Race Park"), hold(2, "Tower Mill"))
    assert suggest(release, q) == [("Old Mill-Race Park", "listing")]


@pytest.mark.parametrize("q", ["mill race", "mill-rac"])
def test_a_word_may_be_written_as_two(tmp_path: Path, q: str) -> None:
    release = open_events(tmp_path, hold(1, "The Millrace"), hold(2, "Mill Race"), hold(3, "Mill"))
    assert suggest(release, q) == [("Mill Race", "listing"), ("The Millrace", "listing")]


def test_one_entry_with_many_words_alike_is_suggested_once(tmp_path: Path) -> None:
    release = open_events(tmp_path, hold(1, "Go Go Go Go"), hold(2, "Go " * 20 + "Home"))
    assert suggest(release, "go", params={"limit": "20"}) == [
        ("Go Go Go Go", "listing"), ("Go " * 20 + "Home", "listing"),
    ]  # fmt: skip
    assert suggest(release, "home") == []  # beyond the words at which a suggestion may begin


def test_few_of_very_many_are_those_with_most(tmp_path: Path) -> None:
    often = [17, 67, 117, 167, 217, 267]
    events = [
        hold(number + 1, f"Walk {number % 300:03}") for number in [*range(300), *(300 + number for number in often)]
    ]
    release = open_events(tmp_path, *events)
    best = ["walk", *(f"Walk {number:03}" for number in [*often, *range(14)])]
    for limit in (1, 2, 3, 20):
        assert [text for text, _ in suggest(release, "w", params={"limit": str(limit)})] == best[:limit]


@pytest.fixture(scope="module")
def borough(tmp_path_factory: pytest.TempPathFactory) -> Release:
    names = [
        "Swimming Lessons: Level 1", "Swimming Lessons: Level 2 (Sat)", "Preschool Dance", "Tap Dance",
        "Preschool Music", "Preschool Dance: Winter", "Library Tour", "Evening at the Library", "Storytime in Spanish",
        "Saturday StoryTime", "Bronx Walk", "The Bronx by Bike", "Pottery Wheel", "Family Pottery",
        "Natación para niños", "Natación: Nivel 2",
    ]  # fmt: skip
    art = [
        hold(number, name, ages=documents.make_ages(min=low, max=high))
        for number, name, low, high in ((40, "Art Lab", 4, 6), (41, "Art Party", 5, 8), (42, "Art for Teens", 13, 17))
    ]
    places = ["North Playground", "South Playground", "Mill Park: Spray Shower", "Mill Park: Court", "Mill Park: Lawn"]
    return open_events(
        tmp_path_factory.mktemp("borough"),
        *(hold(number, name) for number, name in enumerate(names, 1)),
        *art,
        listings=[documents.make_place(make_uuid(number), name=name) for number, name in enumerate(places, 60)],
    )


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("swimming les", ("swimming lessons", 2)),
        ("swimmin lesons", ("swimming lessons", 2)),
        ("preschool d", ("preschool dance", 2)),
        ("dance pre", ("dance preschool", 2)),
        ("art for 5", ("art for 5 year olds", 2)),
        ("art for 5 ye", ("art for 5 year olds", 2)),
        ("lib", ("library", 2)),
        ("story tim", ("storytime", 2)),
        ("playgruond", ("playground", 2)),
        ("bron", ("bronx", 2)),
        ("pott", ("pottery", 2)),
        ("nata", ("natación", 2)),
    ],
)
def test_what_several_names_share_is_a_query_with_how_many_have_it(
    borough: Release, typed: str, expected: tuple[str, int]
) -> None:
    first = fetch(borough, PATH, {"q": typed})["data"][0]
    assert (first["text"], first["count"], first["kind"]) == (*expected, "query")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("swimming les", [("swimming lessons", 2)]),
        ("pottery l", [("pottery lessons", 2)]),
        ("tennis l", [("tennis lessons", 1)]),
        ("tennis c", [("tennis camps", 1), ("tennis classes", 1)]),
        ("dance cl", [("dance classes", 1)]),
        ("preschool d", [("preschool dance", 1)]),
        ("gymnastics k", []),
        ("tennis w", []),
        ("ballard cl", []),
        ("lake cl", []),
    ],
)
def test_a_second_word_is_a_kind_of_listing_or_a_category_of_what_the_first_names(
    tmp_path: Path, typed: str, expected: list[tuple[str, int]]
) -> None:
    """Names of Seattle's and New York's exports."""
    named = [
        "Learn to Swim - Preschool Aquatics", "Learn to Swim - Three Aquatics", "Youth Pottery - Sat (5-8yrs)",
        "Adult Daytime Pottery - Mondays", "Contemporary Dance: Ages 8-12", "Tennis Academy 3.0+ 11-17",
    ]  # fmt: skip
    gym = documents.make_class(
        make_uuid(20), name="Preschool Gymnastics (3-4 yr olds)", categories=["dance_gymnastics"],
        description="Beams and bars.",
    )  # fmt: skip
    release = open_events(
        tmp_path,
        hold(30, "Lake Walk"),
        listings=[
            *(documents.make_class(make_uuid(number), name=name) for number, name in enumerate(named, 1)),
            gym,
            documents.make_camp(make_uuid(21), name="High School Tennis Camp (14-17)"),
            documents.make_place(make_uuid(22), name="Alley Athletic Playground: tennis court"),
            documents.make_class(make_uuid(23), name="Ballard Basics"),
        ],
        neighborhoods=[make_neighborhood("ballard", "Ballard")],
    )
    body = fetch(release, PATH, {"q": typed})
    assert [(item["text"], item["count"]) for item in body["data"] if item["kind"] == "query"] == expected


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Names as New York's are, in a region that no map names: six addresses of three neighborhoods say "East Bay"."""
    names = [
        "Session 3: Mill Pool - Learn to Swim Level 1 (Class A)", "Session 3: Mill Pool - Learn to Swim Level 2",
        "Session 3: Fish Pool - Learn to Swim Level 1 (Class A)", "Hamilton Fish Hike", "Hamilton Fish Hunt",
        "Mill Pool: Lap Swim", "Fish Pool: Lap Swim", "Jazz Trail: Brass", "Jazz Trail: Strings",
        "Movies Under the Stars: Up", "Movies Under the Stars: Coco",
    ]  # fmt: skip
    ages = {3: documents.make_ages(min=1, max=3)}
    areas = ["Alder", "Birch", "Cedar", "Dogwood"]
    places = []
    for number, (area, place) in enumerate((area, place) for area in areas for place in range(4)):
        bay = "East Bay" if area != "Dogwood" else "West Side"
        location = documents.make_location(
            neighborhood=area, neighborhood_slug=area.lower(), address=f"{place} Elm St, {bay}"
        )
        court = "spray shower" if place == 3 else "tennis court"
        name = f"{area} Playground {place}: {court}" if place > 1 else f"{area} {place} Playground"
        places.append(documents.make_place(make_uuid(100 + number), name=name, location=location))
    return open_events(
        tmp_path_factory.mktemp("pools"),
        *(
            hold(number, name, **({"ages": ages[number]} if number in ages else {}))
            for number, name in enumerate(names, 1)
        ),
        listings=places,
        neighborhoods=[make_neighborhood(area.lower(), area) for area in areas],
    )


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("ea", []),
        ("eas", [("kids in East Bay", 12)]),
        ("east b", [("kids in East Bay", 12)]),
        ("toddl", [("toddlers", 27)]),
        ("swim for tod", [("swim for toddlers", 5)]),
        ("splash", [("splash pad", 4)]),
        ("learn to s", [("learn to swim", 3)]),
        ("hamil", [("hamilton fish", 2)]),
        ("movies", [("movies", 2), ("movies under the stars", 2)]),
        ("tennis a", []),
    ],
)
def test_regions_ages_and_related_words_are_queries_and_parts_of_one_are_none(
    pools: Release, typed: str, expected: list[tuple[str, int]]
) -> None:
    body = fetch(pools, PATH, {"q": typed})
    assert [(item["text"], item["count"]) for item in body["data"] if item["kind"] == "query"] == expected


def test_a_series_is_one_suggestion_whatever_stands_in_front_of_it(pools: Release) -> None:
    assert suggest(pools, "lap sw") == [("lap swim", "query"), ("Fish Pool: Lap Swim", "listing")]
    assert sorted(text for text, _ in suggest(pools, "level")) == [
        "Session 3: Fish Pool - Learn to Swim Level 1 (Class A)",
        "Session 3: Mill Pool - Learn to Swim Level 2",
    ]


def test_a_place_of_that_name_is_before_a_kind_and_a_single_listing_behind_it(tmp_path: Path) -> None:
    lake = documents.make_place(make_uuid(20), name="Green Lake Community Center")
    crew = documents.make_class(make_uuid(21), name="Green Lake Crew")
    release = open_events(tmp_path, listings=[lake, crew])
    assert [text for text, _ in suggest(release, "green l") if text != "green lake"] == [
        "Green Lake Community Center", "green lessons", "Green Lake Crew",
    ]  # fmt: skip


def test_a_word_of_several_texts_is_before_names_of_one_place(tmp_path: Path) -> None:
    pool = documents.make_location(lat=40.7, lng=-74.0)
    swims = [
        hold(number, f"Liberty Pool: {name}", location=pool) for number, name in enumerate(("Lap Swim", "Dive"), 1)
    ]
    tours = [hold(number, f"Tour {number}", description="To the libraries.") for number in (11, 12, 13)]
    release = open_events(tmp_path, *swims, *tours)
    assert suggest(release, "lib")[:2] == [("libraries", "query"), ("liberty pool", "query")]
    far = hold(3, "Liberty Hall", location=documents.make_location(lat=40.8, lng=-74.0))
    assert suggest(open_events(tmp_path / "far", *swims, *tours, far), "lib")[0] == ("liberty", "query")


@pytest.mark.parametrize("typed", ["pier 7", "pier 7 g", "Pier 7 Gala"])
def test_an_age_behind_a_query_is_beside_names_and_never_in_their_place(tmp_path: Path, typed: str) -> None:
    release = open_events(tmp_path, hold(1, "Pier 7 Gala"), hold(2, "Pier Walk"), hold(3, "Pier Songs"))
    aged = [("pier for 7 year olds", "query")] if typed == "pier 7" else []
    assert suggest(release, typed) == [("Pier 7 Gala", "listing"), *aged]


def test_a_name_that_is_a_whole_query_with_an_age_comes_before_the_query(tmp_path: Path) -> None:
    release = open_events(tmp_path, hold(1, "Hall 7"), hold(2, "Hall Songs"), hold(3, "Hall Walk"))
    assert suggest(release, "hall 7") == [("Hall 7", "listing"), ("hall for 7 year olds", "query")]


def test_a_name_is_not_hidden_by_an_equal_query_that_is_not_shown(tmp_path: Path) -> None:
    release = open_events(tmp_path, hold(1, "Wobbly Trellis"), hold(2, "Wobbly Trellis Again"))
    assert suggest(release, "trel") == [("Wobbly Trellis", "listing"), ("Wobbly Trellis Again", "listing")]
    assert suggest(release, "wobb") == [("wobbly trellis", "query"), ("Wobbly Trellis Again", "listing")]


def test_a_place_counts_what_is_held_there_and_itself(tmp_path: Path) -> None:
    place = {"id": make_uuid(21), "name": "Quay Room", "slug": "quay-room"}
    release = open_events(
        tmp_path, *(hold(number, f"Songs {number}", place=place) for number in (1, 2, 3)),
        hold(4, "For Adults", place=place, audience="adults"),
        listings=[
            documents.make_place(make_uuid(20), name="Quay Barn"),
            documents.make_place(make_uuid(21), name="Quay Room"),
        ],
    )  # fmt: skip
    rows = [row for row in fetch(release, PATH, {"q": "quay"})["data"] if row["kind"] == "place"]
    assert [(row["text"], row["count"]) for row in rows] == [("Quay Room", 4), ("Quay Barn", 1)]


def test_each_form_of_a_query_is_found_by_its_own_letters(tmp_path: Path) -> None:
    names = ("Libraries at Night", "Libraries by Bike", "Songs of Libraries", "Library Tour", "Old Library")
    release = open_events(tmp_path, *(hold(number, name) for number, name in enumerate(names, 1)))
    assert suggest(release, "librar")[0] == ("libraries", "query")
    assert suggest(release, "library")[0] == ("library", "query")


def test_whole_words_are_before_names_that_have_the_letters_further_behind(tmp_path: Path) -> None:
    east = documents.make_location(neighborhood="Crotona Park East", neighborhood_slug="crotona-park-east")
    named = [hold(number, f"Yoga {number} Park", location=east) for number in (1, 2)]
    release = open_events(tmp_path, *named, neighborhoods=[make_neighborhood("crotona-park-east", "Crotona Park East")])
    assert suggest(release, "park e") == [("park events", "query"), ("Crotona Park East", "neighborhood")]


def test_a_key_that_reads_no_classes_is_offered_none(tmp_path: Path) -> None:
    lessons = [documents.make_class(make_uuid(number), name=f"Pottery {number}") for number in (1, 2)]
    release = open_events(tmp_path, hold(3, "Pottery Fair"), listings=lessons)
    assert suggest(release, "pottery l") == [("pottery lessons", "query")]
    assert suggest(release, "pottery l", entitlement=EVENTS_ALONE) == []


def test_a_form_that_only_hidden_names_share_moves_no_count(tmp_path: Path) -> None:
    events = [hold(1, "Library Tour"), hold(2, "Libraries by Bike"), hold(3, "Old Libraries")]
    hidden = [documents.make_place(make_uuid(10), name="Library Hall")]
    for number, listings in enumerate(([], hidden)):
        release = open_events(tmp_path / str(number), *events, listings=listings)
        first = fetch(release, PATH, {"q": "librar"}, entitlement=EVENTS_ALONE)["data"][0]
        assert (first["text"], first["kind"], first["count"]) == ("libraries", "query", 3)


def test_an_event_and_a_place_of_one_name_share_it_with_none(tmp_path: Path) -> None:
    place, hidden = (
        documents.make_place(make_uuid(10), name="Kayak Walk"),
        documents.make_camp(make_uuid(11), name="Kayak Camp"),
    )
    some = Entitlement(types=frozenset({"event", "place"}))
    for number, listings in enumerate(([place], [place, hidden])):
        release = open_events(tmp_path / str(number), hold(1, "Kayak Walk"), listings=listings)
        assert suggest(release, "kaya", entitlement=some) == [("Kayak Walk", "place")]


def test_a_query_leads_to_a_search_that_finds_as_many_listings(borough: Release) -> None:
    first = fetch(borough, PATH, {"q": "art for 5"})["data"][0]
    path, _, parameters = first["links"]["search"].partition("?")
    body = fetch(borough, path, dict(parse_qsl(parameters)))
    assert {item["name"] for item in body["data"][: first["count"]]} == {"Art Lab", "Art Party"}


@pytest.mark.parametrize("typed", ["mill p", "art for 9", "preschool z"])
def test_what_one_place_or_nothing_has_is_no_query(borough: Release, typed: str) -> None:
    assert [text for text, kind in suggest(borough, typed) if kind == "query"] == []


def test_names_that_begin_with_a_query_that_is_shown_are_left_out(borough: Release) -> None:
    assert suggest(borough, "swimming") == [("swimming", "query")]
    assert [text for text, _ in suggest(borough, "mill")] == ["Mill Park: Court"]


@pytest.mark.parametrize("q", ["", "x" * 101])
def test_a_query_has_one_to_a_hundred_characters(town: Release, q: str) -> None:
    with pytest.raises(ApiError, match="q"):
        fetch(town, PATH, {"q": q})


@pytest.mark.parametrize("limit", ["0", "21"])
def test_one_to_twenty_are_suggested(town: Release, limit: str) -> None:
    with pytest.raises(ApiError, match="limit"):
        fetch(town, PATH, {"q": "b", "limit": limit})


def name_beginnings(text: str, q: str) -> bool:
    words, typed = split_text(text), " ".join(split_text(q))
    return any(" ".join(words[at:]).startswith(typed) for at in range(len(words)))


def fold_first_phrase(name: str) -> str:
    return fold(re.split(r"[^\w\s'&’]", name.strip(), maxsplit=1)[0])


def list_series(name: str, q: str) -> set[tuple[str, ...]]:
    """The word before each beginning of a name, but for the first, with the words behind it by which a series is
    folded."""
    words, typed = split_text(name), " ".join(split_text(q))
    behind = [at for at in range(1, len(words)) if " ".join(words[at:]).startswith(typed)]
    return {tuple(words[at - 1 : at + 3]) for at in behind}


def list_live(release: Release) -> Iterator[Document]:
    for collection in COLLECTIONS.values():
        yield from read_all(
            release, f"/v1/harbor/{collection}", {"expand": "sessions"} if collection == "classes" else {}
        )


@given(seed=seeds)
def test_every_live_name_is_found_by_its_beginnings_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    random = Random(seed)
    release = open_release([make_world(random, size=24)], tmp_path_factory.mktemp("world"))
    live = list(list_live(release))
    for row in random.sample(live, min(len(live), 5)):
        word = random.choice(split_text(row["name"]) or ["x"])
        q = word[: random.randint(1, len(word))]
        items = fetch(release, PATH, {"q": q, "limit": "20"})["data"]
        expected = {fold(other["name"]) for other in live if name_beginnings(other["name"], q)}
        assert {fold(item["text"]) for item in items if item["kind"] in ("listing", "place")} <= expected
        if len(items) < 20:
            shown = {phrase for item in items for phrase in (fold(item["text"]), fold_first_phrase(item["text"]))}
            series = {key for item in items for key in list_series(item["text"], q)}
            missing = {name for name in expected if name not in shown and fold_first_phrase(name) not in shown}
            assert {name for name in missing if series.isdisjoint(list_series(name, q))} == set()


def test_a_place_alone_is_no_query_as_a_search_for_it_is_refused(tmp_path: Path) -> None:
    named = [hold(number, f"Ballard {what}") for number, what in enumerate(("Chess", "Swim", "Choir"), 1)]
    release = open_events(tmp_path, *named, neighborhoods=[documents.make_neighborhood("ballard", "Ballard")])
    assert ("ballard", "query") not in suggest(release, "ballard")
    assert suggest(release, "ballard")
