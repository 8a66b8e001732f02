"""`language` of a metro and `[languages]`: whose words it is read in."""

from pathlib import Path

import msgspec
import pytest

from outings.configuration import ConfigurationError, read_configuration
from outings.contract.languages.language import (
    SHIPPED,
    Language,
    parse_language,
    read_shipped_files,
    read_shipped_language,
)
from tests.settings import format_metro

METRO = format_metro("porto")


def write(folder: Path, text: str) -> Path:
    file = folder / "outings.toml"
    file.write_text(text)
    return file


def refuse(folder: Path, text: str) -> str:
    with pytest.raises(ConfigurationError) as refused:
        read_configuration(write(folder, text), {})
    return str(refused.value)


def test_a_metro_is_english_unless_it_says_otherwise(tmp_path: Path) -> None:
    english = read_configuration(write(tmp_path, METRO), {})
    spanish = read_configuration(write(tmp_path, METRO + 'language = "es"\n'), {})
    assert [entry.metros[0].language for entry in (english, spanish)] == ["en", "es"]


def test_a_language_that_nobody_knows_is_refused_with_those_that_are(tmp_path: Path) -> None:
    message = refuse(tmp_path, METRO + 'language = "esp"\n')
    assert 'metros.porto.language: is "esp"; did you mean es?; allowed: en, es, and what [languages] names' in message


def test_a_language_of_ones_own_is_a_folder_of_words(tmp_path: Path) -> None:
    (tmp_path / "pt").mkdir()
    (tmp_path / "pt" / "search.toml").write_text('stems = "portuguese"\n[words]\nfillers = "de do da para com"\n')
    (tmp_path / "pt" / "related.csv").write_text("teatro,peca\n")
    read = read_configuration(write(tmp_path, METRO + 'language = "pt"\n[languages]\npt = "pt"\n'), {})
    portuguese = read.own_languages["pt"]
    assert portuguese.search is not None
    assert (portuguese.search.stems, portuguese.related) == ("portuguese", (("teatro", "peca"),))
    assert portuguese.audience is None


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("search.toml", "stems = 3", "search.toml: Expected `str`, got `int` - at `$.stems`"),
        ("search.toml", 'stems = "portugese"', 'search.toml: stems is "portugese"; did you mean'),
        ("search.toml", "[phrases]\ntimes = ['(']", 'search.toml: "(" is no regular expression'),
        ("search.toml", "[phrases]\ntimes = ['<day>']", 'search.toml: "<day>" names <day>; allowed: months, days'),
        ("search.toml", "[words]\nfiller = 'de'", "search.toml: Object contains unknown field `filler`"),
        ("texts.toml", "[ages]\nyear = 'anos'", "texts.toml: Object contains unknown field `year` - at `$.ages`"),
        ("texts.toml", "numbers = 3", "texts.toml: Expected `str` - at `$.numbers`"),
        ("texts.toml", "numbers = 'um dois'", "texts.toml: Object missing required field `months` - at `$`"),
        ("search.toml", "[calendar]\nweekdays = 'a b'", "search.toml: weekdays has 2 expressions; allowed: 7"),
        (
            "search.toml",
            "[[filters]]\nwords = 'x'\nspan = {unit = 'day', first = 2}",
            'span of "x" ends before it begins',
        ),
        ("search.toml", "[[filters]]\nwords = '<x>'", '"<x>" names <x>; allowed: month, weekday'),
        ("related.csv", "teatro", 'related.csv: line 1: "teatro" has no other phrase in its group'),
        ("words.toml", "", "where no words are; allowed: a folder with any of texts.toml, search.toml, audience.toml"),
    ],
)
def test_what_is_wrong_in_it_is_reported_with_its_file(tmp_path: Path, file: str, content: str, message: str) -> None:
    (tmp_path / "pt").mkdir()
    (tmp_path / "pt" / file).write_text(content)
    assert message in refuse(tmp_path, METRO + 'language = "pt"\n[languages]\npt = "pt"\n')


def test_a_release_may_have_words_that_only_another_program_knows() -> None:
    stored = b'{"code":"es","search":{"stems":"spanish","gone":"de","ages":{"gone":"a"}},"audience":{"gone":["x"]}}'
    language = msgspec.json.decode(stored, type=Language)
    assert language.search is not None
    assert language.search.stems == "spanish"


@pytest.mark.parametrize("code", SHIPPED)
def test_a_language_that_ships_has_patterns_that_compile(code: str) -> None:
    assert parse_language(code, read_shipped_files(code)) == read_shipped_language(code)
