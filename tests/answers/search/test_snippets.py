"""The snippet: plain text of the description, round what was found."""

import re
from random import Random

import pytest

from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import open_listings, search

LONG = " ".join(f"word{number}" for number in range(200))
SENTENCE = "Come here for a zeppelin."
DESCRIPTIONS: dict[str, str | None] = {
    "Zeppelin short": "Zeppelin rides.",
    "Zeppelin none": None,
    "Zeppelin empty": "   ",
    "Zeppelin far": f"{LONG}. {SENTENCE} {LONG}",
    "Zeppelin at the end": f"{LONG}. {SENTENCE}",
    "Zeppelin at the beginning": f"{SENTENCE} {LONG}",
    "Zeppelin nowhere in it": LONG,
    "Zeppelin in markup": "<p>A <b>zeppelin</b> ride &amp; more</p><script>alert('zeppelin')</script>"
    f"<!-- note --><br/>{LONG}",
    "Zeppelin escaped": "A &lt;b&gt;zeppelin&lt;/b&gt; ride for children &lt;3 and more.",
    "Zeppelin in lines": "A\n\nzeppelin\t ride.",
    "Zeppelin without spaces": "x" * 400 + "zeppelin",
    "Zeppelin accents": f"{LONG} Über alle Zéppelins hinaus. {LONG}",
    "Zeppelin prices": "Ages < 5 pay $3 & those > 5 pay $6 at the zeppelin.",
}


@pytest.fixture(scope="module")
def snippets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return snippets by listing name."""
    places = [
        documents.make_place(make_uuid(number), name=name, description=text)
        for number, (name, text) in enumerate(DESCRIPTIONS.items(), 1)
    ]
    release = open_listings(tmp_path_factory.mktemp("harbor"), *places)
    return {item["name"]: item["snippet"] for item in search(release, "zeppelins")["data"]}


def test_every_snippet_is_at_most_180_characters_of_one_line_without_markup(snippets: dict[str, str]) -> None:
    assert snippets.keys() == DESCRIPTIONS.keys()
    for name, snippet in snippets.items():
        assert 0 < len(snippet) <= 180, name
        assert not re.search(r"</?[a-zA-Z!]|&[a-z]+;|[\n\t]", snippet), snippet
        assert snippet == snippet.strip()


def test_a_short_description_is_whole(snippets: dict[str, str]) -> None:
    assert snippets["Zeppelin short"] == "Zeppelin rides."
    assert snippets["Zeppelin in lines"] == "A zeppelin ride."
    assert " ".join(snippets["Zeppelin escaped"].split()) == "A zeppelin ride for children <3 and more."
    assert snippets["Zeppelin prices"] == "Ages < 5 pay $3 & those > 5 pay $6 at the zeppelin."


@pytest.mark.parametrize("name", ["Zeppelin none", "Zeppelin empty"])
def test_without_a_description_it_is_the_name(snippets: dict[str, str], name: str) -> None:
    assert snippets[name] == name


@pytest.mark.parametrize(
    "name", ["Zeppelin far", "Zeppelin at the end", "Zeppelin at the beginning", "Zeppelin accents"]
)
def test_it_is_cut_round_what_was_found_at_whole_words(snippets: dict[str, str], name: str) -> None:
    snippet = snippets[name]
    assert re.search("z[eé]ppelin", snippet, re.IGNORECASE)
    words = re.findall(r"[\w.]+", snippet)
    assert set(words) <= set(re.findall(r"[\w.]+", str(DESCRIPTIONS[name])))


def test_where_nothing_was_found_in_it_it_is_the_opening(snippets: dict[str, str]) -> None:
    assert snippets["Zeppelin nowhere in it"].startswith("word0 word1 word2 ")


def test_markup_is_not_shown_and_what_scripts_say_neither(snippets: dict[str, str]) -> None:
    assert snippets["Zeppelin in markup"].startswith("A zeppelin ride & more")
    assert "alert" not in snippets["Zeppelin in markup"]
    assert "note" not in snippets["Zeppelin in markup"]


def test_a_long_name_without_description_is_cut_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    name = "Zeppelin " + LONG
    release = open_listings(tmp_path_factory.mktemp("long"), documents.make_place(make_uuid(1), name=name))
    [item] = search(release, "zeppelin")["data"]
    assert item["name"] == name
    assert len(item["snippet"]) <= 180
    assert name.startswith(item["snippet"].rstrip("…"))


def test_of_two_passages_the_one_with_more_of_the_words_is_shown(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = f"One zeppelin. {LONG} A zeppelin over the harbour bridge. {LONG} The bridge."
    release: Release = open_listings(
        tmp_path_factory.mktemp("two"), documents.make_place(make_uuid(1), name="Zeppelin bridge", description=text)
    )
    [item] = search(release, "zeppelin bridge")["data"]
    assert "zeppelin over the harbour bridge" in item["snippet"]


def test_snippets_are_cut_again_for_other_words(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = f"{LONG} A zeppelin’s nest. {LONG} The kids' bridge. {LONG} Übermut."
    place = documents.make_place(make_uuid(1), name="Zeppelins kids ubermut", description=text)
    release = open_listings(tmp_path_factory.mktemp("anew"), place)
    for _ in range(2):
        for q, passage in (("zeppelin", "A zeppelin’s nest."), ("kids", "The kids' bridge."), ("ubermut", "Übermut.")):
            [item] = search(release, q)["data"]
            assert passage in item["snippet"], q


def test_any_description_gives_a_snippet(tmp_path_factory: pytest.TempPathFactory) -> None:
    random = Random(3)
    signs = [
        "zeppelin",
        " ",
        "<",
        ">",
        "&",
        "&amp;",
        "<b>",
        "</p",
        "…",
        "\u202e",
        "日本語",
        "e\u0301",
        "\n",
        "'",
        "x" * 90,
        ";",
        "<!--",
    ]
    places = [
        documents.make_place(make_uuid(n), name=f"Zeppelin {n}", description="".join(random.choices(signs, k=60)))
        for n in range(1, 50)
    ]
    release = open_listings(tmp_path_factory.mktemp("any"), *places)
    for item in search(release, "zeppelin", {"limit": "50"})["data"]:
        assert 0 < len(item["snippet"]) <= 180
        assert "<b>" not in item["snippet"]
