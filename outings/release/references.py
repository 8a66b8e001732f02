"""The objects that a release names, directly or through its manifests and its site."""

from collections.abc import Collection, Iterator

from outings.release.log import list_segments
from outings.release.manifest import list_objects, read_manifest
from outings.release.root import Root
from outings.release.site import read_site
from outings.release.store import Store


def list_references(store: Store, root: Root, *, known: Collection[str] = ()) -> Iterator[str]:
    """Yield the hashes of all objects that a root names, also through its manifests and its site. Of these, those in
    `known` are skipped."""
    for part in root.parts.values():
        if part.manifest not in known:
            yield part.manifest
            yield from list_objects(read_manifest(store, part.manifest))
    if root.site is not None and root.site not in known:
        yield root.site
        yield read_site(store, root.site).pages.object
    for segment in list_segments(root.log):
        yield segment.object
        yield segment.index
    for feed in root.feeds.values():
        yield from (sha for sha in (feed.problems, feed.records, feed.items) if sha is not None)
