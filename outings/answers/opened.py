"""A snapshot opened for answering: its look-ups, arrays and engine tables, made once and kept as long as it lives."""

import mmap
import threading
import weakref
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache

import polars as pl

from outings.answers.arrays import view_array
from outings.answers.cards import encode_card
from outings.answers.distance import find_near
from outings.answers.engine import Rows, Tables, open_engine
from outings.answers.names import Names, read_points
from outings.answers.occurrence import splice_occurrence
from outings.answers.predicate import Within
from outings.answers.programs import Programs
from outings.answers.series import Series
from outings.release.snapshot import Snapshot

# A compact card is about 800 bytes; a metro of 100,000 listings shows a few thousand on its pages.
_CARDS = 8192

Packs = Sequence[mmap.mmap | bytes]


class Opened:
    """What `names` and the other arrays say costs no query; `open_tables` is for lists and counts.

    Keeps parts of the snapshot, not itself: it is kept for as long as the snapshot is.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        listings, occurrences = snapshot.tables["listings"], snapshot.tables["occurrences"]
        self.hash = snapshot.hash
        self._files = snapshot.tables
        self._packs = snapshot.packs
        self.names = Names(listings)
        self.organizations = Names(snapshot.tables["organizations"])
        self.series = Series(listings=listings, occurrences=occurrences)
        self.programs = Programs(listings)
        self._points = read_points(listings)
        categories = pl.read_parquet(snapshot.tables["organizations"], columns=["categories"])
        self._categories = view_array(categories["categories"])
        self._tables: Tables | None = None
        self._tables_lock = threading.Lock()
        # (type, local date) → size of the default list: what `/v1/metros` shows of every metro, every time.
        self.counts: dict[tuple[str, date], int] = {}
        self.read_card = _make_card_reader(self.names, snapshot.packs)

    def open_tables(self) -> Tables:
        """Loads them into the engine at the first call."""
        with self._tables_lock:
            if self._tables is None:
                self._tables = open_engine().load_tables(self._files)
            return self._tables

    def find_near(self, circle: Within | None) -> Rows | None:
        if circle is None:
            return None
        lats, lngs = self._points
        return find_near(lats, lngs, lat=circle.lat, lng=circle.lng, radius_m=circle.radius_m)

    def read_document(self, row: int) -> bytes:
        """A listing's, as stored."""
        return _read(self._packs, *self.names.locate_document(row))

    def read_organization(self, row: int) -> bytes:
        """An organization's document, as stored: without `categories`, `metros` and `counts`."""
        return _read(self._packs, *self.organizations.locate_document(row))

    def read_organization_categories(self, row: int) -> int:
        """A bit set over the vocabulary: of the record and of its published listings here."""
        return self._categories[row]

    def read_event(self, row: int, today: date) -> bytes:
        """An event's document, with the occurrence of that date where it is a series."""
        return splice_occurrence(self.read_document(row), series=self.series, row=row, today=today)


def _read(packs: Packs, pack: int, offset: int, length: int) -> bytes:
    return packs[pack][offset : offset + length]


def _make_card_reader(names: Names, packs: Packs) -> Callable[[int], bytes]:
    """Row → compact card. Holds no `Opened`, or that would be kept by itself."""

    @lru_cache(maxsize=_CARDS)
    def read_card(row: int) -> bytes:
        return encode_card(_read(packs, *names.locate_document(row)))

    return read_card


_lock = threading.Lock()
_by_snapshot: dict[int, Opened] = {}
_by_hash: "weakref.WeakValueDictionary[str, Opened]" = weakref.WeakValueDictionary()


def open_snapshot(snapshot: Snapshot) -> Opened:
    """The same one for the same snapshot, in whichever releases it stands; gone when the last of them is.

    Raises what Polars or DuckDB raises where a table is broken.
    """
    known = _by_snapshot.get(id(snapshot))
    if known is not None:
        return known
    with _lock:
        opened = _by_hash.get(snapshot.hash)
        if opened is None:
            opened = _by_hash[snapshot.hash] = Opened(snapshot)
        _by_snapshot[id(snapshot)] = opened
        weakref.finalize(snapshot, _by_snapshot.pop, id(snapshot), None).atexit = False
        return opened
