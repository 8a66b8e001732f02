"""The releases that an edge has open: the current one, and those replaced in the last 15 minutes."""

import contextlib
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import msgspec
import structlog
from msgspec import Struct, field
from msgspec.structs import replace

from edge.metrics import Counts
from outings.answers.routes import is_prepared, prepare_snapshot
from outings.contract.parameters import ZIPS, list_refused
from outings.contract.values import format_instant
from outings.contract.vocabulary import Vocabulary
from outings.release.cache import evict_objects
from outings.release.folder import hold_lock, sync, write_named
from outings.release.log import list_tail
from outings.release.pointer import NAME, Pointer, explain_pointer, read_pointer
from outings.release.root import ListedRelease, Root, explain_regress, format_release_id, has_ended, read_root
from outings.release.site import ASSETS, SiteFile, StoredFile
from outings.release.snapshot import Release, Snapshot, name_release
from outings.release.store import Corrupt, NotFound, Store, StoreError
from outings.release.trust import ANYBODY, Trust

log = structlog.get_logger()

SERVED_NAME = "served-release.json"


class _LastRelease(Struct, frozen=True):
    sequence: int
    root: str


class RollbackGuard:
    """Remembers the last served release in a file in the folder `state`, which all workers of this machine share."""

    def __init__(self, state: Path) -> None:
        self._path = state / SERVED_NAME

    def explain_rollback(self, pointer: Pointer) -> str | None:
        """Return why the pointer's release may not follow the last served one, or None if it may."""
        try:
            served = self._read()
        except (OSError, ValueError, RecursionError) as error:
            return f"{self._path}, which says what was served here before, can't be read ({error}); {self._advise()}"
        if served is None or pointer.sequence > served.sequence:
            return None
        if pointer.sequence < served.sequence:
            return f"release {served.sequence} was served here before; {self._advise()}"
        if pointer.root != served.root:
            return f"another release of its number was served here before; {self._advise()}"
        return None

    def _advise(self) -> str:
        return f"if you restored the store on purpose, delete {self._path}"

    def remember(self, pointer: Pointer) -> None:
        """Write the release to the file, unless another worker wrote a newer one. Log a failure to write."""
        try:
            with hold_lock(self._path.with_suffix(".lock")):
                if self.explain_rollback(pointer) is None:
                    following = self._path.with_suffix(".following")
                    write_named(following, msgspec.json.encode(_LastRelease(pointer.sequence, pointer.root)))
                    sync(following)
                    following.replace(self._path)
                    sync(self._path.parent)
        except OSError as error:
            log.warning("served_release_not_remembered", reason=str(error))

    def _read(self) -> _LastRelease | None:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return msgspec.json.decode(self._path.read_bytes(), type=_LastRelease)
        return None


# How long a replaced release is open, so that readers can go on paging in it.
PAGING_TIME = timedelta(minutes=15)
# The pause before a release that could not be opened is tried again, with its objects fetched again.
RETRY_PAUSE = timedelta(seconds=30)


class ReleaseRefusal(Exception):  # noqa: N818 - the name says it
    """An error: this edge does not accept a pointer or a release. The message says why."""


class ServedRelease(Struct, frozen=True, kw_only=True, eq=False):
    """An open release, with lookups for requests.

    Attributes:
        header: the value of `X-Release`.
        stamps: when each metro last changed, by slug.
        metros: snapshots by slug and alias.
        elsewhere: the slugs of metros that other edges serve, by slug and alias.
        vocabulary: for routes without a metro; all metros of a deployment have the same one.
        enabled: the optional parameters that this deployment supports.
        refused: those that it does not support.
    """

    release: Release
    root: Root
    header: bytes
    stamps: Mapping[str, str]
    aliases: Mapping[str, str]
    metros: Mapping[str, Snapshot]
    elsewhere: Mapping[str, str]
    vocabulary: Vocabulary
    enabled: tuple[str, ...]
    refused: tuple[str, ...]


class ReplacedRelease(Struct, frozen=True):
    """A release that was current until `replaced_at`."""

    served: ServedRelease
    replaced_at: datetime


