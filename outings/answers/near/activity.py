"""The activity around a point: `/v1/{metro}/activity`, and the header of `around`."""

from collections.abc import Mapping
from datetime import date

import msgspec
import numpy as np

from outings.answers.context import AnswerContext
from outings.answers.near.liveliness import (
    RADIUS_M,
    Component,
    list_components,
    open_sample,
    score_components,
    tally_circle,
)
from outings.answers.near.meta import encode_near_meta, list_dates
from outings.answers.near.request import Near, list_notices, read_minute, settle_near
from outings.answers.near.shown import Circle, ShownListings, open_shown
from outings.answers.plan import AnswerPlan, make_tag
from outings.answers.snapshot.distance import Point, find_chord, find_metres
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.envelope import encode_object
from outings.contract.query import Query
from outings.contract.resources.finding import ActivityComponent, AreaActivity
from outings.contract.resources.listings import Counts
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.snapshot import Snapshot

# A radius that is suggested has this many listings.
ENOUGH = 20
_LADDER = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
_WHOLE = 1000
_SINGULAR = {"events": "event", "classes": "class", "camps": "camp", "places": "place"}

_encoder = msgspec.json.Encoder()


def plan_activity(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    near = settle_near(query, snapshot=snapshot, about=about, minute=read_minute(about))
    tag = make_tag("activity", query.text, snapshot.hash, near.minute, about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_activity(near))


def answer_activity(near: Near) -> list[bytes]:
    """Return the body as parts."""
    shown, chord = open_shown(near, open_snapshot(near.snapshot)), find_chord(near.radius_m)
    data = measure_activity(near, shown, Circle(shown, near.point, chord))
    notices = list_notices(near, hidden=shown.count_hidden(near.point, chord=chord, is_open=False))
    return encode_object(_encoder.encode(data), meta=encode_near_meta(near), notices=notices)


def measure_activity(near: Near, shown: ShownListings, circle: Circle) -> AreaActivity:
    """`circle`: the request's own."""
    tally = tally_circle(circle)
    types, words = tuple(near.collections), len(near.snapshot.vocabulary.categories)
    components = list_components(tally, types, words=words)
    counts = {COLLECTIONS[each]: int(tally.counts[0, TYPES.index(each)]) for each in types}
    return AreaActivity(
        location=near.origin,
        radius_m=near.radius_m,
        score=int(score_components(components)[0]) / _WHOLE,
        percentile=_find_percentile(near, words=words),
        summary=write_summary(counts, radius_m=near.radius_m, window=list_dates(near)),
        components=tuple(map(_show_component, components)),
        suggested_radius_m=_suggest_radius(near.point, shown),
        counts=Counts(**{name: counts.get(name, 0) for name in COLLECTIONS.values()}),
    )


def _show_component(component: Component) -> ActivityComponent:
    value = float(component.values[0])
    shown = None if np.isnan(value) else value if component.name == "free_share" else int(value)
    score = int(component.scores[0]) / _WHOLE
    return ActivityComponent(name=component.name, value=shown, score=score, weight=component.weight / _WHOLE)


def _find_percentile(near: Near, *, words: int) -> int:
    """Return how many in 100 of the metro's points are less lively, all with the default radius and window of the
    snapshot's date."""
    sample, types = open_snapshot(near.snapshot).open_index(open_sample), tuple(near.collections)
    tally = tally_circle(Circle(sample.shown, near.point, find_chord(RADIUS_M)))
    own = score_components(list_components(tally, types, words=words))
    others = sample.score(types, words=words)
    return int(100 * np.count_nonzero(others < own[0]) // max(others.size, 1))


def _suggest_radius(point: Point, shown: ShownListings) -> int:
    """Return the least radius of the ladder with enough listings in it, else its last."""
    nearest = shown.find_nearest(point, chord=find_chord(_LADDER[-1]), count=ENOUGH)
    metres = find_metres(nearest.squares)
    if metres.size < ENOUGH:
        return _LADDER[-1]
    return next((each for each in _LADDER if metres[-1] <= each), _LADDER[-1])


def write_summary(counts: Mapping[str, int], *, radius_m: int, window: tuple[date, date] | None) -> str:
    """`counts`: by requested collection; `window`: where one of them has dates."""
    there = [_count_items(number, name) for name, number in counts.items() if number]
    when = "" if window is None else f" from {_write(window[0])} to {_write(window[1])}"
    return f"{_join(there) or 'Nothing'} within {radius_m:,} metres{when}."


def _count_items(number: int, name: str) -> str:
    return f"{number:,} {_SINGULAR[name] if number == 1 else name}"


def _join(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _write(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"
