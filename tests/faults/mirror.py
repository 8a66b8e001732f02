"""A mirror: reads the log page by page while releases come, and compares itself with each release that it caught up."""

import time
from contextlib import AbstractContextManager
from functools import partial
from multiprocessing.synchronize import Event
from pathlib import Path

from outings.release.folder import FolderStore
from outings.release.pointer import read_pointer
from outings.release.root import read_root
from outings.release.store import read_object
from tests.faults.watching import watching
from tests.faults.whole import list_published, read_whole
from tests.release.log_pages import read_page

# So few that releases come in the middle of a walk.
PAGE = 7


class Mirror:
    """`caught_up`: numbers of the releases with which it was compared."""

    def __init__(self, folder: Path) -> None:
        self._store = FolderStore(folder)
        self._slugs: dict[str, str] = {}
        self._last = 0
        self.caught_up: list[int] = []

    def read(self) -> None:
        pointer = read_pointer(self._store)
        if pointer is None:
            return
        log = read_root(self._store, pointer.pointer.root).log
        page = read_page(log, after=self._last, limit=PAGE, read=partial(read_object, self._store))
        for version in page:
            assert version.version_id == self._last + 1
            self._last = version.version_id
            if version.known_in:
                continue  # of no concern to who reads all metros
            if version.kind == "removed":
                del self._slugs[version.listing_id]
            else:
                assert (version.kind == "updated") == (version.listing_id in self._slugs)
                self._slugs[version.listing_id] = version.slug
        if not page and pointer.pointer.sequence not in self.caught_up[-1:]:
            self._compare(pointer.pointer.sequence)

    def _compare(self, sequence: int) -> None:
        whole = read_whole(self._store)
        assert whole is not None
        if whole.sequence == sequence:  # else another release came meanwhile, and its versions are read first
            assert self._slugs == list_published(whole)
            self.caught_up.append(sequence)


def _follow(folder: Path, stop: Event) -> list[int]:
    mirror = Mirror(folder)
    while not stop.is_set():
        mirror.read()
        time.sleep(0.005)
    for _ in range(1_000):
        mirror.read()
    return mirror.caught_up


def mirroring(folder: Path) -> AbstractContextManager[list[int]]:
    """Run a mirror in a process of its own. Afterwards its result has the sequences of releases that it was equal
    to."""
    return watching(partial(_follow, folder))
