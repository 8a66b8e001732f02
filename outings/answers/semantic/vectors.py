"""Vectors of a snapshot's listings, stored in two tables, and their similarity to the vector of a query.

A vector is stored as int8: each number is a multiple of 1/127 of its largest one, `scale`. That changes a similarity by
less than 0.01 and takes a quarter of the space. Listings with the same text share a vector.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.answers.semantic.model import Vector
from outings.release.cache import MappedFile
from outings.release.mapped_table import MappedTable
from outings.release.snapshot import SemanticFiles

# A listing that is not published has no vector.
NO_VECTOR = (1 << 32) - 1
# Vectors that are made numbers again at once: they stay in the processor's cache, and BLAS starts no threads for them.
# 100,000 of 384 numbers take 15 ms.
_BLOCK = 512
_STEPS = 127

Similarities = NDArray[np.float32]


def encode_vector(vector: Vector) -> tuple[float, bytes]:
    """Return the vector's scale and its int8 numbers."""
    scale = float(np.abs(vector).max(initial=0))
    return scale, np.rint(vector / (scale or 1) * _STEPS).astype(np.int8).tobytes()


def make_vectors(encoded: Mapping[bytes, tuple[float, bytes]]) -> pl.DataFrame:
    """Make the table `vectors` from encoded vectors by the hash of their text."""
    steps = [np.frombuffer(data, dtype=np.int8) for _, data in encoded.values()]
    size = len(steps[0]) if steps else 1
    whole = np.array(steps, dtype=np.int8).reshape(len(steps), size)
    return pl.DataFrame(
        {
            "key": pl.Series(list(encoded), dtype=pl.Binary()),
            "scale": pl.Series([scale for scale, _ in encoded.values()], dtype=pl.Float32()),
            "vector": pl.Series(whole, dtype=pl.Array(pl.Int8(), size)),
        }
    )


def make_rows(keys: Sequence[bytes | None], *, order: Iterable[bytes]) -> pl.DataFrame:
    """Make the table `vector_rows`. `keys`: by a listing's row, None if it has no vector; `order`: the keys of
    `vectors`."""
    numbers = {key: number for number, key in enumerate(order)}
    rows = [NO_VECTOR if key is None else numbers[key] for key in keys]
    return pl.DataFrame({"vector": pl.Series(rows, dtype=pl.UInt32())})


def read_encoded(vectors: MappedFile) -> dict[bytes, tuple[float, bytes]]:
    """Return the encoded vectors by key: the argument of `make_vectors`."""
    frame = MappedTable(vectors).read_frame()
    steps = frame["vector"].to_numpy()
    pairs = zip(frame["scale"].to_list(), (vector.tobytes() for vector in steps), strict=True)
    return dict(zip(frame["key"].to_list(), pairs, strict=True))


class Vectors:
    """The vectors of a snapshot, opened."""

    def __init__(self, files: SemanticFiles) -> None:
        """Corrupt where a file is no mapped table."""
        table = MappedTable(files.vectors)
        self._scales: NDArray[np.float32] = table.read_array("scale")
        self._steps: NDArray[np.int8] = table.read_matrix("vector")
        self._rows: NDArray[np.uint32] = MappedTable(files.rows).read_array("vector")

    def __len__(self) -> int:
        """Return how many listings there are, including those without a vector."""
        return len(self._rows)

    def measure_all(self, query: Vector) -> Similarities:
        """Return the cosine of the query's vector and each listing's, by row; -1 if it has none."""
        similarities = np.full(len(self._scales) + 1, -1, dtype=np.float32)
        room = np.empty((_BLOCK, self._steps.shape[1]), dtype=np.float32)
        for start in range(0, len(self._scales), _BLOCK):
            end = min(start + _BLOCK, len(self._scales))
            block = room[: end - start]
            np.copyto(block, self._steps[start:end])
            np.dot(block, query, out=similarities[start:end])
        similarities[:-1] *= self._scales / _STEPS
        by_row: Similarities = similarities[np.minimum(self._rows, len(self._scales))]
        return by_row
