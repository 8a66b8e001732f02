"""The previous release, read once at the start of a build and passed to its stages as one value."""

from collections.abc import Collection, Mapping

from msgspec import Struct, structs

from outings.configuration import FORMATS, FeedTable, MetroTable
from outings.release.manifest import Manifest, list_objects, read_manifest
from outings.release.root import FeedMemory, Part, Root, Withdrawals
from outings.release.store import Store


class PreviousMetro(Struct, frozen=True, kw_only=True):
    """A metro in the previous release. Its `manifest`, whose hash is `sha`, names all objects that a build reuses."""

    sha: str
    manifest: Manifest

    @property
    def first_slug(self) -> str:
        """Return the slug under which the metro was published first. Ids that are made of a slug are made of this."""
        return self.manifest.first_slug or self.manifest.metro.slug

    def list_objects(self) -> set[str]:
        """Return the hashes of the manifest and of all objects that it names."""
        return {self.sha, *list_objects(self.manifest)}


class PreviousRelease(Struct, frozen=True, kw_only=True):
    """The root of the previous release, and its metros by slug. Without a `root` there was no release yet.

    A metro that the build publishes under a new slug has this slug in `metros`; `renamed` has the new slugs by the old
    ones. `leaving`: the metros that leave with the build, because they are no longer configured.
    """

    root: Root | None = None
    metros: Mapping[str, PreviousMetro] = {}
    renamed: Mapping[str, str] = {}
    leaving: Mapping[str, PreviousMetro] = {}

    @property
    def feeds(self) -> Mapping[str, FeedMemory]:
        return {} if self.root is None else self.root.feeds

    @property
    def withdrawals(self) -> Withdrawals:
        return {} if self.root is None else self.root.withdrawals

    @property
    def first_slugs(self) -> Mapping[str, str]:
        return {slug: metro.first_slug for slug, metro in self.metros.items()}

    def follow(
        self, configured: Collection[MetroTable], *, chosen: Collection[MetroTable], is_whole: bool
    ) -> "PreviousRelease":
        """Return the release as a build of the `chosen` metros goes on from it. A metro that has an alias and is not in
        the release yet takes over the metro of that name. `is_whole`: the build has all `configured` metros, so others
        leave."""
        new = [metro for metro in chosen if metro.slug not in self.metros]
        renamed = {
            alias: metro.slug for metro in new for alias in [*filter(self.metros.__contains__, metro.aliases)][:1]
        }
        others = self.metros.keys() - renamed.keys() - {metro.slug for metro in configured} if is_whole else set()
        return structs.replace(
            self,
            metros={renamed.get(slug, slug): metro for slug, metro in self.metros.items() if slug not in others},
            renamed=renamed,
            leaving={slug: self.metros[slug] for slug in sorted(others)},
        )

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
