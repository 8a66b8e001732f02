"""How lively a point is: `/v1/{metro}/activity`, and the header of `around`."""

from collections.abc import Mapping
from datetime import date

import msgspec
import numpy as np

from outings.answers.near.cells import RADIUS_M, draw_circle, open_cells
from outings.answers.near.circles import Circles
from outings.answers.near.kinds import Counts as KindCounts
from outings.answers.near.layer import Layer
from outings.answers.near.layers import open_layers
from outings.answers.near.liveliness import Component, list_components, score_components, tally_layer
from outings.answers.near.meta import encode_near_meta, list_dates
from outings.answers.near.request import Near, list_notices
from outings.answers.selecting.evaluator import open_evaluator
from outings.answers.snapshot.distance import Point, find_chord, find_metres
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.envelope import encode_object
from outings.contract.resources.near import ActivityComponent, AreaActivity
from outings.contract.resources.organization import Counts
from outings.contract.vocabulary import COLLECTIONS, TYPES

# A radius that is suggested has this many listings.
ENOUGH = 20
_LADDER = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
_WHOLE = 1000
_SINGULAR = {"events": "event", "classes": "class", "camps": "camp", "places": "place"}

_encoder = msgspec.json.Encoder()


def answer_activity(near: Near) -> list[bytes]:
    """The body as parts."""
    opened, chord = open_snapshot(near.snapshot), find_chord(near.radius_m)
    layer = opened.open_index(open_layers).read(near.collections, open_evaluator(opened))
    data = measure_activity(near, layer, Circles(layer.index.tiles, near.point, (chord,)))
    notices = list_notices(near, hidden=layer.count_hidden(near.point, chord=chord, is_open=False))
    return encode_object(_encoder.encode(data), meta=encode_near_meta(near), notices=notices)


def measure_activity(near: Near, layer: Layer, circles: Circles, counted: KindCounts | None = None) -> AreaActivity:
    """`layer`: what the request shows; the last of `circles` is its own, which may be `counted` already."""
    tally = tally_layer(layer, circles, counted)
    types, words = tuple(near.collections), len(near.snapshot.vocabulary.categories)
    components = list_components(tally, types, words=words)
    counts = {COLLECTIONS[each]: int(tally.counts[0, TYPES.index(each)]) for each in types}
    return AreaActivity(
        location=near.origin,
        radius_m=near.radius_m,
        score=int(score_components(components)[0]) / _WHOLE,
        percentile=_find_percentile(near, circles, words=words),
        summary=write_summary(counts, radius_m=near.radius_m, window=list_dates(near)),
        components=tuple(map(_show_component, components)),
        suggested_radius_m=_suggest_radius(near.point, layer),
        counts=Counts(**{name: counts.get(name, 0) for name in COLLECTIONS.values()}),
    )


def _show_component(component: Component) -> ActivityComponent:
    value = float(component.values[0])
    shown = None if np.isnan(value) else value if component.name == "free_share" else int(value)
    score = int(component.scores[0]) / _WHOLE
    return ActivityComponent(name=component.name, value=shown, score=score, weight=component.weight / _WHOLE)


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
    return int(100 * np.count_nonzero(others < own[0]) // max(others.size, 1))


def _suggest_radius(point: Point, layer: Layer) -> int:
    """The least of the ladder with enough in it, else its last."""
    nearest = layer.find_nearest(point, chord=find_chord(_LADDER[-1]), count=ENOUGH)
    metres = np.sort(find_metres(nearest.squares))
    if metres.size < ENOUGH:
        return _LADDER[-1]
    return next((each for each in _LADDER if metres[ENOUGH - 1] <= each), _LADDER[-1])


def write_summary(counts: Mapping[str, int], *, radius_m: int, window: tuple[date, date] | None) -> str:
    """`counts` by collection, of those that were asked for; `window`: where one of them has dates."""
    there = [_count_items(number, name) for name, number in counts.items() if number]
    when = "" if window is None else f" from {_write(window[0])} to {_write(window[1])}"
    return f"{_join(there) or 'Nothing'} within {radius_m:,} metres{when}."


def _count_items(number: int, name: str) -> str:
    return f"{number:,} {_SINGULAR[name] if number == 1 else name}"


def _join(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _write(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"
