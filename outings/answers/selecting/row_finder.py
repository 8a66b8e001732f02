"""Conditions answered by row numbers, or by a test of rows."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from outings.answers.selecting.predicate import HasId, InZips, Matches, NearZip, Within
from outings.answers.snapshot.distance import Vectors, lie_near
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.row_index import RowIndex
from outings.answers.snapshot.terms import Terms, open_terms
from outings.answers.snapshot.zips import Zips, open_stated_zips, open_zips
from outings.contract.vocabulary import TYPES

Rows = NDArray[np.uint32]


class RowFinder:
    """Find rows of one snapshot. What is passed as a function is opened at its first use; there may be no zips."""

    def __init__(
        self,
        listings: RowIndex,
        *,
        vectors: Vectors,
        open_terms: Callable[[], Terms],
        open_zips: Callable[[], Zips | None],
        open_stated: Callable[[], Mapping[str, Rows]],
    ) -> None:
        self._listings = listings
        self._vectors = vectors
        self._open_terms, self._open_zips, self._open_stated = open_terms, open_zips, open_stated

    def find_rows(self, condition: InZips | Matches | HasId, listing_type: str) -> Rows:
        """The rows that meet it, rising. Of other types and statuses too."""
        match condition:
            case InZips(codes):
                stated = self._open_stated()
                parts = [stated[code] for code in codes if code in stated]
                return np.sort(np.concatenate(parts)) if parts else np.empty(0, dtype=np.uint32)
            case Matches(text):
                return self._open_terms().find_rows(text, size=len(self._listings))
            case HasId(ids):
                rows = (self._listings.find_id(each, type_code=TYPES.index(listing_type)) for each in ids)
                return np.array(sorted(row for row in rows if row is not None), dtype=np.uint32)

    def test_near(self, circle: Within | NearZip, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the rows lie in the circle."""
        lat, lng = self._find_middle(circle)
        near = lie_near([each[rows] for each in self._vectors], lat=lat, lng=lng, radius_m=circle.radius_m)
        if not circle.is_approximate:
            return near
        by_zip = [each[rows] for each in self._read_zips().vectors]
        is_unplaced = np.isnan(self._vectors[0][rows])
        return near | (is_unplaced & lie_near(by_zip, lat=lat, lng=lng, radius_m=circle.radius_m))

    def _find_middle(self, circle: Within | NearZip) -> tuple[float, float]:
        if isinstance(circle, Within):
            return circle.lat, circle.lng
        point = self._read_zips().find_centroid(circle.zip)
        assert point is not None, "a request's zip was checked"
        return point

    def _read_zips(self) -> Zips:
        zips = self._open_zips()
        assert zips is not None, "a request's zip was checked"
        return zips


def open_row_finder(reader: SnapshotReader) -> RowFinder:
    return RowFinder(
        reader.listings,
        vectors=reader.rows.vectors,
        open_terms=reader.defer(open_terms),
        open_zips=reader.defer(open_zips),
        open_stated=reader.defer(open_stated_zips),
    )
