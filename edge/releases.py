"""Which release answers: the pointer is polled, a new release opened beside the old one and swapped in."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import structlog
from msgspec import Struct

from edge.bounded import Bounded
from outings.contract.query import Query
from outings.release.cache import Claim, evict_objects
from outings.release.objects import Corrupt
from outings.release.pointer import Pointer, read_pointer
from outings.release.reading import open_release
from outings.release.releases import ListedRelease, list_references, read_release
from outings.release.root import Root, explain_regress, format_release_id, parse_release_id, read_root
from outings.release.snapshot import Release, Snapshot
from outings.release.store import NotFound, Store, StoreError

log = structlog.get_logger()

# Replaced releases that stay open for walks that began in them.
MOST_KEPT = 4
# Ids of releases that are not kept: a walk that began in one asks with every page.
MOST_GONE = 1_024
MOST_QUERIES = 8_192
MOST_CACHE_BYTES = 20 * 2**30
# A release that could not be opened is tried again this much later, in seconds: its objects are fetched anew.
RETRY_SECONDS = 30.0


class Serving(Struct, frozen=True, kw_only=True):
    """A release as it is served: with its root, the header that names it, and requests that it has read before."""

    release: Release
    root: Root
    header: bytes
    aliases: dict[str, str]
    queries: Bounded[tuple[str, bytes], Query]

    def find_metro(self, name: str) -> Snapshot | None:
        """The metro of this slug or alias."""
        return self.release.metros.get(self.aliases.get(name, name))


class Refused(Exception):  # noqa: N818 - the name says it
    """A pointer or a release that this edge does not take up."""


class Releases:
    """`current` is replaced in one assignment; whoever began with the old one ends with it.

    `failure` says why the store can't be read, `refusal` why the release in the store is not the one served.
    """

    def __init__(self, store: Store, *, cache: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._cache = cache
        self._clock = clock
        self._claim = Claim(cache)
        self._opening = threading.Lock()
        self._kept: dict[str, Serving] = {}
        self._gone: Bounded[str, bool] = Bounded(MOST_GONE)
        self._etag: str | None = None
        self._retry_at = 0.0
        self.current: Serving | None = None
        self.failure: str | None = None
        self.refusal: str | None = None

    def poll(self) -> None:
        """Takes up the release that the pointer names, if it is another one. Blocks: not for the event loop."""
        with self._opening:
            try:
                found = read_pointer(self._store)
                if found is not None and (found.etag != self._etag or self._clock() >= self._retry_at):
                    self._etag, self._retry_at = found.etag, self._clock() + RETRY_SECONDS
                    self._take_up(found.pointer)
                self.failure = None
            except (Corrupt, NotFound, Refused) as error:
                self._refuse(str(error))
            except (StoreError, OSError) as error:
                self._etag = None
                if self.failure is None:
                    log.warning("store_not_read", reason=str(error))
                self.failure = str(error)

    def find_release(self, release_id: str) -> Serving | None:
        """An open release. Does not block."""
        current = self.current
        return current if current is not None and current.release.id == release_id else self._kept.get(release_id)

    def is_gone(self, release_id: str) -> bool:
        """Whether it was looked for in vain."""
        return self._gone.get(release_id) is not None

    def open_kept(self, release_id: str) -> Serving | None:
        """A release that the store still keeps, opened for a walk that began in it; None where it is gone. Blocks."""
        current = self.current
        if current is not None and _read_sequence(release_id) > current.release.sequence:
            self.poll()  # another worker was first to see it
        with self._opening:
            found = self.find_release(release_id)
            if found is None and not self.is_gone(release_id):
                found = self._open_listed(release_id)
            return found

    def close(self) -> None:
        self._claim.close()

    def _take_up(self, pointer: Pointer) -> None:
        before = self.current
        release_id = format_release_id(pointer.sequence, pointer.root)
        if before is not None and before.release.id == release_id:
            self.refusal = None
            return
        root = read_root(self._store, pointer.root)
        reason = explain_regress(before.root, root) if before else None
        if root.sequence != pointer.sequence:
            reason = f"the pointer says sequence {pointer.sequence}, its root {root.sequence}"
        if reason is not None:
            raise Refused(f"release {release_id}: {reason}")
        served = self._open(ListedRelease(release_id, pointer.root, root))
        if before is not None:
            self._keep(before)
        self.current = served
        self.refusal = None
        log.info("release_served", release=release_id)

    def _open_listed(self, release_id: str) -> Serving | None:
        try:
            listed = read_release(self._store, release_id)
            served = self._open(listed)
        except (NotFound, ValueError):
            self._gone.put(release_id, True)  # noqa: FBT003 a set with a bound
            return None
        except (StoreError, Corrupt, OSError) as error:
            log.warning("kept_release_not_opened", release=release_id, reason=str(error))
            return None
        self._keep(served)
        return served

    def _open(self, listed: ListedRelease) -> Serving:
        """Its objects are claimed before they are fetched: another process may be evicting."""
        self._claim.replace(
            {
                sha
                for served in (self.current, *self._kept.values())
                if served is not None
                for sha in list_references(self._store, served.root)
            }
            | set(list_references(self._store, listed.root))
        )
        release = open_release(self._store, listed, cache=self._cache)
        evict_objects(self._cache, limit=MOST_CACHE_BYTES)
        return Serving(
            release=release,
            root=listed.root,
            header=listed.id.encode(),
            aliases={alias: slug for slug, metro in release.metros.items() for alias in metro.metro.aliases},
            queries=Bounded(MOST_QUERIES),
        )

    def _keep(self, served: Serving) -> None:
        """A new dict each time: readers on the event loop hold the old one."""
        kept = {**self._kept, served.release.id: served}
        self._kept = dict(list(kept.items())[-MOST_KEPT:])

    def _refuse(self, reason: str) -> None:
        if self.refusal != reason:
            log.error("release_refused", reason=reason)
        self.refusal = reason


def _read_sequence(release_id: str) -> int:
    try:
        return parse_release_id(release_id)[0]
    except ValueError:
        return 0
