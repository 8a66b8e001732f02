"""`/v1/{metro}/around`: the listings around a point, best first, in five groups.

How well a listing suits somebody who stands at a point now (`docs/near.md` says the same):

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
from outings.answers.documents.fields import NamedDocument
from outings.answers.near.activity import measure_activity
from outings.answers.near.index import AGES, GROUPED, OPEN, OPEN_FREE, OPEN_PAID, TALLIED, Counts, Rows, Start
from outings.answers.near.items import NO_PRICE, NULL, ItemSchedule, format_start, round_metres
from outings.answers.near.request import Near, encode_near_meta, is_outside, list_notices, read_minute, resolve_near
from outings.answers.near.shown import Circle, Columns, RowDistances, ShownListings, open_shown
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag
from outings.answers.snapshot.distance import Floats, find_chord, find_metres
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.envelope import encode_object
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
from outings.contract.vocabulary import AGE_BANDS, COLLECTIONS, TYPES, UNSPECIFIED
from outings.release.mapped_table import NEVER
from outings.release.snapshot import Snapshot

Array = NDArray[Any]

_NEAR, _SOON, _CONFIDENCE, _AGES = 0.45, 0.30, 0.15, 0.10
_HALF_METRES, _HALF_SECONDS = 2_000, 7 * 86_400
_UNKNOWN = 0.5
_NOT_STATED = 1 << len(AGE_BANDS)


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
    """Return the cards that are in any group, with their scores."""
    index, bands = shown.index, near.query.get_words("ages")
    groups = index.kinds.groups[index.kinds.numbers[cards.rows]]
    in_any = groups.nonzero()[0]
    cards, groups = cards.choose(in_any), groups[in_any]
    starts = shown.starts.locals[cards.rows]
    scores = score_listings(
        metres=find_metres(cards.squares),
        waits=np.where(starts == NEVER, NEVER, starts - near.now.local),
        confidence=index.confidence[cards.rows],
        ages=index.ages[cards.rows],
        favoured=sum(1 << number for number, name in enumerate(AGE_BANDS) if name in bands),
    )
    return ScoredRows(cards.rows, cards.squares, scores, groups)


def score_listings(*, metres: Array, waits: Array, confidence: Array, ages: Array, favoured: int) -> Array:
    """Return scores in thousandths. `waits`: seconds until the start, NEVER without one; `ages`, `favoured`: bit sets
    over AGE_BANDS."""
    total = _NEAR * (_HALF_METRES / (_HALF_METRES + metres)) + _SOON * _fit_waits(waits) + _CONFIDENCE * confidence
    thousandths: Array = np.rint(1000 * (total + _AGES * _fit_ages(ages, favoured))).astype(np.int64)
    return thousandths


def _fit_waits(waits: Array) -> Array:
    passed = _HALF_SECONDS + np.maximum(waits, 0).astype(np.float64)
    soon: Array = np.where(waits == NEVER, _UNKNOWN, _HALF_SECONDS / passed)
    return soon


def _fit_ages(ages: Array, favoured: int) -> Array:
    if not favoured:
        return np.full(ages.size, _UNKNOWN)
    fits: Array = np.where(ages & _NOT_STATED, _UNKNOWN, (ages & favoured) != 0)
    return fits


_MOST_WALKED = 5_000


class Blocks(Struct, frozen=True):
    """The makers of the blocks that add-ons attach to items."""

    sources: SourceBlocks
    forecasts: ForecastBlocks


class _Where(Struct, frozen=True):
    lat: Raw
    lng: Raw
    neighborhood: Raw


class _Document(NamedDocument, frozen=True):
    """The members of a listing that an item shows."""

    location: _Where
    ages: Raw
    image_url: Raw
    place: Raw = NULL
    price: Raw = NO_PRICE
    is_indoor: Raw = NULL
    timezone: str | None = None
    schedule: ItemSchedule | None = None


_decoder = msgspec.json.Decoder(_Document)


def make_group(
    number: int,
    *,
    scored: ScoredRows,
    total: int,
    shown: ShownListings,
    opened: SnapshotReader,
    blocks: Blocks,
    limit: int,
    offset: int,
) -> dict[str, Any]:
    """Make a page of an `AroundGroup`. `number`: its index in GROUPS; `scored`: all listings in the circle."""
    end, index = offset + limit, shown.index
    page = scored.choose_best(number, end=end, ids=index.id_ranks).choose(slice(offset, None))
    starts = index.starts.read_starts(page.rows, shown.starts)
    metres = round_metres(find_metres(page.squares))
    rows = zip(page.rows.tolist(), metres, page.scores.tolist(), page.groups.tolist(), starts, strict=True)
    items = [
        _make_item(row, opened, metres=metres, score=score / 1000, groups=groups & ~(1 << number), start=start,
                   blocks=blocks)
        for row, metres, score, groups, start in rows
    ]  # fmt: skip
    next_cursor = f"{GROUPS[number]}:{end}" if total > end else None
    return {"total": total, "returned": len(items), "items": items, "next_cursor": next_cursor}


def count_minutes(distance_m: int) -> int | None:
    """Return the minutes on foot: streets are 1.3 times as long as the straight line, at 80 m a minute."""
    return None if distance_m > _MOST_WALKED else -(-distance_m * 13 // 800)


def _name_groups(groups: int) -> list[str]:
    return [name for number, name in enumerate(GROUPS) if groups >> number & 1]


def _make_item(
    row: int, opened: SnapshotReader, *, metres: int, score: float, groups: int, start: Start, blocks: Blocks
) -> dict[str, Any]:
    """Make an `AroundItem`, copying members of the listing's JSON. `groups`: the other groups that it is in."""
    document = opened.read_document(row)
    listing = _decoder.decode(document)
    zone = listing.timezone if listing.schedule is None else listing.schedule.timezone
    starts_local, starts_at, ends_local = format_start(start, zone)
    return {
        "listing_id": listing.id,
        "type": listing.type,
        "name": listing.name,
        "distance_m": metres,
        "walk_minutes": count_minutes(metres),
        "score": score,
        "also_in": _name_groups(groups),
        "slug": listing.slug,
        "starts_at": starts_at,
        "starts_local": starts_local,
        "ends_local": ends_local,
        "timezone": zone,
        "place": listing.place,
        "neighborhood": listing.location.neighborhood,
        "lat": listing.location.lat,
        "lng": listing.location.lng,
        "price": listing.price,
        "ages": listing.ages,
        "image_url": listing.image_url,
        "is_indoor": listing.is_indoor,
        "links": {"self": f"/v1/{COLLECTIONS[listing.type]}/{listing.id}"},
        **_make_blocks(row, document, start=start, blocks=blocks),
    }


