"""Counters that one worker writes and every worker of the server reads."""

import fcntl
import mmap
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from outings.answers.rows.evaluator import QUERIES
from outings.contract.routes import ROUTES, Route


class Counter(IntEnum):
    """`OBJECT`: an answer written ahead, or a listing's document from its pack. `COMPUTED`: one made by queries.
    `CACHED`: one of these again, from memory or from the one being made. `NOT_MODIFIED`: 304. `REFUSED`: 4xx, `FAILED`:
    5xx. `QUERIES`: questions to an evaluator. `RELEASES_REFUSED`: releases that were not taken up. `UNCOUNTED`: what
    the store of limits could not count. `DROPPED`: connections that were closed for the others' sake.
    """

    OBJECT = 0
    COMPUTED = 1
    CACHED = 2
    NOT_MODIFIED = 3
    REFUSED = 4
    FAILED = 5
    QUERIES = 6
    RELEASES_REFUSED = 7
    UNCOUNTED = 8
    DROPPED = 9


class FrontAnswer(IntEnum):
    """What a front got: a `POINTER` in place of a body, a `FILL`, or a body `INLINE`."""

    POINTER = 0
    FILL = 1
    INLINE = 2


MOST_WORKERS = 1024
_NUMBER_BYTES = 8
# Behind the counters, those of fronts by route.
_FRONT_PLACES = {route.name: len(Counter) + len(FrontAnswer) * at for at, route in enumerate(ROUTES)}
_ROW_NUMBERS = len(Counter) + len(FrontAnswer) * len(ROUTES)
_ROW_BYTES = _ROW_NUMBERS * _NUMBER_BYTES


class Counts:
    """A worker's row of the table in the file `shared`, which `make_table` made; without one, a table of its own.

    A row is its worker's by a lock that ends with the process, and its numbers go on under the next one: so totals
    never fall while the server runs. A number has one writer and is written whole: no lock at counting.
    """

    def __init__(self, shared: Path | None = None) -> None:
        row = 0
        if shared is None:
            self._table = mmap.mmap(-1, _ROW_BYTES)
        else:
            file = os.open(shared, os.O_RDWR)  # left open: closing it would end the lock
            self._table = mmap.mmap(file, 0)
            row = _claim_row(file)
        self._own = memoryview(self._table).cast("Q")[row * _ROW_NUMBERS : (row + 1) * _ROW_NUMBERS]
        self._queries_before = QUERIES.total - self._own[Counter.QUERIES]

    def add(self, counter: Counter) -> None:
        self._own[counter] += 1

    def add_front(self, route: Route, kind: FrontAnswer) -> None:
        self._own[_FRONT_PLACES[route.name] + kind] += 1

    def follow_queries(self) -> None:
        """Takes over how many this process has run by now."""
        self._own[Counter.QUERIES] = QUERIES.total - self._queries_before

    def read_totals(self) -> Mapping[Counter, int]:
        """Over all workers, also those that ended."""
        sums = self._sum_rows()
        return {counter: int(sums[counter]) for counter in Counter}

    def read_front_totals(self) -> Mapping[tuple[str, FrontAnswer], int]:
        """By the route's name, over all workers; without what never happened."""
        sums = self._sum_rows()
        totals = {(name, kind): int(sums[at + kind]) for name, at in _FRONT_PLACES.items() for kind in FrontAnswer}
        return {place: total for place, total in totals.items() if total}

    def _sum_rows(self) -> NDArray[np.uint64]:
        sums: NDArray[np.uint64] = np.frombuffer(self._table, dtype=np.uint64).reshape(-1, _ROW_NUMBERS).sum(axis=0)
        return sums


@contextmanager
def make_table() -> Iterator[Path]:
    """A file for the workers of one server, as long as it runs."""
    with tempfile.NamedTemporaryFile(prefix="outings-counts-") as file:
        file.truncate(MOST_WORKERS * _ROW_BYTES)
        yield Path(file.name)


def _claim_row(file: int) -> int:
    for row in range(MOST_WORKERS):
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, row)
        except OSError:
            continue
        return row
    raise RuntimeError(f"more than {MOST_WORKERS} workers")
