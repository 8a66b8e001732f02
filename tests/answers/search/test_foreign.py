"""Queries in a foreign language with `match=auto`: Spanish ones find listings of an English metro, and English ones of
a Spanish metro."""

from importlib.resources import files
from pathlib import Path

import pytest
from msgspec.structs import replace

from outings.answers.search.understanding.foreign import ForeignLanguage
from outings.answers.search.understanding.words import QueryWords
from outings.contract.languages import language as languages
from outings.contract.languages.language import SHIPPED, list_translations, parse_related, read_shipped_language
from outings.contract.text import split_words
from outings.release.snapshot import Release
from tests.answers.search.searching import EVERY, find, name_places, open_listings, search
from tests.judged.judging import read_judged, read_parents

AUTO = {"match": "auto"}
NAMES = (
    "Playground", "Park bench", "Story hour", "Soccer one", "Soccer kids", "Swimming", "Fútbol", "Outdoor movies",
    "Music", "Drama",
)  # fmt: skip


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return open_listings(tmp_path_factory.mktemp("city"), *name_places(*NAMES))


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("cuentos para niños", ["Story hour"]),
        ("clases de natación", ["Swimming"]),
        ("parque infantil", ["Playground"]),
        ("teatros", ["Drama"]),
        ("películas al aire libre", ["Outdoor movies"]),
        # The stem of both is the same in Spanish, and not in English.
        ("música para niños", ["Music"]),
    ],
)
def test_spanish_words_find_english_ones_and_say_that_they_are_related(city: Release, q: str, names: list[str]) -> None:
    assert {name: level for name, level in find(city, q, AUTO).items() if level != "partial"} == dict.fromkeys(
        names, "related"
    )


def test_what_is_named_in_spanish_comes_first_and_what_has_the_audience_before_what_has_not(city: Release) -> None:
    levels = {name: level for name, level in find(city, "fútbol para niños", AUTO).items() if level != "partial"}
    assert list(levels.items()) == [("Fútbol", "all_terms"), ("Soccer kids", "related"), ("Soccer one", "related")]


def test_spanish_ages_audience_and_filler_have_their_roles(city: Release) -> None:
    meta = search(city, "fútbol gratis para niños de 6 a 12 años", AUTO)["meta"]
    assert (meta["interpreted"]["age"]["min"], meta["interpreted"]["age"]["max"]) == (6, 12)
    assert meta["ignored_words"] == []
    assert [entry["parameters"] for entry in meta["interpreted"]["filters"]] == [{"free": True}]


def test_only_auto_reads_another_language(city: Release) -> None:
    assert find(city, "cuentos para niños", {"match": "all_terms,related"}) == {}
    assert find(city, "cuentos", EVERY) == {}


def test_a_word_that_both_languages_know_takes_no_typo(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_places("Bailey Square", "Dance"))
    assert find(release, "baile", AUTO) == {"Dance": "related"}


def test_a_spanish_word_is_no_english_one_that_has_its_stem(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_places("Walk on Elm Ave", "Bird walk"))
    assert find(release, "paseo de aves", AUTO) == {"Bird walk": "related", "Walk on Elm Ave": "partial"}


def test_an_english_query_finds_what_a_spanish_metro_has(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_places("Natación", "Cuentos", "Fútbol sala"))
    words = {"language": read_shipped_language("es"), "hash": "spanish"}
    spanish = replace(release, metros={"harbor": replace(release.metros["harbor"], **words)})
    assert find(spanish, "swimming for kids", AUTO)["Natación"] == "related"
    assert find(spanish, "natación para niños", AUTO)["Natación"] == "all_terms"


FOREIGN = ForeignLanguage(list_translations("en")[0], QueryWords(read_shipped_language("en")))


@pytest.mark.parametrize(
    "q",
    ["sea lions", "me and my plan", "meet the mayor", "mayo clinic", "los lobos", "casa de papel", "arco movie",
     "futbol for kids", "salsa dancing", "piano", "rio movie", "festival", "yoga gratis"],
)  # fmt: skip
def test_a_word_that_is_also_spanish_makes_no_spanish_query(q: str) -> None:
    assert not FOREIGN.has(split_words(q))


def test_of_the_judged_queries_those_in_spanish_are_taken_for_spanish() -> None:
    judged = [*read_judged(), *read_parents("working")]
    assert {query.q for query in judged if FOREIGN.has(split_words(query.q))} == {
        query.q for query in judged if query.kind == "spanish"
    }


def test_each_phrase_has_one_line_and_a_word_that_decides() -> None:
    for code in SHIPPED[1:]:
        groups = parse_related(files(languages.__package__ or "").joinpath(code, "english.csv").read_bytes())
        own = [group[0] for group in groups]
        assert len({*own}) == len(own)
        fillers = QueryWords(read_shipped_language(code)).fillers
        assert all({*phrase.split()} - fillers for phrase in own)
