"""The manifest of one metro: the objects that its snapshot consists of. And with them, all objects of a release.

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
from outings.release.site import MetroSite, read_site
from outings.release.store import Store, decode_json, read_object

_MODULUS = 1 << 256

# The layout of a snapshot's tables. A reader never opens tables of a layout that it does not know.
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
    """An answer that the build wrote in advance: the object's name (SHA-256 of its gzip bytes), and sizes in bytes."""

    object: str
    size: int


class Export(Struct, frozen=True, kw_only=True):
    """A file of every published row of a type. `size` bytes with that `sha256` are what a reader gets; the object holds
    them as `coding` says, `gzip` or none, in `packed` bytes.

    `rows_hash`: the sum modulo 2^256 of the rows' SHA-256 of `<id> <updated_at>`, as 64 hex digits: whoever keeps the
    rows adds and takes away as they come and go (`add_rows`). `version` is that of what wrote the file.
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
    """The inputs of the listings, for the next build: an object with a hash for each row. `program` is the hash
    of everything else that made them. If the program differs, or the object is missing, all listings are made again."""

    program: str
    object: str


class Pack(Struct, frozen=True, kw_only=True):
    """A pack of `size` bytes, of which `alive` belong to documents that some row still points to."""

    object: str
    size: int
    alive: int


class FeedAccount(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A count of the listings and organizations that a feed has in a metro, by what readers see of them.

    `served`: shown by default. Published and hidden by default: for adults alone (`audience`), below `min_confidence`,
    `undated` events, and what is `over`. `unpublished`: records that say so, by their status. `earlier`: of all these,
    those that stay from earlier versions and are no record of this one. Records with an address and no coordinates:
    those that got a point by it (`located`), those that did not, and those about which the service was not asked yet.
    """

    served: int = 0
    audience: int = 0
    confidence: int = 0
    undated: int = 0
    over: int = 0
    unpublished: int = 0
    earlier: int = 0
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

    `layout` and `renderer` are those of `tables`; `date` is the build's local date; `inputs` is the fingerprint of
    all that the build read for the metro. `stored_language` has the words of a metro that is not read in English, as
    they were written: the snapshot's hash covers words of which this program may know nothing. `related`
    are the words that a search takes one for another, `mapped` is the tables' second form (`release.mapped_table`, with
    its layout); releases of before them have none. `pages` are named
    `<canonical request>@<local date>`, and are what the program `answers` answers; `exports` are named
    `<collection>.<format>`. `delta_state` is an object of the records of feeds that say only what changed, for the next
    build and a rollback. So are `lent`, the records of the metro's own organizations, to which other metros may refer,
    and `foreign`, to which it refers itself. `site` are the metro's
    pages, where the site shows listings. `account`: what readers see of each feed.
    `located`: the object of what geocoding services said of addresses.
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
    account: Mapping[str, FeedAccount] | None = None
    located: str | None = None

    @property
    def language(self) -> Language | None:
        return msgspec.json.decode(self.stored_language, type=Language | None)


def add_accounts(parts: Iterable[Mapping[str, FeedAccount]]) -> dict[str, FeedAccount]:
    """Add up the accounts of several metros by feed."""
    total: dict[str, FeedAccount] = {}
    for part in parts:
        for feed, account in sorted(part.items()):
            known = total.get(feed, FeedAccount())
            total[feed] = FeedAccount(
                **{name: getattr(known, name) + getattr(account, name) for name in FeedAccount.__struct_fields__}
            )
    return total


def encode_manifest(manifest: Manifest) -> bytes:
    """Encode a manifest as canonical JSON: the same manifest always has the same bytes."""
    return msgspec.json.encode(manifest, order="sorted")


def parse_manifest(data: bytes) -> Manifest:
    """Parse a manifest. Raises Corrupt. A caller that opens its tables compares `layout` with `LAYOUT`."""
    manifest = decode_json(data, Manifest, name="manifest")
    if manifest.stored_language != _NOTHING:
        decode_json(bytes(manifest.stored_language), Language, name="manifest: language")
    return manifest


def read_manifest(store: Store, sha: str) -> Manifest:
    """Read the manifest with this hash. Raises NotFound, Corrupt and StoreError."""
    return parse_manifest(read_object(store, sha))


def hash_snapshot(manifest: Manifest) -> str:
    """Return the hash of everything that an answer about the metro may depend on. The mapped form and pages follow from
    these."""
    parts: tuple[object, ...] = (
        manifest.tables, manifest.packs, manifest.stamp, manifest.metro, manifest.vocabulary,
    )  # fmt: skip
    # Without these, the hash is that of earlier programs, which did not have them.
    if manifest.related:
        parts = (*parts, manifest.related)
    if manifest.stored_language != _NOTHING:
        parts = (*parts, manifest.stored_language)
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()


def list_files(manifest: Manifest) -> Iterator[str]:
    """Yield the objects that a server keeps in its cache."""
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
    kept = (manifest.delta_state, manifest.lent, manifest.foreign, manifest.located)
    yield from (sha for sha in kept if sha is not None)


def list_references(store: Store, root: Root, *, known: Collection[str] = ()) -> Iterator[str]:
    """Yield the hashes of all objects that a root names, also through its manifests and its site. Of these, those in
    `known` are skipped."""
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
        yield from (sha for sha in (feed.problems, feed.records) if sha is not None)


def add_rows(rows_hash: str, rows: Iterable[tuple[str, str]]) -> str:
    """Add rows, in any order, to an export's hash of rows. Each is an id and its `updated_at` as answers have it."""
    return _format(int(rows_hash, 16) + sum(map(_hash_row, rows)))


def _hash_row(row: tuple[str, str]) -> int:
    return int.from_bytes(hashlib.sha256(f"{row[0]} {row[1]}".encode()).digest())


def _format(number: int) -> str:
    return f"{number % _MODULUS:064x}"


NO_ROWS = _format(0)
