"""The plan of `/v1/{metro}/suggest`: what has something live that the key may read, by the lists' own defaults."""

import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlencode

import msgspec
import numpy as np
from numpy.typing import NDArray

from outings.answers.counts import count_organizations
from outings.answers.directory.neighborhoods import count_by_area
from outings.answers.documents.fields import NamedDocument
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag, read_limit
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import CollectionScope, choose_types, query_collections
from outings.answers.search.index import SearchIndex, index_types
from outings.answers.search.place import read_locations
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
    find_written,
    fold_name,
)
from outings.answers.suggestions.index import Counts, EntryMatch, Live, Order, SuggestionIndex, open_suggestions
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
_AGE = re.compile(r"(?P<words>.+?) (?P<age>[0-9]|1[0-7])(?: (?P<rest>\D*))?")


def plan_suggestions(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    types, today = choose_types(query, context.entitlement), context.dates[snapshot.metro.slug]
    tag = make_tag("suggest", snapshot.hash, query.text, today, context.entitlement.digest)
    # The order is worked out once a day. An age has all listings looked at.
    index = open_snapshot(snapshot).find_index(open_suggestions)
    has_age = _AGE.fullmatch(fold_name(query.get_as("q", str) or "")) is not None
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
    text = fold_name(question)
    suggestions = _suggest_for_age(text, index, order, opened, types=types, today=today)
    if text and not suggestions:
        areas = opened.open_index(open_areas).narrow(frozenset(types))
        search = opened.open_index(find_search)
        matches = index.find(text, order, limit=limit)
        pairs = _pair_kinds(text, order, opened, search)
        if not matches:
            pairs |= _pair_topics(text, index, order, opened, search)
        shown = [match for match in matches if match.kind != QUERY or _is_searchable(match.text, opened, search)]
        known = {match.text for match in shown}
        queries = [
            _make_query(words, count, opened)
            for words, count in pairs.items()
            if words not in known and _is_searchable(words, opened, search)
        ]
        # "green l" is a lake before it is lessons, which are before single names.
        end = next((place for place, match in enumerate(shown) if match.kind == LISTING), len(shown))
        suggestions = [_make_suggestion(match, opened, areas=areas) for match in shown]
        suggestions[end:end] = queries
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


def _pair_kinds(text: str, order: Order, opened: SnapshotReader, search: SearchIndex) -> dict[str, int]:
    """Return a subject with each kind that the last word begins, and how many listings of the kind have the subject:
    "swimming les" is "swimming lessons", which names call "Learn to Swim"."""
    head, _, last = text.rpartition(" ")
    language = opened.language.search
    kinds = [] if language is None else [kind for kind in language.words.suggested.split() if kind.startswith(last)]
    if not head or not kinds:
        return {}
    rows, counts = _mark_subject(head, order, search), {}
    for kind in kinds:
        own_type = search.words.types.get(kind, TYPES.index("class"))
        having = search.find_lifted(kind, search.words.list_alike(kind), None, own_type) > 0
        counts[f"{head} {kind}"] = int(np.count_nonzero(having & rows))
    return {words: count for words, count in counts.items() if count}


def _pair_topics(
    text: str, index: SuggestionIndex, order: Order, opened: SnapshotReader, search: SearchIndex
) -> dict[str, int]:
    """Return the words before the last with what that begins, and how many listings have both: queries, then words of
    categories. "preschool d" is "preschool dance"."""
    head, _, last = text.rpartition(" ")
    if not head:
        return {}
    rows = _mark_subject(head, order, search)
    topics = index.find_topics(last, order, rows.astype(np.int64))
    counts = {f"{head} {_write(topic, opened)}": topic.count for topic in topics if topic.text != head}
    for bit, category in enumerate(opened.vocabulary.categories):
        for word in category.split("_"):
            if word.startswith(last) and word not in head.split():
                having = int(np.count_nonzero(rows & opened.listings.share_categories(1 << bit)))
                counts |= {f"{head} {word}": having} if having else {}
    return counts


def _mark_subject(words: str, order: Order, search: SearchIndex) -> NDArray[np.bool_]:
    """Mark the live rows that all of the words are a subject of."""
    rows: NDArray[np.bool_] = order.live.listings > 0
    for word in words.split():
        rows = rows & search.finder.mark_subject(word)
    return rows


def _suggest_for_age(
    text: str, index: SuggestionIndex, order: Order, opened: SnapshotReader, *, types: tuple[str, ...], today: date
) -> list[Suggestion]:
    """Return queries for an age, if the text ends with one ("art for 5"); none where the language has no words for
    it."""
    search, typed = opened.language.search, _AGE.fullmatch(text)
    if search is None or not search.ages.suggested or typed is None:
        return []
    named = search.ages.suggested.format(age=typed["age"])
    words = _drop_joining(typed["words"], fillers=search.words.fillers, ages=search.ages.ages)
    is_begun = f" {typed['age']} {typed['rest'] or ''}" in f" {fold_name(named)} "
    if not words or not is_begun:
        return []
    age = int(typed["age"])
    rows = _mark_live(opened, types=types, today=today, ages=(age, age))
    topics = index.find_topics(words, order, rows)
    return [_make_query(f"{_write(topic, opened)} {named}", topic.count, opened) for topic in topics]


def _drop_joining(words: str, *, fillers: str, ages: str) -> str:
    """Return words without those at their end that only join them with an age."""
    joining, kept = frozenset(fillers.split()), words.split()
    while kept and (kept[-1] in joining or re.fullmatch(ages or "(?!)", kept[-1])):
        kept.pop()
    return " ".join(kept)


def _mark_live(
    opened: SnapshotReader, *, types: tuple[str, ...], today: date, ages: tuple[int, int] | None = None
) -> Counts:
    """Mark by row, with 1, the listings that the default lists show, of those that are for these ages."""
    evaluator, rows = open_evaluator(opened), np.arange(len(opened.listings))
    scope = CollectionScope(route="suggest", today=today, vocabulary=opened.vocabulary, ages=ages)
    marked = np.zeros(rows.size, dtype=np.int64)
    for collection in query_collections((), types, scope).collections.values():
        marked[evaluator.keep_rows(collection.selection, rows)] = 1
    return marked


def _make_order(index: SuggestionIndex, snapshot: Snapshot, *, types: tuple[str, ...], today: date) -> Order:
    opened = open_snapshot(snapshot)
    rows = _mark_live(opened, types=types, today=today)
    organizations = (count_organizations(name, snapshot, today) for name in types)
    areas = (count_by_area(name, snapshot, today) for name in types)
    categories = range(len(snapshot.vocabulary.categories))
    return index.make_order(
        Live(
            listings=rows,
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


def _make_suggestion(match: EntryMatch, opened: SnapshotReader, *, areas: Areas) -> Suggestion:
    kind, metro, count = KINDS[match.kind], opened.metro.slug, match.count
    if match.kind == QUERY:
        return _make_query(_write(match, opened), count, opened)
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


def _write(query: EntryMatch, opened: SnapshotReader) -> str:
    """Return a query as the name of a listing has it, with its accents."""
    return find_written(query.text, _decoder.decode(opened.read_document(query.number)).name)


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
