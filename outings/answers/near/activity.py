"""The activity score of a point, from six components within a radius (`docs/near.md` says the same).

    component          value                                        score                    weight
    events             how many events                              value / (value + 20)     0.35
    classes            how many classes                             value / (value + 20)     0.15
    camps              how many camps                               value / (value + 10)     0.10
    places             how many places                              value / (value + 20)     0.20
    variety            how many different categories they have      value / categories       0.10
    free_share         free ÷ (free + paid)                         value                    0.10

    score = Σ weight × score ÷ Σ weight, over the requested collections, variety and free_share

Scores and weights are whole thousandths, rounded half to even, so that a reader who adds them up gets the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.near.index import NearIndex
from outings.answers.near.nearest import Circle, ShownListings, find_first_day, find_matches, open_shown
from outings.answers.near.request import Near, describe_near, list_notices, read_minute, resolve_near
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag
from outings.answers.rows.filters import CollectionScope, query_collections
from outings.answers.snapshot.distance import Point, find_chord, find_metres, make_unit_vector
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.envelope import encode_detail
from outings.contract.query import Query
from outings.contract.resources.directories import Bounds
from outings.contract.resources.finding import ActivityComponent, AreaActivity
from outings.contract.resources.listings import Counts
from outings.contract.resources.meta import ActivityMeta
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.snapshot import Snapshot

Array = NDArray[np.int64]

# Points along a side of the metro's bounds, for the percentile.
SIDE = 20
_ROUTE = next(route for route in ROUTES if route.name == "activity")
_DEFAULT_RADIUS = _ROUTE.parameters["radius_m"].default
assert isinstance(_DEFAULT_RADIUS, int)
RADIUS_M: int = _DEFAULT_RADIUS

# Type → the count that scores a half, and its weight in thousandths.
_COUNTED = {"event": (20, 350), "class": (20, 150), "camp": (10, 100), "place": (20, 200)}
_VARIETY, _FREE_SHARE = 100, 100
_WHOLE = 1000


class Tally(Struct, frozen=True, eq=False):
    """Counts near points: in each array a row for each point, and a column for each type. `categories` are bit sets."""

    counts: Array
    free: Array
    paid: Array
    categories: NDArray[np.uint64]


class Component(Struct, frozen=True, eq=False):
    """A component of the score. `values` by point, NaN for a share without a listing that states a price; `scores` by
    point and `weight`, in thousandths."""

    name: str
    values: NDArray[np.float64]
    scores: Array
    weight: int


def tally_circle(circle: Circle) -> Tally:
    """Count the listings in one circle, classes of a program once."""
    rows = circle.list_cards().rows
    prices = circle.index.count_prices(rows)[np.newaxis]
    return Tally(prices.sum(axis=2), prices[..., 1], prices[..., 0], circle.index.unite_categories(rows)[np.newaxis])


def list_components(tally: Tally, types: Sequence[str], *, words: int) -> list[Component]:
    """Compute the score's components. `types`: those that count; `words`: how many categories there are."""
    codes = [TYPES.index(listing_type) for listing_type in types]
    halves, weights = _weigh(tuple(types))
    counts = tally.counts[:, codes]
    categories = np.bitwise_count(np.bitwise_or.reduce(tally.categories[:, codes], axis=1))
    free, paid = tally.free[:, codes].sum(axis=1), tally.paid[:, codes].sum(axis=1)
    priced = free + paid
    # Without a listing that states a price there is no share, and it scores 0.
    shares = np.where(priced == 0, np.nan, free / np.maximum(priced, 1))
    variety = categories / max(words, 1)
    parts = np.column_stack((counts / (counts + halves), variety, np.where(priced == 0, 0, shares)))
    scores = np.rint(parts * _WHOLE).astype(np.int64)
    values = (*counts.astype(np.float64).T, categories.astype(np.float64), np.round(shares, 3))
    names = (*(COLLECTIONS[listing_type] for listing_type in types), "variety", "free_share")
    return [Component(*parts) for parts in zip(names, values, scores.T, weights, strict=True)]


def _weigh(types: tuple[str, ...]) -> tuple[NDArray[np.int64], tuple[int, ...]]:
    """Return the count at which each type scores a half, and the weights of all components."""
    own = [_COUNTED[listing_type] for listing_type in types]
    weights = [*(weight for _, weight in own), _VARIETY, _FREE_SHARE]
    given = tuple(int(np.rint(_WHOLE * weight / sum(weights))) for weight in weights)
    return np.array([half for half, _ in own], dtype=np.int64), given


def score_components(components: Sequence[Component]) -> Array:
    """Return scores in thousandths, by point."""
    total = sum(component.scores * component.weight for component in components)
    scores: Array = np.rint(total / sum(component.weight for component in components)).astype(np.int64)
    return scores


class PointSample(Struct, frozen=True, eq=False):
    """Points all over a metro's bounds, and the counts within the default radius of each, by the default filters on
    the snapshot's date."""

    shown: ShownListings
    tally: Tally

    def score(self, types: tuple[str, ...], *, words: int) -> Array:
        """Return the scores of the points, without those that have no listing of these types within the radius,
        because few people live there."""
        reached = self.tally.counts[:, [TYPES.index(listing_type) for listing_type in types]].any(axis=1)
        return score_components(list_components(self.tally, types, words=words))[reached]


