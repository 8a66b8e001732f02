"""An age that a query states becomes a filter; a number that is no age stays a word."""

import pytest

from outings.answers.search.understanding.locations import Locations
from outings.answers.search.understanding.query import Age, parse_search
from outings.contract.errors import ApiError

NOWHERE = Locations()

# The query → least and greatest age, and the words it was read from.
AGES = [
    ("5 year olds", 5, 5, "5 year olds"),
    ("5 year old", 5, 5, "5 year old"),
    ("5 yr old", 5, 5, "5 yr old"),
    ("5 yrs. old", 5, 5, "5 yrs. old"),
    ("5yo", 5, 5, "5yo"),
    ("5 y/o", 5, 5, "5 y/o"),
    ("5y", 5, 5, "5y"),
    ("5 years", 5, 5, "5 years"),
    ("five-year-olds", 5, 5, "five-year-olds"),
    ("for a 5 year old's birthday", 5, 5, "5 year old's"),
    ("for my 2 yr old boy", 2, 2, "2 yr old boy"),
    ("2.5 year old", 2, 2, "2.5 year old"),
    ("2 1/2 year old", 2, 2, "2 1/2 year old"),
    ("2½ year old", 2, 2, "2½ year old"),
    ("4½ - 6 years", 5, 6, "4½ - 6 years"),
    ("two and a half year old", 2, 2, "two and a half year old"),
    ("my son is 7", 7, 7, "son is 7"),
    ("she's five", 5, 5, "she's five"),
    ("turning 5", 5, 5, "turning 5"),
    ("ages8-12", 8, 12, "ages8-12"),
    ("preschool kids", 3, 5, "preschool kids"),
    ("age 5", 5, 5, "age 5"),
    ("aged 5", 5, 5, "aged 5"),
    ("ages 3-5", 3, 5, "ages 3-5"),
    ("ages: 3 – 5", 3, 5, "ages: 3 – 5"),
    ("age 3 to 5", 3, 5, "age 3 to 5"),
    ("ages 3 and 5", 3, 5, "ages 3 and 5"),
    ("for a 3 and a 5 year old", 3, 5, "3 and a 5 year old"),
    ("ages between 3 and 5", 3, 5, "ages between 3 and 5"),
    ("ages 5-3", 3, 5, "ages 5-3"),
    ("3-5 year olds", 3, 5, "3-5 year olds"),
    ("5/6 year olds", 5, 6, "5/6 year olds"),
    ("5, 7 and 9 year olds", 5, 9, "5, 7 and 9 year olds"),
    ("kids 3-5", 3, 5, "kids 3-5"),
    ("children ages 3 through 5", 3, 5, "children ages 3 through 5"),
    ("for my 18 month old", 1, 1, "18 month old"),
    ("6-18 months", 0, 1, "6-18 months"),
    ("18 months to 3 years", 1, 3, "18 months to 3 years"),
    ("6 week old", 0, 0, "6 week old"),
    ("toddlers", 1, 3, "toddlers"),
    ("toddler friendly", 1, 3, "toddler friendly"),
    ("baby", 0, 1, "baby"),
    ("babies", 0, 1, "babies"),
    ("infants", 0, 1, "infants"),
    ("teens", 13, 18, "teens"),
    ("teenagers", 13, 18, "teenagers"),
    ("teenage", 13, 18, "teenage"),
    ("under 2", 0, 1, "under 2"),
    ("under the age of 5", 0, 4, "under the age of 5"),
    ("kids under 5", 0, 4, "kids under 5"),
    ("under 1", 0, 0, "under 1"),
    ("under 18 months", 0, 1, "under 18 months"),
    ("younger than 12 months", 0, 0, "younger than 12 months"),
    ("12 and under", 0, 12, "12 and under"),
    ("up to age 5", 0, 5, "up to age 5"),
    ("8+", 8, None, "8+"),
    ("8 and up", 8, None, "8 and up"),
    ("8 & up", 8, None, "8 & up"),
    ("ages 8 and older", 8, None, "ages 8 and older"),
    ("over 5 years old", 5, None, "over 5 years old"),
    ("21+", 21, None, "21+"),
    ("9 plus", 9, None, "9 plus"),
    ("18 mths", 1, 1, "18 mths"),
    ("4 y.o.", 4, 4, "4 y.o."),
    ("rising 1st graders", 6, 7, "rising 1st graders"),
    ("entering kindergarten", 5, 6, "entering kindergarten"),
    ("6th-8th grade", 11, 14, "6th-8th grade"),
    ("Pre-K/K", 4, 6, "Pre-K/K"),
    ("jr high kids", 11, 14, "jr high kids"),
    ("teen/tween", 9, 18, "teen, tween"),
    ("6m", 0, 0, "6m"),
    ("6-18m", 0, 1, "6-18m"),
    ("2s and 3s", 2, 3, "2s and 3s"),
    ("3s", 3, 3, "3s"),
]


def tell(age: Age | None) -> tuple[int, int | None, str]:
    assert age is not None
    return age.min, age.max, age.text


@pytest.mark.parametrize(("text", "least", "most", "words"), AGES)
def test_an_age_phrase_is_a_filter_and_no_word(text: str, least: int, most: int | None, words: str) -> None:
    read = parse_search(f"pottery {text}", places=NOWHERE)
    assert tell(read.age) == (least, most, words)
    assert "pottery" in read.words
    assert {*read.words} <= {"pottery", "birthday"}
    assert read.ignored == ()


