"""`q` of `/v1/{metro}/organizations`: what finds which organizations, how well, and paging through them."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from outings.contract.cursor import Cursor, encode_cursor
from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.asking import ask, fetch, follow_cursor, parse, read_by_number
from tests.answers.directory.oracle import rate
from tests.answers.documents import make_uuid
from tests.answers.generated import seeds
from tests.answers.worlds import STAMP, TODAY, World, open_release, open_world

PATH = "/v1/harbor/organizations"
EVERY = {"min_count": "0"}

# Name and domain.
NAMES: list[tuple[str, str | None]] = [
    ("The Little Gym", "thelittlegym.com"),
    ("YMCA", "ymca.org"),
    ("YMCA of Greater Seattle", "seattleymca.org"),
    ("Y.M.C.A. of Tacoma", None),
    ("Pacific Science Center", "pacificsciencecenter.org"),
    ("Storytime Studio, LLC", None),
    ("Café Olé, Inc.", "shop.cafeole.co.uk"),
    ("Smith & Co", "smith.example"),
    ("Pottery.com", None),
    ("Children's Room 32", None),
    ("Parks and Recreation", "seattle.gov"),
    ("Art Zone", "artzone.seattle.gov"),
    ("The Company", None),
    ("子ども図書館", None),
    ("Школа Танца", "müller.example"),
]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Release:
    organizations = [
        documents.make_organization(make_uuid(number), name=name, domain=domain)
        for number, (name, domain) in enumerate(NAMES, 1)
    ]
    return open_release([World(organizations=organizations)], tmp_path_factory.mktemp("named"))


def find(release: Release, question: str, **params: str) -> list[tuple[str, str, float]]:
    body = fetch(release, PATH, {**EVERY, "q": question, **params})
    return [(item["name"], item["match"], item["score"]) for item in body["data"]]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("story sogn", ["Story Song Studio"]),
        ("sogn story", ["Story Song Studio"]),
        ("song stoyr", ["Story Song Studio"]),
        ("story sogn zz", []),
        ("sogn", []),
        ("sogn zoen", []),
        ("zone sogn", ["Song Zone"]),
        ("story ssng1", []),
        ("the sogn", []),
    ],
)
def test_a_word_of_four_letters_may_have_a_typo_where_the_others_match(
    tmp_path: Path, question: str, names: list[str]
) -> None:
    organizations = [
        documents.make_organization(make_uuid(number), name=name)
        for number, name in enumerate(("Story Song Studio", "Song Zone", "The Swan"), 1)
    ]
    release = open_release([World(organizations=organizations)], tmp_path)
    assert [name for name, _, _ in find(release, question)] == names


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("The Little Gym", [("The Little Gym", "exact_name", 1.0)]),
        ("little gym", [("The Little Gym", "name", 0.95)]),
        ("LITTLE-GYM, L.L.C.", [("The Little Gym", "name", 0.95)]),
        ("gym", [("The Little Gym", "name", 0.85)]),
        ("  the   littlegym inc", [("The Little Gym", "exact_name", 1.0)]),
        ("litle gym", [("The Little Gym", "fuzzy", 0.758)]),
        ("thelittlegym.com", [("The Little Gym", "exact_domain", 1.0)]),
        ("https://www.TheLittleGym.com/seattle?utm=1#top", [("The Little Gym", "exact_domain", 1.0)]),
        ("//thelittlegym.com:443/", [("The Little Gym", "exact_domain", 1.0)]),
        ("thelittlegym.com:8080", [("The Little Gym", "exact_domain", 1.0)]),
        ("mailto:info@thelittlegym.com", [("The Little Gym", "exact_domain", 1.0)]),
        ("info@thelittlegym.com", [("The Little Gym", "exact_domain", 1.0)]),
        ("thelittlegym.co.uk", [("The Little Gym", "exact_name", 1.0)]),
        ("Pacific Science Ctr", []),
        ("pacific sci", [("Pacific Science Center", "fuzzy", 0.645)]),
        ("parks and rec", [("Parks and Recreation", "fuzzy", 0.655)]),
        ("sci pacific", []),
        ("pacific sc", []),
        ("pacificsciencecenter", [("Pacific Science Center", "exact_name", 1.0)]),
        ("pacific sciense center", [("Pacific Science Center", "fuzzy", 0.776)]),
        ("pacifik sciense center", [("Pacific Science Center", "fuzzy", 0.761)]),
        ("qacific science center", []),
        ("story time studio", [("Storytime Studio, LLC", "exact_name", 1.0)]),
        ("story time", [("Storytime Studio, LLC", "name", 0.89)]),
        ("storytme studio", [("Storytime Studio, LLC", "fuzzy", 0.771)]),
        ("cafe ole", [("Café Olé, Inc.", "exact_name", 1.0)]),
        ("shop.cafeole.co.uk", [("Café Olé, Inc.", "exact_domain", 1.0)]),
        ("www.cafeole.co.uk/menu", [("Café Olé, Inc.", "exact_name", 1.0)]),
        ("smith", [("Smith & Co", "exact_name", 1.0)]),
        ("Smith and Company", [("Smith & Co", "exact_name", 1.0)]),
        ("pottery", [("Pottery.com", "exact_name", 1.0)]),
        ("Pottery Com", [("Pottery.com", "exact_name", 1.0)]),
        ("childrens room 32", [("Children's Room 32", "exact_name", 1.0)]),
        ("children’s room", [("Children's Room 32", "name", 0.93)]),
        ("childrens room 33", []),
        ("子ども図書館", [("子ども図書館", "exact_name", 1.0)]),
        ("ШКОЛА танца", [("Школа Танца", "exact_name", 1.0)]),
        ("https://müller.example/x", [("Школа Танца", "exact_domain", 1.0)]),
        ("https://xn--mller-kva.example/", [("Школа Танца", "exact_domain", 1.0)]),
        ("artzone.seattle.gov", [("Art Zone", "exact_domain", 1.0), ("Parks and Recreation", "domain", 0.816)]),
        (
            "https://www.seattle.gov/parks",
            [
                ("Parks and Recreation", "exact_domain", 1.0),
                ("YMCA of Greater Seattle", "name", 0.858),
                ("Art Zone", "domain", 0.816),
            ],
        ),
        (
            "ymca",
            [
                ("YMCA", "exact_name", 1.0),
                ("Y.M.C.A. of Tacoma", "name", 0.86),
                ("YMCA of Greater Seattle", "name", 0.833),
            ],
        ),
        ("greater ymca", [("YMCA of Greater Seattle", "name", 0.892)]),
        ("seattle ymca", [("YMCA of Greater Seattle", "domain", 0.9)]),
        ("seattleymca", [("YMCA of Greater Seattle", "domain", 0.9)]),
        ("seattleymca.net", [("YMCA of Greater Seattle", "domain", 0.9)]),
        ("seatleymca", [("YMCA of Greater Seattle", "fuzzy", 0.764)]),
    ],
)
def test_a_question_finds_the_names_and_sites_that_meet_it(
    named: Release, question: str, expected: list[tuple[str, str, float]]
) -> None:
    assert find(named, question) == expected


@pytest.mark.parametrize(
    "question",
    ["the", "LLC", "& Co", ".com", "the company, inc.", "of the and", "www.com", "https://", "!!!", "🎨🎪", "&"],
)
def test_words_that_every_name_may_have_find_nothing_and_say_so(named: Release, question: str) -> None:
    body = fetch(named, PATH, {**EVERY, "q": question})
    assert body["data"] == []
    assert body["meta"]["hint"]
    assert fetch(named, PATH, {**EVERY, "q": "nobody"})["meta"]["hint"] is None


@pytest.mark.parametrize(
    "question",
    [
        "'; DROP TABLE organizations; --", "(a+)+$", ".*", "%00", "a" * 500, "ab " * 166, "\u202egym elttil", "ﷺ" * 100,
        "http://" + "a." * 200 + "com", "http://[::1]/", "http://user:pass@/", "é" * 500,
        "\U0001f9d1\u200d\U0001f3a8" * 50, "-" * 500, "xn--", "xn--a.com", "a.b", "..", "@", "http:////",
    ],
)  # fmt: skip
def test_hostile_questions_are_answered(named: Release, question: str) -> None:
    assert find(named, question) == []


@pytest.mark.parametrize(
    ("question", "reason"), [("", "invalid_value"), ("   ", "invalid_value"), ("a" * 501, "out_of_range")]
)
def test_a_question_of_nothing_or_too_much_is_refused(named: Release, question: str, reason: str) -> None:
    with pytest.raises(ApiError) as raised:
        ask(named, PATH, {"q": question})
    assert (raised.value.status, raised.value.details["param"], raised.value.details["reason"]) == (400, "q", reason)


WORDS = ["story", "time", "storytime", "gym", "little", "the", "of", "and", "art", "kids", "kid", "studio", "co", "inc",
         "center", "science", "sciences", "32", "seattle", "museum", "y"]  # fmt: skip
names = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


def misspell(random: Random, text: str) -> str:
    at = random.randrange(len(text))
    return random.choice([
        text, text[:at] + text[at + 1 :], text[:at] + random.choice("aez 1") + text[at:], text.replace(" ", "", 1),
        text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :], text.upper(), text.replace(" ", "-"),
    ])  # fmt: skip


@example(named=[("of 32 story", None)], seed=296)
@given(named=st.lists(st.tuples(names, st.none() | st.sampled_from(WORDS)), min_size=1, max_size=8), seed=seeds)
def test_scores_are_those_of_the_documented_formulas(
    tmp_path_factory: pytest.TempPathFactory, named: list[tuple[str, str | None]], seed: int
) -> None:
    random = Random(seed)
    organizations = [
        documents.make_organization(make_uuid(n), name=name, domain=None if site is None else f"{site}.example")
        for n, (name, site) in enumerate(named, 1)
    ]
    release = open_release([World(organizations=organizations)], tmp_path_factory.mktemp("named"))
    for name, site in named:
        question = misspell(random, random.choice([name, site or name, f"{name} llc"]))
        if not question.strip():
            continue
        expected = {
            organization["id"]: rated
            for organization, (other, its) in zip(organizations, named, strict=True)
            if (rated := rate(other, its, question)) is not None
        }
        data = fetch(release, PATH, {**EVERY, "q": question})["data"]
        assert {item["id"]: (Decimal(str(item["score"])), item["match"]) for item in data} == expected, question
        order = [(-item["score"], item["name"].casefold(), item["id"]) for item in data]
        assert order == sorted(order)


def test_a_score_does_not_depend_on_other_organizations(named: Release, tmp_path: Path) -> None:
    (name, domain), question = NAMES[2], "seattle ymca"
    alone = World(organizations=[documents.make_organization(make_uuid(3), name=name, domain=domain)])
    assert find(open_release([alone], tmp_path), question) == find(named, question)


def test_paging_and_pages_show_each_once_in_order(named: Release) -> None:
    for params in ({}, {"q": "ymca"}, {"q": "seattle.gov"}):
        whole = fetch(named, PATH, {**EVERY, **params})["data"]
        for limit in ("1", "2", "4"):
            requested = {**EVERY, **params, "limit": limit}
            assert [item for page in follow_cursor(named, PATH, requested) for item in page] == whole
            assert [item for page in read_by_number(named, PATH, requested) for item in page] == whole
    assert fetch(named, PATH, {**EVERY, "page": "9999"})["data"] == []


def make_crowd(names: list[str], *, without: int | None = None) -> World:
    return World(
        organizations=[
            documents.make_organization(make_uuid(n), name=name) for n, name in enumerate(names, 1) if n != without
        ]
    )


@pytest.mark.parametrize("question", [{}, {"q": "gym"}])
@pytest.mark.parametrize("gone", [None, 2, 3])
def test_a_cursor_goes_on_by_key_if_its_release_is_gone(
    tmp_path: Path, question: dict[str, str], gone: int | None
) -> None:
    names = ["Gym", "gym" + " long" * 60 + " b", "Gym", "gym" + " long" * 60 + " a", "Gym and more"]
    release = open_release([make_crowd(names)], tmp_path / "first")
    later = open_world(make_crowd(names, without=gone), tmp_path / "then", stamp=STAMP + timedelta(hours=1))
    then = replace(release, metros={"harbor": later})
    params = {**EVERY, **question, "limit": "2"}
    walked = [item["id"] for page in follow_cursor(release, PATH, params, then=then) for item in page]
    kept = [item["id"] for item in fetch(release, PATH, {**EVERY, **question})["data"]]
    first = {kept[0], kept[1]}
    assert walked == [row_id for row_id in kept if row_id in first or row_id != make_uuid(gone or 0)]


@pytest.mark.parametrize(
    "position",
    [
        (), (1,), (0, 0, "a", make_uuid(1)), (2, 0, "a", make_uuid(1)), (1, "0", "a", make_uuid(1)),
        (1, None, "a", "b"), (1, 1 << 50, "a", "b"), (1, 0, 5, "b"), (1, 0, "a", None), ("a", make_uuid(1)),
    ],
)  # fmt: skip
def test_a_cursor_of_another_ranking_or_shape_is_refused(named: Release, position: tuple[Any, ...]) -> None:
    query = parse(PATH, {"limit": "1"})
    cursor = Cursor(route=query.route, release="2026-08-01T12:00:00Z", date=TODAY, position=position)
    sealed = encode_cursor(cursor, query.unpaged_text, snapshot=named.metros["harbor"].hash)
    with pytest.raises(ApiError) as raised:
        ask(named, PATH, {"limit": "1", "cursor": sealed})
    assert raised.value.details["reason"] == "cursor_malformed"


def test_a_cursor_is_bound_to_its_question(named: Release) -> None:
    cursor = fetch(named, PATH, {**EVERY, "limit": "1"})["meta"]["next_cursor"]
    with pytest.raises(ApiError) as raised:
        parse(PATH, {**EVERY, "limit": "1", "q": "gym", "cursor": quote(cursor)})
    assert raised.value.details["reason"] == "cursor_mismatch"
