"""Make the release that a static tree shows to everybody: without listings for adults alone, which lists leave out."""

from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path

import polars as pl
from msgspec.structs import replace

from outings.answers.derived import DERIVED
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.vocabulary import AUDIENCES, TYPES
from outings.release.cache import MappedFile
from outings.release.log import History
from outings.release.snapshot import Release, Snapshot
from outings.release.store import Bytes, open_store, read_object
from outings.release.tables import DRAFT, PUBLISHED, read_columns
from pipeline.publish.objects.exports import put_exports
from pipeline.publish.objects.object_writer import ObjectWriter
from pipeline.scratch import naming_folder
from pipeline.tables.snapshot_tables import encode_table, join_stated

# The tables in which listings for adults alone are, or which are made of them.
_CHANGED = frozenset({"listings", "organizations", "neighborhoods"})
_ADULTS = (pl.col("status") == PUBLISHED) & (pl.col("audience") == AUDIENCES.index("adults"))


def hide_adults(release: Release, slugs: Iterable[str], folder: Path) -> Release:
    """Return the release as if the listings for adults alone of some metros were drafts, and so the organizations that
    only these name. They make no neighborhood, center, count, export or version.

    `folder` gets the tables and exports that differ; it may go when the release has been read.
    """
    public, store = {slug: release.metros[slug] for slug in slugs}, open_store(f"file:{folder}")
    hidden, objects = set[str](), set[str]()
    for slug, snapshot in public.items():
        listings = read_columns(snapshot.tables["listings"], "listings", ("type", "status", "audience"))
        types = {TYPES[code] for code in listings.filter(_ADULTS)["type"].unique()}
        if not types:
            continue
        whole = {name: pl.read_parquet(BytesIO(snapshot.tables[name].view)) for name in _CHANGED}
        tables = _hide(whole)
        for name in ("listings", "organizations"):
            hidden.update(tables[name].filter(tables[name]["status"] != whole[name]["status"])["id"])
        with naming_folder():
            own, writer = _replace_tables(snapshot, tables, folder / slug), ObjectWriter(store, known=())
            exports = put_exports(own, writer=writer, types=types)
            writer.flush()
        objects.update(export.object for export in exports.values())
        public[slug] = replace(own, exports={**snapshot.exports, **exports})
    shown = {
        row_id
        for row_id in hidden
        if any(open_snapshot(own).organizations.find_visible(row_id) is not None for own in public.values())
    }

    def read(sha: str) -> Bytes:
        return read_object(store, sha) if sha in objects else release.history.read(sha)

    return replace(
        release, metros={**release.metros, **public}, history=History(release.history.log, read),
        unlisted=frozenset(hidden - shown),
    )  # fmt: skip


def _hide(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    def hide(condition: pl.Expr) -> pl.Expr:
        return pl.when(condition).then(pl.lit(DRAFT, pl.UInt8())).otherwise("status").alias("status")

    listings = tables["listings"].with_columns(hide(_ADULTS))
    named = listings.filter(pl.col("status") == PUBLISHED)["organization_id"].drop_nulls().unique()
    # The source of an organization that has no record names no feed.
    is_made = (pl.col("status") == PUBLISHED) & pl.col("source").str.starts_with("/")
    organizations = tables["organizations"].with_columns(hide(is_made & ~pl.col("id").is_in(named.implode())))
    neighborhoods = join_stated(tables["neighborhoods"], listings)
    return {"listings": listings, "organizations": organizations, "neighborhoods": neighborhoods}


def _replace_tables(snapshot: Snapshot, tables: Mapping[str, pl.DataFrame], folder: Path) -> Snapshot:
    """Return the snapshot with these tables, without what the build derived of the former ones."""
    folder.mkdir()
    made = {}
    for name, frame in tables.items():
        (folder / name).write_bytes(encode_table(frame))
        made[name] = MappedFile(folder / name)
    outdated = {name for derived in DERIVED if derived.columns.keys() & _CHANGED for name in derived.names}
    mapped = {name: file for name, file in snapshot.mapped.items() if name not in outdated}
    return replace(snapshot, tables={**snapshot.tables, **made}, mapped=mapped, pages={})
