"""`/v1/{metro}/around`: what is around a point, best first, in five groups."""

from collections.abc import Mapping

import msgspec
import numpy as np
from msgspec import Struct

from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.source import SourceBlocks
from outings.answers.context import AnswerContext
from outings.answers.near.activity import measure_activity
from outings.answers.near.circles import Circles
from outings.answers.near.groups import Blocks, make_group
from outings.answers.near.index import open_near
from outings.answers.near.kinds import AGES, GROUPED, OPEN, OPEN_FREE, OPEN_PAID, Counts
from outings.answers.near.layers import open_layers
from outings.answers.near.meta import encode_near_meta
from outings.answers.near.ranking import find_best
from outings.answers.near.request import Near, is_outside, list_notices, read_minute, settle_near
from outings.answers.selecting.evaluator import open_evaluator
from outings.answers.snapshot.distance import find_chord
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.envelope import encode_object
from outings.contract.errors import bad_request
from outings.contract.query import Query
from outings.contract.resources.near import (
    GROUPS,
    RINGS,
    Activity,
    AroundCoverage,
    AroundFacets,
    AroundPrices,
    DistanceRing,
)
from outings.contract.resources.organization import Counts as TypeCounts
from outings.contract.vocabulary import AGE_BANDS, COLLECTIONS, TYPES, UNSPECIFIED
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


class Around(Struct, frozen=True, kw_only=True):
    """A request that will be answered: one group from an offset on, all others from their beginning."""

    near: Near
    about: AnswerContext
    group: str | None
    offset: int


def settle_around(query: Query, *, snapshot: Snapshot, about: AnswerContext) -> Around:
    """Raises ApiError for whatever the answer would fail with."""
    near = settle_near(query, snapshot=snapshot, about=about, minute=read_minute(about))
    group, _, offset = (query.get_as("cursor", str) or "").partition(":")
    if group and group not in GROUPS:
        raise bad_request(
            param="cursor", reason="cursor_malformed",
            message=f"There is no group {group}: a cursor is a group's next_cursor.", allowed=list(GROUPS),
        )  # fmt: skip
    return Around(near=near, about=about, group=group or None, offset=int(offset or 0))


def answer_around(around: Around) -> list[bytes]:
    """The body as parts."""
    near = around.near
    opened = open_snapshot(near.snapshot)
    opened.open_index(open_near).starts.note(near.windows, near.now)
    layer = opened.open_index(open_layers).read(near.collections, open_evaluator(opened))
    ends = sorted({min(most, near.radius_m) for most in (*RINGS.values(), near.radius_m)})
    circles = Circles(layer.index.tiles, near.point, [find_chord(end) for end in ends])
    counts = layer.count(circles)
    hidden = layer.count_hidden(near.point, chord=find_chord(near.radius_m), is_open=True)
    limit = near.query.get_as("limit", int)
    assert limit is not None
    blocks = Blocks(
        SourceBlocks(near.query, snapshot=near.snapshot, about=around.about),
        ForecastBlocks(near.query, snapshot=near.snapshot, about=around.about),
    )
    offsets = [around.offset if name == around.group else 0 for name in GROUPS]
    best = find_best(near, layer, ends=np.array(offsets) + limit)
    groups = {
        name: make_group(
            number,
            best=best,
            total=round(counts[-1][GROUPED][number]),
            near=near,
            opened=opened,
            blocks=blocks,
            limit=limit,
            offset=offsets[number],
        )
        for number, name in enumerate(GROUPS)
    }
    lively = measure_activity(near, layer, circles, counts[-1])
    data = {
        "location": near.origin,
        "activity": {name: getattr(lively, name) for name in Activity.__struct_fields__},
        "results": groups,
        "facets": _count_facets(near, dict(zip(ends, counts, strict=True))),
        "coverage": AroundCoverage(
            hidden_nearby=hidden,
            unplaceable_in_metro=layer.count_unplaceable(is_open=True),
            reason=_find_reason(near, hidden=hidden, total=_count(counts[-1], OPEN)),
        ),
    }
    notices = (*list_notices(near, hidden=hidden), *blocks.sources.notices, *blocks.forecasts.notices)
    return encode_object(_encoder.encode(data), meta=encode_near_meta(near, limit=limit), notices=notices)


def _find_reason(near: Near, *, hidden: int, total: int) -> str | None:
    if hidden:
        return "rows_without_coordinates"
    return "point_outside_metro" if not total and is_outside(near) else None


def _count_facets(near: Near, counts: Mapping[int, Counts]) -> AroundFacets:
    """`counts` of circles by their radius."""
    own = counts[near.radius_m]
    free, paid = _count(own, OPEN_FREE), _count(own, OPEN_PAID)
    bands = zip((*AGE_BANDS, UNSPECIFIED), np.rint(own[AGES]).astype(int).tolist(), strict=True)
    by_type = np.rint(own[OPEN]).astype(int).tolist()
    return AroundFacets(
        by_type=TypeCounts(**{COLLECTIONS[name]: by_type[code] for code, name in enumerate(TYPES)}),
        by_age_band=dict(bands),
        by_price=AroundPrices(free=free, paid=paid),
        free_share=round(free / (free + paid), 3) if free + paid else None,
        by_distance_ring=_count_rings(near, counts),
    )


def _count_rings(near: Near, counts: Mapping[int, Counts]) -> tuple[DistanceRing, ...]:
    """All of them: those beyond the radius are empty."""
    ends = [min(most, near.radius_m) for most in RINGS.values()]
    inside = [_count(counts[end], OPEN) for end in ends]
    rings = [count - before for before, count in zip([0, *inside], inside, strict=False)]
    return tuple(
        DistanceRing(label=label, max_m=end, count=count) for label, end, count in zip(RINGS, ends, rings, strict=True)
    )


def _count(counts: Counts, part: slice | int) -> int:
    return round(float(counts[part].sum()))
