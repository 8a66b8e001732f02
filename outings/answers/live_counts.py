"""Count the items of the default lists on a date, as far as a key may read them."""

from collections.abc import Callable
from datetime import date
from typing import Generic, TypeVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from outings.answers.cache import LruCache
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import Selection, fill_defaults, select_listings
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.query import Entitlement
from outings.contract.resources.listings import Counts
from outings.contract.routes import LISTS
from outings.contract.values import Value
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

_Counted = TypeVar("_Counted")

NOTHING = Counts(events=0, classes=0, camps=0, places=0)


class DailyCount(Generic[_Counted]):
    """A function that counts listings of a type in a snapshot on a date. The results for the last `size` types and
    dates are cached with the snapshot, since a cursor may name any date."""

    def __init__(self, count: Callable[[str, Snapshot, date], _Counted], *, size: int) -> None:
        self._count = count
        self._open: Callable[[SnapshotReader], LruCache[tuple[str, date], _Counted]] = lambda _: LruCache(size=size)

    def __call__(self, listing_type: str, snapshot: Snapshot, today: date) -> _Counted:
        cached = open_snapshot(snapshot).open_index(self._open)
        return cached.read((listing_type, today), lambda: self._count(listing_type, snapshot, today))


def count_listings(snapshot: Snapshot, *, today: date, entitlement: Entitlement) -> Counts:
    """Count the listings in a metro's default lists, by collection; 0 where the key may not read."""
    return _count_types(
        lambda listing_type: _count_rows(listing_type, snapshot, today), snapshot=snapshot, entitlement=entitlement
    )


def count_organization(row_id: str, snapshot: Snapshot, *, today: date, entitlement: Entitlement) -> Counts:
    """Count an organization's listings in a metro's default lists, by collection; 0 where the key may not read."""
    row = open_snapshot(snapshot).organizations.find_id(row_id)
    assert row is not None, "callers have found the organization in this metro"
    return _count_types(
        lambda listing_type: int(count_organizations(listing_type, snapshot, today)[row]),
        snapshot=snapshot,
        entitlement=entitlement,
    )


def _count_types(count: Callable[[str], int], *, snapshot: Snapshot, entitlement: Entitlement) -> Counts:
    if not entitlement.allows_metro(snapshot.metro.slug):
        return NOTHING
    readable = [name for name in COLLECTIONS if entitlement.allows_type(name)]
    return replace(NOTHING, **{COLLECTIONS[name]: count(name) for name in readable})


def select_default(listing_type: str, snapshot: Snapshot, today: date, **given: Value) -> Selection:
    """Return the selection of a type's list without parameters. The filters in `given` replace their defaults."""
    filters = fill_defaults(LISTS[listing_type].defaults, given, today=today)
    return select_listings(listing_type, filters, vocabulary=snapshot.vocabulary, today=today)


def _count_list(listing_type: str, snapshot: Snapshot, today: date) -> int:
    return open_evaluator(open_snapshot(snapshot)).count_rows(select_default(listing_type, snapshot, today))


def _count_by_organization(listing_type: str, snapshot: Snapshot, today: date) -> NDArray[np.int64]:
    return open_evaluator(open_snapshot(snapshot)).count_organizations(select_default(listing_type, snapshot, today))


# The size of each type's default list, which `/v1/metros` shows for every metro.
_count_rows = DailyCount(_count_list, size=64)
# The size of each type's default list restricted to one organization, by row of the table of organizations.
count_organizations = DailyCount(_count_by_organization, size=64)
