"""`/v1/{metro}/around`: the listings around a point, best first, in five groups.

The score says how well a listing suits somebody who is at the point now (`docs/near.md` says the same):

    score = 0.45 × near + 0.30 × soon + 0.15 × confidence + 0.10 × ages
    near = 2,000 ÷ (2,000 + metres)
    soon = 7 ÷ (7 + days until it begins); 0.5 without a start: for places, and what only goes on
    ages = 1 where the listing's ages reach a favoured band, 0 where they do not; 0.5 where they are not stated, or
           none is favoured

The score is rounded to thousandths, half to even. It depends on the listing, the point, the bands and the minute alone.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
from msgspec import Raw, Struct
from numpy.typing import NDArray

from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.sources import SourceBlocks
from outings.answers.documents.fields import ShownDocument
from outings.answers.near.activity import measure_activity
from outings.answers.near.index import NearIndex, Rows
from outings.answers.near.items import format_start, round_metres
from outings.answers.near.nearest import Circle, Columns, RowDistances, ShownListings, open_shown
from outings.answers.near.request import Near, describe_near, is_outside, list_notices, read_minute, resolve_near
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag
from outings.answers.rows.column_tables import count_bits
from outings.answers.snapshot.distance import Floats, find_chord, find_metres
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.envelope import encode_detail
from outings.contract.errors import bad_request
from outings.contract.query import Query
from outings.contract.resources.finding import (
    GROUPS,
    RINGS,
    Activity,
    AroundCoverage,
    AroundFacets,
    AroundPrices,
    DistanceRing,
)
from outings.contract.resources.listings import Counts as TypeCounts
from outings.contract.resources.meta import AroundMeta
from outings.contract.vocabulary import AGE_BANDS, COLLECTIONS, UNSPECIFIED
from outings.release.mapped_table import NEVER
from outings.release.snapshot import Snapshot

_NEAR, _SOON, _CONFIDENCE, _AGES = 0.45, 0.30, 0.15, 0.10
# The distance and the wait whose part of the score is a half.
_HALF_METRES, _HALF_SECONDS = 2_000, 7 * 86_400
_UNKNOWN = 0.5
_NOT_STATED = 1 << len(AGE_BANDS)
# The farthest distance, in metres, for which minutes on foot are shown.
_MOST_WALKED = 5_000
_encoder = msgspec.json.Encoder()


class ScoredRows(Columns, frozen=True, eq=False):
    """Listings with distances and scores. `scores`: in thousandths; `groups`: bit sets over GROUPS."""

    rows: Rows
    squares: Floats
    scores: NDArray[np.int64]
    groups: NDArray[np.int64]

    def choose_best(self, group: int, *, end: int, ids: NDArray[np.uint32]) -> "ScoredRows":
        """Return the first `end` listings of a group by score, distance and id. `ids`: each row's rank by id."""
        own = self.choose((self.groups >> group & 1).nonzero()[0])
        if end < own.rows.size:
            # Only listings that score as well as the last one are put in order.
            own = own.choose(own.scores >= np.partition(own.scores, own.rows.size - end)[own.rows.size - end])
        return own.choose(np.lexsort((ids[own.rows], own.squares, -own.scores))[:end])


def score_cards(near: Near, cards: RowDistances, shown: ShownListings) -> ScoredRows:
    """Score the cards, all of which are open and so in a group."""
    index, bands = shown.index, near.query.get_words("ages")
    starts, metres = shown.starts.locals[cards.rows], find_metres(cards.squares)
    waits = np.maximum(starts - near.now.local, 0).astype(np.float64)
    soon = np.where(starts == NEVER, _UNKNOWN, _HALF_SECONDS / (_HALF_SECONDS + waits))
    favoured, ages = sum(1 << number for number, name in enumerate(AGE_BANDS) if name in bands), index.ages[cards.rows]
    is_unknown = ((ages & _NOT_STATED) != 0) | (not favoured)
    fits = np.where(is_unknown, _UNKNOWN, (ages & favoured) != 0)
    total = _NEAR * (_HALF_METRES / (_HALF_METRES + metres)) + _SOON * soon + _CONFIDENCE * index.confidence[cards.rows]
    scores = np.rint(1000 * (total + _AGES * fits)).astype(np.int64)
    return ScoredRows(cards.rows, cards.squares, scores, index.groups[cards.rows])


class _Location(Struct, frozen=True):
    lat: Raw
    lng: Raw
    neighborhood: Raw


class _Document(ShownDocument, frozen=True, kw_only=True):
    location: _Location
    is_indoor: Raw = Raw(b"null")


_decoder = msgspec.json.Decoder(_Document)


