"""A metro's snapshot on this machine: mapped tables and packs, and what the manifest says."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from outings.contract.languages.language import Language
from outings.contract.related import Group
from outings.contract.resources.metro import Bounds, Center
from outings.contract.vocabulary import Vocabulary
from outings.release.cache import MappedFile
from outings.release.log import History
from outings.release.objects import Bytes
from outings.release.root import Log
from outings.release.site import SiteFile

Packs = tuple[Bytes, ...]


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
    rows adds and takes away as they come and go (`release.row_checksum`). `version` is that of what wrote the file.
    """

    object: str
    packed: int
    coding: str
    size: int
    sha256: str
    rows: int
    rows_hash: str
    version: int


class SemanticFiles(Struct, frozen=True, kw_only=True):
    """Vectors of a metro's listings (`answers.semantic.vectors`), and which model made them, by its hash."""

    model: str
    vectors: MappedFile
    rows: MappedFile


class Snapshot(Struct, frozen=True, kw_only=True, weakref=True):
    """Everything that an answer about one metro may depend on. Never changes once made.

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
        """The document of a listing or an organization as it is stored, without the member that changes with the
        day."""
        return self.packs[pack][offset : offset + length]


class Release(Struct, frozen=True, kw_only=True):
    """One published build: `id` is `<sequence>-<8 hex of the root's hash>`, metros by slug, `history` its log, `site`
    the files of its pages by path."""

    id: str
    sequence: int
    latest_version_id: int
    metros: Mapping[str, Snapshot]
    history: History = History(Log(), dict[str, bytes]().__getitem__)
    site: Mapping[str, SiteFile] = {}

    def read_object(self, sha: str) -> Bytes:
        """Reads an object that the release names and no snapshot keeps open. Raises NotFound, Corrupt and
        StoreError."""
        return self.history.read(sha)
