"""The manifest of a metro in a release: the objects of its snapshot. Also lists all objects of a release.

Names of objects are 64 hex digits of SHA-256, sizes are bytes.
"""

import datetime
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct

from outings.contract.languages.language import Group, Language
from outings.contract.resources.directories import Bounds, Center
from outings.contract.vocabulary import Vocabulary
from outings.release.log import list_segments
from outings.release.root import Root
from outings.release.site import MetroSite, Picture, read_site
from outings.release.store import Store, decode_json, read_object

_MODULUS = 1 << 256

# The layout of a snapshot: raise it if a column gets another type or meaning, or a value of `hash_snapshot` another
# member. A reader refuses the snapshots of all other layouts. A new column is null in older snapshots.
LAYOUT = 1


class MetroSettings(Struct, frozen=True, kw_only=True):
    """A metro's settings from the configuration, as its manifest stores them."""

    slug: str
    name: str
    timezone: str
    aliases: tuple[str, ...] = ()
    center: Center
    bounds: Bounds


class PrecomputedPage(Struct, frozen=True, kw_only=True):
    """An answer that the build wrote in advance: its object (the SHA-256 of its gzip bytes), and its size in bytes."""

    object: str
    size: int


class Export(Struct, frozen=True, kw_only=True):
    """A file of all published rows of a type, of `size` bytes. The object has `packed` bytes, in the `coding` `gzip`,
    or "" for none.

    `rows_hash`: the sum modulo 2^256 of the SHA-256 of each row's `<id> <updated_at>`, as 64 hex digits, so that a
    mirror can update its own as rows come and go (`add_rows`). `version`: the version of the export's writer.
    """

    object: str
    packed: int
    coding: str
    size: int
    sha256: str
    rows: int
    rows_hash: str
    version: int


class Table(Struct, frozen=True, kw_only=True):
    object: str
    size: int
    rows: int


class Origins(Struct, frozen=True, kw_only=True):
    """Hashes for the next build. `object`: a hash of each listing's input. `program`: a hash of everything else that
    listings are made from; if it differs, or the object is missing, all listings are built again."""

    program: str
    object: str


class Pack(Struct, frozen=True, kw_only=True):
    """A pack of documents of `size` bytes, of which `alive` bytes are documents that rows still use."""

    object: str
    size: int
    alive: int


