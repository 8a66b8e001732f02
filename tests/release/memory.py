"""A store in memory."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from outings.release.store import NotFound, Outcome, StoreEntry, VersionedBytes, hash_of


class MemoryStore:
    """Keeps every promise of a store but to outlive the process. Safe among threads; `clock` stamps what is written."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._objects: dict[str, tuple[bytes, float]] = {}
        self._lock = threading.Lock()

    def __str__(self) -> str:
        return "memory:"

    def get(self, name: str) -> bytes:
        with self._lock:
            if name not in self._objects:
                raise NotFound(store=str(self), operation="get", name=name, cause="it does not exist")
            return self._objects[name][0]

    def read_versioned(self, name: str) -> VersionedBytes | None:
        with self._lock:
            data, _ = self._objects.get(name, (None, 0.0))
        return None if data is None else VersionedBytes(data, hash_of(data))

    def exists(self, name: str) -> bool:
        with self._lock:
            return name in self._objects

    def list(self, prefix: str) -> Iterator[StoreEntry]:
        with self._lock:
            entries = [(name, *entry) for name, entry in self._objects.items() if name.startswith(prefix)]
        return (StoreEntry(name, len(data), written) for name, data, written in entries)

    def put(self, name: str, data: bytes) -> None:
        self.put_many([(name, data)])

    def put_many(self, items: Iterable[tuple[str, bytes]]) -> None:
        for name, data in items:
            with self._lock:
                self._objects[name] = (bytes(data), self._clock())

    def put_if(self, name: str, data: bytes, *, expected: str | None) -> Outcome:
        with self._lock:
            current = hash_of(self._objects[name][0]) if name in self._objects else None
            if current != expected:
                return Outcome.LOST
            self._objects[name] = (bytes(data), self._clock())
            return Outcome.WON

    def read_clock(self) -> float:
        return self._clock()

    def delete(self, entries: Iterable[StoreEntry]) -> Sequence[StoreEntry]:
        removed = []
        for entry in entries:
            with self._lock:
                if entry.name in self._objects and self._objects[entry.name][1] == entry.modified_at:
                    del self._objects[entry.name]
                    removed.append(entry)
        return removed
