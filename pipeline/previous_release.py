"""The previous release, read once at the start of a build and passed to its stages as one value."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from outings.configuration import FORMATS, FeedTable
from outings.release.manifest import Manifest, list_objects, read_manifest
from outings.release.root import FeedMemory, Part, Root, Withdrawals
from outings.release.store import Store


class PreviousMetro(Struct, frozen=True, kw_only=True):
    """A metro in the previous release. Its `manifest`, whose hash is `sha`, names all objects that a build reuses."""

    sha: str
    manifest: Manifest

    def list_objects(self) -> set[str]:
        """Return the hashes of the manifest and of all objects that it names."""
        return {self.sha, *list_objects(self.manifest)}


class PreviousRelease(Struct, frozen=True, kw_only=True):
    """The root of the previous release, and its metros by slug. Without a `root` there was no release yet."""

    root: Root | None = None
    metros: Mapping[str, PreviousMetro] = {}

    @property
    def feeds(self) -> Mapping[str, FeedMemory]:
        return {} if self.root is None else self.root.feeds

    @property
    def withdrawals(self) -> Withdrawals:
        return {} if self.root is None else self.root.withdrawals

    def list_memories(self, feeds: Collection[FeedTable]) -> dict[str, FeedMemory]:
        """Return what the previous build stored of each feed, by name. A feed read page by page starts again if its
        metro is not in the previous release."""
        return {
            feed.name: self.feeds[feed.name]
            for feed in feeds
            if feed.name in self.feeds and (not FORMATS[feed.format].is_paged or feed.metro in self.metros)
        }


def read_previous_release(store: Store, root: Root | None) -> PreviousRelease:
    parts = {} if root is None else root.parts
    return PreviousRelease(root=root, metros={slug: read_previous_metro(store, part) for slug, part in parts.items()})


def read_previous_metro(store: Store, part: Part) -> PreviousMetro:
    return PreviousMetro(sha=part.manifest, manifest=read_manifest(store, part.manifest))
