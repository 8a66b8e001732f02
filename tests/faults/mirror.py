"""A mirror: reads the log page by page while releases come, and compares itself with each release that it caught up."""

import contextlib
import time
import traceback
from collections.abc import Iterator
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path

from outings.release.folder import FolderStore
from outings.release.log import read_page
from outings.release.objects import read_object
from outings.release.pointer import read_pointer
from outings.release.root import read_root
from tests.faults.whole import list_published, read_whole
from tests.forking import CONTEXT

PATIENCE = 60.0
# So few that releases come in the middle of a walk.
PAGE = 7


class Mirror:
    """`caught_up`: numbers of the releases with which it was compared."""

    def __init__(self, folder: Path) -> None:
        self._store = FolderStore(folder)
        self._held: dict[str, str] = {}
        self._last = 0
        self.caught_up: list[int] = []

    def read(self) -> None:
        found = read_pointer(self._store)
        if found is None:
            return
        log = read_root(self._store, found.pointer.root).log
        page = read_page(log, after=self._last, limit=PAGE, read=partial(read_object, self._store))
        for version in page:
            assert version.version_id == self._last + 1
            self._last = version.version_id
            if version.known_in:
                continue  # of no concern to who reads all metros
            if version.kind == "removed":
                del self._held[version.listing_id]
            else:
                assert (version.kind == "updated") == (version.listing_id in self._held)
                self._held[version.listing_id] = version.slug
        if not page and found.pointer.sequence not in self.caught_up[-1:]:
            self._compare(found.pointer.sequence)

    def _compare(self, sequence: int) -> None:
        whole = read_whole(self._store)
        assert whole is not None
        if whole.sequence == sequence:  # else another release came meanwhile, and its versions are read first
            assert self._held == list_published(whole)
            self.caught_up.append(sequence)


def _mirror_until_told(folder: Path, stop: Event, said: Connection) -> None:
    mirror = Mirror(folder)
    try:
        while not stop.is_set():
            mirror.read()
            time.sleep(0.005)
        for _ in range(1_000):
            mirror.read()
    except BaseException:
        said.send(traceback.format_exc())
        raise
    said.send(mirror.caught_up)


@contextlib.contextmanager
def mirroring(folder: Path) -> Iterator[list[int]]:
    """In a process of its own; afterwards, the numbers of the releases that it was found equal to."""
    stop, (told, said), caught_up = CONTEXT.Event(), CONTEXT.Pipe(duplex=False), list[int]()
    process = CONTEXT.Process(target=_mirror_until_told, args=(folder, stop, said))
    process.start()
    said.close()
    try:
        yield caught_up
        stop.set()
        assert told.poll(PATIENCE)
        found = told.recv()
        assert isinstance(found, list), found
        caught_up += found
    finally:
        process.kill()
        process.join()
        told.close()