class Releases(Struct, kw_only=True):
    """The open releases. `poll` opens a new release while the old one answers, and then replaces `current` by it in one
    assignment, so a request that began with the old release ends with it.

    Attributes:
        trust: decides whose signatures are accepted.
        rollback_guard: knows the last release that this machine served.
        metros: the slugs to serve; empty means all.
        memory: when open files have more bytes, the least recently requested metros are closed. None is no limit.
        failure: why the store cannot be read, or None.
        refusal: why the release in the store is not served, or None.
        used_at: when each metro was last requested, by the monotonic clock.
        replaced: the newest first.
        is_damaged: True if files of the current release could not be read.
    """

    store: Store
    cache: Path
    clock: Callable[[], datetime]
    counts: Counts
    trust: Trust = ANYBODY
    rollback_guard: RollbackGuard | None = None
    metros: Collection[str] = ()
    memory: int | None = None
    current: ServedRelease | None = None
    failure: str | None = None
    refusal: str | None = None
    used_at: dict[str, float] = {}
    replaced: tuple[ReplacedRelease, ...] = ()
    is_closed: bool = False
    is_damaged: bool = False
    polling: threading.Lock = field(default_factory=threading.Lock)
    etag: str | None = None
    tried_at: datetime = datetime.min.replace(tzinfo=UTC)

    def poll(self, *, is_ahead: bool = True) -> None:
        """Open and serve the release that the pointer names, if it is a new one. With `is_ahead` its metros are opened
        before it is served. Blocks, also while another thread polls, so do not call it on the event loop."""
        with self.polling:
            try:
                now = self.clock()
                # By `abs`, so that a clock that was set back keeps no release open for longer.
                self.replaced = tuple(old for old in self.replaced if abs(now - old.replaced_at) < PAGING_TIME)
                self._read_pointer(is_ahead=is_ahead)
                self._close_unused()
                self.failure = None
            except (Corrupt, NotFound, ReleaseRefusal) as error:
                self._refuse(str(error))
            except (StoreError, OSError) as error:
                self.etag = None
                if self.failure is None:
                    log.warning("store_not_read", reason=str(error))
                self.failure = str(error)
            except Exception as error:
                log.exception("release_not_opened")  # tables that an engine can't read, whatever it raises
                self._refuse(f"{type(error).__name__}: {error}")

    def find_by_stamp(self, metro: str, stamp: str) -> ServedRelease | None:
        """Return the newest open release in which the metro has this stamp, or None."""
        return next((served for served in self._list_open() if served.stamps.get(metro) == stamp), None)

    def is_newer(self, metro: str, stamp: str) -> bool:
        """Return True if another worker has a newer release: the stamp is later than the metro's current one."""
        return self.current is not None and self.current.stamps.get(metro, "") < stamp

    def find_file(self, path: str) -> SiteFile | StoredFile | None:
        """Return a file of the site, or None. Styles and scripts are looked for in replaced releases too, because a
        page that was sent a moment ago may name them."""
        releases = self._list_open() if path.startswith(ASSETS) else islice(self._list_open(), 1)
        return next((served.release.site[path] for served in releases if path in served.release.site), None)

    def _list_open(self) -> Iterator[ServedRelease]:
        """Yield the open releases, newest first, beginning with the current one."""
        replaced, current = self.replaced, self.current
        if current is not None:
            yield current
        yield from (release.served for release in replaced)

    def _read_pointer(self, *, is_ahead: bool) -> None:
        etag, self.etag = self.etag, None  # a pointer that can't be read now is read again, even if unchanged
        pointer = read_pointer(self.store, trust=self.trust)
        if pointer is None and self.current is not None:
            raise ReleaseRefusal(f"{NAME} is gone; `outings releases restore` writes it again")
        if pointer is None:
            return
        self.etag, now = pointer.etag, self.clock()
        if pointer.etag != etag or not timedelta(0) <= now - self.tried_at < RETRY_PAUSE:
            self.tried_at = now
            self._take_up(pointer.pointer, is_ahead=is_ahead)

    def _take_up(self, pointer: Pointer, *, is_ahead: bool) -> None:
        before = self.current
        release_id = format_release_id(pointer.sequence, pointer.root)
        if before is None or before.release.id != release_id:
            root = read_root(self.store, pointer.root)
            reason = explain_pointer(pointer, root) or self._explain_rollback(before, pointer, root)
            if reason is not None:
                raise ReleaseRefusal(f"release {release_id}: {reason}")
            served = self._open(ListedRelease(pointer.root, root), is_ahead=is_ahead)
            replaced = (() if before is None else (ReplacedRelease(before, self.clock()),)) + self.replaced
            # First, so that a reader who pages in the replaced release finds it at any time.
            self.replaced = replaced
            self.current = served
            # Ended releases contain withdrawn listings, so nobody may page in them any more.
            self.replaced = tuple(old for old in replaced if not has_ended(root.ended, old.served.root.sequence))
            log.info("release_served", release=release_id)
            if self.rollback_guard is not None:
                self.rollback_guard.remember(pointer)
        self.refusal = None

    def _explain_rollback(self, before: ServedRelease | None, pointer: Pointer, root: Root) -> str | None:
        """Return why this release may not follow the release `before`, or None if it may. The guard is asked only about
        the first release, since other workers may be ahead."""
        if before is None:
            return None if self.rollback_guard is None else self.rollback_guard.explain_rollback(pointer)
        is_other = root.sequence == before.root.sequence
        return "another release has its sequence" if is_other else explain_regress(before.root, root)

    def _open(self, listed: ListedRelease, *, is_ahead: bool) -> ServedRelease:
        """Open a release. Unchanged metros keep their snapshots, and with them all that answers have cached of them."""
        root, current = listed.root, self.current
        same = () if current is None else root.parts.items() & current.root.parts.items()
        current_metros = {} if current is None else current.release.metros
        unchanged = {slug: current_metros[slug] for slug, _ in same if slug in current_metros}
        release = name_release(self.store, listed, cache=self.cache, unchanged=unchanged)
        served = _serve(release, root, chosen=self.metros)
        if is_ahead:
            self._prepare(served)
        evict_objects(self.cache, needed=release.files)
        return served

    def open_ahead(self) -> None:
        """Open the metros of the current release that are not open yet, as far as the memory allows. Blocks."""
        if self.current is None:
            return
        try:
            self._prepare(self.current)
        except (Corrupt, StoreError, OSError) as error:
            self.is_damaged = True
            self._refuse(str(error))
            return
        if self.is_damaged:
            self.is_damaged, self.refusal = False, None

    def _prepare(self, served: ServedRelease) -> None:
        """Open a release's metros, as far as the memory allows, and the newest objects of its log."""
        for snapshot in list(served.release.metros.values()):
            if self.is_closed:
                return
            added = snapshot.count_all_bytes() - snapshot.count_bytes()
            has_room = self.memory is None or _count_bytes(served) + added <= self.memory
            if has_room and not is_prepared(snapshot):
                prepare_snapshot(snapshot)
        for sha in list_tail(served.root.log):
            served.release.history.read(sha)

    def _close_unused(self) -> None:
        """Close the least recently requested metros until the others fit into the memory. One is always open."""
        served = self.current
        if self.memory is None or served is None:
            return
        metros, left = dict(served.release.metros), _count_bytes(served)
        for slug in sorted(metros, key=lambda slug: self.used_at.get(slug, 0.0))[:-1]:
            size = metros[slug].count_bytes()
            if left > self.memory and size:
                metros[slug], left = metros[slug].renew(), left - size
                log.info("metro_closed", metro=slug)
        # Requests that are being answered from a closed metro keep it open until they end.
        release = replace(served.release, metros=metros)
        if any(metros[slug] is not snapshot for slug, snapshot in served.release.metros.items()):
            named = {name: metros[snapshot.metro.slug] for name, snapshot in served.metros.items()}
            self.current = replace(served, release=release, metros=named)

    def close(self) -> None:
        """Stop the thread that opens metros before they are requested."""
        self.is_closed = True

    def _refuse(self, reason: str) -> None:
        if self.refusal != reason:
            log.error("release_refused", reason=reason)
            self.counts.releases_refused.inc()
        self.refusal = reason


