"""How well a listing suits who stands at a point now (`docs/near.md` says the same):

    score = 0.45 × near + 0.30 × soon + 0.15 × confidence + 0.10 × ages
    near = 2,000 ÷ (2,000 + metres)
    soon = 7 ÷ (7 + days until it begins); 0.5 for what has no start: places, and what only goes on
    ages = 1 where the listing's ages reach a favoured band, 0 where they do not; 0.5 where they are not stated, or
           none is favoured

in thousandths, rounded half to even. A function of the listing, the point, the bands and the minute alone.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outings.contract.vocabulary import AGE_BANDS
from outings.release.mapped_table import NEVER

Array = NDArray[Any]

_NEAR, _SOON, _CONFIDENCE, _AGES = 0.45, 0.30, 0.15, 0.10
_HALF_METRES, _HALF_SECONDS = 2_000, 7 * 86_400
_UNKNOWN = 0.5
# A score's own, and what single precision does to a promise.
_ROUNDING = 0.51
# Metres that rounding may take.
_STEP = 1
_NOT_STATED = 1 << len(AGE_BANDS)


def score_listings(*, metres: Array, waits: Array, confidence: Array, ages: Array, favoured: int) -> Array:
    """Thousandths. `waits`: seconds, NEVER for what has no start; `ages`, `favoured`: bit sets over AGE_BANDS."""
    total = _NEAR * _fit_metres(metres) + _SOON * _fit_waits(waits) + _CONFIDENCE * confidence
    thousandths: Array = np.rint(1000 * (total + _AGES * _fit_ages(ages, favoured))).astype(np.int64)
    return thousandths


def score_promises(*, waits: Array, confidence: Array) -> Array:
    """What a listing has of its score wherever the point is, its ages left out."""
    promises: Array = _SOON * _fit_waits(waits) + _CONFIDENCE * confidence
    return promises


def bound_scores(*, metres: Array, promises: Array, is_favoured: bool) -> Array:
    """Thousandths that nothing exceeds that is no nearer and promises no more; `is_favoured`: whether any band is."""
    ages = _AGES * (1 if is_favoured else _UNKNOWN)
    bounds: Array = 1000 * (_NEAR * _fit_metres(metres) + promises + ages) + _ROUNDING
    return bounds


def reach_score(score: int, *, is_favoured: bool) -> float | None:
    """The metres beyond which nothing has so many thousandths; None where anything may have them."""
    rest = _SOON + _CONFIDENCE + _AGES * (1 if is_favoured else _UNKNOWN)
    near = ((score - _ROUNDING) / 1000 - rest) / _NEAR
    return max(_HALF_METRES / near - _HALF_METRES, 0) + _STEP if near > 0 else None


def _fit_metres(metres: Array) -> Array:
    near: Array = _HALF_METRES / (_HALF_METRES + metres)
    return near


def _fit_waits(waits: Array) -> Array:
    passed = _HALF_SECONDS + np.maximum(waits, 0).astype(np.float64)
    soon: Array = np.where(waits == NEVER, _UNKNOWN, _HALF_SECONDS / passed)
    return soon


def _fit_ages(ages: Array, favoured: int) -> Array:
    if not favoured:
        return np.full(ages.size, _UNKNOWN)
    fits: Array = np.where(ages & _NOT_STATED, _UNKNOWN, (ages & favoured) != 0)
    return fits
