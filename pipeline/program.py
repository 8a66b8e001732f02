"""What this process would build with: two machines of the same program make the same bytes."""

import hashlib
import platform
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from importlib.resources.abc import Traversable

_PACKAGES = ("outings", "pipeline")
# Whose libraries have a hand in a build, beside those that every installation has.
_EXTRA = 'extra == "semantic"'


@cache
def describe_program() -> Mapping[str, str]:
    """Versions by name: of Python, of our own sources (a hash), of each library; "none" of one that is not there."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"Python": python, "outings": _hash_sources(), **{name: _find_version(name) for name in _list_libraries()}}


def explain_difference(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str | None:
    """What differs, or None."""
    names = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
    return (
        "; ".join(f"{name} {theirs.get(name, 'none')} there and {ours.get(name, 'none')} here" for name in names)
        or None
    )


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


def _hash_sources() -> str:
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for name, data in sorted(_read_sources(files(package), package)):
            digest.update(f"{name} {len(data)}\n".encode())
            digest.update(data)
    return digest.hexdigest()[:16]


def _read_sources(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            if each.name != "__pycache__":
                yield from _read_sources(each, f"{path}/{each.name}")
        else:
            yield f"{path}/{each.name}", each.read_bytes()
