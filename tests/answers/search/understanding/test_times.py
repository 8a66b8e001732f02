"""Words of time → when something is."""

import pytest

from outings.answers.search.understanding.locations import Locations
from outings.answers.search.understanding.query import parse_search
from outings.answers.search.understanding.times import When
from outings.answers.search.understanding.words import QueryWords, read_english
from outings.contract.languages.language import read_shipped_language

ENGLISH, SPANISH = read_english(), QueryWords(read_shipped_language("es"))


def read_when(q: str, words: QueryWords = ENGLISH) -> When | None:
    return words.when.read(parse_search(f"swim {q}", places=Locations(), words=words).timed)


@pytest.mark.parametrize(
    ("q", "weekdays"),
    [
        ("saturday", (5,)), ("tue thu", (1, 3)), ("sat and sun", (5, 6)), ("weekends", (5, 6)),
        ("weekday", (0, 1, 2, 3, 4)),
        ("weeknights", (0, 1, 2, 3, 4)), ("monday and wednesday", (0, 2)),
        ("after school", (0, 1, 2, 3, 4)), ("tuesday after school", (1,)),
    ],
)  # fmt: skip
def test_days_of_the_week(q: str, weekdays: tuple[int, ...]) -> None:
    when = read_when(q)
    assert when is not None
    assert when.weekdays == weekdays


@pytest.mark.parametrize(
    ("q", "hours"),
    [
        ("saturday morning", (0, 12)), ("before noon", (0, 12)), ("at noon", (12, 13)), ("late afternoon", (12, 17)),
        ("friday night", (17, 24)), ("tonight", (17, 24)), ("weeknights", (17, 24)), ("after school", (14, 18)),
        ("movie night", (17, 24)),
    ],
)  # fmt: skip
def test_hours_of_the_day(q: str, hours: tuple[int, int]) -> None:
    when = read_when(q)
    assert when is not None
    assert when.hours == hours


@pytest.mark.parametrize(
    ("q", "ahead"),
    [
        ("today", (0, 0)), ("tonight", (0, 0)), ("tomorrow night", (1, 1)), ("this weekend", (0, 6)),
        ("this friday", (0, 6)), ("friday", None),
    ],
)  # fmt: skip
def test_days_are_counted_from_the_windows_first_on(q: str, ahead: tuple[int, int] | None) -> None:
    when = read_when(q)
    assert when is not None
    assert when.ahead == ahead


@pytest.mark.parametrize(
    "q", ["", "ages 3-5", "4th of july", "movie day", "first friday", "under $20", "every day", "july 12", "after 5pm"]
)
def test_what_says_no_time_is_not_read_as_one(q: str) -> None:
    assert read_when(q) is None


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("el sábado por la mañana", When(weekdays=(5,), hours=(0, 12))),
        ("mañana", When(ahead=(1, 1))),
        ("esta mañana", When(ahead=(0, 0), hours=(0, 12))),
        ("este fin de semana", When(weekdays=(5, 6), ahead=(0, 6))),
    ],
)
def test_spanish_says_when(q: str, expected: When) -> None:
    assert read_when(q, SPANISH) == expected
