"""Reads a release from the store into snapshots that hold all of their files open: a server answers from what it
checked, whatever becomes of its cache."""

from collections.abc import Mapping
from datetime import UTC
from functools import lru_cache, partial
from pathlib import Path

from outings.release import mapped_table
from outings.release.cache import MappedFile, fetch_object
from outings.release.log import History
from outings.release.manifest import LAYOUT, Manifest, SemanticTables, Table, hash_snapshot, read_manifest
from outings.release.objects import Corrupt
from outings.release.releases import ListedRelease
from outings.release.site import Site, SiteFile, read_site
from outings.release.snapshot import Release, SemanticFiles, Snapshot
from outings.release.store import Store

# Of a log's objects, those that were read last stay mapped: what they take is the machine's, not the process's.
_MOST_MAPS = 64


def open_release(
    store: Store,
    listed: ListedRelease,
    *,
    cache: Path,
    manifests: Mapping[str, Manifest] | None = None,
    site: Site | None = None,
    unchanged: Mapping[str, Snapshot] = {},
) -> Release:
    """Open all files of a release. Raises NotFound, Corrupt and StoreError; then nothing of it may be served.

    `manifests` are those of its metros, and `site` its site, if they were read already; `unchanged` are snapshots that
    are open already, by metro.
    """
    metros = {}
    manifests = manifests or {slug: read_manifest(store, part.manifest) for slug, part in listed.root.parts.items()}
    for slug, part in listed.root.parts.items():
        manifest = manifests[slug]
        snapshot = unchanged.get(slug) or fetch_snapshot(store, manifest, cache=cache)
        if snapshot.hash != part.snapshot:
            raise Corrupt(f"metro {slug}: the root says snapshot {part.snapshot}, its manifest makes {snapshot.hash}")
        metros[slug] = snapshot
    return Release(
        id=listed.id,
        sequence=listed.root.sequence,
        latest_version_id=listed.root.log.latest_version_id,
        metros=metros,
        history=History(listed.root.log, lru_cache(_MOST_MAPS)(partial(fetch_object, store, folder=cache))),
        site=open_site(store, listed.root.site, manifests, cache=cache, site=site),
    )


def open_site(
    store: Store, sha: str | None, manifests: Mapping[str, Manifest], *, cache: Path, site: Site | None = None
) -> dict[str, SiteFile]:
    """The files of the site that a root names, and of its metros, by path. Without a site a metro's pages would have no
    style: then there are none. `site`: if it was read already. Raises NotFound, Corrupt and StoreError."""
    if sha is None:
        return {}
    site = site or read_site(store, sha)
    metros = (manifest.site.pages for manifest in manifests.values() if manifest.site is not None)
    shown = (site.pages, *(metros if site.settings.shows_data else ()))
    mapped = ((pages, fetch_object(store, pages.object, folder=cache)) for pages in shown)
    return {
        path: SiteFile(extents=extents, packed=packed)
        for pages, packed in mapped
        for path, extents in pages.files.items()
    }


def fetch_snapshot(store: Store, manifest: Manifest, *, cache: Path) -> Snapshot:
    """Open a metro's snapshot with all of its files mapped. Raises Corrupt if this program does not know the layout of
    the tables."""
    if manifest.layout != LAYOUT:
        raise Corrupt(f"metro {manifest.metro.slug}: tables of layout {manifest.layout}; this program reads {LAYOUT}")
    return Snapshot(
        metro=manifest.metro,
        hash=hash_snapshot(manifest),
        stamp=manifest.stamp.astimezone(UTC),
        vocabulary=manifest.vocabulary,
        related=manifest.related,
        language=manifest.language,
        tables=_fetch_tables(store, manifest.tables, cache=cache),
        mapped=_fetch_tables(store, manifest.mapped, cache=cache)
        if manifest.mapped_layout == mapped_table.LAYOUT
        else {},
        semantic=_fetch_semantic(store, manifest.semantic, cache=cache),
        packs=tuple(fetch_object(store, pack.object, folder=cache) for pack in manifest.packs),
        pages=manifest.pages,
        answers=manifest.answers,
        exports=manifest.exports,
    )


def _fetch_tables(store: Store, tables: Mapping[str, Table], *, cache: Path) -> dict[str, MappedFile]:
    return {name: fetch_object(store, table.object, folder=cache) for name, table in tables.items()}


def _fetch_semantic(store: Store, semantic: SemanticTables | None, *, cache: Path) -> SemanticFiles | None:
    if semantic is None:
        return None
    vectors, rows = (fetch_object(store, each.object, folder=cache) for each in (semantic.vectors, semantic.rows))
    return SemanticFiles(model=semantic.model, vectors=vectors, rows=rows)
