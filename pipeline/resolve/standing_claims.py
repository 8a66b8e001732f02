"""Reads whose ids those are that a metro has which is not built: they stay as the previous release has them."""

from collections.abc import Collection, Mapping
from pathlib import Path

import polars as pl

from outings.release.cache import fetch_object
from outings.release.manifest import Manifest, read_manifest
from outings.release.root import Part
from outings.release.store import Store
from outings.release.tables import PUBLISHED, read_columns
from pipeline.resolve.claims import Claims, collect_row_claims


def read_standing_claims(
    store: Store, parts: Mapping[str, Part], ids: Collection[str], *, cache: Path
) -> dict[str, Claims]:
    """Return the claims on these ids by metro, of all that readers see in it. Raise NotFound, Corrupt or StoreError."""
    wanted = pl.Series("id", list(ids), dtype=pl.String())
    return {
        slug: collect_row_claims(_list_rows(store, read_manifest(store, part.manifest), wanted, cache=cache))
        for slug, part in parts.items()
    }


def _list_rows(store: Store, manifest: Manifest, wanted: pl.Series, *, cache: Path) -> list[tuple[str, str]]:
    """The ids and sources of rows that records gave."""
    rows: list[tuple[str, str]] = []
    for name, home in (("listings", ()), ("organizations", ("home",))):
        path = fetch_object(store, manifest.tables[name].object, folder=cache)
        frame = read_columns(path, name, ["id", "status", "source", *home])
        own = [pl.col(column).is_null() for column in home]
        shown = frame.filter(pl.col("status") == PUBLISHED, pl.col("id").is_in(wanted.implode()), *own)
        rows += shown.select("id", "source").drop_nulls().iter_rows()
    return [(row_id, source) for row_id, source in rows if not source.startswith("/")]
