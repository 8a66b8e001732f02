"""Plan and answer `/v1/{metro}/suggest`: suggest names and queries that have live listings."""

from collections.abc import Callable, Iterable
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlencode

import msgspec
import numpy as np
from numpy.typing import NDArray

from outings.answers.directory.neighborhoods import count_by_area
from outings.answers.documents.fields import NamedDocument
from outings.answers.live_counts import count_organizations
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag, read_limit
from outings.answers.rows.column_tables import open_columns
from outings.answers.rows.filters import choose_types
from outings.answers.search.index import SearchIndex, index_types
from outings.answers.search.query_places import read_locations
from outings.answers.search.understanding.query import parse_search
from outings.answers.snapshot.areas import Areas, open_areas
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.answers.suggestions.entries import (
    CATEGORY,
    KINDS,
    LISTING,
    NEIGHBORHOOD,
    ORGANIZATION,
    QUERY,
    fold_name,
)
from outings.answers.suggestions.index import (
    Counts,
    EntryMatch,
    Live,
    Order,
    SuggestionIndex,
    list_parts,
    open_suggestions,
)
from outings.answers.suggestions.queries import QueryMaker, mark_live, needs_ages
from outings.contract.envelope import encode_list
from outings.contract.errors import ApiError
from outings.contract.query import Query
from outings.contract.resources.finding import Suggestion, SuggestionLinks
from outings.contract.resources.meta import SuggestMeta
from outings.contract.values import format_instant
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(NamedDocument)


