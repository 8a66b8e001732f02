"""Chooses the release that answers: polls the pointer, opens a new release while the old one answers, and swaps
them."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path

import structlog
from cachetools import FIFOCache

from edge.release_pool import ReleasePool, ServedRelease
from edge.rollback_guard import RollbackGuard
from edge.usage.counts import Counter, Counts
from outings.answers.routes import prepare_snapshot
from outings.contract.instants import format_instant
from outings.contract.parameters import ZIPS
from outings.contract.vocabulary import Vocabulary
from outings.release.cache import CacheClaim, evict_objects
from outings.release.lineage import ReleaseChain
from outings.release.log import list_tail
from outings.release.manifest import list_files, read_manifest
from outings.release.objects import Corrupt
from outings.release.pointer import NAME, Pointer, explain_pointer, read_pointer
from outings.release.reading import open_release
from outings.release.releases import ListedRelease, name_release
from outings.release.root import Root, explain_regress, format_release_id, parse_release_id, read_root
from outings.release.site import ASSETS, SiteFile, read_site
from outings.release.store import NotFound, Store, StoreError
from outings.release.trust import ANYBODY, Trust
from outings.release.withdrawals import has_ended

log = structlog.get_logger()

# Walks whose release is not kept any more: they ask with every page.
MOST_GONE = 1_024
# In place of a metro, where a release is looked for by its id.
_RELEASE = ""
MOST_CACHE_BYTES = 20 * 2**30
# A release that could not be opened is tried again this much later: its objects are fetched anew.
RETRY_PAUSE = timedelta(seconds=30)


class ReleaseRefusal(Exception):  # noqa: N818 - the name says it
    """This edge does not accept a pointer or a release."""


class Releases:
    """`current` is replaced in one assignment, so a request that began with the old release ends with it.

    `failure` says why the store cannot be read, `refusal` why the release in the store is not served. `trust` says
    whose releases are accepted. `rollback_guard` knows what this machine served before it was started.
    """

    def __init__(
        self,
        store: Store,
        *,
        cache: Path,
        clock: Callable[[], datetime],
        counts: Counts,
        trust: Trust = ANYBODY,
        rollback_guard: RollbackGuard | None = None,
    ) -> None:
        self._store = store
        self._trust = trust
        self._rollback_guard = rollback_guard
        self._counts = counts
        self._cache = cache
        self._clock = clock
        self._claim = CacheClaim(cache)
        self._polling = threading.Lock()
        self._state = threading.Lock()
        self._fetching: tuple[frozenset[str], ...] = ()
        self._pool = ReleasePool()
        self._gone: FIFOCache[tuple[str, str], None] = FIFOCache(MOST_GONE)
        self._snapshots: FIFOCache[tuple[str, str], str] = FIFOCache(MOST_GONE)
        self._chain = ReleaseChain(store)
        self._etag: str | None = None
        self._tried_at = clock()
        self.current: ServedRelease | None = None
        self.failure: str | None = None
        self.refusal: str | None = None

    def poll(self) -> None:
        """Takes up the release that the pointer names, if it is a new one. Does nothing while another thread does this.
        Blocks, so do not call it on the event loop."""
        if not self._polling.acquire(blocking=False):
            return
        try:
            self._read_pointer()
            self.failure = None
        except (Corrupt, NotFound, ReleaseRefusal) as error:
            self._refuse(str(error))
        except (StoreError, OSError) as error:
            self._etag = None
            if self.failure is None:
                log.warning("store_not_read", reason=str(error))
            self.failure = str(error)
        except Exception as error:
            log.exception("release_not_opened")  # tables that an engine can't read, whatever it raises
            self._refuse(f"{type(error).__name__}: {error}")
        finally:
            self._polling.release()

    def find_walk(self, metro: str, stamp: str) -> ServedRelease | None:
        """An open release whose metro has this stamp: one in which a walk began. Does not block."""
        return self._find_open(lambda served: served.stamps.get(metro) == stamp)

    def is_gone(self, metro: str, stamp: str) -> bool:
        """Whether it was looked for in vain."""
        return (metro, stamp) in self._gone

    def find_snapshot(self, metro: str, stamp: str) -> str | None:
        """The hash of the metro's snapshot of this stamp, as far as it is known. Does not block."""
        walk = self.find_walk(metro, stamp)
        return self._snapshots.get((metro, stamp)) if walk is None else walk.root.parts[metro].snapshot

    def read_snapshot(self, metro: str, stamp: str) -> str | None:
        """As `find_snapshot`, among all releases that the store keeps: their roots say it, and none is opened. None
        where it is gone. Blocks; for one thread."""
        if self.current is not None and self.current.stamps.get(metro, "") < stamp:
            self.poll()  # another worker was first to see it
        snapshot = self.find_snapshot(metro, stamp)
        if snapshot is None and not self.is_gone(metro, stamp):
            root = self._find_listed(metro, stamp)
            snapshot = None if root is None else root.root.parts[metro].snapshot
            if snapshot is not None:
                self._snapshots[metro, stamp] = snapshot
        return snapshot

    def open_walk(self, metro: str, stamp: str) -> ServedRelease | None:
        """As `find_walk`, among all releases that the store keeps; None where it is gone. Blocks; for one thread.
        PoolFull."""
        walk = self.find_walk(metro, stamp)
        listed = self._find_listed(metro, stamp) if walk is None and not self.is_gone(metro, stamp) else None
        try:
            return walk if listed is None else self._open_kept(listed)
        except (StoreError, Corrupt, OSError) as error:
            log.warning("kept_release_not_opened", metro=metro, stamp=stamp, reason=str(error))
            return None

    def find_file(self, path: str) -> SiteFile | None:
        """A file of the site. A page that came a moment ago may name a style of the release before: styles and scripts
        are looked for in every open one. Does not block."""
        served = self.current
        file = None if served is None else served.release.site.get(path)
        if file is not None or not path.startswith(ASSETS):
            return file
        older = self._find_open(lambda each: path in each.release.site)
        return None if older is None else older.release.site[path]

    def find_release(self, release_id: str) -> ServedRelease | None:
        """The one of this id, if it is open. Does not block."""
        return self._find_open(lambda served: served.release.id == release_id)

    def _find_open(self, is_wanted: Callable[[ServedRelease], bool]) -> ServedRelease | None:
        """One that ended with a takedown may still be open for a request that was begun before; no other gets it."""
        current = self.current
        if current is None or is_wanted(current):
            return current
        ended = current.root.ended
        return self._pool.find(lambda each: is_wanted(each) and not has_ended(ended, each.root.sequence))

    def open_release(self, release_id: str) -> ServedRelease | None:
        """As `find_release`, among all releases that the store keeps; None where it is gone. Blocks; for one thread.
        ValueError where the text is no release id; PoolFull, StoreError, Corrupt."""
        sequence, _ = parse_release_id(release_id)
        if self.current is not None and self.current.release.sequence < sequence:
            self.poll()  # another worker was first to see it
        release, current = self.find_release(release_id), self.current
        if release is not None or current is None or (_RELEASE, release_id) in self._gone:
            return release
        if sequence > current.root.sequence:
            self._refuse_ahead(sequence)
            return None
        with contextlib.suppress(NotFound):
            has_gone = has_ended(current.root.ended, sequence)
            sha = None if has_gone else self._chain.find_id(release_id, current=current.root)
            if sha is not None:
                return self._open_kept(name_release(sha, read_root(self._store, sha)))
        self._remember_gone((_RELEASE, release_id))
        return None

    def _refuse_ahead(self, sequence: int) -> None:
        """StoreError where there is such a release, and this server does not serve it yet."""
        pointer = read_pointer(self._store, trust=self._trust)
        if pointer is not None and pointer.pointer.sequence >= sequence:
            cause = f"this server serves release {None if self.current is None else self.current.release.id}"
            raise StoreError(store=str(self._store), operation="open", name=f"release {sequence}", cause=cause)

    def has_published(self, version_id: int) -> bool:
        """Whether there is a release with this version, served or not, for all that can be known. Blocks."""
        try:
            pointer = read_pointer(self._store, trust=self._trust)
        except (StoreError, Corrupt, NotFound):
            return True
        return pointer is not None and pointer.pointer.latest_version_id >= version_id

    def close(self) -> None:
        self._claim.close()

    def _read_pointer(self) -> None:
        known, self._etag = self._etag, None  # one that can't be read now is looked at again, even if it is the same
        pointer = read_pointer(self._store, trust=self._trust)
        if pointer is None and self.current is not None:
            raise ReleaseRefusal(f"{NAME} is gone; `outings releases restore` writes it again")
        if pointer is None:
            return
        self._etag, now = pointer.etag, self._clock()
        if pointer.etag != known or not timedelta(0) <= now - self._tried_at < RETRY_PAUSE:
            self._tried_at = now
            self._take_up(pointer.pointer)

    def _take_up(self, pointer: Pointer) -> None:
        before = self.current
        release_id = format_release_id(pointer.sequence, pointer.root)
        if before is None or before.release.id != release_id:
            root = read_root(self._store, pointer.root)
            reason = explain_pointer(pointer, root) or self._explain_rollback(before, pointer, root)
            if reason is not None:
                raise ReleaseRefusal(f"release {release_id}: {reason}")
            with self._open(ListedRelease(release_id, pointer.root, root), is_served=True) as served:
                self.current = served
            log.info("release_served", release=release_id)
            if self._rollback_guard is not None:
                self._rollback_guard.remember(pointer)
            self._pool.close(lambda each: has_ended(root.ended, each.root.sequence))
            if before is not None and not has_ended(root.ended, before.root.sequence):
                self._pool.keep_last(before)
        self.refusal = None

    def _explain_rollback(self, before: ServedRelease | None, pointer: Pointer, root: Root) -> str | None:
        """Once it serves, it goes by what it has: another worker may be ahead of it. Another root with the same
        sequence belongs to another history."""
        if before is None:
            return None if self._rollback_guard is None else self._rollback_guard.explain_rollback(pointer)
        is_other = root.sequence == before.root.sequence
        return "another release has its sequence" if is_other else explain_regress(before.root, root)

    def _find_listed(self, metro: str, stamp: str) -> ListedRelease | None:
        """The kept release whose metro has this stamp; what is not there is remembered as gone."""
        if self.current is None:
            return None
        try:
            sha = self._chain.find_stamp(metro, stamp, current=self.current.root)
            root = None if sha is None else read_root(self._store, sha)
            if sha is not None and root is not None and not has_ended(self.current.root.ended, root.sequence):
                return name_release(sha, root)
            if stamp < self.current.stamps.get(metro, ""):
                self._remember_gone((metro, stamp))
        except (StoreError, Corrupt, OSError) as error:
            log.warning("kept_release_not_found", metro=metro, stamp=stamp, reason=str(error))
        return None

    def _remember_gone(self, name: tuple[str, str]) -> None:
        """Remembers a metro's stamp, or a release, that the store has not. Raises StoreError if the store has no
        pointer either: it is not mounted, and may come back."""
        if not self._store.exists(NAME):
            raise StoreError(store=str(self._store), operation="get", name=NAME, cause="it does not exist")
        self._gone[name] = None

    def _open_kept(self, listed: ListedRelease) -> ServedRelease:
        self._pool.make_room()
        with self._open(listed, is_served=False) as served:
            self._pool.keep(served)
            return served

    @contextlib.contextmanager
    def _open(self, listed: ListedRelease, *, is_served: bool) -> Iterator[ServedRelease]:
        """Its files are claimed before they are fetched, and until it is put where it is kept: another process may be
        evicting, and another thread claiming what it finds kept."""
        manifests = {slug: read_manifest(self._store, part.manifest) for slug, part in listed.root.parts.items()}
        site = None if listed.root.site is None else read_site(self._store, listed.root.site)
        own = (*list_tail(listed.root.log), *([] if site is None else [site.pages.object]))
        files = frozenset((*own, *chain.from_iterable(map(list_files, manifests.values()))))
        with self._state:
            self._fetching = (*self._fetching, files)
            in_use = [served.files for served in (self.current, *self._pool.list_open()) if served is not None]
            self._claim.replace(frozenset[str]().union(*self._fetching, *in_use))
        try:
            release = open_release(self._store, listed, manifests=manifests, cache=self._cache, site=site)
            evict_objects(self._cache, limit=MOST_CACHE_BYTES)
            for snapshot in release.metros.values():  # here, and not under the first request
                prepare_snapshot(snapshot, is_served=is_served)
            for sha in list_tail(listed.root.log):
                release.history.read(sha)
            yield ServedRelease(
                release=release,
                root=listed.root,
                files=files,
                header=listed.id.encode(),
                stamps={slug: format_instant(part.stamp) for slug, part in listed.root.parts.items()},
                aliases={alias: slug for slug, metro in release.metros.items() for alias in metro.metro.aliases},
                vocabulary=next((metro.vocabulary for metro in release.metros.values()), Vocabulary()),
                enabled=ZIPS if any("zips" in metro.tables for metro in release.metros.values()) else (),
            )
        finally:
            with self._state:
                self._fetching = tuple(each for each in self._fetching if each is not files)

    def _refuse(self, reason: str) -> None:
        if self.refusal != reason:
            log.error("release_refused", reason=reason)
            self._counts.add(Counter.RELEASES_REFUSED)
        self.refusal = reason
