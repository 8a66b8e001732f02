"""Count the items of the default lists on a date, as far as a key may read them."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Generic, TypeVar

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
    """A function that counts by type, snapshot and date, and caches the counts of at most `size` types and dates with
    the snapshot: a cursor may name any date."""

    def __init__(self, count: Callable[[str, Snapshot, date], _Counted], *, size: int) -> None:
        self._count = count
        self._open: Callable[[SnapshotReader], LruCache[tuple[str, date], _Counted]] = lambda _: LruCache(size=size)

    def __call__(self, listing_type: str, snapshot: Snapshot, today: date) -> _Counted:
        known = open_snapshot(snapshot).open_index(self._open)
        return known.read((listing_type, today), lambda: self._count(listing_type, snapshot, today))

    def is_known(self, snapshot: Snapshot, today: date) -> bool:
        """Return True if the counts of all types are cached."""
        known = open_snapshot(snapshot).open_index(self._open)
        return all((listing_type, today) in known for listing_type in COLLECTIONS)


def count_listings(snapshot: Snapshot, *, today: date, entitlement: Entitlement) -> Counts:
    """Count the listings in a metro's default lists, by collection; 0 where the key may not read."""
    return _count_types(
        lambda listing_type: _count_rows(listing_type, snapshot, today), snapshot=snapshot, entitlement=entitlement
    )


def count_organization(row_id: str, snapshot: Snapshot, *, today: date, entitlement: Entitlement) -> Counts:
    """Count an organization's listings in a metro's default lists, by collection; 0 where the key may not read."""
    return _count_types(
        lambda listing_type: count_organizations(listing_type, snapshot, today).get(row_id, 0),
        snapshot=snapshot,
        entitlement=entitlement,
    )


def add_counts(first: Counts, second: Counts) -> Counts:
    return Counts(
        events=first.events + second.events,
        classes=first.classes + second.classes,
        camps=first.camps + second.camps,
        places=first.places + second.places,
    )


def _count_types(count: Callable[[str], int], *, snapshot: Snapshot, entitlement: Entitlement) -> Counts:
    if not entitlement.allows_metro(snapshot.metro.slug):
        return NOTHING
    return Counts(
        **{
            collection: count(listing_type) if entitlement.allows_type(listing_type) else 0
            for listing_type, collection in COLLECTIONS.items()
        }
    )


def select_default(listing_type: str, snapshot: Snapshot, today: date, **given: Value) -> Selection:
    """Return the selection of a type's default list, with the filters in `given` replacing their defaults."""
    filters = fill_defaults(LISTS[listing_type].defaults, given, today=today)
    return select_listings(listing_type, filters, vocabulary=snapshot.vocabulary, today=today)


def _ask_size(listing_type: str, snapshot: Snapshot, today: date) -> int:
    return open_evaluator(open_snapshot(snapshot)).count_rows(select_default(listing_type, snapshot, today))


def _ask_organizations(listing_type: str, snapshot: Snapshot, today: date) -> Mapping[str, int]:
    return open_evaluator(open_snapshot(snapshot)).count_organizations(select_default(listing_type, snapshot, today))


# What `/v1/metros` shows of every metro, every time.
_count_rows = DailyCount(_ask_size, size=64)
# By organization; one that has none is not in it. Of all together, since a page may show many of them.
count_organizations = DailyCount(_ask_organizations, size=64)
