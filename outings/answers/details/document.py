"""One listing by id or by slug, in whichever metro of the release it is. Look-ups and slices: no query."""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct

from outings.answers.access_errors import forbidden_metro, metro_required
from outings.answers.addons.expanded import Expansion, list_expanded
from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.includes import list_addons
from outings.answers.addons.source import SourceBlocks
from outings.answers.context import AnswerContext
from outings.answers.details.related import make_related
from outings.answers.documents.fields import choose_fields
from outings.answers.documents.occurrence import read_event
from outings.answers.documents.splicing import add_member
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.entitlement import Entitlement
from outings.contract.envelope import encode_detail
from outings.contract.errors import not_found
from outings.contract.notices import unavailable_related
from outings.contract.query import Query
from outings.contract.vocabulary import TYPES
from outings.release.snapshot import Release, Snapshot


class ListingRow(Struct, frozen=True, kw_only=True):
    """A row that the key may read."""

    snapshot: Snapshot
    row: int


def find_listing(query: Query, *, about: AnswerContext) -> ListingRow:
    """Raises `not_found`; `forbidden` where it is only in metros outside the key's scope; `metro_required` for a slug
    that several of the key's metros have."""
    release, entitlement = about.release, about.entitlement
    metros = _choose_metros(query, release=release, entitlement=entitlement)
    rows = list(_find_rows(query, metros))
    readable = [each for each in rows if entitlement.allows_metro(each.snapshot.metro.slug)]
    if not rows:
        raise not_found(f"There is no {query.resource} with this {'id' if query.id else 'slug'}.")
    if not readable:
        raise forbidden_metro(entitlement)
    if query.slug is not None and len({each.snapshot.metro.slug for each in readable}) > 1:
        raise metro_required(f"The slug {query.slug} is", [each.snapshot.metro.slug for each in readable])
    return readable[0]


def answer_detail(query: Query, listing: ListingRow, *, about: AnswerContext) -> list[bytes]:
    """The body as parts, whatever the listing's audience and confidence."""
    today = about.dates[listing.snapshot.metro.slug]
    opened = open_snapshot(listing.snapshot)
    if query.resource == "event":
        document = read_event(opened, listing.row, today)
    else:
        document = opened.read_document(listing.row)
    if not query.values:
        return encode_detail(document, notices=query.notices)
    document = Expansion(list_expanded(query), snapshot=listing.snapshot, about=about).expand(document)
    sources = SourceBlocks(query, snapshot=listing.snapshot, about=about)
    document = sources.attach(document, listing.row)
    forecasts = ForecastBlocks(query, snapshot=listing.snapshot, about=about)
    document = forecasts.attach(document, listing.row)
    notices = (*query.notices, *sources.notices, *forecasts.notices)
    if "related" in list_addons(query, about):
        related = make_related(query, listing.row, snapshot=listing.snapshot, about=about)
        document = add_member(document, "related", msgspec.json.encode(related))
        notices += tuple(map(unavailable_related, related.list_empty()))
    return encode_detail(choose_fields(query)(document), notices=notices)


def _choose_metros(query: Query, *, release: Release, entitlement: Entitlement) -> Mapping[str, Snapshot]:
    """All of the release, or the one that `metro=` listings."""
    if query.metro is None:
        return release.metros
    snapshot = release.metros.get(query.metro)
    if snapshot is None:
        raise not_found(f"There is no metro {query.metro}.")
    if not entitlement.allows_metro(query.metro):
        raise forbidden_metro(entitlement, query.metro)
    return {query.metro: snapshot}


def _find_rows(query: Query, metros: Mapping[str, Snapshot]) -> Iterator[ListingRow]:
    """The visible rows of the query's type, by metro."""
    assert query.resource is not None
    type_code = TYPES.index(query.resource)
    include_archived = bool(query.get("include_archived"))
    for slug in sorted(metros):
        listings = open_snapshot(metros[slug]).listings
        rows: list[int] = []
        if query.id is not None:
            row = listings.find_visible(query.id, type_code=type_code, include_archived=include_archived)
            rows = [] if row is None else [row]
        elif query.slug is not None:
            named = list(listings.find_slug(query.slug, type_code=type_code))
            named.sort(key=lambda row: not listings.is_visible(row, include_archived=False))
            rows = [row for row in named if listings.is_visible(row, include_archived=include_archived)]
        for row in rows:
            yield ListingRow(snapshot=metros[slug], row=row)
