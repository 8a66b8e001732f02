"""A series expanded as a build does it, and dates written short."""

from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np

from outings.contract.values import read_local
from pipeline.dates.recurrence import NO_END, Expansion, expand_recurrence

NINE = datetime(2026, 8, 10, 9)
HORIZON = (date(2025, 7, 6), date(2027, 9, 14))


def expand(starts_local: datetime | None, rrule: str | None = None, **given: Any) -> Expansion:
    return expand_recurrence(
        starts_local=starts_local,
        ends_local=given.get("ends_local"),
        has_time=given.get("has_time", True),
        rrule=rrule,
        exdates=given.get("exdates", ()),
        rdates=given.get("rdates", ()),
        timezone=given.get("timezone", "America/Los_Angeles"),
        horizon=given.get("horizon", HORIZON),
    )


class Occurrence(NamedTuple):
    index: int
    starts_local: datetime
    ends_local: datetime | None
    starts_at: int
    ends_at: int | None


def list_occurrences(expansion: Expansion) -> list[Occurrence]:
    columns = np.stack([getattr(expansion.occurrences, name) for name in Occurrence._fields], axis=1)
    return [
        Occurrence(
            index, read_local(starts_local), None if ends_local == NO_END else read_local(ends_local), starts_at,
            None if ends_at == NO_END else ends_at,
        )
        for index, starts_local, ends_local, starts_at, ends_at in columns.tolist()
    ]  # fmt: skip


def read_starts(expansion: Expansion) -> list[datetime]:
    return [occurrence.starts_local for occurrence in list_occurrences(expansion)]


def at(text: str) -> list[datetime]:
    """`2026-08-10 12 14` → those days of August 2026 at nine; months are separated by `;`."""
    moments = []
    for month in text.split(";"):
        first, *days = month.split()
        start = datetime.fromisoformat(f"{first}T09:00:00")
        moments += [start, *(start.replace(day=int(day)) for day in days)]
    return moments