def _make_blocks(row: int, document: bytes, *, start: Start, blocks: Blocks) -> dict[str, Any]:
    """Return an item's blocks by name. Only an event has a forecast, for the start that the item shows."""
    source, forecast = blocks.sources.make(row), None
    if start.instant is not None:
        forecast = blocks.forecasts.make_event(document, row, starts_at=start.instant, ends_at=start.ends_at)
    made = {"source": source, "forecast": forecast}
    return {name: block for name, block in made.items() if block is not None}


_encoder = msgspec.json.Encoder()


def plan_around(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    near = resolve_near(query, snapshot=snapshot, context=context, minute=read_minute(context))
    group, _, offset = (query.get_as("cursor", str) or "").partition(":")
    if group and group not in GROUPS:
        raise bad_request(
            param="cursor", reason="cursor_malformed",
            message=f"There is no group {group}: a cursor is a group's next_cursor.", allowed=list(GROUPS),
        )  # fmt: skip
    origin = near.origin  # an address need not always be found at the same place
    forecast = ForecastBlocks(query, snapshot=snapshot, context=context).tag
    read = (snapshot.hash, near.minute, origin.lat, origin.lng, forecast)
    tag = make_tag("around", query.text, read, context.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_around(near, context, offsets={group: int(offset or 0)}))


def answer_around(near: Near, context: AnswerContext, *, offsets: Mapping[str, int]) -> list[bytes]:
    """Return the body in chunks. `offsets`: the index of the first item to show, by group, 0 by default."""
    opened = open_snapshot(near.snapshot)
    shown, chord = open_shown(near, opened), find_chord(near.radius_m)
    circle = Circle(shown, near.point, chord)
    open_cards = circle.open_cards
    # Open cards are chosen among themselves.
    counts = shown.index.kinds.count(open_cards.rows)
    counts[TALLIED] = circle.counts[TALLIED]
    hidden = shown.count_hidden(near.point, chord=chord, is_open=True)
    limit = near.query.get_as("limit", int)
    assert limit is not None
    blocks = Blocks(
        SourceBlocks(near.query, snapshot=near.snapshot, context=context),
        ForecastBlocks(near.query, snapshot=near.snapshot, context=context),
    )
    scored = score_cards(near, open_cards, shown)
    groups = {
        name: make_group(
            number,
            scored=scored,
            total=round(counts[GROUPED][number]),
            shown=shown,
            opened=opened,
            blocks=blocks,
            limit=limit,
            offset=offsets.get(name, 0),
        )
        for number, name in enumerate(GROUPS)
    }
    lively = measure_activity(near, shown, circle)
    data = {
        "location": near.origin,
        "activity": {name: getattr(lively, name) for name in Activity.__struct_fields__},
        "results": groups,
        "facets": _count_facets(near, counts, open_cards, circle),
        "coverage": AroundCoverage(
            hidden_nearby=hidden,
            unplaceable_in_metro=shown.count_unplaceable(is_open=True),
            reason=_find_reason(near, hidden=hidden, total=_count(counts, OPEN)),
        ),
    }
    notices = (*list_notices(near, hidden=hidden), *blocks.sources.notices, *blocks.forecasts.notices)
    return encode_object(_encoder.encode(data), meta=encode_near_meta(near, limit=limit), notices=notices)


def _find_reason(near: Near, *, hidden: int, total: int) -> str | None:
    if hidden:
        return "rows_without_coordinates"
    return "point_outside_metro" if not total and is_outside(near) else None


def _count_facets(near: Near, counts: Counts, open_cards: RowDistances, circle: Circle) -> AroundFacets:
    free, paid = _count(counts, OPEN_FREE), _count(counts, OPEN_PAID)
    bands = zip((*AGE_BANDS, UNSPECIFIED), np.rint(counts[AGES]).astype(int).tolist(), strict=True)
    by_type = np.rint(counts[OPEN]).astype(int).tolist()
    is_open = circle.index.is_open[open_cards.rows]
    return AroundFacets(
        by_type=TypeCounts(**{COLLECTIONS[name]: by_type[code] for code, name in enumerate(TYPES)}),
        by_age_band=dict(bands),
        by_price=AroundPrices(free=free, paid=paid),
        free_share=round(free / (free + paid), 3) if free + paid else None,
        by_distance_ring=_count_rings(near, open_cards.choose(is_open)),
    )


def _count_rings(near: Near, open_cards: RowDistances) -> tuple[DistanceRing, ...]:
    """Count the cards in each ring of distance. Rings beyond the radius are empty."""
    ends = [min(most, near.radius_m) for most in RINGS.values()]
    inside = [int(np.count_nonzero(open_cards.squares <= find_chord(end) ** 2)) for end in ends]
    rings = [count - before for before, count in zip([0, *inside], inside, strict=False)]
    return tuple(
        DistanceRing(label=label, max_m=end, count=count) for label, end, count in zip(RINGS, ends, rings, strict=True)
    )


def _count(counts: Counts, part: slice | int) -> int:
    return round(float(counts[part].sum()))
