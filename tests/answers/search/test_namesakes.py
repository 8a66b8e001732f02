"""Places that are only named after a word, in `match=auto`: Farm Playground is a playground, and no farm."""

from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from outings.answers.search.namesakes import make_heads
from outings.contract.languages.word_lists import NameWords
from outings.contract.vocabulary import TYPES
from outings.release.snapshot import Release
from outings.release.tables import FIELDS
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import find, name_places, open_listings, search

AUTO = {"match": "auto"}
NAMES = (
    "Farm Playground", "Old Red Barn Hill Farm", "Fish Park", "Fish Park Pond", "Museum of Fish", "Story House",
    "Elm pickleball court", "Oak pickleball court", "Ash pickleball court", "Pickleball",
    "Slide 2", "Slide B",
)  # fmt: skip


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_listings(tmp_path_factory.mktemp("harbor"), *name_places(*NAMES))


def score(release: Release, q: str, match: str = "auto") -> dict[str, float]:
    return {item["name"]: item["score"] for item in search(release, q, {"match": match})["data"]}


def test_what_a_place_is_comes_before_what_it_is_only_named_after(harbor: Release) -> None:
    assert score(harbor, "barn") == {"Old Red Barn Hill Farm": 0.45}
    # A kind of place filters by the head, where a place does not state its kind.
    assert find(harbor, "farm", AUTO) == {"Old Red Barn Hill Farm": "all_terms", "Farm Playground": "partial"}


def test_a_kind_that_a_place_states_counts_and_not_its_name(tmp_path: Path) -> None:
    hints = {"Mill Playground": "playground", "Jump Loft": "indoor_play", "Playground of Fun": None}
    places = [
        documents.make_place(make_uuid(number), name=name, type_hint=hint)
        for number, (name, hint) in enumerate(hints.items(), 1)
    ]
    release = open_listings(tmp_path, *places)
    assert find(release, "indoor playground", AUTO)["Jump Loft"] == "all_terms"
    assert find(release, "indoor playground", AUTO).get("Mill Playground") != "all_terms"
    assert list(find(release, "indoor playground", AUTO))[-1] != "Jump Loft"


def test_a_library_comes_behind_the_story_times_in_it(tmp_path: Path) -> None:
    libraries = [
        documents.make_place(
            make_uuid(number), name=name, type_hint="library", description="Story time, a library of games.",
        )
        for number, name in enumerate(("Mill Library", "Fish Library"), 1)
    ]  # fmt: skip
    place = {"id": make_uuid(1), "name": "Mill Library"}
    event = documents.make_event(make_uuid(3), name="Tales read aloud: story hour", place=place, has_date=True)
    release = open_listings(tmp_path, *libraries, event, dates={make_uuid(3): [datetime(2026, 8, 15, 10)]})
    for q in ("library story time", "story time at the library saturday"):
        assert next(iter(find(release, q, AUTO))) == "Tales read aloud: story hour"
    assert next(iter(find(release, "mill library", AUTO))) == "Mill Library"


def test_only_auto_tells_them_apart(harbor: Release) -> None:
    assert score(harbor, "farm", "all_terms") == {"Farm Playground": 0.95, "Old Red Barn Hill Farm": 0.92}


def test_what_stands_behind_of_is_no_head(harbor: Release) -> None:
    assert list(score(harbor, "museum")) == ["Museum of Fish"]
    assert score(harbor, "fish")["Museum of Fish"] == 0.45


def test_a_number_is_no_head(harbor: Release) -> None:
    assert score(harbor, "slide") == {"Slide 2": 0.95, "Slide B": 0.95}


def test_a_typo_and_a_word_written_as_two_mean_the_head_too(harbor: Release) -> None:
    assert score(harbor, "playgruond") == {"Farm Playground": 0.76}
    assert score(harbor, "play ground") == {"Farm Playground": 0.95}


def test_a_name_with_all_of_several_words_is_what_was_looked_for(harbor: Release) -> None:
    scores = score(harbor, "fish park")
    assert (scores["Fish Park"], scores["Fish Park Pond"]) == (1, 0.967)


