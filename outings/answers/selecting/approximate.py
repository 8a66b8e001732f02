"""What is known only by its zip, and shown where a reader takes that for near enough: named in a notice."""

from collections.abc import Sequence

from outings.answers.snapshot.reader import Opened
from outings.contract.notices import Notice, approximate_rows
from outings.contract.query import Query


def list_approximate(query: Query, rows: Sequence[int], opened: Opened) -> tuple[Notice, ...]:
    """`rows`: those shown in a circle."""
    has_circle = "lat" in query.values or "near_zip" in query.values
    if not has_circle or not query.get("include_approximate"):
        return ()
    ids = opened.list_unplaced(rows)
    return (approximate_rows(ids),) if ids else ()
