"""One file of a table, as it is opened: what selects its rows, and what is known of them beside their values."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection
from msgspec import Struct

from outings.configuration import FeedTable
from pipeline.fetch.unpacking import TableFile


class Fault(NamedTuple):
    """A row that is none: the line where it begins, why, and how it begins."""

    line: int
    reason: str
    value: str


class Part(Struct, frozen=True, kw_only=True):
    """`query` and its `parameters` give the rows in their order. `lines`: where each begins in its file; None where
    the number of the row is its line, and `count` is how many there are. `decided`: how it was read, where that was a
    choice."""

    query: str
    parameters: tuple[Any, ...]
    lines: Sequence[int] | None = None
    count: int = 0
    faults: tuple[Fault, ...] = ()
    decided: str = ""


# The file, its feed's settings, the connection, and a path that the reader may write to. Raises ValueError.
OpenPart = Callable[[TableFile, FeedTable, DuckDBPyConnection, Path], Part]


def check_rows(count: int, feed: FeedTable) -> None:
    if count > feed.max_rows:
        raise ValueError(f"has more than the {feed.max_rows:,} rows that max_rows allows")


def check_columns(count: int, feed: FeedTable) -> None:
    if count > feed.max_columns:
        raise ValueError(f"has {count:,} columns, more than the {feed.max_columns:,} that max_columns allows")


def number_names(names: Sequence[str]) -> list[str]:
    """Return the names of columns, each once whatever its case: an empty one by its place, a second one with its
    number."""
    given: dict[str, int] = {}
    numbered = []
    for place, name in enumerate(" ".join(name.split()) for name in names):
        unique = name = name or f"column{place}"
        while unique.casefold() in given:
            given[name.casefold()] += 1
            unique = f"{name} ({given[name.casefold()]})"
        given[unique.casefold()] = 1
        numbered.append(unique)
    return numbered
