"""Answer the detail of a listing, by its id or slug, and find its related listings."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import msgspec
import numpy as np
from msgspec import Raw, Struct
from numpy.typing import NDArray

from outings.answers.addons.expanded import Expansion, check_expanded, list_expanded, read_references
from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.sources import SourceBlocks, list_addons
from outings.answers.documents.cards import make_card
from outings.answers.documents.fields import add_member, choose_fields
from outings.answers.documents.occurrences import open_series, read_event
from outings.answers.listings.lists import list_others
from outings.answers.live_counts import select_default
from outings.answers.plan import AnswerContext, AnswerPlan, forbidden_metro, make_tag, metro_required
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import Span
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.envelope import encode_detail, unavailable_related
from outings.contract.errors import not_found
from outings.contract.query import Query
from outings.contract.resources.shared import PlaceReference
from outings.contract.vocabulary import TYPES
from outings.lazy_polars import pl
from outings.release.snapshot import Snapshot
from outings.release.tables import read_columns

# Cards in each list of related listings.
MOST = 6
# The types that related listings may have: a card shows a date, and places have none.
CARD_TYPES = ("event", "class", "camp")


def open_similar(reader: SnapshotReader) -> "tuple[NDArray[np.uint32], pl.Series]":
    """Return the rows for which the build found similar listings, ascending, and beside each the similar ones, hidden
    ones too, the most similar first."""
    related = read_columns(reader.tables.get("related"), "related", ("row", "others")).sort("row")
    return related["row"].to_numpy(), related["others"]


class RelatedListings(Struct, frozen=True, kw_only=True):
    """The member `related` of a detail: three lists of other listings, each item as encoded JSON."""

    similar: tuple[Raw, ...]
    from_organization: tuple[Raw, ...]
    at_place: tuple[Raw, ...]


class _ListingName(Struct, frozen=True):
    """A listing's type, name and place. Listings that agree in all three are one activity on different dates."""

    type: str
    name: str
    place: PlaceReference | None


_decode_name = msgspec.json.Decoder(_ListingName).decode


def make_related(query: Query, row: int, *, snapshot: Snapshot, context: AnswerContext) -> RelatedListings:
    """Find the listings that are related to the one in `row`: similar, of its organization, and at its place."""
    readable = filter(context.entitlement.allows_type, CARD_TYPES)
    types = sorted(readable, key=lambda card_type: card_type != query.resource)  # the listing's own type first
    related = _RelatedRows(row, types, snapshot=snapshot, context=context)
    references = read_references(open_snapshot(snapshot).read_document(row))
    place = None if references.place is None else references.place.id
    return RelatedListings(
        similar=related.find_similar(),
        from_organization=related.find_listed(organization_id=references.organization.id),
        at_place=related.find_listed(place_id=place),
    )


