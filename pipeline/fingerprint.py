"""Hash everything that a build depends on, so that nothing unchanged is made again.

Each function names all inputs of one fingerprint: of the program, of what is asked of a feed's server, of a feed's
records, of a metro's listings, and of its part of a release. `row_maker` adds the inputs of a single listing.
"""

import hashlib
import platform
import re
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import msgspec
from msgspec import structs

import pipeline
from outings import contract, release
from outings.answers import gazetteer
from outings.answers.renderer_version import RENDERER_VERSION
from outings.configuration import Configuration, FeedTable
from outings.configuration.tables import GeocoderTable
from outings.contract.languages.language import Group, Language
from outings.contract.vocabulary import Vocabulary
from outings.release.manifest import LAYOUT, MetroSettings

# The packages that decide a build's result.
_PROGRAM = tuple(Path(module.__file__ or "").parent for module in (contract, release, pipeline, gazetteer))
# Code, and the words and settings that ship with it.
_SUFFIXES = (".py", ".toml", ".csv")


@cache
def hash_program() -> str:
    """Return a hash of all that runs: `hash_rules` and the versions of libraries."""
    return hashlib.sha256(msgspec.json.encode([hash_rules(), sorted(describe_libraries().items())])).hexdigest()


@cache
def describe_libraries() -> Mapping[str, str]:
    """Return versions by name, including Python's; "none" for a library that is not installed."""
    versions = {"Python": ".".join(platform.python_version_tuple()[:2])}
    for requirement in requires("outings") or ():
        library, _, marker = requirement.partition(";")
        if "extra" not in marker:
            name = re.split(r"[^\w.-]", library.strip(), maxsplit=1)[0]
            try:
                versions[name] = version(name)
            except PackageNotFoundError:
                versions[name] = "none"
    return versions


@cache
def hash_rules() -> str:
    """Return a hash of our own code: the source files that decide a build's result, and the renderer's version."""
    return hashlib.sha256(f"{RENDERER_VERSION} {hash_sources(_PROGRAM)}".encode()).hexdigest()


def number_renderer() -> int:
    """Return `hash_rules` as a number of 52 bits, which manifests store as `renderer`."""
    return int(hash_rules()[:13], 16)


def hash_question(feed: FeedTable, configuration: Configuration, *, select: str, names: Collection[str] = ()) -> str:
    """Hash all that an answer of the feed's server depends on. `names`: its files on this machine."""
    settings = _list_settings(feed, configuration)
    return _hash(hash_program(), settings, select, feed.url, names, feed.headers)


def hash_records(
    feed: FeedTable, configuration: Configuration, *, select: str, files: Iterable[tuple[object, ...]]
) -> str:
    """Hash all that a feed's records depend on, except this program. `files`: of each the SHA-256, and what its name
    and its server say of it. Addresses and headers may have keys that change often, and matter only by these files."""
    return _hash(_list_settings(feed, configuration), select, files)


def _list_settings(feed: FeedTable, configuration: Configuration) -> tuple[object, ...]:
    metros = [(metro.slug, metro.aliases, metro.timezone) for metro in configuration.metros]
    return structs.asdict(feed) | dict.fromkeys(("url", "headers", "select")), metros, configuration.vocabulary


def hash_listings(
    metro: MetroSettings,
    *,
    vocabulary: Vocabulary,
    language: Language | None,
    neighborhoods: bytes,
    feeds: Iterable[FeedTable],
    pages: str,
) -> str:
    """Hash all that turns records into listings, except the records and the date. `neighborhoods`: the file of
    polygons; `pages`: where the pages of listings are."""
    readings = sorted((feed.name, feed.spans, feed.confidence) for feed in feeds)
    polygons = hashlib.sha256(neighborhoods).hexdigest()
    return _hash(LAYOUT, hash_program(), metro, vocabulary, language, polygons, readings, pages)


def hash_metro(
    listings: str,
    *,
    records: Mapping[str, str],
    today: date,
    related: tuple[Group, ...],
    centroids: Iterable[object],
    site: str,
    withdrawn: Iterable[str],
    geocoder: GeocoderTable,
) -> str:
    """Hash all that a metro's part of a release depends on, except other metros' organizations.

    Args:
        listings: from `hash_listings`.
        records: from `hash_records`, by feed in the configuration's order, which decides between feeds.
        today: the metro's local date.
        related: groups of related words.
        centroids: of its postal codes.
        site: a hash of the settings and the program of its pages.
        withdrawn: listings that were taken down.
        geocoder: its settings, which count if builds use it.
    """
    addresses = (geocoder.provider, geocoder.url) if geocoder.build else None
    return _hash(listings, [*records.items()], today, related, centroids, site, sorted(withdrawn), addresses)


def _hash(*parts: object) -> str:
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()


def hash_sources(folders: Iterable[Path], *, suffixes: Collection[str] = _SUFFIXES) -> str:
    """Return the SHA-256 of all source files below the folders, as 64 hex digits. Their location does not matter."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in suffixes:
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
