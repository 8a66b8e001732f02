"""`/v1/{metro}/around`: what is around a point, best first, in five groups."""

import msgspec
import numpy as np
from msgspec import Struct

from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.sources import SourceBlocks
from outings.answers.context import AnswerContext
from outings.answers.near.activity import measure_activity
from outings.answers.near.groups import Blocks, make_group
from outings.answers.near.kinds import AGES, GROUPED, OPEN, OPEN_FREE, OPEN_PAID, TALLIED, Counts
from outings.answers.near.meta import encode_near_meta
from outings.answers.near.request import Near, is_outside, list_notices, read_minute, settle_near
from outings.answers.near.scores import score_cards
from outings.answers.near.shown import Circle, RowDistances, open_shown
from outings.answers.plan import AnswerPlan, make_tag
from outings.answers.snapshot.distance import find_chord
from outings.answers.snapshot.reader import open_snapshot
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
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


class Around(Struct, frozen=True, kw_only=True):
    """A request that will be answered: one group from an offset on, all others from their beginning."""

    near: Near
    about: AnswerContext
    group: str | None
    offset: int


def plan_around(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    around = settle_around(query, snapshot=snapshot, about=about)
    origin = around.near.origin  # an address need not always be found at the same place
    forecast = ForecastBlocks(query, snapshot=snapshot, about=about).tag
    read = (snapshot.hash, around.near.minute, origin.lat, origin.lng, forecast)
    tag = make_tag("around", query.text, read, about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_around(around))


def settle_around(query: Query, *, snapshot: Snapshot, about: AnswerContext) -> Around:
    """Raise ApiError for whatever the answer would fail with."""
    near = settle_near(query, snapshot=snapshot, about=about, minute=read_minute(about))
    group, _, offset = (query.get_as("cursor", str) or "").partition(":")
    if group and group not in GROUPS:
        raise bad_request(
            param="cursor", reason="cursor_malformed",
            message=f"There is no group {group}: a cursor is a group's next_cursor.", allowed=list(GROUPS),
        )  # fmt: skip
    return Around(near=near, about=about, group=group or None, offset=int(offset or 0))


def answer_around(around: Around) -> list[bytes]:
    """Return the body as parts."""
    near = around.near
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
        SourceBlocks(near.query, snapshot=near.snapshot, about=around.about),
        ForecastBlocks(near.query, snapshot=near.snapshot, about=around.about),
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
            offset=around.offset if name == around.group else 0,
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
    """Count the cards of every ring. Rings beyond the radius are empty."""
    ends = [min(most, near.radius_m) for most in RINGS.values()]
    inside = [int(np.count_nonzero(open_cards.squares <= find_chord(end) ** 2)) for end in ends]
    rings = [count - before for before, count in zip([0, *inside], inside, strict=False)]
    return tuple(
        DistanceRing(label=label, max_m=end, count=count) for label, end, count in zip(RINGS, ends, rings, strict=True)
    )


def _count(counts: Counts, part: slice | int) -> int:
    return round(float(counts[part].sum()))
