"""Levels of matches: which words a listing has, itself or as related words, and in which members."""

from pathlib import Path

import pytest

from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import Document, find, name_places, open_listings, score, search

AUTO = {"match": "auto"}
FAR = "It is near the water, and there is room for everyone who comes by with a friend or two. " * 12


def make_place(number: int, name: str, **members: object) -> Document:
    return documents.make_place(make_uuid(number), name=name, **members)


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Each name tells what else the listing says."""
    return open_listings(
        tmp_path_factory.mktemp("harbor"),
        make_place(1, "Swim Zone"),
        make_place(2, "In the category", categories=["swim_water"]),
        make_place(3, "In the opening", description="Come and swim with us."),
        make_place(4, "Far into it", description=FAR + "You can swim."),
        make_place(5, "By its organization", organization={"id": make_uuid(99), "name": "Swim Inc", "slug": "swim"}),
        make_place(6, "Zone of nothing else"),
        make_place(7, "Zone that mentions it", description=FAR + "You can swim."),
        make_place(8, "Zone with an opening", description="Come and swim with us."),
    )


def test_a_word_in_name_category_or_opening_is_all_terms_and_in_passing_it_is_partial(harbor: Release) -> None:
    assert find(harbor, "swim") == {
        "Swim Zone": "all_terms", "In the category": "all_terms", "In the opening": "all_terms",
        "Zone with an opening": "all_terms", "Far into it": "partial", "By its organization": "partial",
        "Zone that mentions it": "partial",
    }  # fmt: skip


def test_every_word_must_be_prominent_for_all_terms(harbor: Release) -> None:
    results = find(harbor, "swim zone")
    assert {name for name, match in results.items() if match == "all_terms"} == {"Swim Zone", "Zone with an opening"}
    assert {name for name, match in results.items() if match == "partial"} == {
        "In the category", "In the opening", "Far into it", "By its organization", "Zone of nothing else",
        "Zone that mentions it",
    }  # fmt: skip


def test_where_it_is_makes_a_match_related_in_auto_alone_and_is_never_all_of_it(tmp_path: Path) -> None:
    """Rule 5 knows name, category and opening: a word in the name of a place or an organization is in none of them."""
    organization = {"id": make_uuid(98), "name": "Ballard City Parks", "slug": "ballard"}
    release = open_listings(
        tmp_path,
        make_place(1, "Swim hall", organization=organization),
        make_place(2, "Diving", organization=organization),
        make_place(3, "Late talk", organization=organization, description=FAR + "You can swim."),
        make_place(4, "Swim elsewhere"),
        make_place(5, "Pottery", organization=organization),
    )
    every = {"Swim hall", "Late talk", "Diving", "Swim elsewhere", "Pottery"}
    assert find(release, "swim ballard") == dict.fromkeys(every, "partial")
    assert find(release, "swim ballard", AUTO) == {**dict.fromkeys(every, "partial"), "Swim hall": "related"}
    for q in ("ceramics ballard", "ballard city", "swimming city ballard"):
        assert set(find(release, q).values()) == {"partial"}
    assert find(release, "ceramics ballard", AUTO)["Pottery"] == "related"
    assert set(find(release, "ballard city", AUTO).values()) == {"partial"}
    assert find(release, "swimming city ballard", AUTO)["Swim hall"] == "related"


def test_a_listing_without_any_of_the_words_is_no_result(harbor: Release) -> None:
    assert find(harbor, "marionette") == {}
    assert "Zone of nothing else" not in find(harbor, "swim")


def test_without_match_partial_is_counted_and_not_shown(harbor: Release) -> None:
    body = search(harbor, "swim", {"match": "all_terms,related"})
    assert [item["match"] for item in body["data"]] == ["all_terms"] * 4
    assert body["meta"]["match_counts"] == {"all_terms": 4, "related": 0, "partial": 3}
    assert body["meta"]["count_estimate"] == 4


@pytest.mark.parametrize(
    ("match", "count"), [("all_terms", 4), ("related", 0), ("partial", 3), ("partial,all_terms", 7)]
)
def test_match_chooses_levels_and_the_counts_are_over_all(harbor: Release, match: str, count: int) -> None:
    meta = search(harbor, "swim", {"match": match})["meta"]
    assert (meta["count"], meta["count_estimate"]) == (count, count)
    assert meta["match_counts"] == {"all_terms": 4, "related": 0, "partial": 3}


def test_name_is_above_category_above_description(harbor: Release) -> None:
    scores = score(harbor, "swim")
    assert list(scores)[:3] == ["Swim Zone", "In the category", "In the opening"]
    assert scores["Swim Zone"] > scores["In the category"] > scores["In the opening"] > scores["Far into it"]
    assert score(harbor, "swim zone")["Swim Zone"] == 1


# What was typed → the name that is meant.
SPELLINGS = [
    ("swimming", "Swim Time"), ("swim", "Swim Time"), ("swims", "Swim Time"), ("SWIM", "Swim Time"),
    ("  swim   time  ", "Swim Time"), ("swím", "Swim Time"), ("cafe", "Café Ölé"), ("CAFÉ OLE", "Café Ölé"),
    ("childrens", "Children's Theatre"), ("children’s theatre", "Children's Theatre"),
    ("arts & crafts", "Arts and Crafts"), ("arts-and-crafts", "Arts and Crafts"), ("storytime", "Story Time"),
    ("story time", "Storytime"), ("playhouse", "Play-House"), ("theater", "Children's Theatre"),
]  # fmt: skip


@pytest.fixture(scope="module")
def spelled(tmp_path_factory: pytest.TempPathFactory) -> Release:
    names = (
        "Swim Time", "Café Ölé", "Children's Theatre", "Arts and Crafts", "Story Time", "Storytime", "Play-House",
        "Gymnastics", "Chess", "Route 66", "Ballet", "Trampolines",
    )  # fmt: skip
    return open_listings(tmp_path_factory.mktemp("spelled"), *name_places(*names))


@pytest.mark.parametrize(("q", "name"), SPELLINGS)
def test_word_forms_case_accents_signs_and_spaces_match(spelled: Release, q: str, name: str) -> None:
    assert find(spelled, q)[name] == "all_terms"


# What was typed → the name it finds; None: nothing.
TYPOS = [
    ("gymnastiks", "Gymnastics"), ("gymnastisc", "Gymnastics"), ("gimnastiks", "Gymnastics"), ("balet", "Ballet"),
    ("trampolenes", "Trampolines"), ("trmpolnes", "Trampolines"), ("kymnastics", None),
    ("chesz", "Chess"), ("chss", None), ("ches5", None), ("trmplns", None), ("67", None), ("blaet", None),
]  # fmt: skip


@pytest.mark.parametrize(("q", "name"), TYPOS)
def test_long_words_forgive_a_typo_or_two_but_not_in_digits_or_the_first_letter(
    spelled: Release, q: str, name: str | None
) -> None:
    assert find(spelled, q) == ({} if name is None else {name: "all_terms"})


def test_a_typo_counts_as_its_word_with_less_score(spelled: Release) -> None:
    right, one, two = (score(spelled, q)["Gymnastics"] for q in ("gymnastics", "gymnastiks", "gimnastiks"))
    assert right > one > two > 0


@pytest.mark.parametrize(
    "q", ['"swim time"', "swim -time", "swim OR time", "(swim) time", "swim:time", "swim AND time"]
)
def test_quotes_minus_and_or_are_not_interpreted(spelled: Release, q: str) -> None:
    assert find(spelled, q)["Swim Time"] == "all_terms"
    assert find(spelled, q)["Story Time"] == "partial"


FILLED = ["Where can I find swim time?", "show me some swim time near me", "what is the best swim time", "swim, a time"]


@pytest.mark.parametrize("q", FILLED)
def test_question_and_filler_words_never_change_a_score(spelled: Release, q: str) -> None:
    assert search(spelled, q)["data"] == search(spelled, "swim time")["data"]
    assert search(spelled, q)["meta"]["ignored_words"] == []


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_listings(
        tmp_path_factory.mktemp("kinds"),
        *name_places("Pottery", "Pottery Class", "Pottery Camp", "Class of Nothing", "Pottery Classes", "Ceramics"),
    )


def test_kind_words_never_decide_a_match(kinds: Release) -> None:
    plain, kind = find(kinds, "pottery"), find(kinds, "pottery class")
    assert {name: plain[name] for name in kind} == kind
    assert "Class of Nothing" not in kind
    assert search(kinds, "pottery class")["meta"]["ignored_words"] == []


@pytest.mark.parametrize(
    ("q", "first"), [("pottery class", ["Pottery Class", "Pottery Classes"]), ("camp pottery", ["Pottery Camp"])]
)
def test_kind_words_lift_listings_with_them_in_the_name(kinds: Release, q: str, first: list[str]) -> None:
    scores = score(kinds, q)
    least = min(scores[name] for name in first)
    assert all(scores[name] < least for name in scores if name not in first)
    assert list(scores)[: len(first)] == first


def test_a_kind_word_in_the_description_alone_lifts_nothing(tmp_path: Path) -> None:
    release = open_listings(
        tmp_path, make_place(1, "Pottery", description="A class."), make_place(2, "Pottery", description="A thing.")
    )
    first, second = search(release, "pottery class")["data"]
    assert first["score"] == second["score"]
