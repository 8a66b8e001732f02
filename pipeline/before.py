"""The state of the previous release, read once at the start of a build and passed to its stages as one value."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from outings.configuration import FORMATS, FeedTable
from outings.release.manifest import Manifest, read_manifest
from outings.release.root import FeedMemory, Part, Root, Withdrawals
from outings.release.store import Store


class Base(Struct, frozen=True, kw_only=True):
    """A metro in the previous release. Its `manifest`, whose hash is `sha`, names all that a build reuses: rows,
    documents, origins, delta state, organizations lent to other metros, exports."""

    sha: str
    manifest: Manifest


class Before(Struct, frozen=True, kw_only=True):
    """The previous release; empty if there is none."""

    root: Root | None = None
    feeds: Mapping[str, FeedMemory] = {}
    parts: Mapping[str, Part] = {}
    metros: Mapping[str, Base] = {}
    withdrawals: Withdrawals = {}

    def list_memories(self, feeds: Collection[FeedTable]) -> dict[str, FeedMemory]:
        """Return what the previous build stored of each feed, by name. A feed read page by page starts again if its
        metro is not in the previous release."""
        return {
            feed.name: self.feeds[feed.name]
            for feed in feeds
            if feed.name in self.feeds and (not FORMATS[feed.format].is_walk or feed.metro in self.parts)
        }


def read_before(store: Store, root: Root | None) -> Before:
    if root is None:
        return Before()
    return Before(
        root=root,
        feeds=root.feeds,
        parts=root.parts,
        metros={slug: read_base(store, part) for slug, part in root.parts.items()},
        withdrawals=root.withdrawals,
    )


def read_base(store: Store, part: Part) -> Base:
    return Base(sha=part.manifest, manifest=read_manifest(store, part.manifest))
