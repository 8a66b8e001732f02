"""Postal codes: their centers, where the deployment has them, and the listings that state them."""

from collections.abc import Mapping, Sequence
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from outings.answers.snapshot.distance import Vectors, make_unit_vectors
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.envelope import Notice, approximate_rows
from outings.contract.errors import bad_request, not_implemented
from outings.contract.parameters import ZIPS
from outings.contract.query import Query
from outings.lazy_polars import pl
from outings.release.cache import MappedFile
from outings.release.tables import PUBLISHED, read_columns

Rows = NDArray[np.uint32]


class Zips:
    """The centers of postal codes, and of the codes of one snapshot's listings."""

    def __init__(self, centroids: MappedFile, *, listings: MappedFile) -> None:
        points = pl.read_parquet(BytesIO(centroids.view))
        self._points = {code: (lat, lng) for code, lat, lng in points.select("zip", "lat", "lng").iter_rows()}
        stated = read_columns(listings, "listings", ("row", "zip"))
        placed = stated.join(points, on="zip", how="left", maintain_order="left")
        lats, lngs = (placed[name].fill_null(float("nan")).to_numpy() for name in ("lat", "lng"))
        # By row: the center of its zip; NaN without a known one.
        self.vectors: Vectors = make_unit_vectors(lats, lngs)

    def find_centroid(self, code: str) -> tuple[float, float] | None:
        """Return the latitude and longitude of a code's center, or None."""
        return self._points.get(code)


def open_stated_zips(reader: SnapshotReader) -> Mapping[str, Rows]:
    """Return the published listings that state each postal code, in ascending order."""
    stated = read_columns(reader.tables["listings"], "listings", ("row", "zip", "status")).drop_nulls()
    grouped = stated.filter(pl.col("status") == PUBLISHED).group_by("zip").agg(pl.col("row").sort())
    return {code: np.array(rows, dtype=np.uint32) for code, rows in grouped.iter_rows()}


def open_zips(reader: SnapshotReader) -> Zips | None:
    """Open the postal codes, or return None if the deployment has no centers of them."""
    return Zips(reader.tables["zips"], listings=reader.tables["listings"]) if "zips" in reader.tables else None


def check_zips(query: Query, reader: SnapshotReader) -> None:
    """Raise 501 for a parameter of postal codes if the deployment has no centers, and 400 for an unknown `near_zip`."""
    parameter = next((name for name in ZIPS if name in query.values), None)
    if parameter is None:
        return
    zips = reader.open_index(open_zips)
    if zips is None:
        raise not_implemented(f"{parameter} is not supported: this deployment knows no postal codes.", param=parameter)
    code = query.get_as("near_zip", str)
    if code is not None and zips.find_centroid(code) is None:
        message = f"near_zip is {code!r}, which is not known here; send another one, or lat and lng."
        raise bad_request(param="near_zip", reason="invalid_value", message=message)


def find_centre(query: Query, reader: SnapshotReader) -> tuple[float, float] | None:
    """Return the center of a checked query's circle, if any."""
    code = query.get_as("near_zip", str)
    if code is not None:
        zips = reader.open_index(open_zips)
        return None if zips is None else zips.find_centroid(code)
    lat, lng = query.get_as("lat", float), query.get_as("lng", float)
    return None if lat is None or lng is None else (lat, lng)


def list_approximate(query: Query, rows: Sequence[int], reader: SnapshotReader) -> tuple[Notice, ...]:
    """Return the notice of rows in a circle that only a postal code places, if any."""
    has_circle = "lat" in query.values or "near_zip" in query.values
    if not has_circle or not query.get("include_approximate"):
        return ()
    lats, ranks = reader.rows.vectors[0], reader.rows.id_ranks
    ids = [reader.listings.read_id(row, rank=int(ranks[row])) for row in rows if np.isnan(lats[row])]
    return (approximate_rows(ids),) if ids else ()
