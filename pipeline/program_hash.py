"""A hash of the program's own sources, which changes with them: no version has to be counted by hand."""

import hashlib
from collections.abc import Collection, Iterable
from pathlib import Path

# What decides: code, and the words and settings that ship with it.
_SUFFIXES = (".py", ".toml", ".csv")


def hash_sources(folders: Iterable[Path], *, suffixes: Collection[str] = _SUFFIXES) -> str:
    """64 hex digits; where the folders lie is no part of it."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in suffixes:
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
