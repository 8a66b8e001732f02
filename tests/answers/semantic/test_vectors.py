"""What a build keeps of vectors tells how near a query is to each listing."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from outings.answers.semantic.model import Vector, scale_vector
from outings.answers.semantic.vectors import Vectors, encode_vector, make_rows, make_vectors, read_encoded
from outings.release.cache import MappedFile
from outings.release.mapped_table import encode_mapped
from outings.release.snapshot import SemanticFiles


def make_random(count: int, size: int, *, seed: int = 1) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).standard_normal((count, size)).astype(np.float32)
    return np.array([scale_vector(each) for each in made])


def put_vectors(vectors: dict[bytes, Vector], keys: list[bytes | None], folder: Path) -> SemanticFiles:
    encoded = {key: encode_vector(vector) for key, vector in vectors.items()}
    (folder / "vectors").write_bytes(encode_mapped(make_vectors(encoded)))
    (folder / "rows").write_bytes(encode_mapped(make_rows(keys, order=encoded)))
    files = SemanticFiles(model="given", files={name: MappedFile(folder / name) for name in ("vectors", "rows")})
    assert read_encoded(files.vectors) == encoded
    return files


def test_similarities_are_cosines_to_a_hundredth(tmp_path: Path) -> None:
    made = make_random(5_000, 48)
    keys: list[bytes | None] = [number.to_bytes(16, "big") for number in range(5_000)]
    vectors = Vectors(put_vectors({key: each for key, each in zip(keys, made, strict=True) if key}, keys, tmp_path))
    (query,) = make_random(1, 48, seed=2)
    assert len(vectors) == 5_000
    assert vectors.measure_all(query) == pytest.approx(made @ query, abs=0.01)


def test_listings_of_one_text_share_a_vector_and_one_without_is_as_far_as_can_be(tmp_path: Path) -> None:
    first, second = make_random(2, 8)
    vectors = Vectors(put_vectors({b"a": first, b"b": second}, [b"b", None, b"a", b"b"], tmp_path))
    similar = vectors.measure_all(first)[[3, 1, 2, 0]]
    assert similar[2] == pytest.approx(1, abs=0.01)
    assert similar[1] == -1
    assert similar[0] == similar[3] == pytest.approx(float(first @ second), abs=0.01)


def test_a_vector_that_says_nothing_is_near_nothing(tmp_path: Path) -> None:
    vectors = Vectors(put_vectors({b"a": np.zeros(8, dtype=np.float32)}, [b"a"], tmp_path))
    assert vectors.measure_all(make_random(1, 8)[0]).tolist() == [0]


def test_a_metro_without_listings_has_none(tmp_path: Path) -> None:
    assert Vectors(put_vectors({}, [], tmp_path)).measure_all(make_random(1, 8)[0]).tolist() == []
    assert Vectors(put_vectors({}, [None], tmp_path)).measure_all(make_random(1, 8)[0]).tolist() == [-1]
