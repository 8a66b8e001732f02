"""In which bucket of a facet each listing of a snapshot is: numbers by row, and how numbers are counted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.contract.vocabulary import AGE_BANDS, PRICE_BANDS

Numbers = NDArray[Any]

# What they are made of.
LISTINGS = ("categories", "is_free", "price_min", "age_min", "age_max", "organization_id")
ORGANIZATIONS = ("id", "name", "name_key")


class Buckets:
    """`categories` numbers `category_sets`, bit sets over the vocabulary; `prices` numbers PRICE_BANDS, `ages` is a bit
    set over AGE_BANDS, `organizations` numbers `organization_names`. One more than the last, or the bit after it,
    stands for "not stated". An age past all bands is in none of them, and is stated.
    """

    def __init__(self, frame: pl.DataFrame, organizations: pl.DataFrame) -> None:
        sets, numbers = np.unique(frame["categories"].fill_null(0).to_numpy(), return_inverse=True)
        self.category_sets: Numbers = sets
        self.categories: Numbers = numbers.astype(np.uint32)
        self.is_free: Numbers = frame["is_free"].fill_null(value=False).to_numpy()
        self.prices: Numbers = number_prices(frame)
        self.ages: Numbers = pack_ages(frame)
        known = organizations.select(ORGANIZATIONS).sort("name_key", "id")
        self.organization_names: Sequence[tuple[str, str]] = known.select("id", "name").rows()
        self.organizations: Numbers = _number_organizations(frame, known["id"])


def number_prices(frame: pl.DataFrame) -> Numbers:
    """Return the place of each row in PRICE_BANDS: `free` is the first, the others follow by price."""
    least = [price for price in PRICE_BANDS.values() if price is not None]
    numbers: Numbers = np.digitize(frame["price_min"].fill_null(-1.0).to_numpy(), least)
    numbers[numbers == 0] = len(PRICE_BANDS)
    numbers[frame["is_free"].fill_null(value=False).to_numpy()] = 0
    packed: Numbers = numbers.astype(np.uint8)
    return packed


def pack_ages(frame: pl.DataFrame) -> Numbers:
    """A bit set over AGE_BANDS by row; the bit after the last stands for "not stated"."""
    low, high = pl.col("age_min"), pl.col("age_max")
    is_unstated = low.is_null() & high.is_null()
    bits = pl.when(is_unstated).then(1 << len(AGE_BANDS)).otherwise(0)
    for index, (first, last) in enumerate(AGE_BANDS.values()):
        overlaps = (low.is_null() | (low <= last)) & (high.is_null() | (high >= first)) & ~is_unstated
        bits = bits + pl.when(overlaps).then(1 << index).otherwise(0)
    return frame.select(bits.cast(pl.UInt8)).to_series().to_numpy()


def _number_organizations(frame: pl.DataFrame, known: pl.Series) -> Numbers:
    """The build writes a row for every organization that a listing names."""
    numbered = pl.DataFrame({"organization_id": known}).with_row_index("number")
    joined = frame.select("organization_id").join(numbered, on="organization_id", how="left", maintain_order="left")
    return joined["number"].fill_null(len(known)).to_numpy()


def spread_bits(sets: Numbers, width: int) -> Numbers:
    """Bit sets → a row each of zeros and ones, the lowest bit first."""
    bits: Numbers = (sets[:, np.newaxis] >> np.arange(width, dtype=sets.dtype)) & 1
    return bits.astype(np.int64)


def spread_categories(sets: Numbers, width: int) -> Numbers:
    """`spread_bits` with a last column for rows without any bit."""
    return np.column_stack((spread_bits(sets, width), sets == 0)).astype(np.int64)


def count_numbers(numbers: Numbers, size: int) -> Numbers:
    """How often each number below `size` is there."""
    counts: Numbers = np.bincount(numbers, minlength=size)
    return counts


def count_bits(numbers: Numbers, width: int) -> Numbers:
    """How many of the bit sets have each bit."""
    sets = np.arange(1 << width, dtype=np.int64)
    counts: Numbers = count_numbers(numbers, sets.size) @ spread_bits(sets, width)
    return counts
