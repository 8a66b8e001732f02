"""The tables of ages in docs/search.md: what they say is read so; and no clock time or date is read as an age."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.answers.search.understanding.locations import Locations
from outings.answers.search.understanding.query import parse_search
from outings.answers.search.understanding.words import QueryWords
from outings.contract.languages.language import SHIPPED, read_shipped_language

PAGE = Path(__file__).parents[4] / "docs" / "search.md"
NOWHERE = Locations()
WORDS = {code: QueryWords(read_shipped_language(code)) for code in SHIPPED}
_READ_AS = re.compile(r"(?P<low>\d+)(?: to (?P<high>\d+)|(?P<up> and up))?\b|the number")


def list_rows() -> Iterator[tuple[str, str, str]]:
    """Language, what is written, and as what it is read."""
    page = PAGE.read_text()
    for code, start, end in (("en", "### Ages", "A number alone"), ("es", "`es` is Spanish", "A language is a folder")):
        for line in page[page.index(start) : page.index(end)].splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) == 2 and _READ_AS.match(cells[1]):
                yield from ((code, written, cells[1]) for written in re.findall("`([^`]+)`", cells[0]))


def test_the_tables_are_found() -> None:
    assert {code for code, _, _ in list_rows()} == {"en", "es"}
    assert len(list(list_rows())) > 60


@pytest.mark.parametrize(("code", "written", "read_as"), [*list_rows()])
def test_each_row_of_the_tables_is_read_as_it_says(code: str, written: str, read_as: str) -> None:
    stated = _READ_AS.match(read_as)
    assert stated is not None
    numbers = [int(digits) for digits in re.findall(r"\d+", written)] or [5]
    low = numbers[0] if stated["low"] is None else int(stated["low"])
    high = None if stated["up"] else int(stated["high"] or low)
    age = parse_search(f"{written} xylophone", places=NOWHERE, words=WORDS[code]).age
    assert age is not None
    assert (age.min, age.max) == (low, high)


MONTHS = {"en": ["january", "jan", "march", "aug", "october"], "es": ["enero", "marzo", "agosto", "octubre"]}
DAYS = {"en": ["monday", "saturday", "sat", "fri", "today"], "es": ["lunes", "sabado", "sábado", "domingo", "hoy"]}
_dates = st.dates(date(2024, 1, 1), date(2029, 12, 31))


def write_clocks(code: str, low: int, high: int, day: str) -> list[str]:
    if code == "es":
        return [
            f"{low}-{high}h", f"a las {low}", f"de {low} a {high} h", f"{low}:15-{high}:30", f"{low}h",
            f"{low}:00-{high}", f"{day} {low}-{high}", f"desde las {low}-{high}", f"{low}-{high} {day}",
            f"{day} {low} a {high}", f"{low} a {high} {day}", f"de {low} a {high}", f"{day} de {low} a {high}",
        ]  # fmt: skip
    return [
        f"{low}-{high}am", f"{low}-{high} pm", f"{low}am-{high}pm", f"{low} to {high}pm", f"{low}:15",
        f"{low}:15-{high}", f"{low}-{high}:30", f"at {low}", f"at {low}-{high}", f"{day} {low}-{high}",
        f"{low}-{high} {day}",
        f"{low} to {high} {day}", f"at {low} to {high}", f"from {low} to {high}",
        f"from {low}-{high}", f"after {low}", f"{low} oclock", f"{low} a.m.-{high} p.m.", f"{day} {low} to {high}",
    ]  # fmt: skip


def write_dates(code: str, start: date, end: date, month: str) -> list[str]:
    low, high = start.day, end.day
    same = [
        start.isoformat(), f"{start.month}/{low}", f"{start.month}/{low}/{start.year}", f"{start:%m-%d}-{start.year}",
        f"{start.month}/{low}-{end.month}/{high}", f"{start.month}-{low}-{start:%y}", f"{start:%d.%m.%Y}",
    ]  # fmt: skip
    if code == "es":
        return [*same, f"{low} de {month}", f"{low}-{high} de {month}", f"del {low} al {high} de {month}"]
    return [
        *same, f"{month} {low}", f"{month} {low}-{high}", f"{low}-{high} {month}", f"{month} {low} to {high}",
        f"{low}th of {month}", f"{month} {low}th-{high}th", f"{low} {month}",
    ]  # fmt: skip


@given(data=st.data(), low=st.integers(1, 12), high=st.integers(1, 12))
@pytest.mark.parametrize("code", SHIPPED)
def test_no_clock_time_is_read_as_an_age(code: str, data: st.DataObject, low: int, high: int) -> None:
    written = write_clocks(code, low, high, data.draw(st.sampled_from(DAYS[code])))
    check_no_age(code, data.draw(st.sampled_from(written)), before=data.draw(st.booleans()))


@given(data=st.data(), start=_dates, end=_dates)
@pytest.mark.parametrize("code", SHIPPED)
def test_no_date_is_read_as_an_age(code: str, data: st.DataObject, start: date, end: date) -> None:
    written = write_dates(code, start, end, data.draw(st.sampled_from(MONTHS[code])))
    check_no_age(code, data.draw(st.sampled_from(written)), before=data.draw(st.booleans()))


def check_no_age(code: str, written: str, *, before: bool) -> None:
    q = f"{written} xylophone" if before else f"xylophone {written}"
    assert parse_search(q, places=NOWHERE, words=WORDS[code]).age is None
