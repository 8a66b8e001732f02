"""The plan of `/v1/{metro}/suggest`: what has something live that the key may read, by the lists' own defaults."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from outings.answers.directory.neighborhoods import count_by_area
from outings.answers.directory.organizations import count_by_row
from outings.answers.documents.fields import NamedDocument
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag, read_limit
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import CollectionScope, choose_types, query_collections
from outings.answers.snapshot.areas import Areas, open_areas
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.answers.suggestions.entries import CATEGORY, KINDS, NEIGHBORHOOD, ORGANIZATION, fold_name
from outings.answers.suggestions.index import Counts, EntryMatch, Live, Order, SuggestionIndex, open_suggestions
from outings.contract.envelope import encode_list
from outings.contract.query import Query
from outings.contract.resources.finding import Suggestion, SuggestionLinks
from outings.contract.resources.meta import SuggestMeta
from outings.contract.values import format_instant
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(NamedDocument)


def plan_suggestions(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    types, today = choose_types(query, about.entitlement), about.dates[snapshot.metro.slug]
    tag = make_tag("suggest", snapshot.hash, query.text, today, about.entitlement.digest)
    # The order is worked out once a day.
    index = open_snapshot(snapshot).find_index(open_suggestions)
    is_quick = index is not None and (tuple(types), today) in index.orders
    return AnswerPlan(tag, lambda: _answer(query, snapshot, types=types, today=today), is_quick=is_quick)


def _answer(query: Query, snapshot: Snapshot, *, types: tuple[str, ...], today: date) -> list[bytes]:
    """The body as parts. Letters without a word suggest nothing."""
    opened, limit = open_snapshot(snapshot), read_limit(query)
    index = opened.open_index(open_suggestions)
    order = index.orders.read((types, today), lambda: _make_order(index, snapshot, types=types, today=today))
    question = query.get_as("q", str) or ""
    text = fold_name(question)
    matches = index.find(text, order, limit=limit) if text and limit else []
    areas = opened.open_index(open_areas).narrow(frozenset(types))
    items = [_encoder.encode(_make_suggestion(each, opened, areas=areas)) for each in matches]
    meta = SuggestMeta(
        query=question,
        types=tuple(COLLECTIONS[each] for each in types),
        limit=limit,
        count=len(items),
        metro=snapshot.metro.slug,
        generated_at=format_instant(snapshot.stamp),
    )
    return encode_list(items, meta=_encoder.encode(meta), notices=query.notices)


def _make_order(index: SuggestionIndex, snapshot: Snapshot, *, types: tuple[str, ...], today: date) -> Order:
    opened = open_snapshot(snapshot)
    evaluator, every = open_evaluator(opened), np.arange(len(opened.listings))
    scope = CollectionScope(route="suggest", today=today, vocabulary=snapshot.vocabulary)
    requested = query_collections((), types, scope)
    rows = np.zeros(every.size, dtype=np.int64)
    for each in requested.collections.values():
        rows[evaluator.keep_rows(each.selection, every)] = 1
    return index.make_order(
        Live(
            listings=rows,
            organizations=_add_up(
                (count_by_row(each, snapshot, today) for each in types), size=len(opened.organizations)
            ),
            neighborhoods=_add_up(
                (count_by_area(each, snapshot, today) for each in types), size=len(opened.open_index(open_areas))
            ),
            categories=np.array(
                [
                    int(rows[opened.listings.share_categories(1 << bit)].sum())
                    for bit in range(len(snapshot.vocabulary.categories))
                ],
                dtype=np.int64,
            ),
        )
    )


def _add_up(counts: Iterable[NDArray[np.integer[Any]]], *, size: int) -> Counts:
    total = np.zeros(size, dtype=np.int64)
    for each in counts:
        total += each
    return total


def _make_suggestion(match: EntryMatch, opened: SnapshotReader, *, areas: Areas) -> Suggestion:
    kind, metro = KINDS[match.kind], opened.metro.slug
    if match.kind == CATEGORY:
        word = opened.vocabulary.categories[match.number]
        return Suggestion(text=word.replace("_", " "), kind=kind, slug=word, links=_link_lists(metro, "category", word))
    if match.kind == NEIGHBORHOOD:
        slug = areas.slugs[match.number]
        links = _link_lists(metro, "neighborhood", slug)
        return Suggestion(text=areas.names[match.number], kind=kind, slug=slug, links=links)
    is_organization = match.kind == ORGANIZATION
    read = opened.read_organization if is_organization else opened.read_document
    document = _decoder.decode(read(match.number))
    collection = "organizations" if is_organization else COLLECTIONS[document.type]
    return Suggestion(
        text=document.name,
        kind=kind,
        type=document.type,
        id=document.id,
        slug=document.slug,
        links=_link_own(f"/v1/{collection}/{document.id}", document.type, metro),
    )


def _link_lists(metro: str, parameter: str, slug: str) -> SuggestionLinks:
    return SuggestionLinks(**{name: f"/v1/{metro}/{name}?{parameter}={slug}" for name in COLLECTIONS.values()})


def _link_own(path: str, listing_type: str, metro: str) -> SuggestionLinks:
    """An organization's lists name the metro: it may be in several."""
    if listing_type == "organization":
        return SuggestionLinks(self=path, **{name: f"{path}/{name}?metro={metro}" for name in COLLECTIONS.values()})
    if listing_type == "place":
        return SuggestionLinks(
            self=path, **{name: f"{path}/{name}" for name in COLLECTIONS.values() if name != "places"}
        )
    return SuggestionLinks(self=path)
