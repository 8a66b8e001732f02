"""How much one listing is like another, from 0 to 1. docs/addons.md has the formula in words."""

import numpy as np
from numpy.typing import NDArray

from pipeline.tables.traits import Floats, Numbers, Traits

# What a score is made of, with the weight of each part.
CATEGORIES, AGES, DISTANCE, WEEK = 0.5, 0.2, 0.2, 0.1
HALF_DISTANCE_M = 2_000
UNKNOWN_AGES = 0.5


def weigh_categories(categories: NDArray[np.uint64]) -> Floats:
    """By bit: the rarer among the candidates, the more; 0 of one that none of them has."""
    counts = np.array([int((categories >> np.uint64(bit) & np.uint64(1)).sum()) for bit in range(64)])
    weights = np.log1p(categories.size / np.maximum(counts, 1))
    return np.where(counts > 0, weights, 0).astype(np.float32)


def score_likeness(rows: Numbers, candidates: Numbers, weights: Floats, traits: Traits) -> Floats:
    """From 0 to 1, a row of them for each listing."""
    own = rows[:, np.newaxis]
    parts = (
        (CATEGORIES, _compare_categories(rows, candidates, weights, traits)),
        (AGES, _compare_ages(own, candidates, traits)),
        (DISTANCE, _compare_places(own, candidates, traits)),
        (WEEK, _compare_weeks(own, candidates, traits)),
    )
    score = np.zeros(candidates.shape, dtype=np.float32)
    for weight, part in parts:
        score += np.float32(weight) * part
    return score


def _compare_categories(rows: Numbers, candidates: Numbers, weights: Floats, traits: Traits) -> Floats:
    """The weight of the shared ones, as a part of that of all that either has."""
    kinds, at = np.unique(traits.kinds[rows], return_inverse=True)
    others = _spread_bits(traits.sets)
    own = others[kinds]
    shared = (own * weights) @ others.T
    either = (own @ weights)[:, np.newaxis] + others @ weights - shared
    similarity = np.divide(shared, either, out=np.zeros_like(shared), where=either > 0)
    compared: Floats = similarity[at[:, np.newaxis], traits.kinds[candidates]]
    return compared


def _spread_bits(sets: NDArray[np.uint64]) -> Floats:
    bits: Floats = (sets[:, np.newaxis] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).astype(np.float32)
    return bits


def _compare_ages(own: Numbers, candidates: Numbers, traits: Traits) -> Floats:
    """The years that both have, as a part of all from the youngest to the oldest of either."""
    low, high = traits.youngest[own], traits.oldest[own]
    other_low, other_high = traits.youngest[candidates], traits.oldest[candidates]
    both = np.minimum(high, other_high) - np.maximum(low, other_low) + 1
    either = np.maximum(high, other_high) - np.minimum(low, other_low) + 1
    overlap = np.maximum(both, 0) / either.astype(np.float32)
    is_unknown = (low > high) | (other_low > other_high)
    return np.where(is_unknown, np.float32(UNKNOWN_AGES), overlap).astype(np.float32)


def _compare_places(own: Numbers, candidates: Numbers, traits: Traits) -> Floats:
    """1 at the same point, a half at 2 km, 0 where either has none."""
    squares = np.zeros(candidates.shape, dtype=np.float32)
    for axis in traits.points:
        squares += (axis[own] - axis[candidates]) ** 2
    near = 1 / (1 + np.sqrt(squares) / np.float32(HALF_DISTANCE_M))
    return np.nan_to_num(near, nan=0).astype(np.float32)


def _compare_weeks(own: Numbers, candidates: Numbers, traits: Traits) -> Floats:
    """1 where both are at one block of one weekday, a half where on one weekday."""
    is_slot = (traits.slots[own] & traits.slots[candidates]) != 0
    is_day = (traits.days[own] & traits.days[candidates]) != 0
    alike: Floats = np.maximum(is_slot.astype(np.float32), is_day * np.float32(0.5))
    return alike
