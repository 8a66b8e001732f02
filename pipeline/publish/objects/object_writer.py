"""Write the objects of a build durably, in batches, except those that the previous release already names."""

from collections.abc import Collection

from msgspec import Struct

from outings.release.store import Store, hash_of, object_name, read_object

# Bytes held back before a batch is made durable. A batch is one sync of the store's disk: at 32 MB its cost
# is below a tenth of the writing.
BATCH_SIZE = 32 * 1024 * 1024


class WriteCounts(Struct, frozen=True, kw_only=True):
    """Counts of objects: `total` named, `written` that were not in the previous release, and the `bytes_written` of
    those."""

    total: int = 0
    written: int = 0
    bytes_written: int = 0

    def __add__(self, other: "WriteCounts") -> "WriteCounts":
        return WriteCounts(
            total=self.total + other.total,
            written=self.written + other.written,
            bytes_written=self.bytes_written + other.bytes_written,
        )


class ObjectWriter:
    """Writes objects. `known`: the names in the previous release. Only these are not written again: another object in
    the store may be an orphan that is about to be pruned."""

    def __init__(self, store: Store, *, known: Collection[str]) -> None:
        self._store = store
        self._known = frozenset(known)
        self._named: set[str] = set()
        self._waiting: dict[str, bytes] = {}
        self._waiting_size = 0
        self._written = 0
        self._bytes_written = 0

    def put(self, data: bytes) -> str:
        """Write an object unless it is known, and return its hash. The object is durable after the next `flush`."""
        sha = hash_of(data)
        if sha not in self._named:
            self._named.add(sha)
            if sha not in self._known:
                self._waiting[object_name(sha)] = data
                self._waiting_size += len(data)
                self._written += 1
                self._bytes_written += len(data)
                if self._waiting_size >= BATCH_SIZE:
                    self.flush()
        return sha

    def keep(self, sha: str) -> None:
        """Name an object that is stored. Its bytes are read if another release than the previous one has it. Raises
        NotFound, Corrupt and StoreError."""
        if sha in self._known:
            self._named.add(sha)
        else:
            self.put(read_object(self._store, sha))

    def flush(self) -> None:
        if self._waiting:
            self._store.put_many(self._waiting.items())
            self._waiting, self._waiting_size = {}, 0

    @property
    def tally(self) -> WriteCounts:
        return WriteCounts(total=len(self._named), written=self._written, bytes_written=self._bytes_written)
