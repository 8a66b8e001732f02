"""Add the results of an embedding model to a search: listings near the query's words become `related`; no other
changes."""

import numpy as np
from msgspec import Struct

from outings.answers.search.matches import PARTIAL, RELATED_WORDS, SearchMatches
from outings.answers.semantic.model import Model
from outings.answers.semantic.vectors import Similarities, Vectors
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.release.snapshot import Snapshot

# A score in thousandths of a listing that means exactly the same: what a related word in a name has.
_MOST = 600


class Semantic(Struct, frozen=True, eq=False):
    """A snapshot's vectors with the model that made them."""

    vectors: Vectors
    model: Model

    @property
    def tag(self) -> tuple[str, float]:
        """Return the part of an answer's ETag that identifies the model."""
        return self.model.hash, self.model.least

    def measure(self, words: tuple[str, ...]) -> Similarities:
        """Return the similarity of each listing to the searched words, by row: a cosine, -1 without a vector."""
        return self.vectors.measure_all(self.model.embed_query(" ".join(words)))


def open_semantic(snapshot: Snapshot, model: Model | None) -> Semantic | None:
    """Open the vectors of a snapshot. Return None without a model, or if they are of another model. Raises Corrupt if a
    file is broken."""
    files = snapshot.semantic
    if model is None or files is None or files.model != model.hash:
        return None
    return Semantic(open_snapshot(snapshot).open_index(_open_vectors), model)


def _open_vectors(reader: SnapshotReader) -> Vectors:
    assert reader.semantic is not None
    return Vectors(reader.semantic)


def add_near(matched: SearchMatches, similarities: Similarities, *, least: float) -> SearchMatches:
    """Add every listing with a similarity of `least` or more to `matched`, rows ascending. A listing without a level,
    or with `partial`, becomes `related` with a score of 0.6 × its similarity, or its own if that is higher; others are
    unchanged.

    The score still depends on only the listing and the words.
    """
    near = np.flatnonzero(similarities >= least)
    rows = np.union1d(matched.rows, near)
    levels = np.full(rows.size, PARTIAL, dtype=np.int64)
    scores = np.zeros(rows.size, dtype=np.int64)
    own = np.searchsorted(rows, matched.rows)
    levels[own], scores[own] = matched.levels, matched.score(matched.rows)
    places = np.searchsorted(rows, near)
    lifted = places[levels[places] == PARTIAL]
    levels[lifted] = RELATED_WORDS
    gains = np.rint(_MOST * np.clip(similarities[rows[lifted]], 0, 1)).astype(np.int64)
    scores[lifted] = np.maximum(scores[lifted], gains)
    return SearchMatches(rows, levels, lambda some: scores[np.searchsorted(rows, some)], similarities[rows])
