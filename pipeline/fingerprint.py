"""What a metro's build depends on, as one hash: the same inputs need not be built again."""

import hashlib
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import msgspec
from msgspec import Struct

import pipeline
from outings import answers, contract, release
from outings.contract.related import Group
from outings.contract.vocabulary import Vocabulary
from outings.release.program_hash import hash_sources
from outings.release.snapshot import MetroSettings
from outings.release.tables import LAYOUT

_FILES = (contract.__file__, release.__file__, answers.__file__, pipeline.__file__)
_PROGRAM = tuple(Path(file).parent for file in _FILES)


# Whose libraries have a hand in a build, beside those that every installation has.
_EXTRA = 'extra == "semantic"'


@cache
def hash_program() -> str:
    """Of all that decides what a build makes of its inputs: our sources, and the libraries that they use."""
    return hashlib.sha256(msgspec.json.encode([hash_rules(), sorted(describe_libraries().items())])).hexdigest()


@cache
def describe_libraries() -> Mapping[str, str]:
    """Versions by name, of Python too; "none" of one that is not there."""
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
    """Of the sources that decide what a build makes: a changed rule is a changed input."""
    return hash_sources(_PROGRAM)


def number_renderer() -> int:
    """Whose documents a build writes, as a number of 52 bits: a manifest has always had a number there."""
    return int(hash_rules()[:13], 16)


def make_fingerprint(
    *,
    metro: MetroSettings,
    vocabulary: Vocabulary,
    related: Sequence[Group],
    today: date,
    neighborhoods: bytes,
    feeds: Mapping[str, str],
    details: bool,
    model: str | None,
    centroids: Sequence[Struct],
) -> str:
    """`feeds`: name → hash of the bytes and settings of each feed that may speak of this metro; `model`: its hash."""
    parts = [
        LAYOUT, hash_program(), metro, vocabulary, related, today,
        hashlib.sha256(neighborhoods).hexdigest(), sorted(feeds.items()), details, model, centroids,
    ]  # fmt: skip
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def hash_making(*, metro: MetroSettings, vocabulary: Vocabulary, neighborhoods: bytes) -> str:
    """Of what makes a metro's listings of their records, whatever these and the date are."""
    parts = [LAYOUT, hash_program(), metro, vocabulary, hashlib.sha256(neighborhoods).hexdigest()]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
