"""Queries that nobody means well: a right answer or a 400."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.errors import ApiError
from outings.release.snapshot import Release
from tests.answers.search.searching import Document, find, name_places, open_listings, refuse, search

NAMES = (
    "Zoo",
    "SELECT a name",
    "Drop table tennis",
    "שחייה לילדים",
    "Kīlauea",
    "日本語 story time",
    "a" * 190,
    "C++ club",
)


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_listings(tmp_path_factory.mktemp("harbor"), *name_places(*NAMES))


# The query → the names that it finds; None: it is refused.
QUERIES: list[tuple[str, list[str] | None]] = [
    ("a" * 190, ["a" * 190]), ("z" * 200, []), ("ab" * 100, []), ("a " * 100, None), (" " * 200, None), ("\t\n", None),
    ("the of and " * 18, None), ("'; DROP TABLE listings; --", ["Drop table tennis"]),
    ("' UNION SELECT * FROM listings", ["SELECT a name"]), ("zoo' OR '1'='1", ["Zoo"]), ("zoo%", ["Zoo"]),
    ("z.o", []), ("zoo.*", ["Zoo"]), ("(a+)+$", None), ("[zoo]{2,}\\b", ["Zoo"]), ("zoo\\", ["Zoo"]), ("*", None),
    ("שחייה", ["שחייה לילדים"]), ("\u202eשחייה\u202c", ["שחייה לילדים"]), ("日本語", ["日本語 story time"]),
    ("🎨🎨🎨", None), ("🎨 zoo", ["Zoo"]), ("zoo 👩‍👩‍👧‍👦", ["Zoo"]), ("kilauea", ["Kīlauea"]),
    ("ＺＯＯ", ["Zoo"]), ("z\u200boo", ["Zoo"]), ("zoo\u0301", ["Zoo"]), ("<script>alert(1)</script>", []),
    ("../../etc/passwd", []), ("${jndi:ldap://zoo}", ["Zoo"]), ("{{zoo}}", ["Zoo"]), ("zoo AND NOT zoo", ["Zoo"]),
    ("-zoo", ["Zoo"]), ('"zoo', ["Zoo"]), ("zoo^10 zoo~2", ["Zoo"]), ("null", []), ("NaN", []),
    ("zoo " * 50, ["Zoo"]), ("C++", ["C++ club"]), ("0" * 200, []), ("Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞", []),
]  # fmt: skip


@pytest.mark.parametrize(("q", "names"), [query for query in QUERIES if query[1] is not None])
def test_a_hostile_query_finds_what_its_words_are(harbor: Release, q: str, names: list[str]) -> None:
    assert list(find(harbor, q)) == names
    assert search(harbor, q)["meta"]["query"].strip() == q.strip()


@pytest.mark.parametrize("q", [q for q, names in QUERIES if names is None])
def test_a_query_without_words_is_refused(harbor: Release, q: str) -> None:
    error = refuse(harbor, q)
    assert (error.status, error.details["param"]) == (400, "q")
    assert error.details["reason"] in ("nothing_searchable", "invalid_value", "out_of_range")


CONTROLS = ["zoo\x00", "\x00", "z\x07oo", "zoo\x1b[31m", "zoo\x7f", "\ud7ff\ue000", "\uffff", "zoo\u2028"]


@pytest.mark.parametrize("q", CONTROLS, ids=ascii)
def test_control_characters_are_refused_or_part_words(harbor: Release, q: str) -> None:
    body = answer_or_refuse(harbor, q)
    assert body is None or [item["name"] for item in body["data"]] in (["Zoo"], [])


def answer_or_refuse(release: Release, q: str) -> Document | None:
    try:
        return search(release, q)
    except ApiError as error:
        refused = error
    assert (refused.status, refused.details["param"]) == (400, "q")
    return None


@given(q=st.text(max_size=200) | st.lists(st.sampled_from([*"az0 ._-'&", "zoo", "5+", "ages", "\u0301"])).map("".join))
def test_any_text_is_answered_or_refused(harbor: Release, q: str) -> None:
    body = answer_or_refuse(harbor, q)
    if body is not None:
        assert body["meta"]["count"] == len(body["data"]) == body["meta"]["count_estimate"]


# Of a processor. Such queries take milliseconds; one that takes this long grows with more than its length.
HOSTILE_SECONDS = 10.0

LONG = [
    "a" * 200,
    "ab " * 66,
    "zo" * 100,
    "zoo " * 50,
    "'" * 200,
    "5 year old " * 18,
    "é" * 200,
    "storytime" * 22,
    "abcdefghij " * 18,
]


@pytest.mark.parametrize("q", LONG)
def test_a_hostile_query_costs_little(harbor: Release, q: str) -> None:
    """The cost is that of a second request: what is made once is cached."""
    answer_or_refuse(harbor, q)
    started = process_time()
    answer_or_refuse(harbor, q)
    assert process_time() - started < HOSTILE_SECONDS


@pytest.mark.parametrize("q", ["", "a" * 201, "é" * 201])
def test_a_query_has_1_to_200_characters(harbor: Release, q: str) -> None:
    assert refuse(harbor, q).details["reason"] in ("invalid_value", "out_of_range")