def _serve(release: Release, root: Root, *, chosen: Collection[str]) -> ServedRelease:
    """Wrap a release for serving, with only the `chosen` metros, or all of them if none is chosen."""

    def name_all(metros: Mapping[str, Snapshot]) -> dict[str, Snapshot]:
        return {name: metro for slug, metro in metros.items() for name in (*metro.metro.aliases, slug)}

    own = {
        slug: metro
        for slug, metro in release.metros.items()
        if not chosen or not {slug, *metro.metro.aliases}.isdisjoint(chosen)
    }
    named = name_all(release.metros)
    refused = list_refused(metro.tables for metro in own.values())
    return ServedRelease(
        release=replace(release, metros=own),
        root=root,
        header=release.id.encode(),
        stamps={slug: format_instant(part.stamp) for slug, part in root.parts.items()},
        aliases={name: metro.metro.slug for name, metro in named.items() if name != metro.metro.slug},
        metros=name_all(own),
        elsewhere={name: metro.metro.slug for name, metro in named.items() if metro.metro.slug not in own},
        vocabulary=next((metro.vocabulary for metro in own.values()), Vocabulary()),
        enabled=tuple(name for name in ZIPS if name not in refused),
        refused=refused,
    )


def _count_bytes(served: ServedRelease) -> int:
    return sum(snapshot.count_bytes() for snapshot in served.release.metros.values())
