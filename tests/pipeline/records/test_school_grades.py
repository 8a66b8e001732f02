"""School grades in texts, as ages."""

import pytest

from pipeline.records.school_grades import find_grades, parse_grades
from tests.pipeline.clean.record_cleaning import clean_member

WHOLE: list[tuple[str, int, int | None]] = [
    ("K-2", 5, 8),
    ("K – 5", 5, 11),
    ("Grades K-2", 5, 8),
    ("grades: k to 2", 5, 8),
    ("Grades 3-5", 8, 11),
    ("Grade 3", 8, 9),
    ("3rd grade", 8, 9),
    ("Third Grade", 8, 9),
    ("1st through 3rd grade", 6, 9),
    ("1st & 2nd graders", 6, 8),
    ("6th-8th grade", 11, 14),
    ("Grades 9-12", 14, 18),
    ("Grades 6+", 11, None),
    ("grades 6 and up", 11, None),
    ("Kindergarten", 5, 6),
    ("K", 5, 6),
    ("Kindergarten through 2nd grade", 5, 8),
    ("Pre-K", 4, 5),
    ("PreK-2", 4, 8),
]


@pytest.mark.parametrize(("text", "least", "most"), WHOLE)
def test_grades_are_ages(text: str, least: int, most: int | None) -> None:
    span = parse_grades(text)
    assert span is not None
    assert (span.min, span.max) == (least, most)


@pytest.mark.parametrize(
    "text", ["3-5", "5", "Ages 3-5", "Grade A", "K-9", "K-pop", "Grades 5-3", "grade 13", "Grades", "", "Grade 3 math"]
)
def test_what_is_not_all_grades_is_none(text: str) -> None:
    assert parse_grades(text) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a lab for grades 3-5 and their parents", ["grades 3-5"]),
        ("k-2: tuesdays, 3rd-5th grade: fridays", ["k-2", "3rd-5th grade"]),
        ("for pre-k - 5 students", ["pre-k - 5"]),
        ("meet a k-9 unit", []),
        ("kindergarten readiness", []),
        ("a workshop for k-12 teachers", []),
        ("2nd grade teachers", []),
        ("room 3-5", []),
        ("a 5% grade", []),
        ("food grade 3.5", []),
        ("grade inspections 3 to 5", []),
        ("vitamin k to 2 ratio", []),
        ("$3 grade", []),
    ],
)
def test_in_a_text_they_are_found_where_something_says_that_they_are_grades(text: str, message: list[str]) -> None:
    assert [text[grade.start : grade.end] for grade in find_grades(text)] == message


@pytest.mark.parametrize(
    ("ages", "read"),
    [
        ({"text": "Grades K-2"}, (5, 8, "Grades K-2")),
        ({"text": "Grades 6+"}, (11, None, "Grades 6+")),
        ({"text": "Grades K-2", "min": 4}, (4, None, "Grades K-2")),
        ({"text": "All welcome"}, (None, None, "All welcome")),
    ],
)
def test_a_record_that_states_grades_and_no_ages_has_theirs(
    ages: dict[str, object], read: tuple[int | None, int | None, str]
) -> None:
    record = clean_member("event", "ages", ages).record
    assert record is not None
    assert (record.ages.min, record.ages.max, record.ages.text) == read  # type: ignore[attr-defined]
