"""A release on this machine: a snapshot of each metro, the log and the site, whose files are all open.

A server answers from what it checked when it opened a release, whatever becomes of its cache.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from outings.contract.languages.language import Group, Language
from outings.contract.vocabulary import Vocabulary
from outings.release.cache import LazyFiles, MappedFile, fetch_object, run_all
from outings.release.log import History
from outings.release.manifest import (
    LAYOUT,
    Export,
    Manifest,
    MetroSettings,
    Pack,
    PrecomputedPage,
    Table,
    hash_snapshot,
    list_files,
    read_manifest,
)
from outings.release.pointer import ListedRelease
from outings.release.root import Log, Root
from outings.release.site import SiteFile, SiteSettings, StoredFile, read_site
from outings.release.store import Bytes, Corrupt, Store

# Of a log's objects, those that were read last stay mapped: what they take is the machine's, not the process's.
_MOST_MAPS = 64
_PMTILES = "application/vnd.pmtiles"

Packs = Sequence[Bytes]


class LazyPacks(Sequence[Bytes]):
    """A metro's packs, each fetched when it is first read."""

    def __init__(self, files: LazyFiles) -> None:
        self.files = files

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, at: Any) -> Any:
        return self.files[str(range(len(self))[at])]


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
    pages: Mapping[str, PrecomputedPage] = {}
    answers: str = ""
    exports: Mapping[str, Export] = {}

    def read_document(self, pack: int, offset: int, length: int) -> bytes:
        """Return the stored document of a listing or organization, without the member that changes with the day."""
        return self.packs[pack][offset : offset + length]

    def list_files(self) -> list[LazyFiles]:
        """List the files that are fetched when they are first read: the mapped tables, packs and tables."""
        packs = self.packs.files if isinstance(self.packs, LazyPacks) else None
        return [files for files in (self.mapped, packs, self.tables) if isinstance(files, LazyFiles)]

    def count_bytes(self) -> int:
        """Count the bytes of the files that are held."""
        return sum(files.count_bytes() for files in self.list_files())

    def count_all_bytes(self) -> int:
        """Count the bytes of all files."""
        return sum(files.count_all_bytes() for files in self.list_files())

    def renew(self) -> "Snapshot":
        """Return a snapshot with the same content, none of whose files is fetched yet."""

        def renew(files: Mapping[str, MappedFile]) -> Mapping[str, MappedFile]:
            return files.renew() if isinstance(files, LazyFiles) else files

        packs = LazyPacks(self.packs.files.renew()) if isinstance(self.packs, LazyPacks) else self.packs
        return replace(self, tables=renew(self.tables), mapped=renew(self.mapped), packs=packs)


class Release(Struct, frozen=True, kw_only=True):
    """One published build: `id` is `<sequence>-<8 hex of the root's hash>`, metros by slug, `history` its log, `site`
    the files of its pages by path, `site_settings` the settings they were made with, `files` the objects that its
    snapshots have open, by hash."""

    id: str
    sequence: int
    latest_version_id: int
    metros: Mapping[str, Snapshot]
    history: History = History(Log(), dict[str, bytes]().__getitem__)
    site: Mapping[str, SiteFile | StoredFile] = {}
    site_settings: SiteSettings = SiteSettings()
    files: frozenset[str] = frozenset()

    def read_object(self, sha: str) -> Bytes:
        """Read an object that the release names and no snapshot has open. Raises NotFound, Corrupt and StoreError."""
        return self.history.read(sha)


def open_release(
    store: Store, listed: ListedRelease, *, cache: Path, unchanged: Mapping[str, Snapshot] = {}
) -> Release:
    """Open a release with all files of its snapshots. Raises NotFound, Corrupt and StoreError; then nothing of it may
    be served. `unchanged` are snapshots of it that are open already, by metro."""
    release = name_release(store, listed, cache=cache, unchanged=unchanged)
    for snapshot in release.metros.values():
        for files in snapshot.list_files():
            files.open()
    return release


