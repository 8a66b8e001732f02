"""The example of two cities, on the files that the cities publish: not collected where CITY_DATA is not set.

What a row should become is read from the export itself, by `csv` and `json`; the example's SQL shares nothing with it.
"""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

Row = dict[str, Any]

DATA = Path(os.environ["CITY_DATA"])
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


def run_outings(command: str, *options: str, store: Path) -> Row:
    """What a command of `outings` prints with `--json`, on the example, into `store`."""
    done = subprocess.run(
        [sys.executable, "-m", "outings.command", *command.split(), "-c", EXAMPLE / "outings.toml", "--json", *options],
        env=os.environ | {"OUTINGS_STORE_URL": f"file:{store}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Built(NamedTuple):
    store: Path
    report: Row


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Built]:
    """The two cities built from nothing as of a date; once a date, to be read only."""
    done: dict[str, Built] = {}

    def build_once(as_of: str) -> Built:
        if as_of not in done:
            store = tmp_path_factory.mktemp(f"cities-{as_of}") / "store"
            done[as_of] = Built(store, run_outings("build", "--as-of", as_of, store=store))
        return done[as_of]

    return build_once
