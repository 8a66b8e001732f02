"""Measure how much of what a file states a draft keeps, with no editor: `python -m tests.new_cities.measuring`."""

import shutil
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from outings.configuration import read_configuration
from pipeline.feed_task import read_feed
from pipeline.records.record import ClassRecord, PlaceRecord
from tests.new_cities.exporting import run

FILES = Path(__file__).parent / "fresh"
EXPECTED: dict[str, dict[str, list[Any]]] = tomllib.loads((FILES / "expected.toml").read_text("utf-8"))
AMERICAN = {"park-district.csv", "park-classes.csv", "museum.json", "library.tsv", "facilities.csv"}
BOISE = ("--metro", "Boise", "--center", "43.615,-116.202", "--timezone", "America/Boise")
LYON = ("--metro", "Lyon", "--center", "45.76,4.83", "--timezone", "Europe/Paris")
MEMBERS = ("start", "end", "least age", "greatest age", "least price", "greatest price", "place")


def draft_records(file: str, folder: Path, *words: str) -> dict[str, list[Any]]:
    """Draft one of the files and return what its records state, by their names."""
    shutil.copy(FILES / file, folder)
    config = folder / f"{file}.toml"
    city = BOISE if file in AMERICAN else LYON
    done = run("init", str(folder / file), *city, "--yes", *words, "-c", str(config))
    if done.exit_code:
        return {}  # it says the line to run
    configuration = read_configuration(config, {})
    return {record.name: list_stated(record) for record in read_feed(configuration.feeds[0], configuration).records}


def list_stated(record: Any) -> list[Any]:
    start, end = getattr(record, "starts_local", None), getattr(record, "ends_local", None)
    behind = ""
    if isinstance(record, ClassRecord) and record.term.starts_on and record.term.ends_on:
        term, schedule = record.term, record.schedule
        start, end = (
            datetime.fromisoformat(f"{day}T{clock or '00:00'}")
            for day, clock in ((term.starts_on, schedule.start_time), (term.ends_on, schedule.end_time))
        )
        behind = "".join(f" {day[:3]}" for day in schedule.days)
    elif isinstance(record, PlaceRecord) and record.location and record.location.lat is not None:
        behind = f" at {record.location.lat:g}, {record.location.lng:g}"
    price, location = getattr(record, "price", None), record.location
    ages = getattr(record, "ages", None)
    return [
        start.isoformat()[:16] if start else "", end.isoformat()[:16] if end else "",
        "" if ages is None or ages.min is None else ages.min, "" if ages is None or ages.max is None else ages.max,
        "" if price is None or price.min is None else price.min,
        "" if price is None or price.max is None else price.max,
        "" if location is None else (location.address or "") + behind,
    ]  # fmt: skip


def list_faults(file: str, records: dict[str, list[Any]]) -> Iterator[str]:
    """Yield each value that is lost or wrong; a name that is lost loses all of its values."""
    for name, values in EXPECTED[file].items():
        own = records.get(name)
        if own is None:
            yield f"{name}: name"
            yield from (f"{name}: {member}" for member, value in zip(MEMBERS, values, strict=True) if value != "")
            continue
        for member, value, kept in zip(MEMBERS, values, own, strict=True):
            # A day without a year is the next one.
            is_part = member == "place" or (isinstance(value, str) and value[2:3] == "-")
            if (value not in str(kept)) if is_part else value != kept:
                yield f"{name}: {member} is {kept!r}, and the file says {value!r}"


def count_stated(file: str) -> int:
    return sum(1 + sum(value != "" for value in values) for values in EXPECTED[file].values())


def main() -> None:
    for file in EXPECTED:
        with TemporaryDirectory() as folder:
            faults = list(list_faults(file, draft_records(file, Path(folder))))
        print(f"{file}: {len(faults)} of {count_stated(file)}", *faults, sep="\n    ")


if __name__ == "__main__":
    main()
