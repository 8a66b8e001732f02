"""Live counts: how many items the default lists hold on a date (decisions §2), for what a key may read."""

from datetime import date

from outings.answers.lists import select_listings
from outings.answers.opened import Opened, open_snapshot
from outings.answers.sql import compile_count
from outings.answers.window import settle_values
from outings.contract.entitlement import Entitlement
from outings.contract.resources.organization import Counts
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

_PARAMETERS = {route.type: route.parameters for route in ROUTES if route.name.endswith(".list") and route.type}

NOTHING = Counts(events=0, classes=0, camps=0, places=0)


def count_listings(
    snapshot: Snapshot, *, today: date, entitlement: Entitlement, organization_id: str | None = None
) -> Counts:
    """Of a metro, or of one organization in it. Zero for what the key may not read."""
    if not entitlement.allows_metro(snapshot.metro.slug):
        return NOTHING
    return Counts(
        **{
            collection: _count_type(listing_type, snapshot, today=today, organization_id=organization_id)
            if entitlement.allows_type(listing_type)
            else 0
            for listing_type, collection in COLLECTIONS.items()
        }
    )


def add_counts(first: Counts, second: Counts) -> Counts:
    return Counts(
        events=first.events + second.events,
        classes=first.classes + second.classes,
        camps=first.camps + second.camps,
        places=first.places + second.places,
    )


def _count_type(listing_type: str, snapshot: Snapshot, *, today: date, organization_id: str | None) -> int:
    opened = open_snapshot(snapshot)
    if organization_id is not None:
        return _query_count(listing_type, snapshot, opened=opened, today=today, organization_id=organization_id)
    name = (listing_type, today)
    count = opened.counts.get(name)
    if count is None:
        count = _query_count(listing_type, snapshot, opened=opened, today=today, organization_id=None)
        opened.counts[name] = count
    return count


def _query_count(
    listing_type: str, snapshot: Snapshot, *, opened: Opened, today: date, organization_id: str | None
) -> int:
    given = {} if organization_id is None else {"organization_id": organization_id}
    settled = settle_values(_PARAMETERS[listing_type], given, today=today)
    selection = select_listings(
        listing_type, settled, opened=opened, vocabulary=snapshot.vocabulary, today=today
    )
    tables = opened.open_tables()
    [(count,)] = tables.fetch_rows(compile_count(selection, schema=tables.schema))
    return int(count)
