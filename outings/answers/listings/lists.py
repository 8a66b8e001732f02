"""Lists: the page of a request, its `meta`, and `facets`, which count the whole filtered list by dimensions.

A facet's buckets are the words of its vocabulary, in order and empty ones too, then `unspecified`. A listing counts
once in each bucket that it is in. A series is in the weekdays and time blocks of all its matching occurrences, a class
or camp in those of its sections or sessions and in their prices and ages. With `occurrences=expand`, occurrences count.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec
from msgspec import Struct

from outings.answers.addons.expanded import Expansion, check_expanded, list_expanded
from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.sources import SourceBlocks
from outings.answers.documents.cards import read_card
from outings.answers.documents.fields import choose_fields, fill_sessions
from outings.answers.documents.occurrences import read_event, read_occurrence, view_events
from outings.answers.expressions.evaluation import open_mark
from outings.answers.plan import (
    AnswerContext,
    AnswerPlan,
    Position,
    count_items,
    cut_position,
    make_cursor,
    make_tag,
    name_walk,
    read_limit,
    read_page,
    read_position,
)
from outings.answers.rows.column_tables import Numbers
from outings.answers.rows.evaluator import Evaluator, open_evaluator
from outings.answers.rows.filters import (
    EffectiveFilters,
    Selection,
    Span,
    fill_defaults,
    knows_cards,
    list_audiences,
    select_listings,
)
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.answers.snapshot.zips import list_approximate
from outings.contract.envelope import Notice, encode_list
from outings.contract.query import Query
from outings.contract.resources.directories import Facets, OrganizationCount, OrganizationFacet
from outings.contract.resources.meta import ListMeta, Window
from outings.contract.values import echo_value
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, TIME_BLOCKS, TYPES, UNSPECIFIED, WEEKDAYS, Vocabulary
from outings.release.snapshot import Snapshot

_TOP = 10
_VALUES: Mapping[str, Collection[str]] = {
    "weekday": WEEKDAYS,
    "time_block": TIME_BLOCKS,
    "price_band": PRICE_BANDS,
    "age_band": AGE_BANDS,
}
_encode = msgspec.json.encode


def encode_facets(
    dimensions: Collection[str],
    selection: Selection,
    *,
    evaluator: Evaluator,
    vocabulary: Vocabulary,
    is_expanded: bool,
) -> bytes:
    """Count a list by dimensions and encode the counts as `Facets` in JSON."""
    counted = evaluator.count_buckets(selection, dimensions, is_expanded=is_expanded)
    members: dict[str, object] = {"total": counted.total, "is_complete": True}
    for name in Facets.__struct_fields__:
        counts = counted.counts.get(name)
        if counts is None:
            continue
        if name == "organization":
            members[name] = _name_organizations(counts, evaluator, total=counted.total)
        else:
            values = vocabulary.categories if name == "category" else _VALUES[name]
            members[name] = [
                {"value": value, "count": count}
                for value, count in zip((*values, UNSPECIFIED), counts.tolist(), strict=True)
            ]
    return _encode(members)


def _name_organizations(counts: Numbers, evaluator: Evaluator, *, total: int) -> OrganizationFacet:
    """Return the organizations with the highest counts, ties by name and id, which is the order of their numbers."""
    unspecified = int(counts[-1])
    numbers = counts[:-1].nonzero()[0]
    top = numbers[(-counts[numbers]).argsort(kind="stable")[:_TOP]]
    return OrganizationFacet(
        distinct=len(numbers),
        top=tuple(_name_organization(number, int(counts[number]), evaluator) for number in top.tolist()),
        other_count=total - unspecified - int(counts[top].sum()),
        unspecified_count=unspecified,
    )


def _name_organization(number: int, count: int, evaluator: Evaluator) -> OrganizationCount:
    row_id, name = evaluator.name_organization(number)
    return OrganizationCount(id=row_id, name=name, count=count)


_encoder = msgspec.json.Encoder()


def encode_meta(
    query: Query,
    filters: EffectiveFilters,
    *,
    snapshot: Snapshot,
    count: int,
    next_cursor: str | None,
    missing: tuple[str, ...] = (),
) -> bytes:
    """Encode a list's `meta`. `count`: the items in this answer; `missing`: the requested `ids` that do not exist."""
    meta = ListMeta(
        limit=read_limit(query),
        count=count,
        has_more=next_cursor is not None,
        next_cursor=next_cursor,
        page=read_page(query) if _has_pages(query) else None,
        missing_ids=missing,
        **describe_filters(filters, snapshot=snapshot),
    )
    return _encoder.encode(meta)


