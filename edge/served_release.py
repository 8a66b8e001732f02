"""A release as the edge serves it."""

from collections.abc import Mapping

from msgspec import Struct

from outings.release.root import Root
from outings.release.snapshot import Release, Snapshot


class ServedRelease(Struct, frozen=True, kw_only=True, weakref=True, eq=False):
    """An open release. Every plan that answers from it refers to it: while one does, the release is in use
    (`release_pool`).

    `files` are its open objects, `header` is the value of `X-Release`, `stamps` are by metro.
    """

    release: Release
    root: Root
    files: frozenset[str]
    header: bytes
    stamps: Mapping[str, str]
    aliases: Mapping[str, str]

    def find_metro(self, name: str) -> Snapshot | None:
        """The metro of this slug or alias."""
        return self.release.metros.get(self.aliases.get(name, name))
