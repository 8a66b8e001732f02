"""`/v1/{metro}/nearby`: listings of all collections, by distance, then type, then id."""

from datetime import UTC, datetime
from struct import pack, unpack

import msgspec
from msgspec import Struct

from outings.answers.addons.sources import SourceBlocks
from outings.answers.documents.fields import choose_fields
from outings.answers.near.index import TYPE_RANKS
from outings.answers.near.items import list_items, open_parts, round_metres
from outings.answers.near.nearest import open_cache, open_shown
from outings.answers.near.request import Near, describe_near, list_notices, read_minute, resolve_near
from outings.answers.plan import AnswerContext, AnswerPlan, is_id, make_cursor, make_tag, read_limit
from outings.answers.snapshot.distance import find_chord, find_metres
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.cursor import Cursor, malformed_cursor
from outings.contract.envelope import encode_list
from outings.contract.query import Query
from outings.contract.resources.meta import NearbyMeta, NearCoverage
from outings.contract.vocabulary import TYPES
from outings.release.snapshot import Snapshot

_MINUTE = 60
# The most items whose encoding takes less than a millisecond.
_MOST_QUICK = 50
_encoder = msgspec.json.Encoder()


class Position(Struct, frozen=True):
    """The last item of a page: its squared distance, as the bits of a float, its type and its id."""

    bits: int
    type: str
    id: str


def plan_nearby(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    """Plan the answer. The cursor has the minute of the first page, for which all pages are computed."""
    minute, after = read_minute(context), None
    if query.cursor is not None:
        minute, after = _read_position(query.cursor)
    near = resolve_near(query, snapshot=snapshot, context=context, minute=minute)
    tag = make_tag("nearby", query.text, (snapshot.hash, near.minute, after), context.entitlement.digest)
    is_quick = read_limit(query) <= _MOST_QUICK and near.filters in open_snapshot(snapshot).open_index(open_cache)
    return AnswerPlan(tag, lambda: answer_nearby(near, context, after=after), is_quick=is_quick)


def _read_position(cursor: Cursor) -> tuple[datetime, Position]:
    match cursor.position:
        case (int(minute), int(bits), str(listing_type), str(row_id)) if (
            0 <= minute < 1 << 27 and 0 <= bits < 1 << 62 and listing_type in TYPES and is_id(row_id)
        ):
            return datetime.fromtimestamp(minute * _MINUTE, UTC), Position(bits, listing_type, row_id)
    raise malformed_cursor()


def answer_nearby(near: Near, context: AnswerContext, *, after: Position | None) -> list[bytes]:
    """Return a page of the list, as chunks of the body. `after`: the last item of the previous page."""
    limit, opened, chord = read_limit(near.query), open_snapshot(near.snapshot), find_chord(near.radius_m)
    shown = open_shown(near, opened)
    later = None if after is None else _find_place(after, opened)
    nearest = shown.find_nearest(near.point, chord=chord, count=limit + 1, after=later)
    hidden = shown.count_hidden(near.point, chord=chord, is_open=False)
    page = nearest.choose(slice(limit))
    items = list_items(
        opened.open_index(open_parts),
        page.rows,
        metres=round_metres(find_metres(page.squares)),
        starts=shown.index.list_starts(page.rows, shown.starts),
    )
    next_cursor = None
    if nearest.rows.size > limit:
        (bits,), row = unpack("<q", pack("<d", float(page.squares[-1]))), int(page.rows[-1])
        row_id = opened.listings.read_id(row, rank=int(opened.rows.id_ranks[row]))
        position = (near.now.instant // _MINUTE, bits, TYPES[opened.rows.types[row]], row_id)
        next_cursor = make_cursor(near.query, position, snapshot=near.snapshot, today=near.now.date)
    sources = SourceBlocks(near.query, snapshot=near.snapshot, context=context)
    choose = choose_fields(near.query)
    items = [choose(sources.attach(item, row)) for item, row in zip(items, page.rows.tolist(), strict=True)]
    notices = (*list_notices(near, hidden=hidden), *sources.notices)
    meta = NearbyMeta(
        **describe_near(near),
        limit=limit,
        page=None,
        count=page.rows.size,
        has_more=next_cursor is not None,
        next_cursor=next_cursor,
        origin=near.origin,
        coverage=NearCoverage(hidden_nearby=hidden),
    )
    return encode_list(items, meta=_encoder.encode(meta), notices=notices)


def _find_place(last: Position, opened: SnapshotReader) -> tuple[float, int]:
    """Return the place after the last item of a page, which may have been removed since: its squared distance, and the
    next rank among the listings of this distance."""
    (square,) = unpack("<d", pack("<q", last.bits))
    rank = TYPE_RANKS[TYPES.index(last.type)]
    return square, rank * len(opened.listings) + opened.listings.count_ids(last.id)
