"""Count the items of the default lists on a date, as far as a key may read them."""

from collections.abc import Callable
from datetime import date
from typing import TypeAlias, TypeVar

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
Count: TypeAlias = Callable[[str, Snapshot, date], _Counted]

NOTHING = Counts(events=0, classes=0, camps=0, places=0)


def count_daily(*, size: int) -> Callable[[Count[_Counted]], Count[_Counted]]:
    """Return a decorator of a function that counts a snapshot's listings of a type on a date. The results for the last
    `size` types and dates are cached with the snapshot, since a cursor may name any date."""

    def decorate(count: Count[_Counted]) -> Count[_Counted]:
        def open_cache(_: SnapshotReader) -> LruCache[tuple[str, date], _Counted]:
            return LruCache(size=size)

        def read(listing_type: str, snapshot: Snapshot, today: date) -> _Counted:
            cached = open_snapshot(snapshot).open_index(open_cache)
            return cached.read((listing_type, today), lambda: count(listing_type, snapshot, today))

        return read

    return decorate


def count_listings(snapshot: Snapshot, *, today: date, entitlement: Entitlement) -> Counts:
    """Count the listings in a metro's default lists, by collection; 0 where the key may not read."""
    return _count_types(lambda name: _count_rows(name, snapshot, today), snapshot, entitlement)


def count_organization(row_id: str, snapshot: Snapshot, *, today: date, entitlement: Entitlement) -> Counts:
    """Count an organization's listings in a metro's default lists, by collection; 0 where the key may not read."""
    row = open_snapshot(snapshot).organizations.find_id(row_id)
    assert row is not None, "callers have found the organization in this metro"
    return _count_types(lambda name: int(count_organizations(name, snapshot, today)[row]), snapshot, entitlement)


def _count_types(count: Callable[[str], int], snapshot: Snapshot, entitlement: Entitlement) -> Counts:
    if not entitlement.allows_metro(snapshot.metro.slug):
        return NOTHING
    readable = [name for name in COLLECTIONS if entitlement.allows_type(name)]
    return replace(NOTHING, **{COLLECTIONS[name]: count(name) for name in readable})


def select_default(listing_type: str, snapshot: Snapshot, today: date, **given: Value) -> Selection:
    """Return the selection of a type's list without parameters. The filters in `given` replace their defaults."""
    filters = fill_defaults(LISTS[listing_type].defaults, given, today=today)
    return select_listings(listing_type, filters, vocabulary=snapshot.vocabulary, today=today)


@count_daily(size=64)
def _count_rows(listing_type: str, snapshot: Snapshot, today: date) -> int:
    """Return the size of a type's default list."""
    return open_evaluator(open_snapshot(snapshot)).count_rows(select_default(listing_type, snapshot, today))


@count_daily(size=64)
def count_organizations(listing_type: str, snapshot: Snapshot, today: date) -> NDArray[np.int64]:
    """Return the size of a type's default list restricted to each organization, by row of their table."""
    return open_evaluator(open_snapshot(snapshot)).count_organizations(select_default(listing_type, snapshot, today))