class FeedAccount(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts of a feed's listings and organizations in a metro, by how readers see them.

    `served`: shown by default. Published, but hidden by default: for adults only (`audience`), below `min_confidence`
    (`confidence`), events without date (`undated`), and those that are `over`. `unpublished`: by the record's status.
    `earlier`: all of these that the feed's current version lacks. Of the published, `dated` have dates, `coming` one
    today or later, `soon` one in the days of default lists; `last_on`: the latest of all. Records with an address but
    no coordinates: `located` by the geocoding service, `unlocated`, or `unasked` if the service was not called yet.
    """

    served: int = 0
    audience: int = 0
    confidence: int = 0
    undated: int = 0
    over: int = 0
    unpublished: int = 0
    earlier: int = 0
    dated: int = 0
    coming: int = 0
    soon: int = 0
    last_on: datetime.date | None = None
    located: int = 0
    unlocated: int = 0
    unasked: int = 0

    @property
    def hidden(self) -> int:
        return self.audience + self.confidence + self.undated + self.over


_NOTHING = msgspec.Raw(b"null")


def store_language(language: Language | None) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(language, order="sorted"))


class Manifest(Struct, frozen=True, kw_only=True):
    """One metro in one release.

    `layout` and `renderer` are versions of `tables`; `date` is the build's local date; `inputs` is a fingerprint of
    everything that the build read for the metro. `stored_language` has the words of a language other than English, as
    raw JSON: the snapshot's hash also covers words unknown to this program. `related`: groups of words that search
    treats as equal. `mapped`: the tables in their mapped form (`release.mapped_table`).
    `pages` are named `<canonical request>@<local date>`, and `answers` is the program version that rendered them;
    `exports` are named `<collection>.<format>`. For the next build and a rollback there are objects of records:
    `delta_state` of feeds that send only changes, `lent` of organizations that other metros may refer to, and `foreign`
    of other metros' organizations that this one refers to. `site`: the metro's pages, if the site shows listings.
    `account`: how readers see each feed's listings. `located`: the object with the results of geocoding services.
    `first_slug`: the metro's first slug, of which ids are made, if it has another one now.
    """

    layout: int
    renderer: int
    metro: MetroSettings
    stamp: datetime.datetime
    date: datetime.date
    vocabulary: Vocabulary
    related: tuple[Group, ...] = ()
    stored_language: msgspec.Raw = msgspec.field(default=_NOTHING, name="language")
    inputs: str
    tables: Mapping[str, Table]
    mapped: Mapping[str, Table] = {}
    mapped_layout: int = 1
    packs: tuple[Pack, ...]
    pages: Mapping[str, PrecomputedPage]
    answers: str = ""
    exports: Mapping[str, Export] = {}
    origins: Origins | None = None
    delta_state: str | None = msgspec.field(default=None, name="standing")
    lent: str | None = None
    foreign: str | None = msgspec.field(default=None, name="asked")
    site: MetroSite | None = None
    account: Mapping[str, FeedAccount] = {}
    located: str | None = None
    first_slug: str = ""

    @property
    def language(self) -> Language | None:
        return msgspec.json.decode(self.stored_language, type=Language | None)

    @property
    def pictures(self) -> Mapping[str, Picture]:
        """Pictures of listings, by the listing's id."""
        return {} if self.site is None else self.site.pictures


def add_accounts(parts: Iterable[Mapping[str, FeedAccount]]) -> dict[str, FeedAccount]:
    """Add up the accounts of several metros by feed."""
    total: dict[str, FeedAccount] = {}
    for part in parts:
        for feed, account in sorted(part.items()):
            earlier = total.get(feed, FeedAccount())
            counts = {
                name: getattr(earlier, name) + getattr(account, name)
                for name in FeedAccount.__struct_fields__
                if name != "last_on"
            }
            last_on = max(filter(None, (earlier.last_on, account.last_on)), default=None)
            total[feed] = FeedAccount(**counts, last_on=last_on)
    return total


def read_manifest(store: Store, sha: str) -> Manifest:
    """Read the manifest with this hash. Before opening its tables, compare `layout` with `LAYOUT`. Raises NotFound,
    Corrupt and StoreError."""
    manifest = decode_json(read_object(store, sha), Manifest, name="manifest")
    if manifest.stored_language != _NOTHING:
        decode_json(bytes(manifest.stored_language), Language, name="manifest: language")
    return manifest


def hash_snapshot(manifest: Manifest) -> str:
    """Return the hash of everything that answers about the metro depend on. Mapped tables and pages are derived from
    that."""
    parts: list[object] = [manifest.tables, manifest.packs, manifest.stamp, manifest.metro, manifest.vocabulary]
    parts += [manifest.related] if manifest.related else []
    parts += [manifest.stored_language] if manifest.stored_language != _NOTHING else []
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()


def list_files(manifest: Manifest) -> Iterator[str]:
    """Yield the objects of a metro that a server keeps in its cache."""
    yield from (table.object for table in (*manifest.tables.values(), *manifest.mapped.values()))
    yield from (pack.object for pack in manifest.packs)
    if manifest.site is not None:
        yield manifest.site.pages.object


def list_objects(manifest: Manifest) -> Iterator[str]:
    """Yield every object that the manifest names."""
    yield from list_files(manifest)
    yield from (page.object for page in manifest.pages.values())
    yield from (export.object for export in manifest.exports.values())
    if manifest.origins is not None:
        yield manifest.origins.object
    for picture in manifest.pictures.values():
        yield from (picture.small.object, picture.large.object)
    kept = (manifest.delta_state, manifest.lent, manifest.foreign, manifest.located)
    yield from (sha for sha in kept if sha is not None)


def list_references(store: Store, root: Root, *, known: Collection[str] = ()) -> Iterator[str]:
    """Yield the hashes of all objects that a root names, directly or by its manifests and its site. Manifests and sites
    in `known` are skipped."""
    for part in root.parts.values():
        if part.manifest not in known:
            yield part.manifest
            yield from list_objects(read_manifest(store, part.manifest))
    if root.site is not None and root.site not in known:
        yield root.site
        site = read_site(store, root.site)
        yield site.pages.object
        if site.settings.basemap is not None:
            yield site.settings.basemap.object
    for segment in list_segments(root.log):
        yield segment.object
        yield segment.index
    for feed in root.feeds.values():
        yield from (sha for sha in (feed.problems, feed.records, feed.pages) if sha is not None)


def add_rows(rows_hash: str, rows: Iterable[tuple[str, str]]) -> str:
    """Return an export's `rows_hash` with rows added, in any order. A row is an id and its `updated_at` in answers."""
    hashes = (hashlib.sha256(f"{row_id} {updated_at}".encode()).digest() for row_id, updated_at in rows)
    return _format(int(rows_hash, 16) + sum(map(int.from_bytes, hashes)))


def _format(number: int) -> str:
    return f"{number % _MODULUS:064x}"


NO_ROWS = _format(0)
