"""Occurrences as columns."""

from datetime import date, datetime, timedelta

import numpy as np

from outings.release.tables import OCCURRENCES, make_schema
from pipeline.dates.recurrence import Occurrences, expand_recurrence, join_occurrences, make_occurrence_columns

MONDAY = datetime(2026, 8, 10, 9, 30)
AT_NINE_THIRTY = 9 * 3600 + 30 * 60


def expand(starts: datetime, ends: datetime | None, rrule: str | None) -> Occurrences:
    return expand_recurrence(
        starts_local=starts, ends_local=ends, has_time=True, rrule=rrule, exdates=(), rdates=(),
        timezone="America/Los_Angeles", horizon=(date(2026, 1, 1), date(2026, 12, 31)),
    ).occurrences  # fmt: skip


def test_the_table_has_its_columns_in_its_types() -> None:
    series = expand(MONDAY, MONDAY + timedelta(hours=15), "FREQ=DAILY;COUNT=2")
    single = expand(datetime(1969, 12, 31), None, None)
    table = make_occurrence_columns(join_occurrences([series, single]), has_time=np.array([True, True, False]))
    assert dict(table.schema) == {name: kind for name, kind in make_schema(OCCURRENCES).items() if name != "row"}
    starts_at = 1786379400
    assert table.rows(named=True) == [
        {
            "index": 1, "starts_at": starts_at, "ends_at": starts_at + 54_000, "starts_local": MONDAY,
            "ends_local": datetime(2026, 8, 11, 0, 30), "date": date(2026, 8, 10), "weekday": 0, "time": AT_NINE_THIRTY,
        },
        {
            "index": 2, "starts_at": starts_at + 86_400, "ends_at": starts_at + 140_400,
            "starts_local": datetime(2026, 8, 11, 9, 30), "ends_local": datetime(2026, 8, 12, 0, 30),
            "date": date(2026, 8, 11), "weekday": 1, "time": AT_NINE_THIRTY,
        },
        {
            "index": 1, "starts_at": -57_600, "ends_at": None, "starts_local": datetime(1969, 12, 31),
            "ends_local": None, "date": date(1969, 12, 31), "weekday": 2, "time": None,
        },
    ]  # fmt: skip


def test_no_events_make_an_empty_table() -> None:
    table = make_occurrence_columns(join_occurrences([]), has_time=np.array([], dtype=np.bool_))
    assert dict(table.schema) == {name: kind for name, kind in make_schema(OCCURRENCES).items() if name != "row"}
    assert table.height == 0


def test_columns_are_read_one_by_one_as_they_were_joined() -> None:
    parts = [expand(MONDAY, None, "FREQ=WEEKLY;COUNT=3"), expand(MONDAY, MONDAY, None)]
    joined = join_occurrences(parts)
    assert len(joined) == 4
    assert list(joined) == [occurrence for part in parts for occurrence in part]
    assert [occurrence.ends_local for occurrence in joined] == [None, None, None, MONDAY]
