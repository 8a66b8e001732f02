"""The readers of ages, amounts, hours and days, over the table of texts."""

from collections import Counter

import pytest

from outings.answers.search.understanding.words import QueryWords
from outings.contract.languages.language import SHIPPED, read_shipped_language
from outings.contract.languages.word_lists import expand
from outings.contract.vocabulary import WEEKDAYS as VOCABULARY_DAYS
from outings.contract.vocabulary import Vocabulary
from outings.texts.days import WEEKDAYS
from outings.texts.tokens import LANGUAGES, fold, read_words
from tests.texts.table import TODAY, list_texts, read

MONTHS = 12

# Not every language has a word for these.
OPTIONAL = {
    "weeks", "from", "up", "up_to", "younger", "older", "child", "group", "counted", "listed", "not_people",
    "named_behind", "plus_behind", "races",
}  # fmt: skip


@pytest.mark.parametrize("kind", ["ages", "amounts", "hours", "days"])
@pytest.mark.parametrize("is_language_known", [True, False])
def test_a_text_is_read_as_a_person_reads_it(kind: str, is_language_known: bool) -> None:
    texts = list(list_texts(kind))
    # What a slash means differs by country, so a day in figures needs its language.
    wrong = [
        (text, answer)
        for text in texts
        if (answer := read(kind, text.text, text.language if is_language_known else None)) != text.answer
    ]
    assert wrong == []


def test_the_table_has_all_languages() -> None:
    counts = Counter(text.language for text in list_texts())
    assert counts.total() >= 400
    assert counts.keys() == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_table_and_word_that_english_has(language: str) -> None:
    english, own = read_words("en"), read_words(language)
    for table in ("shared", "ages", "amounts", "hours", "days"):
        needed = english[table].keys() - {"midnight", "am", "pm"}
        assert needed <= own[table].keys() | OPTIONAL, table
    assert (len(own["months"]), len(own["weekdays"])) == (12, 7)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_that_one_reader_knows_is_known_to_the_others(language: str) -> None:
    """What joins two values or opens a span means the same beside an age, a price, an hour and a day."""
    shared = read_words(language)["shared"]
    joints = [phrase for phrase in expand(shared["to"]) if phrase.isalpha()]
    for word in joints:
        assert read("ages", f"6 {word} 12", language) == "6-12", word
        assert read("amounts", f"6 € {word} 12 €", language) == "6-12", word
        assert read("hours", f"10:00 {word} 12:00", language) == "10:00-12:00", word
    for word in expand(shared["from"]):
        assert read("ages", f"{word} 6", language) == "6+", word
        assert read("amounts", f"{word} 6 €", language) == "6+", word
        assert read("hours", f"{word} 10:00", language) == "10:00", word
    for word in expand(shared["up_to"]):
        assert read("ages", f"{word} 6", language) == "0-6", word
        assert read("amounts", f"{word} 6 €", language) == "-6", word


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_of_days_months_and_numbers_are_known_to_every_reader_that_meets_them(language: str) -> None:
    words = read_words(language)
    for code, names in zip(WEEKDAYS, words["weekdays"], strict=True):
        for name in expand(names):
            assert read("days", name, language) == code, name
            assert read("hours", f"{name} 10:00-12:00", language) == f"{code} 10:00-12:00", name
            assert read("ages", f"{name}, 5+", language) == "5+", name
    for number, names in enumerate(words["months"], 1):
        for name in expand(names):
            assert read("days", f"5 {name} 2026", language) == f"2026-{number:02}-05", name
            assert read("hours", f"5 {name} 10:00", language) == "10:00", name
            assert read("ages", f"5 {name}", language) == "?", name
            assert read("amounts", f"5 {name}", language) == "?", name
    year, number = next(expand(words["ages"]["years"])), words["numbers"].split()
    for value in (3, 4, 5, 7, 8, 12):
        assert read("ages", f"{number[value]} {year}", language) == f"{value}-{value}", number[value]
        assert read("amounts", f"{number[value]} €", language) == str(value), number[value]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_joins_two_values_joins_ages_prices_and_weekdays(language: str) -> None:
    words = read_words(language)
    first, _, other, *_ = (next(expand(names)) for names in words["weekdays"])
    for word in (word for word in expand(words["shared"]["and"]) if " " not in word):
        assert read("ages", f"6 {word} 8", language) == "6-8", word
        assert read("amounts", f"6 € {word} 8 €", language) == "6-8", word
        assert read("days", f"{first} {word} {other}", language) == "mo we", word


@pytest.mark.parametrize(
    "text", ["", " ", "9" * 400, "a" * 10_000, "½", "-", "$", "12:99", "٣-٥", "31/02/2026", "0", "(("]
)
def test_a_strange_text_fails_no_reader(text: str) -> None:
    for kind in ("ages", "amounts", "hours", "days"):
        assert read(kind, text, None)
    assert fold(text) == fold(fold(text))


@pytest.mark.parametrize("code", SHIPPED)
def test_a_search_knows_each_day_and_month_that_texts_know_but_those_that_it_lists(code: str) -> None:
    words = QueryWords(read_shipped_language(code))
    search = read_shipped_language(code).search
    assert search is not None
    beside = {*search.calendar.beside.split(), *search.calendar.without.split()}
    for place, names in enumerate([*read_words(code)["months"], *read_words(code)["weekdays"]]):
        for name in (name for name in expand(names) if name not in beside):
            (phrase,) = [phrase for phrase in words.filters.find(name) if phrase.text == name]
            values = words.filters.list_values(phrase, today=TODAY, vocabulary=Vocabulary())
            if place < MONTHS:
                assert f"-{place + 1:02}-" in str(values["from"]), name
            else:
                assert values["weekday"] == (VOCABULARY_DAYS[place - MONTHS],), name
            assert name in words.times, name
