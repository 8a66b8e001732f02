"""A release on this machine: a snapshot of each metro, the log and the site, whose files are all open.

A server answers from what it checked when it opened a release, whatever becomes of its cache.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path

from msgspec import Struct

from outings.contract.languages.language import Group, Language
from outings.contract.vocabulary import Vocabulary
from outings.release.cache import MappedFile, fetch_object
from outings.release.log import History
from outings.release.manifest import (
    LAYOUT,
    Export,
    Manifest,
    MetroSettings,
    PrecomputedPage,
    SemanticTables,
    Table,
    hash_snapshot,
    list_files,
    read_manifest,
)
from outings.release.pointer import ListedRelease
from outings.release.root import Log
from outings.release.site import SiteFile, read_site
from outings.release.store import Bytes, Corrupt, Store

# Of a log's objects, those that were read last stay mapped: what they take is the machine's, not the process's.
_MOST_MAPS = 64

Packs = tuple[Bytes, ...]


class SemanticFiles(Struct, frozen=True, kw_only=True):
    """Vectors of a metro's listings (`answers.semantic.vectors`), and which model made them, by its hash."""

    model: str
    vectors: MappedFile
    rows: MappedFile


class Snapshot(Struct, frozen=True, kw_only=True, weakref=True):
    """Everything that an answer about one metro may depend on. It never changes.

    `language`: its words, None for the English of the program.
    `mapped`: the tables' mapped form, empty where it is not at hand; nothing that is answered depends on it.
    `stamp` is the instant at which a release last changed the metro (`meta.generated_at`); `pages` are named
    `<canonical request>@<local date>`, and are what the program `answers` answers; `exports` are named
    `<collection>.<format>`. Releases of before them have none.
    """

    metro: MetroSettings
    hash: str
    stamp: datetime
    vocabulary: Vocabulary
    related: tuple[Group, ...] = ()
    language: Language | None = None
    tables: Mapping[str, MappedFile]
    packs: Packs
    mapped: Mapping[str, MappedFile] = {}
    semantic: SemanticFiles | None = None
    pages: Mapping[str, PrecomputedPage] = {}
    answers: str = ""
    exports: Mapping[str, Export] = {}

    def read_document(self, pack: int, offset: int, length: int) -> bytes:
        """Return the stored document of a listing or organization, without the member that changes with the day."""
        return self.packs[pack][offset : offset + length]


class Release(Struct, frozen=True, kw_only=True):
    """One published build: `id` is `<sequence>-<8 hex of the root's hash>`, metros by slug, `history` its log, `site`
    the files of its pages by path, `files` the objects that its snapshots have open, by hash."""

    id: str
    sequence: int
    latest_version_id: int
    metros: Mapping[str, Snapshot]
    history: History = History(Log(), dict[str, bytes]().__getitem__)
    site: Mapping[str, SiteFile] = {}
    files: frozenset[str] = frozenset()

    def read_object(self, sha: str) -> Bytes:
        """Read an object that the release names and no snapshot has open. Raises NotFound, Corrupt and StoreError."""
        return self.history.read(sha)


def open_release(
    store: Store, listed: ListedRelease, *, cache: Path, unchanged: Mapping[str, Snapshot] = {}
) -> Release:
    """Open all files of a release. `unchanged` are snapshots of it that are open already, by metro.

    Raises NotFound, Corrupt and StoreError; then nothing of it may be served.
    """
    root = listed.root
    manifests = {slug: read_manifest(store, part.manifest) for slug, part in root.parts.items()}
    metros = {}
    for slug, part in root.parts.items():
        snapshot = unchanged.get(slug) or fetch_snapshot(store, manifests[slug], cache=cache)
        if snapshot.hash != part.snapshot:
            raise Corrupt(f"metro {slug}: the root says snapshot {part.snapshot}, its manifest makes {snapshot.hash}")
        metros[slug] = snapshot
    site = open_site(store, root.site, manifests, cache=cache)
    return Release(
        id=listed.id,
        sequence=root.sequence,
        latest_version_id=root.log.latest_version_id,
        metros=metros,
        history=History(root.log, lru_cache(_MOST_MAPS)(partial(fetch_object, store, folder=cache))),
        site=site,
        files=frozenset(chain.from_iterable(map(list_files, manifests.values()))),
    )


def open_site(store: Store, sha: str | None, manifests: Mapping[str, Manifest], *, cache: Path) -> dict[str, SiteFile]:
    """Return the files of the site that a root names, and of its metros, by path. Raises NotFound, Corrupt and
    StoreError. Without a site a metro's pages would have no style, so then there are none."""
    if sha is None:
        return {}
    site = read_site(store, sha)
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
    from outings.release import mapped_table  # a build that opens no snapshot imports no engine

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
    vectors, rows = (fetch_object(store, table.object, folder=cache) for table in (semantic.vectors, semantic.rows))
    return SemanticFiles(model=semantic.model, vectors=vectors, rows=rows)
