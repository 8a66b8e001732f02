"""How many live listings a directory's organizations have, as arrays by row."""

from datetime import date

import numpy as np
from numpy.typing import NDArray

from outings.answers.cache import LruCache
from outings.answers.counts import read_organization_counts, select_default
from outings.answers.selecting.evaluator import open_evaluator
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.release.snapshot import Snapshot

RowCounts = NDArray[np.int32]
# Types × dates that are remembered of a snapshot.
_MOST_COUNTS = 16


def count_by_row(listing_type: str, snapshot: Snapshot, *, today: date) -> RowCounts:
    """Of every organization, in the order of the table. Worked out once for a date."""
    opened = open_snapshot(snapshot)

    def count() -> RowCounts:
        counted = np.zeros(len(opened.organizations), dtype=np.int32)
        for row_id, number in read_organization_counts(listing_type, snapshot, today).items():
            row = opened.organizations.find_id(row_id)
            if row is not None:
                counted[row] = number
        return counted

    return opened.open_index(remember_row_counts).read((listing_type, today), count)


def remember_row_counts(_: SnapshotReader) -> LruCache[tuple[str, date], RowCounts]:
    """Of a snapshot's organizations, by type and local date."""
    return LruCache(size=_MOST_COUNTS)


def find_in_neighborhood(listing_type: str, text: str, snapshot: Snapshot, *, today: date) -> NDArray[np.bool_]:
    """By row: whether the organization has a live listing there, as the lists' `neighborhood` reads it."""
    opened = open_snapshot(snapshot)
    selection = select_default(listing_type, snapshot, today, neighborhood=text)
    is_inside = np.zeros(len(opened.organizations), dtype=np.bool_)
    for row_id in open_evaluator(opened).count_organizations(selection):
        row = opened.organizations.find_id(row_id)
        if row is not None:
            is_inside[row] = True
    return is_inside
