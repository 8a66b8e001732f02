"""A release as the edge serves it, and the pool of those that were replaced: how many of them may be open at once,
whoever asks for them."""

import threading
import time
import weakref
from collections.abc import Callable, Mapping

from msgspec import Struct

from outings.contract.vocabulary import Vocabulary
from outings.release.root import Root
from outings.release.snapshot import Release, Snapshot

# Replaced releases that are open beside the current one: some 60 maps a metro each, and what answering makes of them.
MOST_OPEN = 4
# How long a request waits for room in the pool, in seconds. All that are queued behind it wait too.
PATIENCE = 1.0


class ServedRelease(Struct, frozen=True, kw_only=True, weakref=True, eq=False):
    """An open release. Every plan that answers from it refers to it: while one does, the release is in use
    (`ReleasePool`).

    `files` are its open objects, `header` is the value of `X-Release`, `stamps` are by metro. `vocabulary` is of a
    route without a metro: all metros of a deployment have the same one. `enabled` are the parameters that not every
    deployment answers, and this one does.
    """

    release: Release
    root: Root
    files: frozenset[str]
    header: bytes
    stamps: Mapping[str, str]
    aliases: Mapping[str, str]
    vocabulary: Vocabulary
    enabled: tuple[str, ...]

    def find_metro(self, name: str) -> Snapshot | None:
        """The metro of this slug or alias."""
        return self.release.metros.get(self.aliases.get(name, name))


class PoolFull(Exception):  # noqa: N818 - the name says it
    """Running requests use as many replaced releases as may be open."""


class ReleasePool:
    """The least recently used release is evicted first. The one that was replaced last is never evicted, because most
    walks are in it.

    A release counts as open until nothing refers to it, neither this pool nor a running request; then it is closed.
    Safe from any thread; only `make_room` waits.
    """

    def __init__(self) -> None:
        # Its lock is taken again by the thread that has it where a release ends in between.
        self._left = threading.Condition()
        self._open: weakref.WeakValueDictionary[str, ServedRelease] = weakref.WeakValueDictionary()
        self._last: ServedRelease | None = None
        self._kept: dict[str, ServedRelease] = {}  # the least recently used first

    def find(self, is_wanted: Callable[[ServedRelease], bool]) -> ServedRelease | None:
        """An open release, which then is the most recently used."""
        with self._left:
            match = next((each for each in list(self._open.values()) if is_wanted(each)), None)
        if match is not None:
            self.keep(match)
        return match

    def list_open(self) -> list[ServedRelease]:
        with self._left:
            return list(self._open.values())

    def keep(self, served: ServedRelease) -> None:
        """Makes it the most recently used."""
        with self._left:
            closing = [self._kept.pop(served.release.id, None)]
            if served.release.id not in self._open:
                self._open[served.release.id] = served
                weakref.finalize(served, self._tell_left).atexit = False
            if served is not self._last:
                self._kept[served.release.id] = served
            while len(self._kept) > MOST_OPEN - 1:
                closing.append(self._drop())
        del closing  # what ends with it ends while nobody waits for the lock

    def keep_last(self, served: ServedRelease) -> None:
        """Keeps the release that was replaced just now, in place of the one replaced before it."""
        with self._left:
            before, self._last = self._last, served
        self.keep(served)
        if before is not None:
            self.keep(before)

    def close(self, is_unwanted: Callable[[ServedRelease], bool]) -> None:
        """No place of these is kept: they end with the requests that are under way in them."""
        with self._left:
            closing = [each for each in self._open.values() if is_unwanted(each)]
            for each in closing:
                self._kept.pop(each.release.id, None)
            if self._last in closing:
                self._last = None
        del closing

    def make_room(self) -> None:
        """Evicts the least recently used until one more may be opened. PoolFull if that takes too long."""
        until = time.monotonic() + PATIENCE
        while True:
            with self._left:
                if len(self._open) < MOST_OPEN:
                    return
                closing = self._drop()
                if closing is None and not self._left.wait(until - time.monotonic()):
                    raise PoolFull
            del closing

    def _drop(self) -> ServedRelease | None:
        oldest = next(iter(self._kept), None)
        return None if oldest is None else self._kept.pop(oldest)

    def _tell_left(self) -> None:
        with self._left:
            self._left.notify_all()
