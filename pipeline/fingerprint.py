"""Hashes everything that a metro's build depends on, so that unchanged metros are not built again."""

import hashlib
import platform
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import msgspec
from msgspec import Struct

import pipeline
from outings import answers, contract, release
from outings.contract.languages.language import Language
from outings.contract.related import Group
from outings.contract.vocabulary import Vocabulary
from outings.release.layout import LAYOUT
from outings.release.program_hash import hash_sources
from outings.release.snapshot import MetroSettings

_FILES = (contract.__file__, release.__file__, answers.__file__, pipeline.__file__)
_PROGRAM = tuple(Path(file).parent for file in _FILES)


# Whose libraries have a hand in a build, beside those that every installation has.
_EXTRA = 'extra == "semantic"'


@cache
def hash_program() -> str:
    """The hash of everything that decides what a build makes of its inputs: our sources and their libraries."""
    return hashlib.sha256(msgspec.json.encode([hash_rules(), sorted(describe_libraries().items())])).hexdigest()


@cache
def describe_libraries() -> Mapping[str, str]:
    """Versions by name, including Python's. "none" for a library that is not installed."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"Python": python, **{name: _find_version(name) for name in _list_libraries()}}


def _list_libraries() -> Iterator[str]:
    for requirement in requires("outings") or ():
        name, _, marker = requirement.partition(";")
        if "extra" not in marker or _EXTRA in marker:
            yield re.split(r"[^\w.-]", name.strip(), maxsplit=1)[0]


def _find_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


@cache
def hash_rules() -> str:
    """The hash of the sources that decide what a build makes. A changed rule counts as a changed input."""
    return hash_sources(_PROGRAM)


def number_renderer() -> int:
    """Identifies the code that renders documents, as a number of 52 bits, because manifests have a number there."""
    return int(hash_rules()[:13], 16)


def make_fingerprint(
    *,
    metro: MetroSettings,
    vocabulary: Vocabulary,
    related: Sequence[Group],
    language: Language | None,
    today: date,
    neighborhoods: bytes,
    feeds: Mapping[str, str],
    details: bool,
    model: str | None,
    centroids: Sequence[Struct],
    site: str = "",
    withdrawn: Collection[str] = (),
) -> str:
    """`feeds` has the hash of the bytes and settings of each feed that may have records of this metro. `model` is its
    hash. `site` is the hash of all that makes the metro's pages of its snapshot; empty where it has none. `withdrawn`
    are the ids of what is taken down."""
    parts = [
        LAYOUT, hash_program(), metro, vocabulary, related, language, today,
        hashlib.sha256(neighborhoods).hexdigest(), sorted(feeds.items()), details, model, centroids,
        site, sorted(withdrawn),
    ]  # fmt: skip
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def hash_making(
    *, metro: MetroSettings, vocabulary: Vocabulary, language: Language | None, neighborhoods: bytes
) -> str:
    """The hash of everything that turns records into a metro's listings, except the records and the date."""
    parts = [LAYOUT, hash_program(), metro, vocabulary, language, hashlib.sha256(neighborhoods).hexdigest()]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
