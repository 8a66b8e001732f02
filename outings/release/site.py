"""The site of a release: its settings, and where the bytes of each file are.

All files of a site, or of a metro's part of it, are in one object: their gzip and Brotli bytes one after the other. A
path has no leading slash: "" is the home page, `cities/seattle/` a folder.
"""

import gzip
import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

import brotli
from msgspec import Struct
from msgspec.structs import replace

from outings.contract.resources.listings import Counts
from outings.release.store import Bytes, Store, decode_json, read_object

GZIP, BROTLI = b"gzip", b"br"
WEBP = "image/webp"
# The folder of styles and scripts, whose names are of their bytes.
ASSETS = "assets/"
# A file is compressed once and sent many times. Kilobytes and seconds for 23 files of the sample cities, 444 kB:
# Brotli 5: 118, 0.02; 9: 116, 0.24; 10: 108, 0.25; 11: 106, 0.65; gzip 9: 125, 0.02.
_GZIP_LEVEL = 9
_BROTLI_QUALITY = 10
# The reference, of 616 kB: quality 11 takes 0.83 s for 42 kB, 9 takes 0.05 s for 47 kB.
_LARGE, _BROTLI_QUALITY_OF_LARGE = 200_000, 9
# How many compressed files a process caches, since a rebuild makes the same files again.
_REMEMBERED = 128

# The offset and the length of a run of bytes.
Extent = tuple[int, int]


class Basemap(Struct, frozen=True, kw_only=True):
    """An operator's PMTiles file: an object of `size` bytes. `zoom`: its highest zoom level; `credit`: the source to
    name."""

    object: str
    size: int
    zoom: int
    credit: str = ""

    @property
    def path(self) -> str:
        return f"{ASSETS}basemap.{self.object[:10]}.pmtiles"


class Thumbnail(Struct, frozen=True, kw_only=True):
    """A reduced picture: a WebP object of `size` bytes. `width` and `height`: in pixels."""

    object: str
    size: int
    width: int
    height: int


class Picture(Struct, frozen=True, kw_only=True):
    """The picture of a listing, fetched from `address`. `small`: for a row of results; `large`: for the listing's
    page."""

    address: str
    small: Thumbnail
    large: Thumbnail


def locate_outlines(metro: str) -> str:
    """Return the path of the outlines of a metro's neighborhoods, as GeoJSON. The explorer's map reads it too."""
    return f"cities/{metro}/outlines.json"


def locate_picture(metro: str, listing: str, *, is_large: bool = False) -> str:
    """Return the path of a listing's picture. The explorer's script composes the same path."""
    return f"cities/{metro}/pictures/{listing}{'-large' if is_large else ''}.webp"


class SiteSettings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An operator's settings of the site. `url`: where it is, without a slash at the end, or empty. `shows_data`:
    whether pages show listings. `key`: the API key of all visitors. `language`: that of the pages in `folder`, which is
    empty for the first of `languages`. `words` replace the program's texts in the first language, by page and name;
    `accent` is a color as #rrggbb, or empty for the default. `is_static`: True if the pages are on a host that only
    serves files. `pictures`: hosts of the pictures that are fetched."""

    name: str = ""
    url: str = ""
    key: str = ""
    language: str = "en"
    languages: tuple[str, ...] = ()
    folder: str = ""
    words: Mapping[str, Mapping[str, str]] = {}
    accent: str = ""
    shows_data: bool = False
    is_static: bool = False
    basemap: Basemap | None = None
    pictures: tuple[str, ...] = ()

    def list_languages(self) -> "list[SiteSettings]":
        """Return the settings of the pages in each language, these first."""
        return [self, *(replace(self, language=code, folder=f"{code}/", words={}) for code in self.languages[1:])]


class FileExtents(Struct, frozen=True, kw_only=True):
    """A file in a packed object: its media type, the SHA-256 and size of its plain bytes, and its extent in each
    coding."""

    media: str
    sha256: str
    size: int
    gzip: Extent
    br: Extent


class SiteFiles(Struct, frozen=True, kw_only=True):
    """Files by path, and the object of `size` bytes that contains them."""

    object: str
    size: int
    files: Mapping[str, FileExtents]


class MetroSite(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A metro's part of the site: its pages, the numbers of listings in its lists on the build's date, and the pictures
    of its listings by id, with the number of those that could not be fetched."""

    counts: Counts
    pages: SiteFiles
    pictures: Mapping[str, Picture] = {}
    missing_pictures: int = 0


class Site(Struct, frozen=True, kw_only=True):
    """The site in a root: its settings, and the pages that belong to no metro. `inputs`: a hash of everything that they
    are made from."""

    settings: SiteSettings
    inputs: str = ""
    pages: SiteFiles


class SiteFile(Struct, frozen=True, kw_only=True):
    """A compressed file of the site in an open release."""

    extents: FileExtents
    packed: Bytes

    @property
    def media(self) -> str:
        return self.extents.media

    @property
    def sha256(self) -> str:
        return self.extents.sha256

    def read(self, coding: bytes) -> bytes:
        """Return the file's bytes in this coding: `GZIP`, `BROTLI` or none."""
        offset, length = self.extents.br if coding == BROTLI else self.extents.gzip
        data = bytes(self.packed[offset : offset + length])
        return data if coding else gzip.decompress(data)


class StoredFile(Struct, frozen=True, kw_only=True):
    """An uncompressed file of the site in an open release: an object, which `fetch` returns."""

    media: str
    sha256: str
    size: int
    fetch: Callable[[str], Bytes]

    def open(self) -> Bytes:
        """Return the object. Raises NotFound, Corrupt, StoreError and OSError."""
        return self.fetch(self.sha256)

    def read(self, _: bytes) -> bytes:
        """Return the file's plain bytes; the coding is ignored. Raises like `open`."""
        return self.open()[:]


def pack_files(files: Iterable[tuple[str, str, bytes]]) -> tuple[SiteFiles, bytes]:
    """Pack files, given as path, media type and bytes, into one object. Equal files give equal bytes. The gzip bytes of
    all files come first, so the object begins as a gzip file of many members."""
    ordered = sorted(files)
    coded = [_compress(data) for _, _, data in ordered]
    packed = bytearray()
    gzip_extents = [_append(packed, zipped) for zipped, _ in coded]
    brotli_extents = [_append(packed, br) for _, br in coded]
    extents = {
        path: FileExtents(media=media, sha256=hashlib.sha256(data).hexdigest(), size=len(data), gzip=zipped, br=br)
        for (path, media, data), zipped, br in zip(ordered, gzip_extents, brotli_extents, strict=True)
    }
    whole = bytes(packed)
    return SiteFiles(object=hashlib.sha256(whole).hexdigest(), size=len(whole), files=extents), whole


def _append(packed: bytearray, coded: bytes) -> Extent:
    offset = len(packed)
    packed += coded
    return offset, len(coded)


@lru_cache(maxsize=_REMEMBERED)
def _compress(data: bytes) -> tuple[bytes, bytes]:
    """Return the bytes compressed by gzip, without a time in the header, and by Brotli."""
    quality = _BROTLI_QUALITY if len(data) < _LARGE else _BROTLI_QUALITY_OF_LARGE
    br: bytes = brotli.compress(data, mode=brotli.MODE_TEXT, quality=quality)
    return gzip.compress(data, compresslevel=_GZIP_LEVEL, mtime=0), br


def read_site(store: Store, sha: str) -> Site:
    """Read the site with this hash. Raises NotFound, Corrupt and StoreError."""
    return decode_json(read_object(store, sha), Site, name="site")
