"""What is known only by its zip, and shown where a reader takes that for near enough: named in a notice."""

from collections.abc import Sequence

import numpy as np

from outings.answers.documents.fields import read_id
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.envelope import Notice, approximate_rows
from outings.contract.query import Query


def list_approximate(query: Query, rows: Sequence[int], opened: SnapshotReader) -> tuple[Notice, ...]:
    """`rows`: those shown in a circle."""
    has_circle = "lat" in query.values or "near_zip" in query.values
    if not has_circle or not query.get("include_approximate"):
        return ()
    lats = opened.rows.vectors[0]
    ids = [read_id(opened.read_document(row))[1] for row in rows if np.isnan(lats[row])]
    return (approximate_rows(ids),) if ids else ()