def describe_filters(filters: EffectiveFilters, *, snapshot: Snapshot) -> dict[str, Any]:
    """Return the members of `meta` that a list, a calendar and a density share."""
    return {
        "applied_filters": {name: echo_value(value) for name, value in filters.values.items()},
        "defaults_applied": filters.defaults,
        "min_confidence": filters.min_confidence,
        "window": Window(from_=filters.get_date("from"), to=filters.get_date("to"), timezone=snapshot.metro.timezone),
        "metro": snapshot.metro.slug,
        "generated_at": name_walk(snapshot),
    }


def _has_pages(query: Query) -> bool:
    return query.cursor is None and "ids" not in query.values and "changed_since" not in query.values


# Who sends none of these gets documents as they are stored.
CHANGING = frozenset({"expand", "include", "fields"})
# So many items are quick to send if each is changed, and so many if each is made of an occurrence or has its source.
_MOST_CHANGED, _MOST_MADE = 50, 20
_OF_DATES = frozenset({"weekday", "time_block"})
_OF_OFFERS = _OF_DATES | {"price_band", "age_band"}


class ListPage(Struct, frozen=True, kw_only=True):
    """A page of a list: its rows and, if items are occurrences, their numbers. `end`: the position for the next page,
    None on the last. `missing`: those of the requested `ids` that do not exist."""

    rows: Sequence[int]
    numbers: Sequence[int] | None = None
    end: Position | None = None
    missing: tuple[str, ...] = ()


