"""Words that raise a result in `match=auto` without deciding whether it matches: words for lessons, and for whom."""

from datetime import datetime
from pathlib import Path

import pytest

from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import Document, find, open_listings, score, search

AUTO = {"match": "auto"}
TEN = datetime(2026, 8, 20, 10)
WHEN = {
    "has_date": True, "has_time": True, "start_time": "10:00:00", "starts_local": "2026-08-20T10:00:00",
    "starts_at": "2026-08-20T14:00:00Z",
}  # fmt: skip


def name_classes(*names: str) -> list[Document]:
    return [documents.make_class(make_uuid(number), name=name) for number, name in enumerate(names, 1)]


@pytest.mark.parametrize("q", ["swim lessons", "swim lesson", "swim les"])
def test_who_looks_for_lessons_finds_what_says_learn_first(tmp_path: Path, q: str) -> None:
    release = open_listings(tmp_path, *name_classes("Lap Swim", "Learn to Swim", "Swim Lesson"))
    assert list(find(release, q, AUTO)) == ["Swim Lesson", "Learn to Swim", "Lap Swim"]


def test_only_auto_knows_that_learning_is_a_lesson(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_classes("Lap Swim", "Learn to Swim"))
    assert score(release, "swim lessons") == {"Lap Swim": 0.884, "Learn to Swim": 0.868}


def test_when_it_is_says_more_than_a_lesson(tmp_path: Path) -> None:
    listings = name_classes("Swim masters", "Learn to swim")
    for listing, day in zip(listings, ("sunday", "monday"), strict=True):
        listing["schedule"] = documents.make_schedule(days=[day], start_time="10:00:00")
    release = open_listings(tmp_path, *listings)
    assert list(find(release, "sunday swim lessons", AUTO)) == ["Swim masters"]


def test_a_dropped_word_for_lessons_lifts_them(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_classes("Tennis league", "Tennis drills", "Chess clinic"))
    assert list(find(release, "tennis clinic", AUTO))[:2] == ["Tennis drills", "Tennis league"]


def test_for_children_what_begins_in_their_teens_comes_behind(tmp_path: Path) -> None:
    listings = name_classes("Clay", "Clay glazes", "Clay wheels", "Clay kilns")
    ages = ({"min": 16}, {"min": 13, "max": 18}, {"min": 12}, {})
    for listing, own in zip(listings, ages, strict=True):
        listing["ages"] = documents.make_ages(**own)
    release = open_listings(tmp_path, *listings)
    assert list(find(release, "clay for kids", AUTO)) == ["Clay wheels", "Clay kilns", "Clay", "Clay glazes"]
    # Families come with their children, and who goes to school is one.
    for q in ("clay for families", "after school clay", "clay for girls", "boys clay"):
        assert list(find(release, q, AUTO))[:2] == ["Clay wheels", "Clay kilns"]
    # An age that is stated says more.
    assert next(iter(find(release, "clay for kids 16 and up", AUTO))) == "Clay"
    assert next(iter(find(release, "clay for kids"))) == "Clay"


def open_audiences(folder: Path, **audiences: str) -> Release:
    """Classes of one name, "Clay", with the audience as their second word."""
    listings = name_classes(*(f"Clay {name}" for name in audiences))
    for listing, own in zip(listings, audiences.values(), strict=True):
        listing["audience"] = own
    return open_listings(folder, *listings)


@pytest.mark.parametrize(
    ("q", "first"),
    [
        ("clay for kids", ["Clay jugs", "Clay mugs"]),
        ("clay 4 year old", ["Clay jugs", "Clay mugs"]),
        ("clay for toddlers", ["Clay jugs", "Clay mugs"]),
        ("clay for teens", ["Clay cups", "Clay mugs"]),
    ],
)
def test_what_says_that_it_is_for_whom_a_query_is_comes_first(tmp_path: Path, q: str, first: list[str]) -> None:
    release = open_audiences(tmp_path, bowls="all_ages", cups="teens", jugs="kids", mugs="families")
    assert list(find(release, q, AUTO))[:2] == first


def test_by_default_an_age_and_a_parameter_say_nothing_of_the_audience(tmp_path: Path) -> None:
    release = open_audiences(tmp_path, bowls="all_ages", jugs="kids")
    for q, params in (("clay for kids", {}), ("clay", AUTO), ("clay for kids", {**AUTO, "audience": "all"})):
        assert list(find(release, q, params)) == ["Clay bowls", "Clay jugs"]
    assert score(release, "clay for kids", AUTO) == {"Clay jugs": 0.902, "Clay bowls": 0.722}


