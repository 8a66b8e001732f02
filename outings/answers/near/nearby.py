"""`/v1/{metro}/nearby`: a plain list of all collections by distance, then type, then id.

This module orders and cuts the page; others find the rows: `near/layer.py` where the same filters were asked for
before, else `near/scan.py`. Both call `find_nearest` of `near/tiles.py`, which looks at few rows.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from struct import pack, unpack

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.addons.source import SourceBlocks
from outings.answers.context import AnswerContext
from outings.answers.documents.fields import choose_fields
from outings.answers.near.index import NearIndex, open_near
from outings.answers.near.items import join_items, list_pieces, read_last, round_metres
from outings.answers.near.layers import open_layers
from outings.answers.near.meta import encode_nearby_meta
from outings.answers.near.pages import (
    MINUTE,
    PageName,
    Position,
    encode_position,
    find_end,
    open_pages,
    split_page,
)
from outings.answers.near.parts import open_parts
from outings.answers.near.request import Near, list_notices, read_minute, settle_near
from outings.answers.near.scan import CircleScan
from outings.answers.near.tiles import TILE, TYPE_RANKS, Follow, PlaceDistances, Rows
from outings.answers.selecting.cursors import is_id
from outings.answers.selecting.evaluator import open_evaluator
from outings.answers.selecting.paging import read_limit
from outings.answers.snapshot.distance import Floats, find_chord, find_metres
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.cursor import Cursor, malformed_cursor
from outings.contract.envelope import encode_pieces
from outings.contract.query import Query
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER
from outings.release.snapshot import Snapshot


class Nearby(Struct, frozen=True, kw_only=True):
    """A request that will be answered. `kept_as`: the name of its page, where it is kept for later minutes."""

    near: Near
    about: AnswerContext
    after: Position | None
    kept_as: PageName | None


def settle_nearby(query: Query, *, snapshot: Snapshot, about: AnswerContext, kept_as: PageName | None = None) -> Nearby:
    """Raises ApiError for whatever the answer would fail with. A walk goes on in the minute that it began in."""
    minute, after = read_minute(about), None
    if query.cursor is not None:
        minute, after = _read_position(query.cursor)
    near = settle_near(query, snapshot=snapshot, about=about, minute=minute)
    return Nearby(near=near, about=about, after=after, kept_as=kept_as)


def _read_position(cursor: Cursor) -> tuple[datetime, Position]:
    match cursor.position:
        case (int(minute), int(bits), str(listing_type), str(row_id)) if (
            0 <= minute < 1 << 27 and 0 <= bits < 1 << 62 and listing_type in TYPES and is_id(row_id)
        ):
            return datetime.fromtimestamp(minute * MINUTE, UTC), Position(bits, listing_type, row_id)
    raise malformed_cursor()


def answer_nearby(nearby: Nearby) -> list[bytes]:
    """The body as parts."""
    near = nearby.near
    opened = open_snapshot(near.snapshot)
    index = opened.open_index(open_near)
    known = index.starts.note(near.windows, near.now)
    limit = read_limit(near.query)
    distances, hidden = _take_page(nearby, opened, limit=limit + 1)
    rows = index.rows[distances.places]
    begins = index.starts.list_starts(rows, windows=near.windows, now=near.now, known=known)
    page = distances.choose(slice(limit))
    pieces = list_pieces(
        opened.open_index(open_parts),
        page.places.tolist(),
        metres=round_metres(find_metres(page.squares)),
        starts=begins[:limit],
    )
    last = _find_last(page, pieces) if rows.size > limit else None
    cursor = encode_position(near.query, last, snapshot=near.snapshot, now=near.now)
    sources = SourceBlocks(near.query, snapshot=near.snapshot, about=nearby.about)
    items = _choose_members(near, pieces, rows, sources=sources)
    notices = (*list_notices(near, hidden=hidden), *sources.notices)
    meta = encode_nearby_meta(near, limit=limit, count=page.places.size, next_cursor=cursor, hidden=hidden)
    body = encode_pieces(items, meta=meta, notices=notices)
    if nearby.kept_as is not None:
        until = min(find_end(begins, near.now), _find_hidden_end(near, opened, hidden=hidden))
        kept = split_page(body, last=last, cursor=cursor, now=near.now, until=until)
        opened.open_index(open_pages).keep(nearby.kept_as, kept)
    return [body]


def _find_hidden_end(near: Near, opened: SnapshotReader, *, hidden: int) -> int:
    """Until when as much is hidden at least: also what other filters would show counts."""
    if not hidden:
        return NEVER
    index = opened.open_index(open_near)
    rows = index.unlocated.find_near(near.point, chord=find_chord(near.radius_m))
    return find_end(index.starts.list_starts(rows, windows=near.windows, now=near.now), near.now)


def _take_page(nearby: Nearby, opened: SnapshotReader, *, limit: int) -> tuple[PlaceDistances, int]:
    """In order, with how many rows are hidden."""
    near, index = nearby.near, opened.open_index(open_near)
    follow = None if nearby.after is None else _make_follow(nearby.after, opened, index)
    evaluator = open_evaluator(opened)
    layer = opened.open_index(open_layers).recall(near.filters, evaluator)
    if layer is None:
        scan = CircleScan(
            index=index, evaluator=evaluator, collections=near.collections, point=near.point, radius_m=near.radius_m
        )
        nearest, hidden = scan.find_nearest(limit, follow=follow), scan.count_hidden()
    else:
        chord = find_chord(near.radius_m)
        nearest = layer.find_nearest(near.point, chord=chord, count=limit, follow=follow)
        hidden = layer.count_hidden(near.point, chord=chord, is_open=False)
    order = np.lexsort((index.tiles.ties[nearest.places], nearest.squares))
    return nearest.choose(order[:limit]), hidden


def _make_follow(after: Position, opened: SnapshotReader, index: NearIndex) -> Follow:
    """What comes after an item, which need not be there any more."""
    (square,) = unpack("<d", pack("<q", after.bits))
    ties = index.tiles.ties.reshape(-1, TILE)
    least = TYPE_RANKS[TYPES.index(after.type)] * len(opened.listings) + opened.listings.count_ids(after.id)

    def follow(tiles: Rows, squares: Floats) -> NDArray[np.bool_]:
        follows: NDArray[np.bool_] = (squares > square) | ((squares == square) & (ties[tiles] >= least))
        return follows

    return follow


def _find_last(page: PlaceDistances, pieces: Sequence[bytes | memoryview]) -> Position:
    (bits,) = unpack("<q", pack("<d", float(page.squares[-1])))
    return Position(bits, *read_last(pieces))


def _choose_members(
    near: Near, pieces: Sequence[bytes | memoryview], rows: Rows, *, sources: SourceBlocks
) -> Sequence[bytes | memoryview]:
    """What is sent of the items, with the commas between them."""
    has_fields = bool(near.query.get_words("fields"))
    if not sources.is_requested and not has_fields:
        return pieces[1:]
    items = join_items(pieces)
    if sources.is_requested:
        items = [*map(sources.attach, items, rows[: len(items)].tolist())]
    return [b",".join(map(choose_fields(near.query), items) if has_fields else items)]
