"""`/v1/{metro}/suggest`: what begins with the letters that somebody has typed, of what the key may read."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

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


def suggest(release: Release, q: str, **about: Any) -> list[tuple[str, str]]:
    """Text and kind, in the order of the answer."""
    params = about.pop("params", {})
    return [(each["text"], each["kind"]) for each in fetch(release, PATH, {"q": q, **params}, **about)["data"]]


def hold(number: int, name: str, **members: Any) -> tuple[Document, dict[str, list[datetime]]]:
    """An event on the day that is asked about, and its date."""
    event = documents.make_event(
        make_uuid(number), name=name, has_date=True, starts_local="2026-08-10T09:00:00",
        starts_at="2026-08-10T13:00:00Z", **members,
    )  # fmt: skip
    return event, {make_uuid(number): [datetime(2026, 8, 10, 9)]}


def open_events(folder: Path, *named: tuple[Document, dict[str, list[datetime]]], **world: Any) -> Release:
    dates = {row_id: each for _, own in named for row_id, each in own.items()}
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
        ("games ball", []),
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
    body = fetch(town, PATH, {"q": "ball", "limit": "4"})
    area, place, organization, listing = body["data"]
    lists = {name: f"/v1/harbor/{name}?neighborhood=ballard" for name in COLLECTIONS.values()}
    assert area == {
        "text": "Ballard", "kind": "neighborhood", "type": None, "id": None, "slug": "ballard",
        "links": {"self": None, **lists},
    }  # fmt: skip
    path = f"/v1/places/{make_uuid(20)}"
    assert place["links"] == {
        "self": path, "events": f"{path}/events", "classes": f"{path}/classes", "camps": f"{path}/camps",
        "places": None,
    }  # fmt: skip
    path = f"/v1/organizations/{make_uuid(50)}"
    assert (organization["type"], organization["id"]) == ("organization", make_uuid(50))
    assert organization["links"] == {
        "self": path, **{name: f"{path}/{name}?metro=harbor" for name in COLLECTIONS.values()}
    }  # fmt: skip
    assert (listing["type"], listing["id"], listing["links"]["self"]) == (
        "event", make_uuid(1), f"/v1/events/{make_uuid(1)}",
    )  # fmt: skip
    assert body["meta"] == {
        "query": "ball", "types": ["events", "classes", "camps", "places"], "limit": 4, "count": 4, "metro": "harbor",
        "generated_at": "2026-08-01T12:00:00Z",
    }  # fmt: skip


def test_a_category_links_to_its_lists(town: Release) -> None:
    [category] = fetch(town, PATH, {"q": "sports"})["data"]
    assert category["slug"] == "sports_active_play"
    assert category["links"]["events"] == "/v1/harbor/events?category=sports_active_play"


def test_a_key_is_suggested_what_it_may_read_alone(town: Release) -> None:
    suggestions = suggest(town, "ball", entitlement=EVENTS_ALONE)
    assert suggestions == [
        ("Ballard", "neighborhood"), ("Ballet Society", "organization"), ("Ball Games", "listing"),
        ("Big Ball", "listing"),
    ]  # fmt: skip
    assert suggest(town, "ball", params={"types": "events"}) == suggestions
    assert suggest(town, "dance", entitlement=EVENTS_ALONE) == []


def test_what_is_over_is_not_suggested(tmp_path: Path) -> None:
    release = open_events(tmp_path, hold(1, "Walk"))
    assert suggest(release, "walk") == [("Walk", "listing")]
    assert suggest(release, "walk", today=datetime(2026, 8, 11).date()) == []


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
    events = [hold(number + 1, f"Walk {number % 300:03}") for number in [*range(300), *(300 + each for each in often)]]
    release = open_events(tmp_path, *events)
    best = [f"Walk {number:03}" for number in often] + [f"Walk {number:03}" for number in range(14)]
    for limit in (1, 2, 3, 20):
        assert [text for text, _ in suggest(release, "w", params={"limit": str(limit)})] == best[:limit]


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
    for each in random.sample(live, min(len(live), 5)):
        word = random.choice(split_text(each["name"]) or ["x"])
        q = word[: random.randint(1, len(word))]
        items = fetch(release, PATH, {"q": q, "limit": "20"})["data"]
        shown = {fold(item["text"]) for item in items if item["kind"] in ("listing", "place")}
        expected = {fold(other["name"]) for other in live if name_beginnings(other["name"], q)}
        assert shown <= expected
        assert shown == expected or len(items) == 20
