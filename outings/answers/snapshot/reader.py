"""A snapshot opened for answering: its documents, its look-ups, and whatever a kind of answer keeps of it."""

import threading
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from outings.answers.snapshot.derived import DerivedTables, TableContext
from outings.answers.snapshot.row_facts import MEMBERS, ROW_FACTS, Programs, RowFacts
from outings.answers.snapshot.row_index import LISTING_INDEX, ORGANIZATION_INDEX, RowIndex
from outings.answers.snapshot.series import MOMENTS, SERIES, Series
from outings.configuration import read_zone
from outings.contract.languages.language import ENGLISH, read_shipped_language
from outings.release.cache import MappedFile
from outings.release.mapped_table import MappedTable
from outings.release.objects import Bytes
from outings.release.snapshot import Snapshot

_Index = TypeVar("_Index")


class SnapshotReader:
    """Its look-ups cost no query. Keeps parts of the snapshot, not itself: it lives as long as the snapshot does."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.hash, self.metro, self.vocabulary = snapshot.hash, snapshot.metro, snapshot.vocabulary
        self.related = snapshot.related
        self.language = snapshot.language or read_shipped_language(ENGLISH)
        self.tables, self.semantic = snapshot.tables, snapshot.semantic
        # The metro's local date when it last changed: of what depends on the build's date and is made again here.
        self.date = snapshot.stamp.astimezone(read_zone(snapshot.metro.timezone)).date()
        self._packs, self._mapped = tuple(map(_view, snapshot.packs)), snapshot.mapped
        self._indexes: dict[Hashable, Any] = {}
        self._locks: dict[Hashable, threading.RLock] = {}
        # For memories of many snapshots, and for what is opened later: they do not keep this one open.
        self.reference = weakref.ref(self)
        self.listings = RowIndex(self.open_table(LISTING_INDEX))
        self.organizations = RowIndex(self.open_table(ORGANIZATION_INDEX))
        self.rows = RowFacts(self.open_table(ROW_FACTS))
        self.series = Series(self.open_table(SERIES), moments=self.open_table(MOMENTS))
        self.programs = Programs(self.open_table(MEMBERS), numbers=self.rows.programs)

    def read_document(self, row: int) -> bytes:
        """A listing's, as stored."""
        return _read(self._packs, *self.listings.locate_document(row))

    def view_documents(self, rows: Sequence[int]) -> list[memoryview]:
        """Where they lie: a page of them is copied once, as a whole."""
        return self.listings.view_documents(rows, self._packs)

    def read_organization(self, row: int) -> bytes:
        """An organization's document, as stored: without `categories`, `metros` and `counts`."""
        return _read(self._packs, *self.organizations.locate_document(row))

    def open_index(self, make: Callable[["SnapshotReader"], _Index]) -> _Index:
        """What a kind of answer keeps of this snapshot: made at the first call, by one thread, and kept as long as this
        is. What is made must not refer to this reader, or neither goes with the snapshot (`defer`)."""
        try:
            known: _Index = self._indexes[make]
        except KeyError:
            return self._make_index(make)
        return known

    def find_index(self, make: Callable[["SnapshotReader"], _Index]) -> _Index | None:
        """None where nobody asked for it yet."""
        return self._indexes.get(make)

    def defer(self, make: Callable[["SnapshotReader"], _Index]) -> Callable[[], _Index]:
        """What opens an index later."""
        return partial(_open_index, self.reference, make)

    def _make_index(self, make: Callable[["SnapshotReader"], _Index]) -> _Index:
        with self._locks.setdefault(make, threading.RLock()):
            if make not in self._indexes:
                self._indexes[make] = make(self)
            made: _Index = self._indexes[make]
        return made

    def is_mapped(self, derived: DerivedTables) -> bool:
        """Whether the build made them; else opening them takes a while."""
        return self._mapped.keys() >= set(derived.names)

    def open_table(self, derived: DerivedTables) -> MappedTable:
        """The first of them."""
        return self.open_tables(derived)[derived.names[0]]

    def open_tables(self, derived: DerivedTables) -> Mapping[str, MappedTable]:
        """Where a file lacks, all are made in memory: raises what Polars raises where a table is broken."""
        if self.is_mapped(derived):
            return {name: MappedTable(self._mapped[name]) for name in derived.names}
        return derived.make_again(self.tables, TableContext(today=self.date, language=self.language))

    def find_mapped(self, name: str) -> MappedFile | None:
        """The file of a derived table."""
        return self._mapped.get(name)


def _view(pack: Bytes) -> memoryview:
    return pack.view if isinstance(pack, MappedFile) else memoryview(pack[:])


def _read(packs: Sequence[memoryview], pack: int, offset: int, length: int) -> bytes:
    return packs[pack][offset : offset + length].tobytes()


def _open_index(of: "weakref.ref[SnapshotReader]", make: Callable[[SnapshotReader], _Index]) -> _Index:
    reader = of()
    assert reader is not None, "who asks keeps it open"
    return reader.open_index(make)


_lock = threading.Lock()
_by_snapshot: dict[int, SnapshotReader] = {}


def open_snapshot(snapshot: Snapshot) -> SnapshotReader:
    """Return the one reader of a snapshot, which goes with it.

    Raises what Polars raises where a table is broken.
    """
    known = _by_snapshot.get(id(snapshot))
    if known is not None:
        return known
    with _lock:
        if id(snapshot) not in _by_snapshot:
            _by_snapshot[id(snapshot)] = SnapshotReader(snapshot)
            weakref.finalize(snapshot, _by_snapshot.pop, id(snapshot), None).atexit = False
        return _by_snapshot[id(snapshot)]
