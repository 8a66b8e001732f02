"""The table of postal codes, and a metro's postal codes back from it."""

from collections.abc import Sequence
from io import BytesIO

import polars as pl
from msgspec.structs import astuple

from outings.release.snapshot import Snapshot
from outings.release.tables import ZIPS
from pipeline.resolve.facts.centroids import Centroid


def make_zips(centroids: Sequence[Centroid]) -> pl.DataFrame:
    """The table of centroids in a snapshot."""
    return pl.DataFrame([astuple(each) for each in centroids], schema=dict(ZIPS), orient="row")


def carry_centroids(snapshot: Snapshot) -> tuple[Centroid, ...]:
    """The centroids of an older release."""
    file = snapshot.tables.get("zips")
    return () if file is None else tuple(Centroid(*row) for row in pl.read_parquet(BytesIO(file.view)).iter_rows())
