"""Weekdays on which courses meet, as people write them in seven languages."""

import pytest

from outings.contract.vocabulary import WEEKDAYS
from outings.texts.days import WEEKDAYS as CODES
from outings.texts.days import read_weekdays
from pipeline.drafts.columns import Column
from pipeline.drafts.weekdays import draft_days, find_language

WORKING = "monday tuesday wednesday thursday friday"
TEXTS = {
    "Mon/Wed": "monday wednesday", "M W F": "monday wednesday friday", "MWF": "monday wednesday friday",
    "TTh": "tuesday thursday", "Tu,Th": "tuesday thursday", "Every Sunday": "sunday", "Mon-Fri": WORKING,
    "lundi et jeudi": "monday thursday", "lundi au vendredi": WORKING, "montags": "monday", "Mo-Fr": WORKING,
    "Dienstag und Freitag": "tuesday friday", "lunes y miércoles": "monday wednesday", "lunes a viernes": WORKING,
    "segunda-feira e quarta-feira": "monday wednesday", "mar e gio": "tuesday thursday",
    "maandag en vrijdag": "monday friday",
}  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_weekdays_are_read_as_people_write_them(text: str) -> None:
    language = find_language([text])
    assert language is not None
    days = read_weekdays(text, language, alone=True)
    assert " ".join(WEEKDAYS[CODES.index(day)] for day in days) == TEXTS[text]


@pytest.mark.parametrize(
    "values",
    [["M", "F"], ["Hall", "Gym"], ["1", "2"], ["3-6", "6-12"], ["S", "M", "L", "XL"], ["Monday Club", "Chess"]],
)
def test_what_names_no_weekdays_is_none(values: list[str]) -> None:
    assert find_language(values) is None


def test_a_draft_reads_each_word_and_a_cell_with_a_range_as_a_whole() -> None:
    words = draft_days(Column(path="Days", values=("Mon/Wed", "Sat")))
    assert words["lookup"] == {"Mon": "monday", "Wed": "wednesday", "Sat": "saturday"}
    cells = draft_days(Column(path="Days", values=("Mon-Wed", "Sat")))
    assert cells["lookup"] == {"Mon-Wed": ["monday", "tuesday", "wednesday"], "Sat": "saturday"}
