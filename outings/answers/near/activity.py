"""How lively a point is: `/v1/{metro}/activity`, and the header of `around`."""

import msgspec
import numpy as np
from msgspec import Struct

from outings.answers.context import AnswerContext
from outings.answers.near.cells import RADIUS_M, draw_circle, open_cells
from outings.answers.near.circles import Circles
from outings.answers.near.kinds import Counts as KindCounts
from outings.answers.near.layer import Layer
from outings.answers.near.layers import open_layers
from outings.answers.near.liveliness import Component, list_components, score_components, tally_layer
from outings.answers.near.meta import encode_near_meta, list_dates
from outings.answers.near.request import Near, list_notices, read_minute, settle_near
from outings.answers.near.summary import write_summary
from outings.answers.selecting.evaluator import open_evaluator
from outings.answers.snapshot.distance import Point, find_chord, find_metres
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.envelope import encode_object
from outings.contract.query import Query
from outings.contract.resources.near import Activity, ActivityComponent, AreaActivity
from outings.contract.resources.organization import Counts
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.snapshot import Snapshot

# A radius that is suggested has this many listings.
ENOUGH = 20
_LADDER = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
_WHOLE = 1000

_encoder = msgspec.json.Encoder()


class ActivityHeader(Struct, frozen=True, kw_only=True):
    """The header, and how many of each collection it counts."""

    activity: Activity
    counts: Counts


def settle_activity(query: Query, *, snapshot: Snapshot, about: AnswerContext) -> Near:
    """Raises ApiError for whatever the answer would fail with."""
    return settle_near(query, snapshot=snapshot, about=about, minute=read_minute(about))


def answer_activity(near: Near) -> list[bytes]:
    """The body as parts."""
    opened, chord = open_snapshot(near.snapshot), find_chord(near.radius_m)
    layer = opened.open_index(open_layers).read(near.collections, open_evaluator(opened))
    lively = measure_activity(near, layer, Circles(layer.index.tiles, near.point, (chord,)))
    activity = lively.activity
    data = AreaActivity(
        location=near.origin,
        radius_m=near.radius_m,
        score=activity.score,
        percentile=activity.percentile,
        summary=activity.summary,
        components=activity.components,
        suggested_radius_m=activity.suggested_radius_m,
        counts=lively.counts,
    )
    notices = list_notices(near, hidden=layer.count_hidden(near.point, chord=chord, is_open=False))
    return encode_object(_encoder.encode(data), meta=encode_near_meta(near), notices=notices)


def measure_activity(near: Near, layer: Layer, circles: Circles, counted: KindCounts | None = None) -> ActivityHeader:
    """`layer`: what the request shows; the last of `circles` is its own, which may be `counted` already."""
    tally = tally_layer(layer, circles, counted)
    types, words = tuple(near.collections), len(near.snapshot.vocabulary.categories)
    components = list_components(tally, types, words=words)
    counts = {COLLECTIONS[each]: int(tally.counts[0, TYPES.index(each)]) for each in types}
    activity = Activity(
        score=int(score_components(components)[0]) / _WHOLE,
        percentile=_find_percentile(near, circles, words=words),
        summary=write_summary(counts, radius_m=near.radius_m, window=list_dates(near)),
        components=tuple(
            ActivityComponent(
                name=each.name,
                value=_show_value(each),
                score=int(each.scores[0]) / _WHOLE,
                weight=each.weight / _WHOLE,
            )
            for each in components
        ),
        suggested_radius_m=_suggest_radius(near.point, layer),
    )
    return ActivityHeader(
        activity=activity, counts=Counts(**{name: counts.get(name, 0) for name in COLLECTIONS.values()})
    )


def _show_value(component: Component) -> int | float | None:
    value = float(component.values[0])
    if np.isnan(value):
        return None
    return value if component.name == "free_share" else int(value)


def _find_percentile(near: Near, circles: Circles, *, words: int) -> int:
    """Where the point stands among the metro's, all with the default radius and window of the build's date."""
    reader, types = open_snapshot(near.snapshot), tuple(near.collections)
    cells = reader.open_index(open_cells)
    if cells.date is None:
        return 0
    layer = cells.open_layer(reader)
    tally = tally_layer(layer, circles if near.radius_m == RADIUS_M else draw_circle(layer, near.point))
    own = score_components(list_components(tally, types, words=words))
    others = cells.score(types, words=words)
    return int(100 * np.count_nonzero(others < own[0]) // others.size)


def _suggest_radius(point: Point, layer: Layer) -> int:
    """The least of the ladder with enough in it, else its last."""
    nearest = layer.find_nearest(point, chord=find_chord(_LADDER[-1]), count=ENOUGH)
    metres = np.sort(find_metres(nearest.squares))
    if metres.size < ENOUGH:
        return _LADDER[-1]
    return next((each for each in _LADDER if metres[ENOUGH - 1] <= each), _LADDER[-1])
