"""Arrays read one value at a time: a memoryview gives plain Python numbers, ten times faster than NumPy does."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray


def view_array(values: NDArray[Any] | pl.Series) -> "memoryview[int]":
    """No copy where the array is one piece. ValueError for a column with nulls: fill them first."""
    if isinstance(values, pl.Series):
        if values.null_count():
            raise ValueError(f"column {values.name} has {values.null_count()} nulls")
        values = values.to_numpy()
    return np.ascontiguousarray(values).data
