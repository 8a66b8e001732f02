"""Lists: the page of a request, its `meta`, and `facets`, which count the whole filtered list by dimensions.

A facet's buckets are the words of its vocabulary, in order and empty ones too, then `unspecified`. A listing counts
once in each bucket that it is in. A series is in the weekdays and time blocks of all its matching occurrences, a class
or camp in those of its sections or sessions and in their prices and ages. With `occurrences=expand`, occurrences count.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.addons.expanded import Expansion, check_expanded, list_expanded
from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.sources import SourceBlocks
from outings.answers.documents.cards import read_card
from outings.answers.documents.fields import choose_fields, fill_sessions
from outings.answers.documents.occurrences import read_event, read_occurrence, view_events
from outings.answers.expressions.evaluation import Expressions
from outings.answers.plan import (
    KEY_CHARACTERS,
    AnswerContext,
    AnswerPlan,
    Position,
    format_stamp,
    make_cursor,
    make_tag,
    read_limit,
    read_page,
    read_position,
    settle_now,
)
from outings.answers.rows.column_tables import Numbers
from outings.answers.rows.evaluator import Evaluator, open_evaluator
from outings.answers.rows.filters import (
    EffectiveFilters,
    Selection,
    Span,
    fill_defaults,
    folds_programs,
    list_audiences,
    select_listings,
)
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.answers.snapshot.zips import list_approximate
from outings.contract.envelope import Notice, encode_list
from outings.contract.parameters import MOMENTS
from outings.contract.query import Query
from outings.contract.resources.directories import Facets, OrganizationCount, OrganizationFacet
from outings.contract.resources.meta import ListMeta, Window
from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS, TIME_BLOCKS, TYPES, UNSPECIFIED, WEEKDAYS
from outings.release.snapshot import Snapshot

# Organizations that the facet `organization` names.
_TOP = 10
_BUCKETS: Mapping[str, Collection[str]] = {
    "weekday": WEEKDAYS,
    "time_block": TIME_BLOCKS,
    "price_band": PRICE_BANDS,
    "age_band": AGE_BANDS,
}
# A request with none of these parameters gets documents as they are stored.
CHANGING = frozenset({"expand", "include", "fields"})
# The most items that take less than a millisecond: if each is changed, and if each is made of an occurrence or gets
# its source.
_MOST_CHANGED, _MOST_MADE = 50, 20
# Parameters whose answers take longer: an expression's result may have left the cache, and dates are tested one by one.
SLOW = frozenset({"where", "sort", "ends_after"})
_FACETS_OF_DATES = frozenset({"weekday", "time_block"})
_FACETS_OF_OFFERS = _FACETS_OF_DATES | {"price_band", "age_band"}

_encoder = msgspec.json.Encoder()


class ListRequest(Struct, frozen=True, kw_only=True):
    """A request for a list of one metro, with the filters in effect on the metro's date."""

    query: Query
    filters: EffectiveFilters
    snapshot: Snapshot
    context: AnswerContext

    @property
    def today(self) -> date:
        return self.context.dates[self.snapshot.metro.slug]

    @property
    def is_expanded(self) -> bool:
        """Return True if the list's items are occurrences."""
        return self.query.get("occurrences") == "expand"

    def select(self) -> Selection:
        assert self.query.resource is not None
        selection = select_listings(
            self.query.resource,
            self.filters,
            vocabulary=self.snapshot.vocabulary,
            today=self.today,
            folds_programs=folds_programs(self.query),
            mark=open_snapshot(self.snapshot).open_index(Expressions).mark if "where" in self.query.values else None,
        )
        return replace(selection, by_next=True) if self.query.values.get("sort") == "soonest" else selection

    def narrow_window(self, day: date) -> "ListRequest":
        """Return the request for one day of its window."""
        return replace(self, filters=replace(self.filters, values={**self.filters.values, "from": day, "to": day}))

    def describe_filters(self) -> dict[str, Any]:
        """Return the members of `meta` that a list, a calendar and a density share."""
        filters = self.filters
        return {
            **filters.describe(),
            "min_confidence": filters.min_confidence,
            "window": Window(
                from_=filters.get_date("from"), to=filters.get_date("to"), timezone=self.snapshot.metro.timezone
            ),
            "metro": self.snapshot.metro.slug,
            "generated_at": format_stamp(self.snapshot),
        }

    def make_tag(self) -> str:
        """Return the ETag of the list or its calendar."""
        query, context = self.query, self.context
        position = None if query.cursor is None else query.cursor.position
        others: list[tuple[str, date]] = []
        forecast = None
        if not query.values.keys().isdisjoint(CHANGING):
            others = list_others(query, context)
            forecast = ForecastBlocks(query, snapshot=self.snapshot, context=context).tag
        digest = context.entitlement.digest
        now = next((self.filters.values[name] for name in MOMENTS if name in self.filters.values), None)
        return make_tag("list", self.snapshot.hash, query.text, position, self.today, digest, others, forecast, now)


