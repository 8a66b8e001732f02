"""Hash everything that a metro's build depends on, so that unchanged metros are not built again."""

import hashlib
import platform
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import msgspec

import pipeline
from outings import contract, release
from outings.answers import gazetteer
from outings.answers.renderer_version import RENDERER_VERSION
from outings.release.manifest import LAYOUT

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


def make_fingerprint(*parts: object) -> str:
    """Return a hash of these inputs and of the program."""
    return hashlib.sha256(msgspec.json.encode([LAYOUT, hash_program(), *parts])).hexdigest()


def hash_sources(folders: Iterable[Path], *, suffixes: Collection[str] = _SUFFIXES) -> str:
    """Return the SHA-256 of all source files below the folders, as 64 hex digits. Their location does not matter."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in suffixes:
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
