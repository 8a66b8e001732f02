"""How many live listings a directory's organizations have, as arrays by row."""

from datetime import date

import numpy as np
from numpy.typing import NDArray

from outings.answers.counts import DailyCount, count_organizations, select_default
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.snapshot.reader import open_snapshot
from outings.release.snapshot import Snapshot

RowCounts = NDArray[np.int32]


def _place_counts(listing_type: str, snapshot: Snapshot, today: date) -> RowCounts:
    index = open_snapshot(snapshot).organizations
    counted = np.zeros(len(index), dtype=np.int32)
    for row_id, number in count_organizations(listing_type, snapshot, today).items():
        row = index.find_id(row_id)
        if row is not None:
            counted[row] = number
    return counted


# Of every organization, in the order of the table.
count_by_row = DailyCount(_place_counts, size=16)


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