class _ItemMaker:
    """A maker of the items of one answer."""

    def __init__(self, near: Near, shown: ShownListings, context: AnswerContext) -> None:
        self._shown, self._opened = shown, open_snapshot(near.snapshot)
        self.sources = SourceBlocks(near.query, snapshot=near.snapshot, context=context)
        self.forecasts = ForecastBlocks(near.query, snapshot=near.snapshot, context=context)

    def make_group(self, number: int, scored: ScoredRows, *, total: int, limit: int, offset: int) -> dict[str, Any]:
        """Make a page of an `AroundGroup`. `number`: its index in GROUPS; `scored`: all listings in the circle."""
        end = offset + limit
        page = scored.choose_best(number, end=end, ids=self._shown.index.id_ranks).choose(slice(offset, None))
        metres = round_metres(find_metres(page.squares))
        rows = zip(page.rows.tolist(), metres, page.scores.tolist(), page.groups.tolist(), strict=True)
        items = [
            self._make_item(row, metres=metres, score=score / 1000, groups=groups & ~(1 << number))
            for row, metres, score, groups in rows
        ]
        next_cursor = f"{GROUPS[number]}:{end}" if total > end else None
        return {"total": total, "returned": len(items), "items": items, "next_cursor": next_cursor}

    def _make_item(self, row: int, *, metres: int, score: float, groups: int) -> dict[str, Any]:
        """Make an `AroundItem`, copying members of the listing's JSON. `groups`: the other groups that it is in."""
        document, start = self._opened.read_document(row), self._shown.index.read_start(row, self._shown.starts)
        listing = _decoder.decode(document)
        starts_local, starts_at, ends_local = format_start(start, listing.zone)
        item = {
            "listing_id": listing.id,
            "type": listing.type,
            "name": listing.name,
            "distance_m": metres,
            # Streets are 1.3 times as long as the straight line, and people walk 80 m a minute.
            "walk_minutes": None if metres > _MOST_WALKED else -(-metres * 13 // 800),
            "score": score,
            "also_in": [name for number, name in enumerate(GROUPS) if groups >> number & 1],
            "slug": listing.slug,
            "starts_at": starts_at,
            "starts_local": starts_local,
            "ends_local": ends_local,
            "timezone": listing.zone,
            "place": listing.place,
            "neighborhood": listing.location.neighborhood,
            "lat": listing.location.lat,
            "lng": listing.location.lng,
            "price": listing.price,
            "ages": listing.ages,
            "image_url": listing.image_url,
            "is_indoor": listing.is_indoor,
            "links": {"self": f"/v1/{COLLECTIONS[listing.type]}/{listing.id}"},
        }
        source, forecast = self.sources.make(row), None
        if start.instant is not None:  # an event, whose forecast is for the start that the item shows
            forecast = self.forecasts.make_event(document, row, starts_at=start.instant, ends_at=start.ends_at)
        blocks = {"source": source, "forecast": forecast}
        return item | {name: block for name, block in blocks.items() if block is not None}


def plan_around(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    near = resolve_near(query, snapshot=snapshot, context=context, minute=read_minute(context))
    group, _, offset = (query.get_as("cursor", str) or "").partition(":")
    if group and group not in GROUPS:
        raise bad_request(
            param="cursor", reason="cursor_malformed",
            message=f"cursor names no group of {', '.join(GROUPS)}; send a group's next_cursor.", allowed=list(GROUPS),
        )  # fmt: skip
    origin = near.origin  # an address need not always be found at the same place
    forecast = ForecastBlocks(query, snapshot=snapshot, context=context).tag
    read = (snapshot.hash, near.minute, origin.lat, origin.lng, forecast)
    tag = make_tag("around", query.text, read, context.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_around(near, context, offsets={group: int(offset or 0)}))


def answer_around(near: Near, context: AnswerContext, *, offsets: Mapping[str, int]) -> list[bytes]:
    """Return the body in chunks. `offsets`: the index of the first item to show, by group, 0 by default."""
    shown, chord = open_shown(near, open_snapshot(near.snapshot)), find_chord(near.radius_m)
    circle = Circle(shown, near.point, chord)
    open_cards = circle.list_open_cards()
    hidden = shown.count_hidden(near.point, chord=chord, is_open=True)
    limit = near.query.get_as("limit", int)
    assert limit is not None
    items, scored = _ItemMaker(near, shown, context), score_cards(near, open_cards, shown)
    groups = {
        name: items.make_group(
            number, scored, total=int((scored.groups >> number & 1).sum()), limit=limit, offset=offsets.get(name, 0)
        )
        for number, name in enumerate(GROUPS)
    }
    reason = None
    if hidden:
        reason = "rows_without_coordinates"
    elif not open_cards.rows.size and is_outside(near):
        reason = "point_outside_metro"
    lively = measure_activity(near, shown, circle)
    data = {
        "location": near.origin,
        "activity": {name: getattr(lively, name) for name in Activity.__struct_fields__},
        "results": groups,
        "facets": _count_facets(near, open_cards, shown.index),
        "coverage": AroundCoverage(
            hidden_nearby=hidden,
            unplaceable_in_metro=shown.count_unplaceable(is_open=True),
            reason=reason,
        ),
    }
    notices = (*list_notices(near, hidden=hidden), *items.sources.notices, *items.forecasts.notices)
    meta = _encoder.encode(AroundMeta(**describe_near(near), limit=limit))
    return encode_detail(_encoder.encode(data), meta=meta, notices=notices)


def _count_facets(near: Near, open_cards: RowDistances, index: NearIndex) -> AroundFacets:
    prices = index.count_prices(open_cards.rows)
    paid, free, _ = prices.sum(axis=0).tolist()
    by_type = zip(COLLECTIONS.values(), prices.sum(axis=1).tolist(), strict=True)
    by_band = count_bits(index.ages[open_cards.rows], len(AGE_BANDS) + 1).tolist()
    return AroundFacets(
        by_type=TypeCounts(**dict(by_type)),
        by_age_band=dict(zip((*AGE_BANDS, UNSPECIFIED), by_band, strict=True)),
        by_price=AroundPrices(free=free, paid=paid),
        free_share=round(free / (free + paid), 3) if free + paid else None,
        by_distance_ring=_count_rings(near, open_cards),
    )


def _count_rings(near: Near, open_cards: RowDistances) -> tuple[DistanceRing, ...]:
    """Count the cards in each ring of distance. Rings beyond the radius are empty."""
    ends = [min(most, near.radius_m) for most in RINGS.values()]
    inside = [int(np.count_nonzero(open_cards.squares <= find_chord(end) ** 2)) for end in ends]
    rings = zip(RINGS, ends, np.diff(inside, prepend=0).tolist(), strict=True)
    return tuple(DistanceRing(label=label, max_m=end, count=count) for label, end, count in rings)