def resolve_list(query: Query, snapshot: Snapshot, context: AnswerContext) -> ListRequest:
    """Find the filters in effect. Raises `cursor_malformed`, and `contradictory` or `window_too_long` if the date's
    defaults leave no window."""
    if query.cursor is not None:
        read_position(query)
    today = context.dates[snapshot.metro.slug]
    values = settle_now(query.values, context, snapshot.metro)
    filters = fill_defaults(query.match.route.defaults, values, today=today)
    filters.check_window(most_days_after=query.longest_window)
    return ListRequest(query=query, filters=filters, snapshot=snapshot, context=context)


def list_others(query: Query, context: AnswerContext) -> list[tuple[str, date]]:
    """List the hash and date of each of the key's metros if organizations, whose counts need them, are attached."""
    if "organization" not in list_expanded(query):
        return []
    metros = sorted(context.release.metros.items())
    return [(snapshot.hash, context.dates[slug]) for slug, snapshot in metros if context.entitlement.allows_metro(slug)]


def plan_list(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    if "expand" in query.values:
        check_expanded(query, context)
    request = resolve_list(query, snapshot, context)
    return AnswerPlan(request.make_tag(), lambda: answer_list(request), is_quick=_is_quick(request))


def _is_quick(request: ListRequest) -> bool:
    """Return True for a list that tests no sections, sessions or occurrences one by one, and changes few items."""
    query = request.query
    items = len(query.get_words("ids")) if "ids" in query.values else read_limit(query)
    facets = {*query.get_words("facets")}
    if not query.values.keys().isdisjoint(SLOW):
        return False
    if request.is_expanded or "source" in query.get_words("include"):
        return items <= _MOST_MADE and not facets & _FACETS_OF_DATES
    if query.resource in ("class", "camp") and facets & _FACETS_OF_OFFERS:
        return False
    return items <= _MOST_CHANGED or query.values.keys().isdisjoint(CHANGING)


class ListPage(Struct, frozen=True, kw_only=True):
    """A page of a list: its rows and, if items are occurrences, their numbers. `end`: the position for the next page,
    None on the last. `missing`: those of the requested `ids` that do not exist."""

    rows: Sequence[int]
    numbers: Sequence[int] | None = None
    end: Position | None = None
    missing: tuple[str, ...] = ()


def answer_list(request: ListRequest) -> list[bytes]:
    """Return a page of the list, as chunks of the body."""
    query, opened, page = request.query, open_snapshot(request.snapshot), _read_page(request)
    opened.fetch_documents(page.rows)
    # No call for what was not asked for: most lists attach nothing, and show whole documents.
    notices = query.notices
    if query.values.keys().isdisjoint(CHANGING):
        items = _view_documents(request, page, opened)
    else:
        items, more = _attach(request, page, _read_documents(request, page, opened))
        notices = (*notices, *more)
    next_cursor = None
    if page.end is not None:
        key, row_id = page.end
        position = (key[:KEY_CHARACTERS] if isinstance(key, str) else key, row_id)
        next_cursor = make_cursor(query, position, snapshot=request.snapshot, today=request.today)
    has_pages = query.cursor is None and query.values.keys().isdisjoint(("ids", "changed_since"))
    meta = ListMeta(
        limit=read_limit(query),
        count=len(page.rows),
        has_more=next_cursor is not None,
        next_cursor=next_cursor,
        page=read_page(query) if has_pages else None,
        missing_ids=page.missing,
        **request.describe_filters(),
    )
    facets = encode_facets(request, open_evaluator(opened)) if "facets" in query.values else None
    if "include_approximate" in query.values:
        notices = (*notices, *list_approximate(query, page.rows, opened))
    return encode_list(items, meta=_encoder.encode(meta), notices=notices, facets=facets)


def _read_page(request: ListRequest) -> ListPage:
    query = request.query
    if "ids" in query.values:
        return _read_named(request)
    limit = read_limit(query)
    if limit == 0:
        return ListPage(rows=())
    selection, evaluator = request.select(), open_evaluator(open_snapshot(request.snapshot))
    span = Span(
        limit=limit + 1,  # one more than the page, to know whether there is a next one
        offset=(read_page(query) - 1) * limit,
        after=None if query.cursor is None else read_position(query),
    )
    results = (evaluator.list_event_dates if request.is_expanded else evaluator.list_rows)(selection, span)
    return ListPage(
        rows=results.rows[:limit],
        numbers=None if results.numbers is None else results.numbers[:limit],
        end=results.locate(limit - 1) if len(results.rows) > limit else None,
    )


def _read_named(request: ListRequest) -> ListPage:
    """Return the page in the order of `ids`. A listing that filters hide is neither shown nor reported as missing."""
    assert request.query.resource is not None
    listings, type_code = open_snapshot(request.snapshot).listings, TYPES.index(request.query.resource)
    rows = {row_id: listings.find_visible(row_id, type_code=type_code) for row_id in request.query.get_words("ids")}
    present = [row for row in rows.values() if row is not None]
    if request.filters.values.keys() - {"ids"}:
        evaluator = open_evaluator(open_snapshot(request.snapshot))
        matching = {*evaluator.list_rows(request.select(), Span(limit=len(rows))).rows}
        present = [row for row in present if row in matching]
    return ListPage(rows=present, missing=tuple(row_id for row_id, row in rows.items() if row is None))


def select_rows(request: ListRequest, *, limit: int) -> Sequence[int]:
    """Return the first rows of a list, at most `limit`, whatever page is requested."""
    if "ids" in request.query.values:
        return _read_named(request).rows[:limit]
    return open_evaluator(open_snapshot(request.snapshot)).list_rows(request.select(), Span(limit=limit)).rows


def _view_documents(request: ListRequest, page: ListPage, opened: SnapshotReader) -> Sequence[bytes | memoryview]:
    """Return the result of `_read_documents` in pieces to be joined by commas. Stored documents are not copied."""
    query = request.query
    if query.resource == "event" and page.numbers is None:
        return view_events(opened, page.rows, request.today)
    if page.numbers is not None or (query.resource == "class" and folds_programs(query)):
        return _read_documents(request, page, opened)
    return opened.view_documents(page.rows)


def _read_documents(request: ListRequest, page: ListPage, opened: SnapshotReader) -> Sequence[bytes]:
    query, rows = request.query, page.rows
    if page.numbers is not None:
        pairs = zip(rows, page.numbers, strict=True)
        return [read_occurrence(opened, row, number, request.today) for row, number in pairs]
    if query.resource == "event":
        return [read_event(opened, row, request.today) for row in rows]
    if query.resource == "class" and folds_programs(query):
        audiences = request.filters.values["audience"]
        assert isinstance(audiences, tuple)
        shown, least = list_audiences(audiences), request.filters.min_confidence
        return [_render_class(row, opened, audiences=shown, min_confidence=least) for row in rows]
    return [opened.read_document(row) for row in rows]


def _render_class(row: int, opened: SnapshotReader, *, audiences: tuple[int, ...], min_confidence: float) -> bytes:
    """Return a class's document, with cards of those of its program's other listings that have these audiences and at
    least this confidence."""
    document = opened.read_document(row)
    others = opened.programs.find_others(row, audiences=audiences, min_confidence=min_confidence)
    return fill_sessions(document, [read_card(opened.reference, other) for other in others])


def _attach(request: ListRequest, page: ListPage, items: Sequence[bytes]) -> tuple[Sequence[bytes], tuple[Notice, ...]]:
    """Apply `expand`, `include` and `fields` to documents, and return them with their notices."""
    query, snapshot, context = request.query, request.snapshot, request.context
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


def encode_facets(request: ListRequest, evaluator: Evaluator) -> bytes:
    """Count the whole list by the requested dimensions and encode the counts as `Facets` in JSON."""
    dimensions = request.query.get_words("facets")
    counted = evaluator.count_buckets(request.select(), dimensions, is_expanded=request.is_expanded)
    members: dict[str, object] = {"total": counted.total, "is_complete": True}
    for name in Facets.__struct_fields__:
        counts = counted.counts.get(name)
        if counts is None:
            continue
        if name == "organization":
            members[name] = _name_organizations(counts, evaluator, total=counted.total)
        else:
            words = request.snapshot.vocabulary.categories if name == "category" else _BUCKETS[name]
            pairs = zip((*words, UNSPECIFIED), counts.tolist(), strict=True)
            members[name] = [{"value": value, "count": count} for value, count in pairs]
    return _encoder.encode(members)


def _name_organizations(counts: Numbers, evaluator: Evaluator, *, total: int) -> OrganizationFacet:
    """Return the organizations with the highest counts, ties by name and id, which is the order of their numbers."""
    unspecified = int(counts[-1])
    numbers = counts[:-1].nonzero()[0]
    top = numbers[(-counts[numbers]).argsort(kind="stable")[:_TOP]]
    named = [(*evaluator.name_organization(number), int(counts[number])) for number in top.tolist()]
    return OrganizationFacet(
        distinct=len(numbers),
        top=tuple(OrganizationCount(id=row_id, name=name, count=count) for row_id, name, count in named),
        other_count=total - unspecified - int(counts[top].sum()),
        unspecified_count=unspecified,
    )
