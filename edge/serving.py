"""Serving: a release as it is served."""

from collections.abc import Mapping

from msgspec import Struct

from outings.release.root import Root
from outings.release.snapshot import Release, Snapshot


class Serving(Struct, frozen=True, kw_only=True, weakref=True, eq=False):
    """A release, open. What answers from it refers to it: that is how it is known to be in use (`places`).

    `files` are the objects that it has open, `header` names it, `stamps` are by metro.
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
