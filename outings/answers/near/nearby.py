"""`/v1/{metro}/nearby`: a plain list of all collections by distance, then type, then id.

This module orders and cuts the page; others find the rows: `near/layer.py` where the same filters were asked for
before, else `near/scan.py`. Both call `find_nearest` of `near/tiles.py`, which looks at few rows.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from struct import pack, unpack

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.addons.source import SourceBlocks
from outings.answers.context import AnswerContext
from outings.answers.documents.fields import choose_fields
from outings.answers.near.index import NearIndex, open_near
from outings.answers.near.items import encode_items, round_metres
from outings.answers.near.layers import open_layers
from outings.answers.near.meta import list_members
from outings.answers.near.pages import (
    MINUTE,
    Begin,
    PageName,
    Position,
    encode_position,
    find_end,
    open_pages,
    split_page,
)
from outings.answers.near.request import Near, list_notices, read_minute, settle_near
from outings.answers.near.scan import CircleScan
from outings.answers.near.tiles import RowDistances
from outings.answers.selecting.cursors import is_id
from outings.answers.selecting.evaluator import open_evaluator
from outings.answers.selecting.paging import read_limit
from outings.answers.snapshot.distance import find_chord, find_metres
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.cursor import Cursor, malformed_cursor
from outings.contract.envelope import encode_list
from outings.contract.meta import NearbyMeta, NearCoverage
from outings.contract.query import Query
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()
# The order of types among what is equally far: that of their names.
_TYPE_RANKS = np.argsort(np.argsort(TYPES))


class Nearby(Struct, frozen=True, kw_only=True):
    """A request that will be answered. `kept_as`: the name of its page, where it is kept for later minutes."""

    near: Near
    about: AnswerContext
    after: Position | None
    kept_as: PageName | None


def settle_nearby(
    query: Query, *, snapshot: Snapshot, about: AnswerContext, kept_as: PageName | None = None
) -> Nearby:
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
    starts = opened.open_index(open_near).starts
    starts.note(near.windows, near.now)
    limit = read_limit(near.query)
    distances, hidden = _take_page(nearby, opened, limit=limit + 1)
    begins = starts.list_starts(distances.rows, windows=near.windows, now=near.now)
    page = distances.choose(slice(limit))
    last = _find_last(page, opened) if distances.rows.size > limit else None
    cursor = encode_position(near.query, last, snapshot=near.snapshot, now=near.now)
    sources = SourceBlocks(near.query, snapshot=near.snapshot, about=nearby.about)
    items = _make_items(near, page, opened, begins=begins[:limit], sources=sources)
    notices = (*list_notices(near, hidden=hidden), *sources.notices)
    meta = _make_meta(near, count=page.rows.size, next_cursor=cursor, hidden=hidden)
    parts = encode_list(items, meta=_encoder.encode(meta), notices=notices)
    if nearby.kept_as is not None:
        until = min(find_end(begins, near.now), _find_hidden_end(near, opened, hidden=hidden))
        kept = split_page(b"".join(parts), last=last, cursor=cursor, now=near.now, until=until)
        opened.open_index(open_pages).keep(nearby.kept_as, kept)
    return parts


def _find_hidden_end(near: Near, opened: SnapshotReader, *, hidden: int) -> int:
    """Until when as much is hidden at least: also what other filters would show counts."""
    if not hidden:
        return NEVER
    index = opened.open_index(open_near)
    rows = index.unlocated.find_near(near.point, chord=find_chord(near.radius_m))
    return find_end(index.starts.list_starts(rows, windows=near.windows, now=near.now), near.now)


def _take_page(nearby: Nearby, opened: SnapshotReader, *, limit: int) -> tuple[RowDistances, int]:
    """In order, with how many rows are hidden."""
    near, after, index = nearby.near, nearby.after, opened.open_index(open_near)
    least = 0 if after is None else opened.listings.count_ids(after.id)

    def follow(distances: RowDistances) -> RowDistances:
        return distances if after is None else distances.choose(_follow(distances, after, index, least=least))

    evaluator = open_evaluator(opened)
    layer = opened.open_index(open_layers).recall(near.filters, evaluator)
    if layer is None:
        finding = CircleScan(
            index=index, evaluator=evaluator, collections=near.collections, point=near.point, radius_m=near.radius_m
        )
        nearest, hidden = finding.find_nearest(limit, follow=follow), finding.count_hidden()
    else:
        chord = find_chord(near.radius_m)
        nearest = layer.find_nearest(near.point, chord=chord, count=limit, follow=follow)
        hidden = layer.count_hidden(near.point, chord=chord, is_open=False)
    order = np.lexsort((index.id_ranks[nearest.rows], _TYPE_RANKS[index.types[nearest.rows]], nearest.squares))
    return nearest.choose(order[:limit]), hidden


def _follow(distances: RowDistances, after: Position, index: NearIndex, *, least: int) -> NDArray[np.bool_]:
    """Which rows come after an item, which need not be there any more. `least`: the rank of the next id."""
    ranks, own = _TYPE_RANKS[index.types[distances.rows]], _TYPE_RANKS[TYPES.index(after.type)]
    is_next = (ranks > own) | ((ranks == own) & (index.id_ranks[distances.rows] >= least))
    (square,) = unpack("<d", pack("<q", after.bits))
    follows: NDArray[np.bool_] = (distances.squares > square) | ((distances.squares == square) & is_next)
    return follows


def _make_items(
    near: Near, page: RowDistances, opened: SnapshotReader, *, begins: Sequence[Begin], sources: SourceBlocks
) -> list[bytes]:
    index, rows = opened.open_index(open_near), page.rows.tolist()
    items = encode_items(
        opened,
        rows,
        codes=index.types[page.rows].tolist(),
        metres=round_metres(find_metres(page.squares)),
        starts=begins,
    )
    if sources.is_requested:
        items = map(sources.attach, items, rows)
    return [*map(choose_fields(near.query), items)] if near.query.get_words("fields") else [*items]


def _find_last(page: RowDistances, opened: SnapshotReader) -> Position:
    index, last = opened.open_index(open_near), int(page.rows[-1])
    row_id = opened.listings.read_id(last, rank=int(index.id_ranks[last]))
    (bits,) = unpack("<q", pack("<d", float(page.squares[-1])))
    return Position(bits, TYPES[index.types[last]], row_id)


def _make_meta(near: Near, *, count: int, next_cursor: str | None, hidden: int) -> NearbyMeta:
    return NearbyMeta(
        limit=read_limit(near.query),
        count=count,
        has_more=next_cursor is not None,
        next_cursor=next_cursor,
        page=None,
        origin=near.origin,
        coverage=NearCoverage(hidden_nearby=hidden),
        **list_members(near),
    )