@pytest.mark.parametrize(("text", "least", "most", "words"), AGES)
def test_an_age_alone_is_a_query(text: str, least: int, most: int | None, words: str) -> None:
    if "birthday" not in text:
        read = parse_search(text, places=NOWHERE)
        assert (read.words, tell(read.age)) == ((), (least, most, words))


WORDS = [
    ("5k run", ("5k", "run")),
    ("kids 5k", ("5k",)),
    ("3d printing", ("3d", "printing")),
    ("kids 3d printing", ("3d", "printing")),
    ("summer 2026", ("summer", "2026")),
    ("class of 8", ("8",)),
    ("4th of july", ("4th", "july")),
    ("top 10", ("top", "10")),
    ("u8 soccer", ("u8", "soccer")),
    ("preschool", ("preschool",)),
    ("middle school pool", ("middle", "school", "pool")),
    ("kindergarten readiness", ("kindergarten", "readiness")),
    ("vitamin k 2", ("vitamin", "k", "2")),
    ("family of 5", ("5",)),
    ("ps 251 pool", ("ps", "251", "pool")),
    ("inside out 2", ("inside", "out", "2")),
    ("6 week camp", ("6", "week")),
    ("2 year program", ("2", "year")),
    ("100 year old house", ("100", "year", "old", "house")),
    ("50+ fitness", ("50", "fitness")),
    ("10+ things", ("10",)),
    ("under 30 minutes of art", ("under", "30", "minutes", "art")),
    ("under the stars", ("under", "stars")),
    ("baby animals", ("baby", "animals")),
    ("baby sitting class", ("baby", "sitting")),
    ("babysitting", ("babysitting",)),
    ("infant cpr", ("infant", "cpr")),
    ("80s dance", ("80s", "dance")),
    ("50m freestyle", ("50m", "freestyle")),
    ("lesson 4-6", ("4", "6")),
    ("2u", ("2u",)),
]


# A range alone is no age, whatever stands beside it.
NO_RANGES = [
    "3-5", "3 to 5", "12u",
    "session 3-5", "level 1-2", "3-5 players", "3-5 miles", "3-5k", "3-5%", "$3-5", "3-5 minutes", "won 2-3", "5-3",
    "12-21", "u3-5", "8-10-26", "08-10", "2026-08-10", "3/5", "route 3-5", "1-2-3", "3-5 year", "3-5 month", "3.5-5.5",
    "at 3-5", "3-5pm", "10-12am", "9-11 am", "10:30-12", "10-11:30", "saturday 10-12", "10-12 sat", "july 8-10", "3-3",
    "level 1 to 3", "3 to 5 players", "3 to 5 miles", "5 to 3", "at 3 to 5", "3 to 5pm", "saturday 10 to 12",
    "10 to 12 sat", "3 to 5 year",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_RANGES)
def test_a_range_alone_is_no_age(text: str) -> None:
    assert parse_search(f"soccer {text}", places=NOWHERE).age is None


@pytest.mark.parametrize(("text", "words"), WORDS)
def test_what_is_no_age_stays_words(text: str, words: tuple[str, ...]) -> None:
    read = parse_search(text, places=NOWHERE)
    assert (read.age, read.words) == (None, words)


@pytest.mark.parametrize("text", ["under $20", "under 20 dollars", "under 5 bucks", "$5-10", "$1,000", "5$"])
def test_a_price_is_no_age(text: str) -> None:
    with pytest.raises(ApiError) as refused:
        parse_search(text, places=NOWHERE)
    assert refused.value.details["reason"] == "nothing_searchable"
    assert parse_search(f"{text} art", places=NOWHERE).words == ("art",)


TWO = [
    ("babies and toddlers", 0, 3, "babies, toddlers"),
    ("a 5 year old and an 8 year old", 5, 8, "5 year old, 8 year old"),
    ("toddlers or 8+", 1, None, "toddlers, 8+"),
    ("baby 6 months", 0, 0, "baby, 6 months"),
    ("2 year old toddler", 2, 2, "2 year old, toddler"),
    ("8+ teens", 13, 18, "8+, teens"),
    ("rising 5 year olds", 5, 5, "5 year olds"),
    ("1st grader and a 3 year old", 3, 7, "1st grader, 3 year old"),
]


@pytest.mark.parametrize(("text", "least", "most", "words"), TWO)
def test_two_phrases_are_one_filter(text: str, least: int, most: int | None, words: str) -> None:
    """The narrower, where one lies in the other; else from the least to the greatest."""
    assert tell(parse_search(text, places=NOWHERE).age) == (least, most, words)


@pytest.mark.parametrize(
    ("text", "is_each"),
    [
        ("3 and 7 year olds", True), ("a 5 year old and an 8 year old", True), ("babies and toddlers", True),
        ("grades 1 and 4", True), ("3-5 year olds", False), ("ages 3 to 5", False), ("teens", False),
        ("baby 6 months", False), ("12 and under", False), ("two and a half year old", False),
    ],
)  # fmt: skip
def test_ages_are_of_each_where_several_children_come(text: str, is_each: bool) -> None:
    age = parse_search(text, places=NOWHERE).age
    assert age is not None
    assert age.is_each is is_each
