"""A release as this machine reads it: a snapshot of each metro, the log and the site.

Files are fetched and checked once. They are mapped, and readable even after they are deleted from the cache.
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
from outings.release.cache import LazyFiles, MappedFile, fetch_object
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
from outings.release.root import ListedRelease, Log, Root
from outings.release.site import WEBP, Picture, Site, SiteFile, SiteSettings, StoredFile, locate_picture, read_site
from outings.release.store import Bytes, Corrupt, Store, run_all

# How many objects are mapped, the last read ones. Their memory is shared by the machine's processes.
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


class Snapshot(Struct, frozen=True, kw_only=True, dict=True, weakref=True):
    """The data that answers about one metro depend on. Immutable, but for the `reader` that answers attach to it.

    Attributes:
        stamp: when a release last changed the metro (`meta.generated_at`).
        language: the words of its language; None for English.
        mapped: the tables in their mapped form, or empty: answers are the same without it.
        pages: answers that the build wrote, by `<canonical request>@<local date>`.
        answers: the version of the renderer that wrote `pages`.
        exports: by `<collection>.<format>`.
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
        """Return the stored JSON of a listing or organization, without the member that depends on the current date."""
        return self.packs[pack][offset : offset + length]

    def list_files(self) -> list[LazyFiles]:
        """Return the files that are fetched when they are first read: the mapped tables, packs and tables."""
        packs = self.packs.files if isinstance(self.packs, LazyPacks) else None
        return [files for files in (self.mapped, packs, self.tables) if isinstance(files, LazyFiles)]

    def fetch(self) -> None:
        """Fetch all files that are not fetched yet."""
        for files in self.list_files():
            files.open()

    def count_bytes(self) -> int:
        """Return the bytes of the fetched files."""
        return sum(files.count_bytes() for files in self.list_files())

    def count_all_bytes(self) -> int:
        """Return the bytes of all files, fetched or not."""
        return sum(files.count_all_bytes() for files in self.list_files())

    def renew(self) -> "Snapshot":
        """Return the same snapshot with none of its files fetched."""

        def renew(files: Mapping[str, MappedFile]) -> Mapping[str, MappedFile]:
            return files.renew() if isinstance(files, LazyFiles) else files

        packs = LazyPacks(self.packs.files.renew()) if isinstance(self.packs, LazyPacks) else self.packs
        return replace(self, tables=renew(self.tables), mapped=renew(self.mapped), packs=packs)


class Release(Struct, frozen=True, kw_only=True):
    """A published release, open for reading. `metros`: by slug. `history`: its log. `site`: the files of the pages, by
    path. `pictures`: listings' pictures, by id. `files`: the hashes of all objects of its snapshots.
    `unlisted`: ids of which no version is shown."""

    id: str
    sequence: int
    latest_version_id: int
    metros: Mapping[str, Snapshot]
    history: History = History(Log(), dict[str, bytes]().__getitem__)
    site: Mapping[str, SiteFile | StoredFile] = {}
    site_settings: SiteSettings = SiteSettings()
    pictures: Mapping[str, Picture] = {}
    files: frozenset[str] = frozenset()
    unlisted: frozenset[str] = frozenset()

    def read_object(self, sha: str) -> Bytes:
        """Read an object of the release that is no file of a snapshot. Raises NotFound, Corrupt and StoreError."""
        return self.history.read(sha)


def open_release(store: Store, listed: ListedRelease, *, cache: Path) -> Release:
    """Open a release and fetch all files of its snapshots. Raises NotFound, Corrupt and StoreError."""
    release = name_release(store, listed, cache=cache)
    for snapshot in release.metros.values():
        snapshot.fetch()
    return release


def name_release(
    store: Store, listed: ListedRelease, *, cache: Path, unchanged: Mapping[str, Snapshot] = {}
) -> Release:
    """Open a release whose snapshots fetch each file when it is first read. `unchanged`: snapshots to reuse, by metro.
    Raises NotFound, Corrupt and StoreError, also when a file is read later: then nothing of it may be served."""
    root = listed.root
    manifests = read_manifests(store, root)
    metros = {}
    for slug, part in root.parts.items():
        snapshot = unchanged.get(slug) or name_snapshot(store, manifests[slug], cache=cache)
        if snapshot.hash != part.snapshot:
            raise Corrupt(f"metro {slug}: the root says snapshot {part.snapshot}, its manifest makes {snapshot.hash}")
        metros[slug] = snapshot
    site = None if root.site is None else read_site(store, root.site)
    return Release(
        id=listed.id,
        sequence=root.sequence,
        latest_version_id=root.log.latest_version_id,
        metros=metros,
        history=History(root.log, lru_cache(_MOST_MAPS)(partial(fetch_object, store, folder=cache))),
        site={} if site is None else open_site(store, site, manifests, cache=cache),
        site_settings=SiteSettings() if site is None else site.settings,
        pictures=dict(chain.from_iterable(manifest.pictures.items() for manifest in manifests.values())),
        files=frozenset(chain.from_iterable(map(list_files, manifests.values()))),
    )


def read_manifests(store: Store, root: Root) -> dict[str, Manifest]:
    """Read the manifest of each metro, by slug. Raises NotFound, Corrupt and StoreError."""
    read = run_all(partial(read_manifest, store), [part.manifest for part in root.parts.values()])
    return dict(zip(root.parts, read, strict=True))


def open_site(
    store: Store, site: Site, manifests: Mapping[str, Manifest], *, cache: Path
) -> dict[str, SiteFile | StoredFile]:
    """Open the site of a release: its files and those of the metros, by path. Raises NotFound, Corrupt and
    StoreError."""
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
        files[basemap.path] = StoredFile(media=_PMTILES, sha256=basemap.object, size=basemap.size, fetch=fetch)
    for metro, manifest in manifests.items() if site.settings.shows_data else ():
        for listing, picture in manifest.pictures.items():
            for reduced, is_large in ((picture.small, False), (picture.large, True)):
                path = locate_picture(metro, listing, is_large=is_large)
                files[path] = StoredFile(media=WEBP, sha256=reduced.object, size=reduced.size, fetch=fetch)
    return files


def name_snapshot(store: Store, manifest: Manifest, *, cache: Path) -> Snapshot:
    """Open a metro's snapshot, which fetches each file when it is first read. Raises Corrupt if its tables have a
    layout that this program can't read."""
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
