"""The files of the two cities, their rows, and what the example makes of them."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
from msgspec import to_builtins

from outings.configuration import read_configuration
from pipeline.feed_task import read_feed

Row = dict[str, Any]
Rows = Callable[[str], list[Row]]
Ask = Callable[[str], Any]

DATA = Path(os.environ.get("CITY_DATA", ""))  # where it is not set, no test here is collected
REPOSITORY = Path(__file__).parents[2]
EXAMPLE = REPOSITORY / "examples" / "two-cities"

# How the program opens a feed's file: CSV as text alone, JSON with the types that it shows.
FEEDS = {
    "nyc-events": ("nyc/parks-events.csv", "read_csv(?, all_varchar = true)"),
    "nyc-places": ("nyc/places.json", "read_json(?)"),
    "seattle-centers": ("seattle/community-centers.json", "read_json(?)"),
    "seattle-activities": ("seattle/parks-activity-catalog.json", "read_json(?)"),
}


class BuiltExample(NamedTuple):
    example: Path
    report: Row

    @property
    def store(self) -> Path:
        return self.example / "var" / "store"


def read_export(feed: str) -> list[Row]:
    """The rows of a feed's file, as the city wrote them."""
    path = DATA / FEEDS[feed][0]
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)) if path.suffix == ".csv" else json.load(file)


def select_records(feed: str) -> list[Row]:
    """Return the records that the example's SQL or mapping makes of a feed's file."""
    if not (EXAMPLE / "feeds" / f"{feed}.sql").exists():
        return _read_mapped(feed)
    file, reader = FEEDS[feed]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE feed AS SELECT * FROM {reader}", [str(DATA / file)])
        # It needs nothing but the view: no other file, no network, no extension.
        connection.execute("SET enable_external_access = false")
        relation = connection.execute((EXAMPLE / "feeds" / f"{feed}.sql").read_text(encoding="utf-8"))
        names = [column[0] for column in relation.description or []]
        return [dict(zip(names, row, strict=True)) for row in relation.fetchall()]


def _read_mapped(feed: str) -> list[Row]:
    configuration = read_configuration(EXAMPLE / "outings.toml", os.environ)
    (table,) = (value for value in configuration.feeds if value.name == feed)
    read = read_feed(table, configuration)
    assert read.problems == ()
    return [to_builtins(record) for record in read.records]


def copy_example(folder: Path) -> Path:
    """The example in a folder of its own: what its commands write stays in there."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("var"))
    return folder


def run_outings(*words: str, example: Path, data: Path | None = DATA) -> subprocess.CompletedProcess[str]:
    """A command on the example, as a person calls it; without `data` CITY_DATA is not set."""
    environment = {name: value for name, value in os.environ.items() if name != "CITY_DATA"}
    if data is not None:
        environment["CITY_DATA"] = str(data)
    return subprocess.run(
        [sys.executable, "-m", "command", *words, "-c", example / "outings.toml"],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def read_printed(*words: str, example: Path) -> Row:
    """The object that a command prints with `--json`."""
    done = run_outings(*words, "--json", example=example)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