def test_what_states_ages_or_has_the_word_in_its_name_is_not_behind_for_its_audience(tmp_path: Path) -> None:
    mugs, jugs = name_classes("Clay mugs", "Jugs")
    mugs |= {"ages": documents.make_ages(min=6), "audience": "all_ages"}
    jugs |= {"description": "Of clay.", "audience": "kids"}
    assert score(open_listings(tmp_path / "1", mugs, jugs), "clay for kids", AUTO) == {
        "Clay mugs": 0.902,
        "Jugs": 0.475,
    }
    mugs["ages"] = documents.make_ages()
    assert score(open_listings(tmp_path / "2", mugs, jugs), "clay for kids", AUTO) == {
        "Clay mugs": 0.722,
        "Jugs": 0.475,
    }


def test_a_playground_need_not_say_that_it_is_for_children(tmp_path: Path) -> None:
    place = documents.make_place(make_uuid(1), name="Ennis Playground")
    event = documents.make_event(make_uuid(2), name="Games, Noll Playground", audience="kids", **WHEN)
    court = documents.make_place(make_uuid(3), name="Noll Playground: court")
    release = open_listings(tmp_path, place, event, court, dates={make_uuid(2): [TEN]})
    names = list(score(release, "playgrounds for kids", AUTO))
    assert names[0] == "Ennis Playground"
    # A court at a playground is none, and neither are games there.
    found = find(release, "playgrounds for kids", AUTO)
    assert [found[name] for name in names[1:]] == ["partial", "partial"]


@pytest.mark.parametrize("q", ["clay camp", "clay camps", "camps for a 5 year old"])
def test_a_camp_is_one_though_its_name_does_not_say_so(tmp_path: Path, q: str) -> None:
    listings = [
        documents.make_class(make_uuid(1), name="Clay art"),
        documents.make_place(make_uuid(2), name="Clay hut"),
        documents.make_camp(make_uuid(3), name="Clay fun"),
    ]
    release = open_listings(tmp_path, *listings)
    assert next(iter(find(release, q, AUTO))) == "Clay fun"
    assert next(iter(find(release, q))) == "Clay art"


@pytest.mark.parametrize(
    ("q", "first"), [("clay events", "Fun clay"), ("clay spots", "Hut clay"), ("clay class", "Art clay")]
)
def test_events_and_places_are_what_they_are_and_a_class_is_a_word(tmp_path: Path, q: str, first: str) -> None:
    listings = [
        documents.make_camp(make_uuid(1), name="Art clay"),
        documents.make_place(make_uuid(2), name="Hut clay"),
        documents.make_event(make_uuid(3), name="Fun clay", **WHEN),
        documents.make_class(make_uuid(4), name="Jug clay"),
    ]
    release = open_listings(tmp_path, *listings, dates={make_uuid(3): [TEN]})
    assert next(iter(find(release, q, AUTO))) == first


def test_a_name_that_says_the_babies_of_the_query_comes_first(tmp_path: Path) -> None:
    listings = name_classes("Storytime", "Baby Storytime", "Storytime songs")
    for listing in listings:
        listing["ages"] = documents.make_ages(min=0, max=1)
    release = open_listings(tmp_path, *listings)
    assert list(find(release, "storytime for babies", AUTO)) == ["Baby Storytime", "Storytime", "Storytime songs"]


@pytest.mark.parametrize("q", ["clay for 3 and 7 year olds", "clay for a 3 year old and a 7 year old"])
def test_what_fits_both_children_comes_before_what_fits_one(tmp_path: Path, q: str) -> None:
    listings = name_classes("Clay", "Clay", "Clay", "Clay")
    ages = ({"min": 5, "max": 9}, {"min": 2, "max": 4}, {"min": 3, "max": 8}, {})
    for listing, own in zip(listings, ages, strict=True):
        listing["ages"] = documents.make_ages(**own)
    items = search(open_listings(tmp_path, *listings), q, AUTO)["data"]
    assert [int(item["id"][-12:], 16) for item in items] == [3, 1, 2, 4]


def test_programming_is_no_program(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_classes("Programming", "Summer Program"))
    assert list(find(release, "programming", AUTO)) == ["Programming"]
    assert list(find(release, "programs summer", AUTO)) == ["Summer Program"]


def test_what_only_the_name_of_its_place_says_is_not_all_terms(tmp_path: Path) -> None:
    (listing,) = name_classes("Concert")
    listing["place"] = {"id": make_uuid(9), "name": "Discovery Park", "slug": "discovery-park"}
    release = open_listings(tmp_path, listing)
    assert find(release, "concert discovery", AUTO) == {"Concert": "related"}
    assert find(release, "concert discovery") == {"Concert": "partial"}
