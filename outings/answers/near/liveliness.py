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

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.near.index import NearIndex
from outings.answers.near.tiles import Rows
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


def tally_rows(rows: Rows, index: NearIndex) -> Tally:
    """Of one point: what was found near it."""
    types, free = index.types[rows], index.is_free[rows]
    size = len(TYPES)
    words = index.categories[rows].astype(np.uint64)
    categories = np.array([np.bitwise_or.reduce(words[types == code]) for code in range(size)], dtype=np.uint64)
    return Tally(
        np.bincount(types, minlength=size)[np.newaxis],
        np.bincount(types[free == 1], minlength=size)[np.newaxis],
        np.bincount(types[free == 0], minlength=size)[np.newaxis],
        categories[np.newaxis],
    )


def list_components(tally: Tally, types: Sequence[str], *, words: int) -> list[Component]:
    """`types`: those that count; `words`: how many categories there are."""
    codes = [TYPES.index(each) for each in types]
    found = [_count(COLLECTIONS[each], tally.counts[:, TYPES.index(each)]) for each in types]
    categories = np.bitwise_count(np.bitwise_or.reduce(tally.categories[:, codes], axis=1)).astype(np.int64)
    free, paid = tally.free[:, codes].sum(axis=1), tally.paid[:, codes].sum(axis=1)
    priced = free + paid
    with np.errstate(invalid="ignore"):
        shares = np.divide(free, priced)
    weights = [_COUNTED[each.name][1] for each in found] + [_VARIETY, _FREE_SHARE]
    given = [_rint(_WHOLE * weight / sum(weights)) for weight in weights]
    variety = Component("variety", categories.astype(np.float64), _rints(categories / max(words, 1)), given[-2])
    share = Component("free_share", np.round(shares, 3), _rints(np.nan_to_num(shares)), given[-1])
    counted = [
        Component(each.name, each.values, each.scores, weight) for each, weight in zip(found, given[:-2], strict=True)
    ]
    return [*counted, variety, share]


def score_components(components: Sequence[Component]) -> Array:
    """Thousandths, by point."""
    total = sum(each.scores * each.weight for each in components)
    scores: Array = np.rint(total / sum(each.weight for each in components)).astype(np.int64)
    return scores


def _count(name: str, counts: Array) -> Component:
    half, weight = _COUNTED[name]
    return Component(name, counts.astype(np.float64), _rints(counts / (counts + half)), weight)


def _rints(shares: NDArray[np.float64]) -> Array:
    thousandths: Array = np.rint(shares * _WHOLE).astype(np.int64)
    return thousandths


def _rint(value: float) -> int:
    return int(np.rint(value))