def plan_list(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    if "expand" in query.values:
        check_expanded(query, context)
    today = context.dates[snapshot.metro.slug]
    filters = resolve_filters(query, today)
    tag = tag_list(query, snapshot, context)
    return AnswerPlan(
        tag, lambda: answer_list(query, filters, snapshot=snapshot, context=context), is_quick=_is_quick(query)
    )


def _is_quick(query: Query) -> bool:
    """Return True for a list that tests no sections, sessions or occurrences one by one, and changes few items."""
    items, facets = count_items(query), {*query.get_words("facets")}
    if "where" in query.values:
        return False  # its set may have been forgotten meanwhile
    if is_expanded(query) or "source" in query.get_words("include"):
        return items <= _MOST_MADE and not facets & _OF_DATES
    if query.resource in ("class", "camp") and facets & _OF_OFFERS:
        return False
    return items <= _MOST_CHANGED or query.values.keys().isdisjoint(CHANGING)


def tag_list(query: Query, snapshot: Snapshot, context: AnswerContext) -> str:
    today = context.dates[snapshot.metro.slug]
    position = None if query.cursor is None else query.cursor.position
    others: list[tuple[str, date]] = []
    forecast = None
    if not query.values.keys().isdisjoint(CHANGING):
        others = list_others(query, context)
        forecast = ForecastBlocks(query, snapshot=snapshot, context=context).tag
    return make_tag("list", snapshot.hash, query.text, position, today, context.entitlement.digest, others, forecast)


def list_others(query: Query, context: AnswerContext) -> list[tuple[str, date]]:
    """List the hash and date of each of the key's metros if organizations, whose counts need them, are attached."""
    if "organization" not in list_expanded(query):
        return []
    metros = sorted(context.release.metros.items())
    return [(snapshot.hash, context.dates[slug]) for slug, snapshot in metros if context.entitlement.allows_metro(slug)]


def answer_list(query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, context: AnswerContext) -> list[bytes]:
    """Return a page of the list, as chunks of the body."""
    today = context.dates[snapshot.metro.slug]
    page = _choose_reader(query)(query, filters, snapshot=snapshot, today=today)
    open_snapshot(snapshot).fetch_documents(page.rows)
    # No call for what was not asked for: most lists attach nothing, and show whole documents.
    notices = query.notices
    if query.values.keys().isdisjoint(CHANGING):
        items = _view_documents(query, filters, snapshot=snapshot, today=today, page=page)
    else:
        documents = _read_documents(query, filters, snapshot=snapshot, today=today, page=page)
        items, more = _attach(query, documents, snapshot=snapshot, context=context, page=page)
        notices = (*notices, *more)
    next_cursor = None
    if page.end is not None:
        next_cursor = make_cursor(query, cut_position(page.end), snapshot=snapshot, today=today)
    meta = encode_meta(
        query, filters, snapshot=snapshot, count=len(page.rows), next_cursor=next_cursor, missing=page.missing
    )
    facets = _encode_facets(query, filters, snapshot=snapshot, today=today) if "facets" in query.values else None
    if "include_approximate" in query.values:
        notices = (*notices, *list_approximate(query, page.rows, open_snapshot(snapshot)))
    return encode_list(items, meta=meta, notices=notices, facets=facets)


def _attach(
    query: Query, items: Sequence[bytes], *, snapshot: Snapshot, context: AnswerContext, page: ListPage
) -> tuple[Sequence[bytes], tuple[Notice, ...]]:
    """Apply `expand`, `include` and `fields` to documents, and return them with their notices."""
    expanded = list_expanded(query)
    if expanded:
        items = [*map(Expansion(expanded, snapshot=snapshot, context=context).expand, items)]
    sources = SourceBlocks(query, snapshot=snapshot, context=context)
    if sources.is_requested:
        items = [*map(sources.attach, items, page.rows)]
    forecasts = ForecastBlocks(query, snapshot=snapshot, context=context)
    if forecasts.is_requested:
        numbers: Sequence[int | None] = page.numbers or [None] * len(page.rows)
        items = [*map(forecasts.attach, items, page.rows, numbers)]
    if query.get_words("fields"):
        items = [*map(choose_fields(query), items)]
    return items, (*sources.notices, *forecasts.notices)


def resolve_filters(query: Query, today: date) -> EffectiveFilters:
    """Return the filters of a list's request in effect on a date. Raises `cursor_malformed`, and `contradictory` or
    `window_too_long` if the date's defaults leave no window."""
    if query.cursor is not None:
        read_position(query)
    filters = fill_defaults(query.match.route.defaults, query.values, today=today)
    filters.check_window(most_days_after=query.longest_window)
    return filters


def select_query(query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, today: date) -> Selection:
    """Return the selection that a list's query asks for."""
    assert query.resource is not None
    return select_listings(
        query.resource,
        filters,
        vocabulary=snapshot.vocabulary,
        today=today,
        has_cards=knows_cards(query),
        mark=open_mark(open_snapshot(snapshot)) if "where" in query.values else None,
    )


def select_rows(
    query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, today: date, limit: int
) -> Sequence[int]:
    """Return the first rows of a list, at most `limit`, whatever page is requested."""
    if "ids" in query.values:
        return _read_named(query, filters, snapshot=snapshot, today=today).rows[:limit]
    selection = select_query(query, filters, snapshot=snapshot, today=today)
    return open_evaluator(open_snapshot(snapshot)).list_rows(selection, Span(limit=limit)).rows


def _choose_reader(query: Query) -> Callable[..., ListPage]:
    if "ids" in query.values:
        return _read_named
    if query.get("limit") == 0:
        return lambda *_, **__: ListPage(rows=())
    return _read_page


def is_expanded(query: Query) -> bool:
    """Return True if the list's items are occurrences."""
    return query.get("occurrences") == "expand"


def _encode_facets(query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, today: date) -> bytes:
    return encode_facets(
        query.get_words("facets"),
        select_query(query, filters, snapshot=snapshot, today=today),
        evaluator=open_evaluator(open_snapshot(snapshot)),
        vocabulary=snapshot.vocabulary,
        is_expanded=is_expanded(query),
    )


def _read_page(query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, today: date) -> ListPage:
    limit = read_limit(query)
    selection = select_query(query, filters, snapshot=snapshot, today=today)
    # One more than the page holds tells whether there is a next one.
    span = _make_span(query, limit=limit + 1)
    evaluator = open_evaluator(open_snapshot(snapshot))
    results = (
        evaluator.list_occurrences(selection, span) if is_expanded(query) else evaluator.list_rows(selection, span)
    )
    return ListPage(
        rows=results.rows[:limit],
        numbers=None if results.numbers is None else results.numbers[:limit],
        end=results.locate(limit - 1) if len(results.rows) > limit else None,
    )


def _read_named(query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, today: date) -> ListPage:
    """Return the page in the order of `ids`. A listing that filters hide is neither shown nor reported as missing."""
    assert query.resource is not None
    listings, type_code = open_snapshot(snapshot).listings, TYPES.index(query.resource)
    rows = {row_id: listings.find_visible(row_id, type_code=type_code) for row_id in query.get_words("ids")}
    present = [row for row in rows.values() if row is not None]
    if filters.values.keys() - {"ids"}:
        selection = select_query(query, filters, snapshot=snapshot, today=today)
        matching = {*open_evaluator(open_snapshot(snapshot)).list_rows(selection, Span(limit=len(rows))).rows}
        present = [row for row in present if row in matching]
    return ListPage(rows=present, missing=tuple(row_id for row_id, row in rows.items() if row is None))


def _make_span(query: Query, *, limit: int) -> Span:
    """Return which part of the list to read. `limit`: one more than the page holds."""
    return Span(
        limit=limit,
        offset=(read_page(query) - 1) * (limit - 1),
        after=None if query.cursor is None else read_position(query),
    )


def _view_documents(
    query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, today: date, page: ListPage
) -> Sequence[bytes | memoryview]:
    """Return the result of `_read_documents` in pieces to be joined by commas. Stored documents are not copied."""
    opened = open_snapshot(snapshot)
    if query.resource == "event" and page.numbers is None:
        return view_events(opened, page.rows, today)
    if page.numbers is not None or (query.resource == "class" and knows_cards(query)):
        return _read_documents(query, filters, snapshot=snapshot, today=today, page=page)
    return opened.view_documents(page.rows)


def _read_documents(
    query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, today: date, page: ListPage
) -> Sequence[bytes]:
    opened, rows = open_snapshot(snapshot), page.rows
    if page.numbers is not None:
        pairs = zip(rows, page.numbers, strict=True)
        return [read_occurrence(opened, row, number, today) for row, number in pairs]
    if query.resource == "event":
        return [read_event(opened, row, today) for row in rows]
    if query.resource == "class" and knows_cards(query):
        return [_render_class(row, filters, opened=opened) for row in rows]
    return [opened.read_document(row) for row in rows]


def _render_class(row: int, filters: EffectiveFilters, *, opened: SnapshotReader) -> bytes:
    """Return a class's document, with cards of its program's other listings. Of the filters, only `audience` and
    `min_confidence` apply to these."""
    document = opened.read_document(row)
    audiences = filters.values["audience"]
    assert isinstance(audiences, tuple)
    others = opened.programs.find_others(
        row, audiences=list_audiences(audiences), min_confidence=filters.min_confidence
    )
    if not others:
        return document
    return fill_sessions(document, [read_card(opened, other) for other in others])
