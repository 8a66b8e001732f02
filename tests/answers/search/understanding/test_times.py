"""Words of time → when something is."""

from datetime import date

import pytest

from outings.answers.search.understanding.locations import Locations
from outings.answers.search.understanding.query import parse_search
from outings.answers.search.understanding.times import When
from outings.answers.search.understanding.words import QueryWords, read_english
from outings.contract.languages.language import read_shipped_language

ENGLISH, SPANISH = read_english(), QueryWords(read_shipped_language("es"))
# A Tuesday.
BEGIN = date(2026, 8, 11)


def read_when(q: str, words: QueryWords = ENGLISH) -> When | None:
    return words.when.read(parse_search(f"swim {q}", places=Locations(), words=words).timed)


def find_days(q: str, words: QueryWords = ENGLISH) -> tuple[str, str] | None:
    when = read_when(q, words)
    assert when is not None
    days = when.find_days(BEGIN)
    return None if days is None else (days[0].isoformat(), days[1].isoformat())


@pytest.mark.parametrize(
    ("q", "weekdays"),
    [
        ("saturday", (5,)), ("tue thu", (1, 3)), ("sat and sun", (5, 6)), ("weekends", (5, 6)),
        ("weekday", (0, 1, 2, 3, 4)),
        ("weeknights", (0, 1, 2, 3, 4)), ("5:30pm monday and wednesday", (0, 2)),
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
        ("friday night", (17, 24)), ("tonight", (17, 24)), ("weeknights", (17, 24)), ("after 5pm", (17, 24)),
        ("after 5", (17, 24)), ("after 10", (10, 24)), ("before 11am", (0, 11)), ("10am", (10, 11)),
        ("5:30pm", (17.5, 18.5)),
        ("saturday 10-12", (10, 12)), ("10-11:30am", (10, 11.5)), ("11-1pm saturday", (11, 13)), ("2-4pm", (14, 16)),
        ("after school", (14, 18)), ("movie night", (17, 24)),
        ("july 12 10am", (10, 11)), ("july 10-12 afternoon", (12, 17)),
    ],
)  # fmt: skip
def test_hours_of_the_day(q: str, hours: tuple[float, float]) -> None:
    when = read_when(q)
    assert when is not None
    assert when.hours == (hours[0] * 3600, hours[1] * 3600)


@pytest.mark.parametrize(
    ("q", "first", "last"),
    [
        ("today", "2026-08-11", "2026-08-11"), ("tonight", "2026-08-11", "2026-08-11"),
        ("tomorrow night", "2026-08-12", "2026-08-12"), ("this weekend", "2026-08-11", "2026-08-17"),
        ("this friday", "2026-08-11", "2026-08-17"), ("august 15", "2026-08-15", "2026-08-15"),
        ("15th of august", "2026-08-15", "2026-08-15"), ("aug. 10th", "2027-08-10", "2027-08-10"),
        ("aug 8-12", "2026-08-08", "2026-08-12"), ("in august", "2026-08-01", "2026-08-31"),
        ("july", "2027-07-01", "2027-07-31"), ("july 12 2025", "2025-07-12", "2025-07-12"),
        ("2026-09-01", "2026-09-01", "2026-09-01"),
    ],
)  # fmt: skip
def test_days_are_the_next_such_from_the_windows_first_on(q: str, first: str, last: str) -> None:
    assert find_days(q) == (first, last)


@pytest.mark.parametrize("q", ["feb 30", "april 31st", "2026-02-30"])
def test_a_day_that_is_in_no_calendar_is_none(q: str) -> None:
    assert find_days(q) is None


@pytest.mark.parametrize("q", ["", "ages 3-5", "4th of july", "movie day", "first friday", "under $20", "every day"])
def test_what_says_no_time_is_not_read_as_one(q: str) -> None:
    assert read_when(q) is None


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("el sábado por la mañana", When(weekdays=(5,), hours=(0, 12 * 3600))),
        ("mañana", When(ahead=(1, 1))),
        ("esta mañana", When(ahead=(0, 0), hours=(0, 12 * 3600))),
        ("este fin de semana", When(weekdays=(5, 6), ahead=(0, 6))),
        ("a partir de las 5 de la tarde", When(hours=(17 * 3600, 24 * 3600))),
        ("a las 18:00", When(hours=(18 * 3600, 19 * 3600))),
    ],
)
def test_spanish_says_when(q: str, expected: When) -> None:
    assert read_when(q, SPANISH) == expected


def test_a_spanish_date_is_one() -> None:
    assert find_days("12 de agosto", SPANISH) == ("2026-08-12", "2026-08-12")