@pytest.mark.parametrize(
    ("words", "head"),
    [
        (NameWords(head="last"), "granja"),
        (NameWords(head="last", behind_head="de"), "parque"),
        (NameWords(head="first"), "parque"),
        (NameWords(), None),
    ],
)
def test_a_language_says_where_the_head_of_a_name_is(words: NameWords, head: str | None) -> None:
    name = ("parque", "de", "la", "granja")
    terms = pl.DataFrame(
        [(word, 1, FIELDS.index("name"), position) for position, word in enumerate(name)],
        schema={"word": pl.String(), "row": pl.UInt32(), "field": pl.UInt8(), "position": pl.UInt16()}, orient="row",
    ).sort("word")  # fmt: skip
    types = {"type": [TYPES.index("event"), TYPES.index("place")], "name": ["", " ".join(name)]}
    made = make_heads(pl.DataFrame(types, schema={"type": pl.UInt8(), "name": pl.String()}), terms, words)
    assert made.rows() == ([] if head is None else [(1, sorted(name).index(head))])


def test_without_places_nothing_is_named_after_anything(tmp_path: Path) -> None:
    assert score(open_listings(tmp_path), "farm") == {}


@pytest.fixture(scope="module")
def park(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Classes: all but the drawing are in Fish Park, and say so in their addresses."""
    names = ("Fish Park Swim", "Drawing Fish", "Fish at Fish Park", "Park Fishing")
    listings = [documents.make_class(make_uuid(number), name=name) for number, name in enumerate(names, 1)]
    for listing in listings:
        listing["location"] |= {"address": "Hill" if listing["name"] == "Drawing Fish" else "Main pool, Fish Park"}
    return open_listings(tmp_path_factory.mktemp("park"), *listings)


def test_what_only_is_at_a_place_named_after_a_word_comes_behind_what_is_about_it(park: Release) -> None:
    assert score(park, "fish") == {
        "Drawing Fish": 0.95, "Park Fishing": 0.95, "Fish at Fish Park": 0.925, "Fish Park Swim": 0.45,
    }  # fmt: skip
    assert score(park, "fish", "all_terms")["Fish Park Swim"] == 0.933


def test_of_an_age_what_only_is_at_such_a_place_mentions_it(tmp_path: Path) -> None:
    names = ("Fish Park Swim", "Drawing Fish")
    listings = [documents.make_class(make_uuid(number), name=name) for number, name in enumerate(names, 1)]
    listings[0]["location"] |= {"address": "Main pool, Fish Park"}
    listings[0]["ages"] = documents.make_ages(min=5, max=9)
    items = search(open_listings(tmp_path, *listings), "fish 7 year old", AUTO)["data"]
    assert [item["name"] for item in items] == ["Drawing Fish", "Fish Park Swim"]


def test_where_a_word_was_dropped_it_mentions_it_too(tmp_path: Path) -> None:
    names = ("Fish Park Learn to Swim", "Fly fishing")
    listings = [documents.make_class(make_uuid(number), name=name) for number, name in enumerate(names, 1)]
    listings[1]["audience"] = "teens"
    listings[0]["location"] |= {"address": "Main pool, Fish Park"}
    body = search(open_listings(tmp_path, *listings), "fishing clinic kids", AUTO)
    assert body["meta"]["relaxed"] == ["clinic"]
    assert [item["name"] for item in body["data"]] == ["Fly fishing", "Fish Park Learn to Swim"]


def test_of_results_that_lack_words_what_is_only_named_after_one_comes_last(harbor: Release) -> None:
    """ "Fish" in passing says nothing either. Two words of a name are one half remembered."""
    assert order(harbor, "fish tank house") == ["Story House", "Fish Park", "Fish Park Pond", "Museum of Fish"]
    assert order(harbor, "farm tank house")[:2] == ["Story House", "Old Red Barn Hill Farm"]
    assert order(harbor, "fish park tank")[:2] == ["Fish Park", "Fish Park Pond"]


def order(release: Release, q: str) -> list[str]:
    return [item["name"] for item in search(release, q, AUTO)["data"]]


def test_what_a_name_says_beside_its_place_is_what_it_was(park: Release) -> None:
    assert score(park, "swim") == {"Fish Park Swim": 0.933}
    assert score(park, "fish swim")["Fish Park Swim"] == 0.967


def test_what_is_behind_a_colon_says_what_a_place_is(tmp_path: Path) -> None:
    listings = name_places("Mill Park: tennis court", "Tennis Playground: lawn", "Mill Park: pickleball court")
    listings[2]["description"] = "Asphalt, tennis"
    release = open_listings(tmp_path, *listings)
    assert next(iter(find(release, "tennis", AUTO))) == "Mill Park: tennis court"
    assert list(find(release, "pickleball", AUTO)) == ["Mill Park: pickleball court"]
