"""How lively a point is, by what is within a radius of it: a score from six components (`docs/near.md` says the same).

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

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.near.circles import LAST, Circles
from outings.answers.near.kinds import ALL, FREE, PAID, Counts
from outings.answers.near.layer import Layer
from outings.contract.vocabulary import COLLECTIONS, TYPES

Array = NDArray[np.int64]

# Collection → the count that scores a half, and its weight in thousandths.
_COUNTED = {"events": (20, 350), "classes": (20, 150), "camps": (10, 100), "places": (20, 200)}
_VARIETY, _FREE_SHARE = 100, 100
_WHOLE = 1000


class Tally(Struct, frozen=True, eq=False):
    """Of points, a row each, by type: how many listings, how many of them are free and how many cost something, and bit
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


def tally_layer(layer: Layer, circles: Circles, counts: Counts | None = None) -> Tally:
    """Of one point: what a layer shows in the last of its circles, which may be counted already."""
    if counts is None:
        (counts,) = layer.count(circles, LAST)
    all_, free, paid = (np.rint(counts[part]).astype(np.int64)[np.newaxis] for part in (ALL, FREE, PAID))
    return Tally(all_, free, paid, layer.unite_categories(circles)[np.newaxis])


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
