"""`/v1/{metro}/around`: what is around a point, best first, in five groups (decisions §7)."""

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from outings.answers.addons import SourceBlocks
from outings.answers.circumstances import Circumstances
from outings.answers.distance import find_line, find_metres
from outings.answers.near.activity import measure_activity
from outings.answers.near.asked import Near, is_outside, list_notices, read_minute, settle_near
from outings.answers.near.effect import encode_near_meta
from outings.answers.near.finding import Finding
from outings.answers.near.groups import Blocks, Scored, make_group
from outings.answers.near.index import NearIndex
from outings.answers.near.scores import score_listings
from outings.answers.near.tiles import Measured, Rows
from outings.answers.opened import open_snapshot
from outings.answers.weather.blocks import ForecastBlocks
from outings.contract.envelope import encode_object
from outings.contract.errors import bad_request
from outings.contract.query import Query
from outings.contract.resources.near import (
    GROUPS,
    RINGS,
    AroundCoverage,
    AroundFacets,
    AroundPrices,
    DistanceRing,
)
from outings.contract.resources.organization import Counts
from outings.contract.vocabulary import AGE_BANDS, COLLECTIONS, TYPES, UNSPECIFIED
from outings.release.mapped import NEVER
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


class Around(Struct, frozen=True, kw_only=True):
    """A request that will be answered: one group from an offset on, all others from their beginning."""

    near: Near
    about: Circumstances
    group: str | None
    offset: int


def settle_around(query: Query, *, snapshot: Snapshot, about: Circumstances) -> Around:
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
    finding = near.make_finding(opened)
    circle = finding.find_all()
    # Of a program some of whose listings are full, one that is not: filters come before cards.
    enrolling = replace(finding, is_enrolling=True)
    scored = _score(near, circle.kept, enrolling)
    hidden = enrolling.count_hidden()
    limit = near.query.get_as("limit", int)
    assert limit is not None
    blocks = Blocks(
        SourceBlocks(near.query, snapshot=near.snapshot, about=around.about),
        ForecastBlocks(near.query, snapshot=near.snapshot, about=around.about),
    )
    groups = {
        name: make_group(
            number,
            scored=scored,
            near=near,
            opened=opened,
            blocks=blocks,
            limit=limit,
            offset=around.offset if name == around.group else 0,
        )
        for number, name in enumerate(GROUPS)
    }
    data = {
        "location": near.origin,
        "activity": measure_activity(near, finding, circle).activity,
        "results": groups,
        "facets": _count_facets(near, scored, finding.index),
        "coverage": AroundCoverage(
            hidden_nearby=hidden,
            unplaceable_in_metro=enrolling.count_unplaceable(),
            reason=_find_reason(near, hidden=hidden, total=scored.rows.size),
        ),
    }
    notices = (*list_notices(near, hidden=hidden), *blocks.sources.notices, *blocks.forecasts.notices)
    return encode_object(_encoder.encode(data), meta=encode_near_meta(near, limit=limit), notices=notices)


def _find_reason(near: Near, *, hidden: int, total: int) -> str | None:
    if hidden:
        return "rows_without_coordinates"
    return "point_outside_metro" if not total and is_outside(near) else None


def _score(near: Near, found: Measured, finding: Finding) -> Scored:
    index = finding.index
    rows = finding.deal_cards(found.rows[index.is_closed[found.rows] == 0])
    squares = found.keep(rows).squares
    starts = index.find_starts(rows, windows=near.windows, now=near.now)
    bands = near.query.get_words("ages")
    scores = score_listings(
        metres=find_metres(squares),
        waits=np.where(starts == NEVER, NEVER, starts - near.now.local),
        confidence=index.confidence[rows],
        ages=index.ages[rows],
        favoured=sum(1 << number for number, name in enumerate(AGE_BANDS) if name in bands),
    )
    return Scored(rows, squares, scores, _group_rows(rows, index))


def _group_rows(rows: Rows, index: NearIndex) -> NDArray[np.int64]:
    own = {"event": "happening_soon", "class": "classes_enrolling", "camp": "camps", "place": "places"}
    bits = np.array([1 << GROUPS.index(own[name]) for name in TYPES], dtype=np.int64)
    recurs = (index.types[rows] == TYPES.index("event")) & (index.is_recurring[rows] == 1)
    groups: NDArray[np.int64] = bits[index.types[rows]] | recurs.astype(np.int64) << GROUPS.index("recurring_programs")
    return groups


def _count_facets(near: Near, scored: Scored, index: NearIndex) -> AroundFacets:
    rows = scored.rows
    by_type = np.bincount(index.types[rows], minlength=len(TYPES)).tolist()
    ages = index.ages[rows]
    bands = (*AGE_BANDS, UNSPECIFIED)
    free, paid = (int(np.count_nonzero(index.is_free[rows] == value)) for value in (1, 0))
    return AroundFacets(
        by_type=Counts(**{COLLECTIONS[name]: by_type[code] for code, name in enumerate(TYPES)}),
        by_age_band={name: int(np.count_nonzero(ages >> bit & 1)) for bit, name in enumerate(bands)},
        by_price=AroundPrices(free=free, paid=paid),
        free_share=round(free / (free + paid), 3) if free + paid else None,
        by_distance_ring=_count_rings(near, scored),
    )


def _count_rings(near: Near, scored: Scored) -> tuple[DistanceRing, ...]:
    """All of them: those beyond the radius are empty."""
    ends = [min(most, near.radius_m) for most in RINGS.values()]
    inside = [int(np.count_nonzero(scored.squares <= find_line(end) ** 2)) for end in ends]
    counts = [count - before for before, count in zip([0, *inside], inside, strict=False)]
    return tuple(
        DistanceRing(label=label, max_m=end, count=count) for label, end, count in zip(RINGS, ends, counts, strict=True)
    )
