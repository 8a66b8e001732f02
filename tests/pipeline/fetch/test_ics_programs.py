"""Calendars as programs write them, in `programs/`: each with the dates beside it that a person reads in it.

The first line of a .txt names the metro's zone and the days that it is about; the others are starts by that clock.
"""

from datetime import date, datetime
from pathlib import Path

import pytest

from pipeline.dates.recurrence import expand_recurrence
from tests.pipeline.dates.expanding import list_occurrences
from tests.pipeline.fetch.calendars import read_raw

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.ics"))


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_a_program_s_calendar_has_the_dates_that_a_person_reads_in_it(path: Path) -> None:
    head, *expected = path.with_suffix(".txt").read_text().splitlines()
    timezone, first, last = head.split()
    shown = []
    for raw in read_raw(path.read_bytes(), timezone):
        assert raw.reason is None
        assert isinstance(raw.value, dict)
        if raw.value.get("status", "published") == "published":
            shown += list_lines(raw.value, (date.fromisoformat(first), date.fromisoformat(last)))
    assert sorted(shown) == expected


def list_lines(value: dict[str, str], horizon: tuple[date, date]) -> list[str]:
    times = {name: tuple(map(datetime.fromisoformat, value.get(name, ()))) for name in ("exdates", "rdates")}
    starts = datetime.fromisoformat(value.get("starts_local") or value["date_on"])
    expansion = expand_recurrence(
        starts_local=starts, ends_local=None, has_time="starts_local" in value, rrule=value.get("rrule"),
        timezone=value["timezone"], horizon=horizon, **times,
    )  # fmt: skip
    assert expansion.problems == ()
    form = "%Y-%m-%d %H:%M" if "starts_local" in value else "%Y-%m-%d"
    return [f"{occurrence.starts_local.strftime(form)} {value['name']}" for occurrence in list_occurrences(expansion)]
