"""Live counts: how many items the default lists hold on a date, for what a key may read.

Each is worked out once for a snapshot and a date: of all organizations together, since a page may show many of them.
"""

from collections.abc import Callable, Mapping
from datetime import date

from outings.answers.cache import LruCache
from outings.answers.selecting.defaults import fill_defaults
from outings.answers.selecting.evaluator import open_evaluator
from outings.answers.selecting.selection import Selection, select_listings
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.entitlement import Entitlement
from outings.contract.resources.organization import Counts
from outings.contract.routes import LISTS
from outings.contract.values import Value
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

_PARAMETERS = {listing_type: route.parameters for listing_type, route in LISTS.items()}

# Types × dates that are remembered of a snapshot, for a cursor may name any date.
_MOST_COUNTS = 64

NOTHING = Counts(events=0, classes=0, camps=0, places=0)


def count_listings(snapshot: Snapshot, *, today: date, entitlement: Entitlement) -> Counts:
    """Of a metro. Zero for what the key may not read."""
    return _count_types(
        lambda listing_type: _read_count(listing_type, snapshot, today), snapshot=snapshot, entitlement=entitlement
    )


def count_organization(row_id: str, snapshot: Snapshot, *, today: date, entitlement: Entitlement) -> Counts:
    """Of one organization in a metro. Zero for what the key may not read."""
    return _count_types(
        lambda listing_type: read_organization_counts(listing_type, snapshot, today).get(row_id, 0),
        snapshot=snapshot,
        entitlement=entitlement,
    )


def knows_organizations(snapshot: Snapshot, today: date) -> bool:
    """Whether `count_organization` would answer without a query of the engine."""
    known = open_snapshot(snapshot).open_index(_remember_organization_counts)
    return all((listing_type, today) in known for listing_type in COLLECTIONS)


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


def read_organization_counts(listing_type: str, snapshot: Snapshot, today: date) -> Mapping[str, int]:
    """By organization; one that has none is not in it."""
    opened = open_snapshot(snapshot)
    return opened.open_index(_remember_organization_counts).read(
        (listing_type, today),
        lambda: open_evaluator(opened).count_organizations(select_default(listing_type, snapshot, today)),
    )


def select_default(listing_type: str, snapshot: Snapshot, today: date, **given: Value) -> Selection:
    """The default list, with these of its filters given."""
    filters = fill_defaults(_PARAMETERS[listing_type], given, today=today)
    return select_listings(listing_type, filters, vocabulary=snapshot.vocabulary, today=today)


def _read_count(listing_type: str, snapshot: Snapshot, today: date) -> int:
    opened = open_snapshot(snapshot)
    return opened.open_index(_remember_counts).read(
        (listing_type, today),
        lambda: open_evaluator(opened).count_rows(select_default(listing_type, snapshot, today)),
    )


# Of a snapshot, by type and local date.


def _remember_counts(_: SnapshotReader) -> LruCache[tuple[str, date], int]:
    """What `/v1/metros` shows of every metro, every time."""
    return LruCache(size=_MOST_COUNTS)


def _remember_organization_counts(_: SnapshotReader) -> LruCache[tuple[str, date], Mapping[str, int]]:
    """By organization."""
    return LruCache(size=_MOST_COUNTS)
