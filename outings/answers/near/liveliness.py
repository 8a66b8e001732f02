"""The activity score of a point, from six components within a radius (`docs/near.md` says the same).

    component          value                                        score                    weight
    events             how many events                              value / (value + 20)     0.35
    classes            how many classes                             value / (value + 20)     0.15
    camps              how many camps                               value / (value + 10)     0.10
    places             how many places                              value / (value + 20)     0.20
    variety            how many different categories they have      value / categories       0.10
    free_share         free of those that state a price             value                    0.10

    score = Σ weight × score ÷ Σ weight, over the collections that are asked for and the last two

Scores and weights are whole thousandths, rounded half to even, so that a reader who adds them up gets the same.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.cache import LruCache
from outings.answers.near.index import open_near
from outings.answers.near.kinds import ALL, FREE, PAID
from outings.answers.near.shown import Circle, ShownListings, find_first_day, find_matches
from outings.answers.rows.selection import CollectionScope, query_collections
from outings.answers.snapshot.distance import Point, find_chord, make_unit_vector
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.resources.directories import Bounds
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import COLLECTIONS, TYPES

Array = NDArray[np.int64]

# Points a side of the metro's bounds, of which a percentile is taken.
SIDE = 20
# Sets of types whose scores of these points are kept.
_TYPES = 16
_ROUTE = next(route for route in ROUTES if route.name == "activity")
_DEFAULT_RADIUS = _ROUTE.parameters["radius_m"].default
assert isinstance(_DEFAULT_RADIUS, int)
RADIUS_M: int = _DEFAULT_RADIUS

# Collection → the count that scores a half, and its weight in thousandths.
_COUNTED = {"events": (20, 350), "classes": (20, 150), "camps": (10, 100), "places": (20, 200)}
_VARIETY, _FREE_SHARE = 100, 100
_WHOLE = 1000


class Tally(Struct, frozen=True, eq=False):
    """Counts of the listings about points, a row each, by type: all, the free ones, those that cost something, and bit
    sets of their categories."""

    counts: Array
    free: Array
    paid: Array
    categories: NDArray[np.uint64]


class Component(Struct, frozen=True, eq=False):
    """`values` of points; NaN where there is none. `scores` and `weight` in thousandths."""

    name: str
    values: NDArray[np.float64]
    scores: Array
    weight: int


def tally_circle(circle: Circle) -> Tally:
    """Count the cards of one circle."""
    all_, free, paid = (np.rint(circle.counts[part]).astype(np.int64)[np.newaxis] for part in (ALL, FREE, PAID))
    return Tally(all_, free, paid, circle.index.categories.unite(circle.cards.rows)[np.newaxis])


def list_components(tally: Tally, types: Sequence[str], *, words: int) -> list[Component]:
    """`types`: those that count; `words`: how many categories there are."""
    codes = [TYPES.index(each) for each in types]
    halves, weights = _weigh(tuple(types))
    counts = tally.counts[:, codes]
    categories = np.bitwise_count(np.bitwise_or.reduce(tally.categories[:, codes], axis=1))
    free, paid = tally.free[:, codes].sum(axis=1), tally.paid[:, codes].sum(axis=1)
    priced = free + paid
    # A share of nothing is no number, and scores 0.
    shares = np.where(priced == 0, np.nan, free / np.maximum(priced, 1))
    variety = categories / max(words, 1)
    scores = _rints(np.column_stack((counts / (counts + halves), variety, np.where(priced == 0, 0, shares))))
    values = (*counts.astype(np.float64).T, categories.astype(np.float64), np.round(shares, 3))
    names = (*(COLLECTIONS[each] for each in types), "variety", "free_share")
    return [Component(*each) for each in zip(names, values, scores.T, weights, strict=True)]


@lru_cache
def _weigh(types: tuple[str, ...]) -> tuple[NDArray[np.int64], tuple[int, ...]]:
    """The count of each that scores a half; the weights, the last two components' too."""
    own = [_COUNTED[COLLECTIONS[each]] for each in types]
    weights = [*(weight for _, weight in own), _VARIETY, _FREE_SHARE]
    given = tuple(int(np.rint(_WHOLE * weight / sum(weights))) for weight in weights)
    return np.array([half for half, _ in own], dtype=np.int64), given


def score_components(components: Sequence[Component]) -> Array:
    """Thousandths, by point."""
    total = sum(each.scores * each.weight for each in components)
    scores: Array = np.rint(total / sum(each.weight for each in components)).astype(np.int64)
    return scores


def _rints(shares: NDArray[np.float64]) -> Array:
    thousandths: Array = np.rint(shares * _WHOLE).astype(np.int64)
    return thousandths


class PointSample(Struct, frozen=True, eq=False):
    """Points all over a metro's bounds, and how lively each is with the default radius and filters of the snapshot's
    date, whatever the minute. Points without any listing in reach are left out: few people live there."""

    shown: ShownListings
    tally: Tally
    known: LruCache[tuple[str, ...], Array]

    def score(self, types: tuple[str, ...], *, words: int) -> Array:
        """Return the scores of the points within reach of a listing of these types. `words`: how many categories there
        are."""
        return self.known.read(types, lambda: self._score(types, words=words))

    def _score(self, types: tuple[str, ...], *, words: int) -> Array:
        reached = self.tally.counts[:, [TYPES.index(each) for each in types]].any(axis=1)
        return score_components(list_components(self.tally, types, words=words))[reached]


def open_sample(reader: SnapshotReader) -> PointSample:
    scope = CollectionScope(route=_ROUTE.name, today=reader.date, vocabulary=reader.vocabulary)
    collections = query_collections((), tuple(COLLECTIONS), scope).collections
    rows = find_matches(collections, reader)
    shown = ShownListings(reader.open_index(open_near), rows, start=find_first_day(collections))
    chord = find_chord(RADIUS_M)
    tallies = [tally_circle(Circle(shown, point, chord)) for point in _list_points(reader.metro.bounds)]
    columns = ([getattr(each, name) for each in tallies] for name in Tally.__struct_fields__)
    return PointSample(shown, Tally(*map(np.concatenate, columns)), LruCache(size=_TYPES))


def _list_points(bounds: Bounds) -> Iterator[Point]:
    """Yield the middles of SIDE × SIDE fields; a metro may lie on both sides of the date line."""
    width = (bounds.east - bounds.west) % 360
    for row in range(SIDE):
        lat = bounds.south + (bounds.north - bounds.south) * (row + 0.5) / SIDE
        for column in range(SIDE):
            yield make_unit_vector(lat, bounds.west + width * (column + 0.5) / SIDE)