class _RelatedRows:
    """A finder of the listings that are related to one listing. `types`: those that the key may read."""

    def __init__(self, row: int, types: Sequence[str], *, snapshot: Snapshot, context: AnswerContext) -> None:
        self._row, self._types, self._snapshot = row, types, snapshot
        self._today = context.dates[snapshot.metro.slug]
        self._opened = open_snapshot(snapshot)
        self._evaluator = open_evaluator(self._opened)

    def find_similar(self) -> tuple[Raw, ...]:
        """Return cards of similar listings, only the first of one name at one place, none of the listing's own name."""
        rows, similar = self._opened.open_index(open_similar)
        at = int(rows.searchsorted(self._row))
        cards = self._choose_cards(similar[at].to_list() if at < rows.size and rows[at] == self._row else [])
        shown: dict[_ListingName, int] = {}
        for row in (self._row, *cards):
            shown.setdefault(_decode_name(self._opened.read_document(row)), row)
        return self._encode([*shown.values()])

    def find_listed(self, **filters: str | None) -> tuple[Raw, ...]:
        """Return cards of the first items of each type's default list with these filters."""
        given = {name: value for name, value in filters.items() if value is not None}
        if not given:
            return ()
        selections = (select_default(name, self._snapshot, self._today, **given) for name in self._types)
        # One row more than is shown, for the listing itself or its program's card.
        lists = (self._evaluator.list_rows(selection, Span(limit=MOST + 1)).rows for selection in selections)
        return self._encode([*chain.from_iterable(lists)])

    def _choose_cards(self, ordered: Sequence[int]) -> list[int]:
        """Return the rows that default lists show, in the given order. A listing of a program is replaced by the one
        that lists show for the program."""
        if not ordered:
            return []
        programs = self._find_programs(ordered)
        shared = (self._opened.programs.list_members(program) for program in {*programs} if program >= 0)
        rows = np.array(sorted({*ordered, *chain.from_iterable(shared)}), dtype=np.int64)
        kept = [
            self._evaluator.keep_rows(select_default(listing_type, self._snapshot, self._today), rows)
            for listing_type in self._types
        ]
        live = np.sort(np.concatenate(kept)) if kept else rows[:0]
        chosen = self._evaluator.fold_rows(live, start=self._today).tolist()
        cards = dict(zip(self._name_cards(chosen), chosen, strict=True))
        return [cards[name] for name in dict.fromkeys(self._name_cards(ordered)) if name in cards]

    def _name_cards(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Return a key for each row that is the same for all listings of one program, which lists show as one item."""
        pairs = zip(rows, self._find_programs(rows), strict=True)
        return [(-1, row) if program < 0 else (program, -1) for row, program in pairs]

    def _find_programs(self, rows: Sequence[int]) -> list[int]:
        """Return the number of each listing's program; -1 if it belongs to none."""
        programs: list[int] = self._opened.programs.find_programs(np.array(rows, dtype=np.int64)).tolist()
        return programs

    def _encode(self, rows: Sequence[int]) -> tuple[Raw, ...]:
        """Encode the first `MOST` cards, without this listing and the others of its program."""
        (own,) = self._name_cards([self._row])
        others = [row for row, name in zip(rows, self._name_cards(rows), strict=True) if name != own]
        return tuple(Raw(make_card(self._opened, row, self._today)) for row in others[:MOST])


class ListingRow(Struct, frozen=True, kw_only=True):
    """A listing that the API key may read: its snapshot, and its row in the tables of that snapshot."""

    snapshot: Snapshot
    row: int


def find_listing(query: Query, *, context: AnswerContext) -> ListingRow:
    """Return the listing that the query names. Raises `not_found`; `forbidden` if it is only in metros outside the
    key's scope; `metro_required` for a slug that several of the key's metros have."""
    metros, entitlement = context.release.metros, context.entitlement
    if query.metro is not None:
        if query.metro not in metros:
            raise not_found(f"There is no metro {query.metro}.")
        if not entitlement.allows_metro(query.metro):
            raise forbidden_metro(entitlement, query.metro)
        metros = {query.metro: metros[query.metro]}
    rows = list(_find_rows(query, metros))
    readable = [listing for listing in rows if entitlement.allows_metro(listing.snapshot.metro.slug)]
    if not rows:
        raise not_found(f"There is no {query.resource} with this {'id' if query.id else 'slug'}.")
    if not readable:
        raise forbidden_metro(entitlement)
    if query.slug is not None and len({listing.snapshot.metro.slug for listing in readable}) > 1:
        raise metro_required(f"The slug {query.slug} is", [listing.snapshot.metro.slug for listing in readable])
    return readable[0]


def answer_detail(query: Query, listing: ListingRow, *, context: AnswerContext) -> list[bytes]:
    """Return the body in chunks. No default filters apply: any audience and confidence is shown."""
    today = context.dates[listing.snapshot.metro.slug]
    opened = open_snapshot(listing.snapshot)
    if query.resource == "event":
        document = read_event(opened, listing.row, today)
    else:
        document = opened.read_document(listing.row)
    if not query.values:
        return encode_detail(document, notices=query.notices)
    document = Expansion(list_expanded(query), snapshot=listing.snapshot, context=context).expand(document)
    sources = SourceBlocks(query, snapshot=listing.snapshot, context=context)
    document = sources.attach(document, listing.row)
    forecasts = ForecastBlocks(query, snapshot=listing.snapshot, context=context)
    document = forecasts.attach(document, listing.row)
    notices = (*query.notices, *sources.notices, *forecasts.notices)
    if "related" in list_addons(query, context):
        related = make_related(query, listing.row, snapshot=listing.snapshot, context=context)
        document = add_member(document, "related", msgspec.json.encode(related))
        empty = (name for name in related.__struct_fields__ if not getattr(related, name))
        notices += tuple(map(unavailable_related, empty))
    return encode_detail(choose_fields(query)(document), notices=notices)


def _find_rows(query: Query, metros: Mapping[str, Snapshot]) -> Iterator[ListingRow]:
    """Yield the visible listings of the query's type with its id or slug, metro after metro."""
    assert query.resource is not None
    type_code = TYPES.index(query.resource)
    include_archived = bool(query.get("include_archived"))
    for slug in sorted(metros):
        listings = open_snapshot(metros[slug]).listings
        if query.id is not None:
            row = listings.find_visible(query.id, type_code=type_code, include_archived=include_archived)
            rows = [] if row is None else [row]
        else:
            assert query.slug is not None
            named = listings.find_slug(query.slug, type_code=type_code)
            shown = [row for row in named if listings.is_visible(row, include_archived=include_archived)]
            rows = sorted(shown, key=lambda row: not listings.is_visible(row, include_archived=False))
        for row in rows:
            yield ListingRow(snapshot=metros[slug], row=row)


def plan_detail(query: Query, context: AnswerContext) -> AnswerPlan:
    check_expanded(query, context)
    listing = find_listing(query, context=context)
    is_quick = True
    attached: object = ()
    if query.values:  # few requests for details have parameters
        # An attached organization counts its listings, and related listings are found by lists.
        is_quick = not list_expanded(query) and "related" not in list_addons(query, context)
        attached = _tag_attached(query, listing.snapshot, context)
    opened, row = open_snapshot(listing.snapshot), listing.row
    series = open_series(opened)
    has_dates = query.resource == "event" and series.has_dates(row)
    following = series.find_next(row, context.dates[listing.snapshot.metro.slug]) if has_dates else None
    # The row's hash leaves out `created_at` and `updated_at`.
    own = (opened.listings.read_hash(row).hex(), opened.listings.read_stamps(row))
    tag = make_tag("detail", own, following, query.notices, attached)
    return AnswerPlan(tag, lambda: answer_detail(query, listing, context=context), is_quick=is_quick)


def _tag_attached(query: Query, snapshot: Snapshot, context: AnswerContext) -> object:
    """Return the part of an ETag for the query's parameters. Attached objects and blocks may change with any listing of
    the metro, an attached organization also with the key's other metros."""
    fields, expanded, addons = query.get_words("fields"), list_expanded(query), list_addons(query, context)
    if not expanded and not addons:
        return fields
    read = (snapshot.hash, context.dates[snapshot.metro.slug], list_others(query, context))
    forecast = ForecastBlocks(query, snapshot=snapshot, context=context).tag
    return fields, expanded, addons, read, forecast, context.entitlement.digest
