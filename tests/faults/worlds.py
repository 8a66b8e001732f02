"""Two small metros whose every name says which round it is of, so that a mixture of two rounds is seen anywhere."""

import json
import re
import shutil
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from command.sample_cities import write_world

MONDAY = date(2026, 8, 10)
METROS = ("seattle", "new-york")
SIZE = 40

_MARK = re.compile(r" ~(\d+)~$")


def make_world(folder: Path) -> Path:
    """The configuration's path. Nothing is built; the feeds are of round 0."""
    config = write_world(folder / "outings.toml", today=MONDAY, size=SIZE)
    write_round(config, 0)
    return config


def copy_world(config: Path, folder: Path) -> Path:
    """Copy a built world, without the output of earlier commands."""
    shutil.copytree(config.parent, folder, ignore=shutil.ignore_patterns("ran"))
    return folder / config.name


def forget_cache(config: Path) -> None:
    """Empty the cache, so that a build requests the same objects as one before it."""
    shutil.rmtree(config.parent / "var/cache", ignore_errors=True)


def write_round(config: Path, number: int, *, metros: tuple[str, ...] = METROS) -> None:
    """Every name ends with the round's number; some events are gone in every other round."""
    for slug in metros:
        first = feed_of(config, slug).with_suffix(".first")
        if not first.exists():
            shutil.copy(feed_of(config, slug), first)
        records = [json.loads(line) for line in first.read_text().splitlines()]
        kept = [
            record
            for at, record in enumerate(records)
            if not (number % 2 and record["type"] == "event" and at % 7 == 0)
        ]
        write_feed(config, slug, [{**item, "name": f"{item['name']} ~{number}~"} for item in kept])


def feed_of(config: Path, slug: str) -> Path:
    return config.parent / "data" / f"{slug}.ndjson"


def read_feed(config: Path, slug: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in feed_of(config, slug).read_text().splitlines()]


def write_feed(config: Path, slug: str, records: list[dict[str, Any]]) -> None:
    """Whole or not at all: a build may be reading."""
    path = feed_of(config, slug)
    following = path.with_suffix(".following")
    following.write_text("".join(json.dumps(record) + "\n" for record in records))
    following.replace(path)


def read_marks(names: Iterable[str]) -> set[int]:
    """The rounds that names are of; an organization that others only mention by its name has none."""
    return {int(match[1]) for name in names if (match := _MARK.search(name))}


def clock_of(number: int) -> str:
    """The build's clock in a round: a second later each, all on one morning in both metros."""
    return (datetime(2026, 8, 10, 12, tzinfo=UTC) + timedelta(seconds=number)).isoformat()