def name_release(
    store: Store, listed: ListedRelease, *, cache: Path, unchanged: Mapping[str, Snapshot] = {}
) -> Release:
    """Open a release whose snapshots fetch each file when it is first read, which may raise as `open_release` does."""
    root = listed.root
    manifests = read_manifests(store, root)
    metros = {}
    for slug, part in root.parts.items():
        snapshot = unchanged.get(slug) or name_snapshot(store, manifests[slug], cache=cache)
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
        site_settings=SiteSettings() if root.site is None else read_site(store, root.site).settings,
        files=frozenset(chain.from_iterable(map(list_files, manifests.values()))),
    )


def read_manifests(store: Store, root: Root) -> dict[str, Manifest]:
    """Read the manifest of each metro. Raises NotFound, Corrupt and StoreError."""
    read = run_all(partial(read_manifest, store), [part.manifest for part in root.parts.values()])
    return dict(zip(root.parts, read, strict=True))


def open_site(
    store: Store, sha: str | None, manifests: Mapping[str, Manifest], *, cache: Path
) -> dict[str, SiteFile | StoredFile]:
    """Return the files of the site that a root names, and of its metros, by path. Raises NotFound, Corrupt and
    StoreError. Without a site a metro's pages would have no style, so then there are none."""
    if sha is None:
        return {}
    site = read_site(store, sha)
    metros = (manifest.site.pages for manifest in manifests.values() if manifest.site is not None)
    shown = (site.pages, *(metros if site.settings.shows_data else ()))
    mapped = run_all(lambda pages: fetch_object(store, pages.object, folder=cache), shown)
    files: dict[str, SiteFile | StoredFile] = {
        path: SiteFile(extents=extents, packed=packed)
        for pages, packed in zip(shown, mapped, strict=True)
        for path, extents in pages.files.items()
    }
    fetch = lru_cache(_MOST_MAPS)(partial(fetch_object, store, folder=cache))
    if (basemap := site.settings.basemap) is not None:
        files[basemap.path] = StoredFile(
            media=_PMTILES, sha256=basemap.object, object=basemap.object, size=basemap.size, fetch=fetch
        )
    return files


def fetch_snapshot(store: Store, manifest: Manifest, *, cache: Path) -> Snapshot:
    """Open a metro's snapshot with all of its files mapped. Raises as `name_snapshot` and `fetch_object` do."""
    snapshot = name_snapshot(store, manifest, cache=cache)
    for files in snapshot.list_files():
        files.open()
    return snapshot


def name_snapshot(store: Store, manifest: Manifest, *, cache: Path) -> Snapshot:
    """Open a metro's snapshot that fetches each file when it is first read. Raises Corrupt if this program does not
    know the layout of the tables."""
    from outings.release import mapped_table  # a build that opens no snapshot imports no engine

    if manifest.layout != LAYOUT:
        raise Corrupt(f"metro {manifest.metro.slug}: tables of layout {manifest.layout}; this program reads {LAYOUT}")

    def name_files(named: Mapping[str, Table | Pack]) -> LazyFiles:
        return LazyFiles(
            {name: table.object for name, table in named.items()},
            {name: table.size for name, table in named.items()},
            partial(fetch_object, store, folder=cache),
        )

    return Snapshot(
        metro=manifest.metro,
        hash=hash_snapshot(manifest),
        stamp=manifest.stamp.astimezone(UTC),
        vocabulary=manifest.vocabulary,
        related=manifest.related,
        language=manifest.language,
        tables=name_files(manifest.tables),
        mapped=name_files(manifest.mapped if manifest.mapped_layout == mapped_table.LAYOUT else {}),
        packs=LazyPacks(name_files({str(at): pack for at, pack in enumerate(manifest.packs)})),
        pages=manifest.pages,
        answers=manifest.answers,
        exports=manifest.exports,
    )