def plan_suggestions(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    types, today = choose_types(query, context.entitlement), context.dates[snapshot.metro.slug]
    tag = make_tag("suggest", snapshot.hash, query.text, today, context.entitlement.digest)
    # The order is worked out once a day. An age has all listings looked at.
    index = open_snapshot(snapshot).find_index(open_suggestions)
    has_age = needs_ages(fold_name(query.get_as("q", str) or ""), open_snapshot(snapshot).language)
    is_quick = index is not None and (tuple(types), today) in index.orders and not has_age
    find_search = index_types(context.entitlement.readable_types)
    is_quick = is_quick and open_snapshot(snapshot).find_index(find_search) is not None
    make = partial(_answer, query, snapshot, types=types, today=today, find_search=find_search)
    return AnswerPlan(tag, make, is_quick=is_quick)


def _answer(
    query: Query,
    snapshot: Snapshot,
    *,
    types: tuple[str, ...],
    today: date,
    find_search: Callable[[SnapshotReader], SearchIndex],
) -> list[bytes]:
    """Return the body in parts. Letters without a word suggest nothing."""
    opened, limit = open_snapshot(snapshot), read_limit(query)
    index = opened.open_index(open_suggestions)
    order = index.orders.read((types, today), lambda: _make_order(index, snapshot, types=types, today=today))
    question = query.get_as("q", str) or ""
    maker = QueryMaker(
        text=fold_name(question),
        index=index,
        order=order,
        opened=opened,
        search=opened.open_index(find_search),
        mark_live=lambda ages: mark_live(opened, types=types, today=today, ages=ages),
    )
    suggestions = _suggest(maker, types=types, limit=limit) if maker.text else []
    items = [_encoder.encode(suggestion) for suggestion in suggestions[:limit]]
    meta = SuggestMeta(
        query=question,
        types=tuple(COLLECTIONS[name] for name in types),
        limit=limit,
        count=len(items),
        metro=snapshot.metro.slug,
        generated_at=format_instant(snapshot.stamp),
    )
    return encode_list(items, meta=_encoder.encode(meta), notices=query.notices)


def _suggest(maker: QueryMaker, *, types: tuple[str, ...], limit: int) -> list[Suggestion]:
    """Return ages and regions, then queries and names that begin with the text, with what it is completed to among
    them."""
    opened = maker.opened
    areas = opened.open_index(open_areas).narrow(frozenset(types))
    matches = maker.index.find(maker.text, maker.order, limit=limit)
    aged = [_make_query(words, count, opened) for words, count in maker.list_aged().items()]
    if aged:  # names with the number come first: "pier 7" is Pier 7 before it is a pier for children of 7
        named = [_make_suggestion(match, maker, areas=areas) for match in matches]
        room = max(limit - len(aged), (limit + 1) // 2)
        return [*named[:room], *aged, *named[room:]]
    ages, pairs = maker.list_named_ages(), maker.pair_kinds()
    if not matches:
        pairs |= maker.pair_topics()
    first = maker.list_regions()
    # Behind a subject an age is one of several things that may be meant: "dance pre".
    if " " in maker.text:
        pairs |= ages
    else:
        first |= ages
    if not ages and not any(match.kind in (QUERY, CATEGORY) for match in matches):
        first |= maker.list_related()
    if not first:
        first |= maker.list_spoken(matches)
    shown = [match for match in matches if match.kind != QUERY or _is_searchable(match.text, opened, maker.search)]
    texts = {match.text for match in shown}
    made = {words: count for words, count in pairs.items() if words not in texts | first.keys()}
    parts = list_parts(made, typed=maker.text, general=maker.index.general)
    queries = [
        _make_query(words, count, opened)
        for words, count in made.items()
        if words not in parts and _is_searchable(words, opened, maker.search)
    ]
    # "green l" is a lake before it is lessons, which are before single names, and before "Crotona Park East".
    end = next((n for n, match in enumerate(shown) if match.kind == LISTING or match.is_behind), len(shown))
    suggestions = [_make_suggestion(match, maker, areas=areas) for match in shown]
    suggestions[end:end] = queries
    return [*(_make_query(words, count, opened) for words, count in first.items()), *suggestions]


def _make_order(index: SuggestionIndex, snapshot: Snapshot, *, types: tuple[str, ...], today: date) -> Order:
    opened = open_snapshot(snapshot)
    rows = mark_live(opened, types=types, today=today)
    places = rows.copy()
    for place_id, held in opened.open_index(open_columns).list_texts("place_id"):
        place = opened.listings.find_id(place_id, type_code=TYPES.index("place"))
        if place is not None and rows[place]:
            places[place] += rows[held].sum()
    organizations = (count_organizations(name, snapshot, today) for name in types)
    areas = (count_by_area(name, snapshot, today) for name in types)
    categories = range(len(snapshot.vocabulary.categories))
    return index.make_order(
        Live(
            listings=rows,
            places=places,
            organizations=_add_up(organizations, size=len(opened.organizations)),
            neighborhoods=_add_up(areas, size=len(opened.open_index(open_areas))),
            categories=np.array([int(rows[opened.listings.share_categories(1 << bit)].sum()) for bit in categories]),
        )
    )


def _add_up(counts: Iterable[NDArray[np.integer[Any]]], *, size: int) -> Counts:
    total = np.zeros(size, dtype=np.int64)
    for some in counts:
        total += some
    return total


def _make_suggestion(match: EntryMatch, maker: QueryMaker, *, areas: Areas) -> Suggestion:
    opened = maker.opened
    kind, metro, count = KINDS[match.kind], opened.metro.slug, match.count
    if match.kind == QUERY:
        return _make_query(maker.write(match), count, opened)
    if match.kind == CATEGORY:
        word = opened.vocabulary.categories[match.number]
        links = _link_lists(metro, "category", word)
        return Suggestion(text=word.replace("_", " "), kind=kind, count=count, slug=word, links=links)
    if match.kind == NEIGHBORHOOD:
        slug = areas.slugs[match.number]
        links = _link_lists(metro, "neighborhood", slug)
        return Suggestion(text=areas.names[match.number], kind=kind, count=count, slug=slug, links=links)
    is_organization = match.kind == ORGANIZATION
    read = opened.read_organization if is_organization else opened.read_document
    document = _decoder.decode(read(match.number))
    collection = "organizations" if is_organization else COLLECTIONS[document.type]
    return Suggestion(
        text=document.name,
        kind=kind,
        count=count,
        type=document.type,
        id=document.id,
        slug=document.slug,
        links=_link_own(f"/v1/{collection}/{document.id}", document.type, metro),
    )


def _is_searchable(text: str, opened: SnapshotReader, search: SearchIndex) -> bool:
    """Return False if a search for the text is refused: a place alone says nothing to look for."""
    try:
        parse_search(text, places=read_locations(text, opened, search), words=search.words)
    except ApiError:
        return False
    return True


def _make_query(text: str, count: int, opened: SnapshotReader) -> Suggestion:
    parameters = urlencode({"q": text, "match": "auto"})
    links = SuggestionLinks(search=f"/v1/{opened.metro.slug}/search?{parameters}")
    return Suggestion(text=text, kind=KINDS[QUERY], count=count, links=links)


def _link_lists(metro: str, parameter: str, slug: str) -> SuggestionLinks:
    return SuggestionLinks(**{name: f"/v1/{metro}/{name}?{parameter}={slug}" for name in COLLECTIONS.values()})


def _link_own(path: str, listing_type: str, metro: str) -> SuggestionLinks:
    """Link to a listing or an organization. An organization's lists name the metro: it may be in several."""
    if listing_type == "organization":
        return SuggestionLinks(self=path, **{name: f"{path}/{name}?metro={metro}" for name in COLLECTIONS.values()})
    if listing_type == "place":
        return SuggestionLinks(
            self=path, **{name: f"{path}/{name}" for name in COLLECTIONS.values() if name != "places"}
        )
    return SuggestionLinks(self=path)
