"""The plan of one listing: its ETag is of its row, and of what is attached to it."""

from outings.answers.addons.expanded import (
    check_expanded,
    find_organization,
    find_place,
    list_expanded,
    read_references,
)
from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.includes import list_addons
from outings.answers.addons.source import SourceBlocks
from outings.answers.context import AnswerContext
from outings.answers.cost import LOOK_UP, UNKNOWN
from outings.answers.details.document import ListingRow, answer_detail, find_listing
from outings.answers.plan import AnswerPlan, make_tag
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.query import Query

# `_tag_parts` of a request without parameters.
_NOTHING_ATTACHED: tuple[object, ...] = ((), None, None)


def plan_detail(query: Query, about: AnswerContext) -> AnswerPlan:
    check_expanded(query, about)
    listing = find_listing(query, about=about)
    cost, parts = LOOK_UP, _NOTHING_ATTACHED
    if query.values:  # as few details have
        # What is attached to a listing counts an organization's others, or asks the lists.
        cost = UNKNOWN if list_expanded(query) or "related" in list_addons(query, about) else LOOK_UP
        parts = _tag_parts(query, listing, about)
    tag = _tag_listing(query, listing, about, parts)
    return AnswerPlan(tag, lambda: answer_detail(query, listing, about=about), cost)


def _tag_listing(query: Query, listing: ListingRow, about: AnswerContext, parts: tuple[object, ...]) -> str:
    """The stamps are not in the row's hash, but they are in its document. `parts`: what parameters make of it."""
    opened = open_snapshot(listing.snapshot)
    listings, row = opened.listings, listing.row
    today = about.dates[listing.snapshot.metro.slug]
    series = opened.series.find_next(row, today) if query.resource == "event" and opened.series.is_series(row) else None
    own = (listings.read_hash(row).hex(), listings.read_stamps(row))
    return make_tag("detail", own, series, query.notices, parts)


def _tag_parts(query: Query, listing: ListingRow, about: AnswerContext) -> tuple[object, ...]:
    return query.get_words("fields"), _tag_references(query, listing, about), _tag_addons(query, listing, about)


def _tag_references(query: Query, listing: ListingRow, about: AnswerContext) -> object:
    """What is attached to a detail, by what it is made of."""
    members = list_expanded(query)
    if not members:
        return None
    listings = open_snapshot(listing.snapshot).listings
    tags: list[object] = []
    references = read_references(open_snapshot(listing.snapshot).read_document(listing.row))
    if "place" in members:
        place = find_place(references, snapshot=listing.snapshot)
        tags.append(None if place is None else (listings.read_hash(place).hex(), listings.read_stamps(place)))
    if "organization" in members:
        copies = find_organization(references, about=about)
        read = [(copy.snapshot.hash, about.dates[copy.snapshot.metro.slug]) for copy in copies]
        tags.append((read, about.entitlement.digest))
    return members, tags


def _tag_addons(query: Query, listing: ListingRow, about: AnswerContext) -> object:
    """What is attached to a detail: the block of its source, and all that lists of the date may show to the key."""
    addons = list_addons(query, about)
    if not addons:
        return None
    block = SourceBlocks(query, snapshot=listing.snapshot, about=about).make(listing.row)
    related = None
    if "related" in addons:
        related = (listing.snapshot.hash, about.dates[listing.snapshot.metro.slug], about.entitlement.digest)
    return addons, block, related, _tag_forecast(query, listing, about)


def _tag_forecast(query: Query, listing: ListingRow, about: AnswerContext) -> object:
    """The block itself, so that what has none keeps its tag whatever the weather."""
    if query.resource != "event":
        return None
    forecasts = ForecastBlocks(query, snapshot=listing.snapshot, about=about)
    document = open_snapshot(listing.snapshot).read_document(listing.row)
    return forecasts.make_next(document, listing.row), forecasts.notices