def open_sample(reader: SnapshotReader) -> PointSample:
    scope = CollectionScope(route=_ROUTE.name, today=reader.date, vocabulary=reader.vocabulary)
    collections, _ = query_collections((), tuple(COLLECTIONS), scope)
    rows = find_matches(collections, reader)
    shown = ShownListings(reader.open_index(NearIndex), rows, start=find_first_day(collections))
    chord = find_chord(RADIUS_M)
    tallies = [tally_circle(Circle(shown, point, chord)) for point in _list_points(reader.metro.bounds)]
    columns = ([getattr(tally, name) for tally in tallies] for name in Tally.__struct_fields__)
    return PointSample(shown, Tally(*map(np.concatenate, columns)))


def _list_points(bounds: Bounds) -> Iterator[Point]:
    """Yield the middles of SIDE × SIDE fields; a metro may lie on both sides of the date line."""
    width = (bounds.east - bounds.west) % 360
    for row in range(SIDE):
        lat = bounds.south + (bounds.north - bounds.south) * (row + 0.5) / SIDE
        for column in range(SIDE):
            yield make_unit_vector(lat, bounds.west + width * (column + 0.5) / SIDE)


# Listings in a suggested radius.
ENOUGH = 20
_RADII = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)

_encoder = msgspec.json.Encoder()


def plan_activity(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    near = resolve_near(query, snapshot=snapshot, context=context, minute=read_minute(context))
    tag = make_tag("activity", query.text, snapshot.hash, near.minute, context.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_activity(near))


def answer_activity(near: Near) -> list[bytes]:
    """Return the body as parts."""
    shown, chord = open_shown(near, open_snapshot(near.snapshot)), find_chord(near.radius_m)
    data = measure_activity(near, shown, Circle(shown, near.point, chord))
    notices = list_notices(near, hidden=shown.count_hidden(near.point, chord=chord, is_open=False))
    meta = _encoder.encode(ActivityMeta(**describe_near(near)))
    return encode_detail(_encoder.encode(data), meta=meta, notices=notices)


def measure_activity(near: Near, shown: ShownListings, circle: Circle) -> AreaActivity:
    """Measure the activity of a request's point. `circle`: the request's own."""
    tally = tally_circle(circle)
    types, words = tuple(near.filters.collections), len(near.snapshot.vocabulary.categories)
    components = list_components(tally, types, words=words)
    counts = {listing_type: int(tally.counts[0, TYPES.index(listing_type)]) for listing_type in types}
    return AreaActivity(
        location=near.origin,
        radius_m=near.radius_m,
        score=int(score_components(components)[0]) / _WHOLE,
        percentile=_find_percentile(near, words=words),
        summary=_write_summary(counts, near),
        components=tuple(map(_show_component, components)),
        suggested_radius_m=_suggest_radius(near.point, shown),
        counts=Counts(**{collection: counts.get(name, 0) for name, collection in COLLECTIONS.items()}),
    )


def _show_component(component: Component) -> ActivityComponent:
    value = float(component.values[0])
    shown = None if np.isnan(value) else value if component.name == "free_share" else int(value)
    score = int(component.scores[0]) / _WHOLE
    return ActivityComponent(name=component.name, value=shown, score=score, weight=component.weight / _WHOLE)


def _find_percentile(near: Near, *, words: int) -> int:
    """Return how many in 100 of the metro's points are less lively, all with the default radius and window."""
    sample, types = open_snapshot(near.snapshot).open_index(open_sample), tuple(near.filters.collections)
    tally = tally_circle(Circle(sample.shown, near.point, find_chord(RADIUS_M)))
    own = score_components(list_components(tally, types, words=words))
    others = sample.score(types, words=words)
    return int(100 * np.count_nonzero(others < own[0]) // max(others.size, 1))


def _suggest_radius(point: Point, shown: ShownListings) -> int:
    """Return the least radius of `_RADII` with enough listings in it, else the last."""
    nearest = shown.find_nearest(point, chord=find_chord(_RADII[-1]), count=ENOUGH)
    metres = find_metres(nearest.squares)
    enough = [radius for radius in _RADII if metres.size == ENOUGH and metres[-1] <= radius]
    return min(enough, default=_RADII[-1])


def _write_summary(counts: Mapping[str, int], near: Near) -> str:
    """Write the summary. `counts`: by requested type. A window that is not over is told from today on."""
    there = [f"{number:,} {name if number == 1 else COLLECTIONS[name]}" for name, number in counts.items() if number]
    joined = " and ".join(filter(None, (", ".join(there[:-1]), *there[-1:])))
    start, end, today, when = near.filters.window.from_, near.filters.window.to, near.now.date, ""
    if start is not None and end is not None:
        first = start if end < today else max(start, today)
        when = f" from {_format_date(first)} to {_format_date(end)}"
    return f"{joined or 'Nothing'} within {near.radius_m:,} metres{when}."


def _format_date(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"
