"""The example of two cities, on the files that the cities publish: not collected where CITY_DATA is not set.

What a row should become is read from the export itself, by `csv` and `json`; the example's SQL shares nothing with it.
"""

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

Row = dict[str, Any]

collect_ignore_glob = [] if os.environ.get("CITY_DATA") else ["test_*.py"]

DATA = Path(os.environ.get("CITY_DATA", ""))
EXAMPLE = Path(__file__).parents[2] / "examples" / "two-cities"

# How the program opens a feed's file: CSV as text alone, JSON with the types that it shows.
FEEDS = {
    "nyc-events": ("nyc/parks-events.csv", "read_csv(?, all_varchar = true)"),
    "nyc-places": ("nyc/places.json", "read_json(?)"),
    "seattle-centers": ("seattle/community-centers.json", "read_json(?)"),
    "seattle-activities": ("seattle/parks-activity-catalog.json", "read_json(?)"),
}


def read_export(feed: str) -> list[Row]:
    path = DATA / FEEDS[feed][0]
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)) if path.suffix == ".csv" else json.load(file)


def select_records(feed: str) -> list[Row]:
    file, reader = FEEDS[feed]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE feed AS SELECT * FROM {reader}", [str(DATA / file)])
        # The rows say what they are by themselves: with no other file, no network and no extension.
        connection.execute("SET enable_external_access = false")
        found = connection.execute((EXAMPLE / "feeds" / f"{feed}.sql").read_text(encoding="utf-8"))
        names = [column[0] for column in found.description or []]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.fixture(scope="session")
def export() -> Callable[[str], list[Row]]:
    """The rows of a feed's file, as the city wrote them."""
    read: dict[str, list[Row]] = {}
    return lambda feed: read.get(feed) or read.setdefault(feed, read_export(feed))


@pytest.fixture(scope="session")
def records() -> Callable[[str], list[Row]]:
    """What the example's SQL makes of a feed's file."""
    selected: dict[str, list[Row]] = {}
    return lambda feed: selected.get(feed) or selected.setdefault(feed, select_records(feed))
