"""What this process would build with: two machines of the same program make the same bytes."""

import platform
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version

from pipeline.fingerprint import hash_program

_DIGITS = 16
# Whose libraries have a hand in a build, beside those that every installation has.
_EXTRA = 'extra == "semantic"'


@cache
def describe_program() -> Mapping[str, str]:
    """Versions by name: of Python, of our own sources (a hash), of each library; "none" of one that is not there."""
    python = ".".join(platform.python_version_tuple()[:2])
    libraries = {name: _find_version(name) for name in _list_libraries()}
    return {"Python": python, "outings": hash_program()[:_DIGITS], **libraries}


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
