"""Ages in texts."""

import pytest

from outings.contract.languages.language import read_shipped_language
from pipeline.resolve.facts.audience import read_classifier


def find(text: str, *, is_name: bool, language: str = "en") -> list[tuple[int | None, int | None]]:
    reader = read_classifier(read_shipped_language(language))._own
    return [(span.min, span.max) for span in reader.find_ages("name" if is_name else "description", text)]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("ages 3-5", [(3, 5)]),
        ("Ages 3 – 5", [(3, 5)]),
        ("Ages: 3 to 5", [(3, 5)]),
        ("age 3 through 5", [(3, 5)]),
        ("aged between 3 and 5", [(3, 5)]),
        ("Age range: 3-5 years", [(3, 5)]),
        ("ages three to five", [(3, 5)]),
        ("ages 18 mo–3 yrs", [(1, 3)]),
        ("ages 18 mo. - 3 yrs.", [(1, 3)]),
        ("18 months to 3 years", [(1, 3)]),
        ("ages 6-18 months", [(0, 1)]),
        ("6-18 months old", [(0, 1)]),
        ("18-36 month-olds", [(1, 3)]),
        ("3-5 year olds", [(3, 5)]),
        ("3 to 5 years old", [(3, 5)]),
        ("ages 5+", [(5, None)]),
        ("ages 5 and up", [(5, None)]),
        ("ages 5 yrs & up", [(5, None)]),
        ("8 and older", [(8, None)]),
        ("8 years or older", [(8, None)]),
        ("18 months and up", [(1, None)]),
        ("21 & over", [(21, None)]),
        ("must be 21", [(21, None)]),
        ("must be at least 5 years old", [(5, None)]),
        ("(21+)", [(21, None)]),
        ("21+ only", [(21, None)]),
        ("16+, free", [(16, None)]),
        ("18+ years", [(18, None)]),
        ("ages 3-5; ages 6-8", [(3, 5), (6, 8)]),
        ("21+ activities", []),
        ("21+ years of music", []),
        ("Grades K-2", [(5, 8)]),
        ("for students in grades 3–5", [(8, 11)]),
        ("3rd - 5th graders", [(8, 11)]),
        ("Grades 6 & up", [(11, None)]),
        ("K-5, ages 5-10", [(5, 11), (5, 10)]),
        ("the K-9 unit", []),
        ("Dates are 8/5, 8/12, 8/19, and 8/26. Ages 15+", [(15, None)]),
        ("Ages 3 to Kindergarten", [(3, 6)]),
        ("Toddlers to 2nd grade", [(1, 8)]),
        ("Pre-K to age 8", [(4, 8)]),
        ("$21+", []),
        ("18:00", []),
        ("1.5-2.5", []),
        ("ages 5-3", [(3, 5)]),
        ("the 12th and over", []),
        ("groups of 10 and over", []),
        ("must be 48 inches", []),
        ("50% and up", []),
        ("2018 and up", []),
        ("room 3-5", []),
        ("must be 21 for wine", []),
        ("8 and over sign a waiver", [(8, None)]),
        ("with wine. 21 and over", [(21, None)]),
        ("under 12", []),
        ("", []),
    ],
)
def test_an_age_is_read_where_it_is_said_to_be_one(text: str, spans: list[tuple[int | None, int | None]]) -> None:
    assert find(text, is_name=False) == spans


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Gym 2-3 yrs", [(2, 3)]),
        ("Gym 2-3 years", [(2, 3)]),
        ("Swim 12 & under", [(0, 12)]),
        ("Baby Music (6-18 months)", [(0, 1)]),
        ("Wine 21+", [(21, None)]),
        ("Level 2-3", []),
    ],
)
def test_shorter_forms_of_an_age_count_in_a_name(text: str, spans: list[tuple[int | None, int | None]]) -> None:
    assert find(text, is_name=True) == spans


@pytest.mark.parametrize("text", ["Gym 2-3 years", "Swim 12 & under"])
def test_shorter_forms_of_an_age_do_not_count_in_a_description(text: str) -> None:
    assert find(text, is_name=False) == []
