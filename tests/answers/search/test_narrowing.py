"""Words that only narrow, in `match=auto`: where nothing has all words, those that say least are dropped, and named."""

from pathlib import Path

import pytest

from outings.contract.query import Entitlement
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import Document, find, name_places, open_listings, search
from tests.answers.worlds import World, open_release

AUTO = {"match": "auto"}
NAMES = [
    "Soccer Skills", "Soccer League", "Swim Team", "Rowing Camp", "Night Hike", "Pottery Studio", "Winter Lights",
    "Band Concert",
]  # fmt: skip


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_listings(tmp_path_factory.mktemp("harbor"), *name_places(*NAMES))


def show(body: Document) -> tuple[list[str], list[str]]:
    """Return the words that were dropped, and the names of listings that have all others."""
    return body["meta"]["relaxed"], [item["name"] for item in body["data"] if item["match"] != "partial"]


@pytest.mark.parametrize(
    ("q", "relaxed", "names"),
    [
        ("spring pottery club", ["club"], ["Pottery Studio"]),
        ("concert night", ["night"], ["Band Concert"]),
        ("holiday pottery night", ["holiday", "night"], ["Pottery Studio"]),
        ("outdoor concert", ["outdoor"], ["Band Concert"]),
        ("outdoor pottery night", ["outdoor", "night"], ["Pottery Studio"]),
        ("beginner swim", ["beginner"], ["Swim Team"]),
        ("girls pottery", ["girls"], ["Pottery Studio"]),
        ("pottery w/ my son", [], ["Pottery Studio"]),
        ("private holiday pottery", ["private", "holiday"], ["Pottery Studio"]),
        # Something has all of them.
        ("winter lights", [], ["Winter Lights"]),
        ("night hike", [], ["Night Hike"]),
        # Nothing is left that says what, or each word says what.
        ("holiday night", [], []),
        ("soccer pottery", [], []),
        ("holiday glassblowing", [], []),
    ],
)
def test_the_feast_goes_first_then_when_then_the_sort_of_thing(
    harbor: Release, q: str, relaxed: list[str], names: list[str]
) -> None:
    assert show(search(harbor, q, AUTO)) == (relaxed, names)


def test_only_auto_drops_words(harbor: Release) -> None:
    for match in ("all_terms", "all_terms,related", "all_terms,related,partial"):
        body = search(harbor, "holiday pottery", {"match": match})
        assert show(body) == ([], [])
        assert body["meta"]["match_counts"]["all_terms"] == 0


def test_what_only_narrows_decides_no_level(harbor: Release) -> None:
    """Something has the time of day, and no pottery."""
    meta = search(harbor, "night pottery", AUTO)["meta"]
    assert meta["match_counts"] == {"all_terms": 1, "related": 0, "partial": 1}


def test_the_whole_metro_is_asked_and_not_what_filters_leave(harbor: Release, tmp_path: Path) -> None:
    body = search(harbor, "night hike", {**AUTO, "types": "events"})
    assert (show(body), body["data"]) == (([], []), [])
    assert show(search(harbor, "night pottery", {**AUTO, "types": "events"})) == (["night"], [])


def test_what_lacks_only_what_narrows_has_all_that_was_asked_for(tmp_path: Path) -> None:
    listings = name_places("Lake", "Night Night", "Friends of the lake")
    listings[0]["description"], listings[2]["description"] = "A night swim.", "Swim with us."
    body = search(open_listings(tmp_path, *listings), "night swim", AUTO)
    assert [item["name"] for item in body["data"]] == ["Lake", "Friends of the lake", "Night Night"]
    assert [item["match"] for item in body["data"]] == ["all_terms", "all_terms", "partial"]
    assert body["meta"]["relaxed"] == []


def test_what_only_mentions_all_words_comes_behind_what_is_called_so(tmp_path: Path) -> None:
    listings = name_places("Birds of the bay", "Evening swim", "Winter run")
    listings[0]["description"] = "In winter they swim here."
    release = open_listings(tmp_path, *listings)
    assert show(search(release, "winter swim", AUTO)) == ([], ["Evening swim", "Birds of the bay"])
    # Something is called so, with the season.
    assert show(search(release, "winter run", AUTO)) == ([], ["Winter run"])


def test_beside_words_that_only_narrow_what_is_called_so_comes_before_what_mentions_it(tmp_path: Path) -> None:
    listings = name_places("Learn to row", "Fly fishing")
    for listing in listings:
        listing["description"] = "Learn fishing."
    release = open_listings(tmp_path, *listings)
    assert list(show(search(release, "learn fishing", AUTO))[1]) == ["Fly fishing", "Learn to row"]
    assert list(show(search(release, "learn fis", AUTO))[1]) == ["Fly fishing", "Learn to row"]


def test_beside_a_wish_alone_the_kind_does_not_decide(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_places("Quiet reading", "Chess camp"))
    body = search(release, "quiet camps", AUTO)
    assert show(body) == (["camps"], ["Quiet reading"])


@pytest.fixture(scope="module")
def weather(tmp_path_factory: pytest.TempPathFactory) -> Release:
    facts: tuple[dict[str, bool], ...] = (
        {"is_indoor": True}, {"good_for_rainy": True}, {"is_outdoor": True}, {"is_sensory_friendly": True}, {},
    )  # fmt: skip
    names = ("Inn", "Hall", "Lawn", "Soft", "Bingo Day")
    listings = [
        documents.make_class(make_uuid(number), name=name, **fact)
        for number, (name, fact) in enumerate(zip(names, facts, strict=True), 1)
    ]
    return open_release([World(listings=listings)], tmp_path_factory.mktemp("weather"))


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("rainy day", {"Hall"}), ("things to do on a rainy day", {"Hall"}), ("indoors", {"Inn"}),
        ("inside", {"Inn"}), ("outside", {"Lawn"}), ("sensory friendly", {"Soft"}), ("autism", {"Soft"}),
        ("dia de lluvia", {"Hall"}),
    ],
)  # fmt: skip
def test_words_for_what_a_place_is_like_find_what_states_it(weather: Release, q: str, names: set[str]) -> None:
    assert set(find(weather, q, AUTO)) == names


def test_a_fact_that_only_other_types_state_makes_no_word_of_a_query_less(weather: Release) -> None:
    events = Entitlement(types=frozenset({"event"}))
    assert search(weather, "indoor bingo", AUTO, entitlement=events)["meta"]["relaxed"] == []
