"""The table of occurrences, and back."""

from datetime import date, datetime, timedelta

import polars as pl

from outings.release.tables import OCCURRENCES, make_schema
from pipeline.dates.recurrence import Expansion
from pipeline.resolve.occurrence_table import join_occurrence_table, split_occurrence_table
from tests.pipeline.dates.expanding import expand, list_occurrences

MONDAY = datetime(2026, 8, 10, 9, 30)
AT_NINE_THIRTY = 9 * 3600 + 30 * 60
SCHEMA = {"number": pl.UInt32(), **{name: kind for name, kind in make_schema(OCCURRENCES).items() if name != "row"}}


def test_the_table_has_its_columns_in_its_types() -> None:
    series = expand(MONDAY, "FREQ=DAILY;COUNT=2", ends_local=MONDAY + timedelta(hours=15))
    single = expand(datetime(1969, 12, 31))
    table = join_occurrence_table([(7, series.occurrences, True), (4, single.occurrences, False)])
    assert dict(table.schema) == SCHEMA
    starts_at = 1786379400
    assert table.rows(named=True) == [
        {
            "number": 7, "index": 1, "starts_at": starts_at, "ends_at": starts_at + 54_000, "starts_local": MONDAY,
            "ends_local": datetime(2026, 8, 11, 0, 30), "date": date(2026, 8, 10), "weekday": 0, "time": AT_NINE_THIRTY,
        },
        {
            "number": 7, "index": 2, "starts_at": starts_at + 86_400, "ends_at": starts_at + 140_400,
            "starts_local": datetime(2026, 8, 11, 9, 30), "ends_local": datetime(2026, 8, 12, 0, 30),
            "date": date(2026, 8, 11), "weekday": 1, "time": AT_NINE_THIRTY,
        },
        {
            "number": 4, "index": 1, "starts_at": -57_600, "ends_at": None, "starts_local": datetime(1969, 12, 31),
            "ends_local": None, "date": date(1969, 12, 31), "weekday": 2, "time": None,
        },
    ]  # fmt: skip


def test_no_events_make_an_empty_table() -> None:
    table = join_occurrence_table([])
    assert (dict(table.schema), table.height) == (SCHEMA, 0)


def test_the_dates_of_events_are_read_as_they_were_joined() -> None:
    parts = {3: expand(MONDAY, "FREQ=WEEKLY;COUNT=3"), 5: expand(MONDAY, ends_local=MONDAY)}
    table = join_occurrence_table([(row, part.occurrences, True) for row, part in parts.items()])
    split = dict(split_occurrence_table(table.rename({"number": "row"})))
    assert split.keys() == parts.keys()
    for row, part in parts.items():
        assert list_occurrences(Expansion(occurrences=split[row])) == list_occurrences(part)
