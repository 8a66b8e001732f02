"""The four collection lists: a page is a join of documents, in natural order."""

from collections.abc import Sequence
from datetime import date

from outings.answers.fields import keep_fields
from outings.answers.filters import list_audiences, make_conditions
from outings.answers.meta import encode_meta, read_limit, read_page
from outings.answers.opened import Opened, open_snapshot
from outings.answers.sql import Selection, Span, compile_list
from outings.answers.walks import Position, make_cursor, read_position
from outings.answers.window import Settled, settle_filters
from outings.contract.envelope import encode_list
from outings.contract.query import Query
from outings.contract.vocabulary import Vocabulary
from outings.release.snapshot import Snapshot

# How a class's document ends: its program's other listings go between the brackets.
_NO_SESSIONS = b'"sessions":[]}'

# A row's number and its place in the list's order.
Row = tuple[int, Position]


def answer_list(query: Query, *, snapshot: Snapshot, today: date) -> list[bytes]:
    """The body as parts. Raises `contradictory` or `window_too_long` where the date's defaults leave no window."""
    settled = settle_list(query, today)
    limit = read_limit(query)
    # One more than the page holds tells whether there is a next one.
    rows = _find_rows(query, settled, snapshot=snapshot, today=today, limit=limit + 1)
    items = _render_items(query, settled, snapshot=snapshot, today=today, rows=[row for row, _ in rows[:limit]])
    next_cursor = None
    if len(rows) > limit:
        next_cursor = make_cursor(query, rows[limit - 1][1], snapshot=snapshot, today=today)
    meta = encode_meta(query, settled, snapshot=snapshot, count=len(items), next_cursor=next_cursor)
    return encode_list(items, meta=meta, notices=query.notices)


def settle_list(query: Query, today: date) -> Settled:
    """What a list's request asks for on a date; raises for all that is wrong with it, so that it answers or fails."""
    if query.cursor is not None:
        read_position(query)
    return settle_filters(query, today)


def select_listings(
    listing_type: str, settled: Settled, *, opened: Opened, vocabulary: Vocabulary, today: date
) -> Selection:
    """What the values in effect ask of a snapshot."""
    conditions = make_conditions(listing_type, settled.values, vocabulary)
    return Selection(
        type=listing_type,
        conditions=conditions,
        start=settled.get_date("from") or today,
        near=opened.find_near(conditions.find_circle()),
    )


def _find_rows(query: Query, settled: Settled, *, snapshot: Snapshot, today: date, limit: int) -> list[Row]:
    assert query.resource is not None
    opened = open_snapshot(snapshot)
    selection = select_listings(
        query.resource, settled, opened=opened, vocabulary=snapshot.vocabulary, today=today
    )
    span = Span(
        limit=limit,
        offset=(read_page(query) - 1) * (limit - 1),
        after=None if query.cursor is None else read_position(query),
    )
    tables = opened.open_tables()
    found = tables.fetch_rows(compile_list(selection, span, schema=tables.schema))
    return [(row, (key.isoformat() if isinstance(key, date) else key, row_id)) for row, key, row_id in found]


def _render_items(
    query: Query, settled: Settled, *, snapshot: Snapshot, today: date, rows: Sequence[int]
) -> list[bytes]:
    opened = open_snapshot(snapshot)
    if query.resource == "class":
        items = [_render_class(row, settled, opened=opened) for row in rows]
    elif query.resource == "event":
        items = [opened.read_event(row, today) for row in rows]
    else:
        items = [opened.read_document(row) for row in rows]
    paths = query.get_words("fields")
    return [keep_fields(item, paths) for item in items] if paths else items


def _render_class(row: int, settled: Settled, *, opened: Opened) -> bytes:
    """A card: with the program's other listings that its reader may see, whether they match the filters or not."""
    document = opened.read_document(row)
    confidence, audiences = settled.values["min_confidence"], settled.values["audience"]
    assert isinstance(confidence, float | int)
    assert isinstance(audiences, tuple)
    others = opened.programs.find_others(
        row, audiences=list_audiences(audiences), min_confidence=confidence
    )
    if not others:
        return document
    cards = b",".join(opened.read_card(other) for other in others)
    return b'%b"sessions":[%b]}' % (document.removesuffix(_NO_SESSIONS), cards)
