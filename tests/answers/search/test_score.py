"""The score: by the formula, of one listing and the query's words alone."""

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outings.contract.vocabulary import Vocabulary
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.generated import make_id, seeds
from tests.answers.search.judge import judge_listing
from tests.answers.search.searching import LEVELS, Document, name_places, open_listings, read_all, score

WORDS = (
    "swim", "swimming", "swimmer", "story", "time", "storytime", "gymnastics", "gymnastiks", "pottery", "potter", "art",
    "arts", "ballet", "5k", "cafe", "play", "house", "playhouse", "trampolines", "trampoline", "zoo", "nature",
)  # fmt: skip
KINDS = ("class", "camp", "workshops")
CATEGORIES = Vocabulary().categories
GROUPS = (("swim", "ballet"), ("story time", "puppet show", "zoo"), ("art", "nature play"))


def make_text(random: Random, most: int) -> str:
    return " ".join(
        random.choice((*WORDS, *KINDS, "Café", "of", "puppet", "show", "Lorem")) for _ in range(random.randint(1, most))
    )


def make_listing(random: Random) -> Document:
    make = random.choice([documents.make_place, documents.make_class])
    named = {"id": None, "name": random.choice([None, make_text(random, 2)]), "slug": None}
    return make(
        make_id(random), name=make_text(random, 4), categories=sorted(random.sample(CATEGORIES, random.randint(0, 2))),
        description=random.choice([None, make_text(random, 12), make_text(random, 90)]), organization=named,
        ages=documents.make_ages(min=random.choice([None, 0, 3, 8]), max=random.choice([None, 9, 17])),
        location=documents.make_location(city=random.choice([None, make_text(random, 2)])),
    )  # fmt: skip


def type_word(random: Random) -> str:
    """A word, a long one now and then with a typo or two: a short one might become a filler word."""
    word = random.choice(WORDS)
    for _ in range(random.choice([0, 0, 0, 1, 2]) if len(word) > 4 else 0):
        at = random.randrange(len(word))
        letter = random.choice("aeinst")
        word = random.choice([word[:at] + letter + word[at:], word[:at] + letter + word[at + 1 :], word])
    return word


def make_query(random: Random) -> tuple[list[str], list[str]]:
    words = dict.fromkeys(type_word(random) for _ in range(random.randint(1, 3)))
    return list(words), random.sample(KINDS, random.choice([0, 0, 1, 2]))


def is_rounded(score: float, exact: Fraction) -> bool:
    """Return True if `score` is `exact` rounded to thousandths, half to even."""
    return Fraction(str(score)) == Fraction(round(exact * 1000), 1000)


@pytest.fixture(scope="module")
def listings() -> list[Document]:
    random = Random(7)
    return [make_listing(random) for _ in range(150)]


@pytest.fixture(scope="module")
def harbor(listings: list[Document], tmp_path_factory: pytest.TempPathFactory) -> Release:
    return relate(open_listings(tmp_path_factory.mktemp("harbor"), *listings))


def relate(release: Release) -> Release:
    snapshot = release.metros["harbor"]
    return replace(release, metros={"harbor": replace(snapshot, related=GROUPS, hash=snapshot.hash[::-1])})


@pytest.fixture(scope="module")
def others(listings: list[Document], tmp_path_factory: pytest.TempPathFactory) -> list[Release]:
    """Releases of the first 40 listings alone, and of them with others, and with all others changed."""
    random, kept = Random(8), listings[:40]
    changed = [{**make_listing(random), "id": listing["id"]} for listing in listings[40:]]
    new = [make_listing(random) for _ in range(60)]
    worlds = kept, kept + new, kept + changed
    return [relate(open_listings(tmp_path_factory.mktemp("others"), *world)) for world in worlds]


@given(seed=seeds)
def test_level_score_and_order_are_those_of_the_formula(listings: list[Document], harbor: Release, seed: int) -> None:
    words, kinds = make_query(Random(seed))
    judged = {
        listing["id"]: verdict
        for listing in listings
        if (verdict := judge_listing(listing, words, kinds=kinds, groups=GROUPS))
    }
    data = read_all(harbor, " ".join(words + kinds))
    assert {item["id"]: item["match"] for item in data} == {key: match for key, (match, _) in judged.items()}
    for item in data:
        assert is_rounded(item["score"], judged[item["id"]][1]), (words, kinds, item, judged[item["id"]])
        assert 0 < item["score"] <= 1
    assert data == sorted(data, key=lambda item: (LEVELS.index(item["match"]), -item["score"], item["id"]))


@given(seed=seeds, age=st.integers(min_value=1, max_value=17))
def test_within_a_level_ages_that_cover_the_querys_come_first(
    listings: list[Document], harbor: Release, seed: int, age: int
) -> None:
    words, kinds = make_query(Random(seed))
    plain = {item["id"]: item for item in read_all(harbor, " ".join(words + kinds))}
    ages = {
        listing["id"]: (listing["ages"]["min"], listing["ages"]["max"])
        for listing in listings
        if listing["id"] in plain
    }
    excluded = {key for key, (low, high) in ages.items() if (low or 0) > age or (high is not None and high < age)}
    aged = read_all(harbor, f"{' '.join(words + kinds)} {age} year old")
    ranked = sorted(
        (item for key, item in plain.items() if key not in excluded),
        key=lambda item: (
            LEVELS.index(item["match"]), ages[item["id"]] == (None, None), -item["score"], item["id"],
        ),
    )  # fmt: skip
    assert aged == ranked


@given(seed=seeds)
def test_other_listings_never_change_a_score(
    listings: list[Document], harbor: Release, others: list[Release], seed: int
) -> None:
    words, kinds = make_query(Random(seed))
    kept = {listing["id"] for listing in listings[:40]}
    first, *rest = (
        {item["id"]: item for item in read_all(release, " ".join(words + kinds)) if item["id"] in kept}
        for release in (harbor, *others)
    )
    assert all(result == first for result in rest)


@pytest.mark.parametrize("q", ["swiming", "swimmming", "gymnastcs", "trampolinning", "kayakking", "playhuse"])
def test_what_a_mistyped_word_finds_does_not_hang_on_other_listings(q: str, tmp_path: Path) -> None:
    """Nor on the forms of it that they have."""
    names = ("Swim", "Gymnast", "Trampoline", "Kayak", "Play house")
    forms = ("Swimming", "Swims", "Gymnastics", "Trampolining", "Kayaking", "Playhouse")
    alone = open_listings(tmp_path / "alone", *name_places(*names))
    crowd = open_listings(tmp_path / "crowd", *name_places(*names, *forms))
    results = score(crowd, q)
    assert score(alone, q) == {name: results[name] for name in names if name in results}


# Ways to write a query that says the same.
FORMS = [
    ("swim story", "SWIM Story"), ("swim story", " swim   story "), ("swim story", "swím stóry"),
    ("swim story", "swimming stories"), ("pottery classes", "pottery class"), ("cafe art", "café arts"),
    ("trampoline house", "trampolines houses"), ("nature play", "the nature of playing"),
    ("swimming storytimes", "swims storytime"), ("story-time", "story time"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), FORMS)
def test_case_accents_spaces_and_word_forms_change_no_order(harbor: Release, one: str, other: str) -> None:
    first, second = (read_all(harbor, q) for q in (one, other))
    assert [item["id"] for item in first] == [item["id"] for item in second]
    assert [item["match"] for item in first] == [item["match"] for item in second]
    assert first
