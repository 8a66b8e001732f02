"""A snapshot opened for answering: its look-ups, arrays and engine tables, made once and kept as long as it lives."""

import threading
import weakref
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from outings.answers.addons.sources import Sources
from outings.answers.cache import Recalled
from outings.answers.coverage.index import Groups
from outings.answers.derived import open_index
from outings.answers.details.similar import Similar
from outings.answers.directory.areas import Areas
from outings.answers.directory.ranking import Ranking
from outings.answers.documents.cards import encode_card
from outings.answers.documents.occurrence import encode_next, expand_event, show_local, splice_block
from outings.answers.gazetteer.gazetteer import Gazetteer, open_gazetteer
from outings.answers.near.index import NearIndex
from outings.answers.near.items import Parts, make_parts, read_id
from outings.answers.near.layers import Layers
from outings.answers.queries import QUERIES
from outings.answers.search.index import SearchIndex
from outings.answers.search.understanding.locations import make_locations
from outings.answers.search.understanding.related import Related, read_shipped
from outings.answers.selecting.buckets import read_buckets
from outings.answers.selecting.columns.columns import Columns
from outings.answers.selecting.columns.evaluator import ColumnEvaluator
from outings.answers.selecting.evaluator import Evaluator
from outings.answers.selecting.row_conditions import RowFinder
from outings.answers.selecting.sql.engine import open_engine
from outings.answers.selecting.sql.evaluator import SqlEvaluator
from outings.answers.snapshot.distance import Point, find_vectors
from outings.answers.snapshot.names import Names, read_points
from outings.answers.snapshot.programs import Programs
from outings.answers.snapshot.series import Series
from outings.answers.snapshot.terms import Terms
from outings.answers.snapshot.zips import Zips
from outings.release.snapshot import Packs, Snapshot

# Fragments that answers are put together from again and again: of all metros together, so that those which are asked
# for least leave first. A compact card takes about 900 bytes, an item's parts 1,100, a block 300, together some 43 MB.
_CARDS = 16_384
_PARTS = 16_384
_BLOCKS = 32_768
# Types × dates that are remembered of a snapshot, for a cursor may name any date: of all and of each organization; by
# row of a directory.
_COUNTS, _COUNT_ARRAYS = 64, 16


class Opened:
    """What `names` and the other arrays say costs no query; `open_evaluator` is for lists and counts.

    Keeps parts of the snapshot, not itself: it is kept for as long as the snapshot is.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.hash = snapshot.hash
        self._words = len(snapshot.vocabulary.categories)
        self._files = snapshot.tables
        self._packs, self._mapped = snapshot.packs, snapshot.mapped
        read = partial(open_index, mapped=snapshot.mapped, tables=snapshot.tables)
        self.names, self.organizations = Names(read("names")), Names(read("organization_names"))
        self.series = Series(read("series"), moments=read("moments"))
        self.programs = Programs(read)
        columns = Columns(snapshot.mapped) if snapshot.mapped else None
        vectors = find_vectors(*read_points(snapshot.tables["listings"])) if columns is None else columns.vectors
        finder = RowFinder(
            self.names,
            vectors=vectors,
            terms=lambda: Terms(read("words"), places=read("places")),
            zips=partial(_open_zips, weakref.ref(self)),
        )
        self._finder = finder
        self._read, self._vectors = read, vectors
        self._metro = snapshot.metro
        # A release of before the build carried them has the program's own.
        self._related = snapshot.related or read_shipped()
        self._search: SearchIndex | None = None
        self._near: NearIndex | None = None
        self._layers: Layers | None = None
        self._search_lock = threading.Lock()
        self._columns = None if columns is None else ColumnEvaluator(columns, finder=finder, words=self._words)
        self._sql: SqlEvaluator | None = None
        self._sql_lock = threading.Lock()
        # (type, local date) → size of the default list: what `/v1/metros` shows of every metro, every time.
        self.counts: Recalled[tuple[str, date], int] = Recalled(size=_COUNTS)
        # The same of each organization's part of it, by id and by row.
        self.organization_counts: Recalled[tuple[str, date], Mapping[str, int]] = Recalled(size=_COUNTS)
        self.row_counts: Recalled[tuple[str, date], NDArray[np.int32]] = Recalled(size=_COUNT_ARRAYS)
        # (type, local date) → its default list's size in every neighborhood.
        self.area_counts: Recalled[tuple[str, date], NDArray[np.int64]] = Recalled(size=_COUNT_ARRAYS)
        self._gazetteer: Gazetteer | None = None
        self._gazetteer_lock = threading.Lock()
        if "organization_spellings" in snapshot.mapped:
            _ = self.ranking
        self._self = weakref.ref(self)
        if "tiles" in snapshot.mapped:
            self.open_near()
        if "postings" in snapshot.mapped:
            self.open_search()  # made from the tables, it takes a moment that only searches need wait for

    @property
    def has_columns(self) -> bool:
        return self._columns is not None

    def open_evaluator(self) -> Evaluator:
        """The columns, where they are mapped. For one question each time: they are counted."""
        QUERIES.add()
        return self.prepare_evaluator()

    def prepare_evaluator(self) -> Evaluator:
        """So that no question waits for it."""
        return self.open_sql() if self._columns is None else self._columns

    @cached_property
    def ranking(self) -> Ranking:
        """Of the directory's organizations."""
        return Ranking(self._read("organization_spellings"), size=len(self.organizations))

    @cached_property
    def areas(self) -> Areas:
        return Areas(self._read("areas"))

    @cached_property
    def area_ranking(self) -> Ranking:
        """Of the directory's neighborhoods."""
        return Ranking(self._read("area_spellings"), size=len(self.areas))

    @cached_property
    def groups(self) -> Groups:
        """Of published listings, for coverage."""
        return Groups(self._read("groups"))

    @cached_property
    def sources(self) -> Sources:
        """What listings' sources say of them."""
        return Sources(self._read("sources"))

    @cached_property
    def similar(self) -> Similar:
        """What is similar to what."""
        return Similar(self._read("similar"))

    @cached_property
    def zips(self) -> Zips | None:
        """None where the deployment has no centroids of them."""
        return Zips(self._files["zips"], listings=self._files["listings"]) if "zips" in self._files else None

    def open_sql(self) -> SqlEvaluator:
        """Made at the first call: DuckDB loads the tables that it evaluates."""
        with self._sql_lock:
            if self._sql is None:
                self._sql = SqlEvaluator(
                    open_engine().load_tables(self._files),
                    buckets=read_buckets(listings=self._files["listings"], organizations=self._files["organizations"]),
                    series=self.series,
                    finder=self._finder,
                    words=self._words,
                )
            return self._sql

    def open_search(self) -> SearchIndex:
        """Made at the first call where the build did not map it."""
        with self._search_lock:
            if self._search is None:
                metro, named = self._metro, self.areas.names
                self._search = SearchIndex(
                    self._read,
                    terms=self._finder.open_terms(),
                    related=Related(self._related),
                    series=self.series,
                    vectors=self._vectors,
                    locations=make_locations((metro.name, metro.slug, *metro.aliases), named),
                )
            return self._search

    def list_unplaced(self, rows: Sequence[int]) -> list[str]:
        """The ids of those that have no coordinates."""
        return [read_id(self.read_document(row))[1] for row in rows if np.isnan(self._vectors[0][row])]

    def read_point(self, row: int) -> Point:
        """Where a listing is, on the unit sphere; NaN without coordinates."""
        x, y, z = (float(each[row]) for each in self._vectors)
        return x, y, z

    def open_near(self) -> NearIndex:
        """The same."""
        with self._search_lock:
            if self._near is None:
                self._near = NearIndex(
                    self._read,
                    series=self.series,
                    programs=self.programs,
                    vectors=self._vectors,
                    zips=partial(_open_zips, self._self),
                )
            return self._near

    def recall_layers(self) -> Layers | None:
        """None where nobody asked yet."""
        return self._layers

    def open_layers(self) -> Layers:
        """What requests near a point show of the whole metro."""
        if self._layers is None:
            self._layers = Layers(self.open_near())
        return self._layers

    def open_gazetteer(self) -> Gazetteer:
        """Of a release from before the build mapped it, it is made at the first call, of every place's document."""
        with self._gazetteer_lock:
            if self._gazetteer is None:
                self._gazetteer = open_gazetteer(
                    self._metro, mapped=self._mapped, tables=self._files, packs=self._packs
                )
            return self._gazetteer

    def read_document(self, row: int) -> bytes:
        """A listing's, as stored."""
        return _read(self._packs, *self.names.locate_document(row))

    def read_near_parts(self, row: int, listing_type: str) -> Parts:
        """What an item of `nearby` shows of a listing."""
        return _make_parts(self._self, row, listing_type)

    def read_organization(self, row: int) -> bytes:
        """An organization's document, as stored: without `categories`, `metros` and `counts`."""
        return _read(self._packs, *self.organizations.locate_document(row))

    def read_organization_categories(self, row: int) -> int:
        """A bit set over the vocabulary: of the record and of its published listings here."""
        return self.organizations.read_categories(row)

    def read_card(self, row: int) -> bytes:
        """A class's compact card."""
        return _make_card(self._self, row)

    def encode_card(self, row: int, today: date) -> bytes:
        """The compact card of an event, a class or a camp as of a date; a series begins with its next occurrence."""
        starts = self.series.find_next(row, today).starts_local if self.series.is_series(row) else None
        next_local = None if starts is None else show_local(starts)
        return encode_card(self.read_document(row), today=today, next_local=next_local)

    def read_event(self, row: int, today: date) -> bytes:
        """An event's document, with the occurrence of that date where it is a series."""
        document = self.read_document(row)
        if not self.series.is_series(row):
            return document
        return splice_block(document, _make_block(self._self, row, today))

    def read_occurrence(self, row: int, number: int, today: date) -> bytes:
        """An event's document with the times of one occurrence: `number` is its place in the table."""
        return expand_event(self.read_document(row), series=self.series, row=row, number=number, today=today)


def _read(packs: Packs, pack: int, offset: int, length: int) -> bytes:
    return packs[pack][offset : offset + length]


def _open_zips(of: "weakref.ref[Opened]") -> Zips | None:
    opened = of()
    assert opened is not None
    return opened.zips


# By weak references: a fragment does not keep open what it is of.


@lru_cache(maxsize=_CARDS)
def _make_card(of: weakref.ref[Opened], row: int) -> bytes:
    opened = of()
    assert opened is not None
    return encode_card(opened.read_document(row))


@lru_cache(maxsize=_PARTS)
def _make_parts(of: weakref.ref[Opened], row: int, listing_type: str) -> Parts:
    """The same listings are near many points, and near one again in the next minute: 10 µs each."""
    opened = of()
    assert opened is not None
    return make_parts(opened.read_document(row), listing_type)


@lru_cache(maxsize=_BLOCKS)
def _make_block(of: weakref.ref[Opened], row: int, today: date) -> bytes:
    """Making one takes 12 µs, of which most is in formatting two instants: 600 µs of a page of 50."""
    opened = of()
    assert opened is not None
    return encode_next(opened.series, row, today)


_lock = threading.Lock()
_by_snapshot: dict[int, Opened] = {}
# By the snapshot's hash and the files of its mapped form, which is no part of the hash.
_by_hash: "weakref.WeakValueDictionary[tuple[str, frozenset[Path]], Opened]" = weakref.WeakValueDictionary()


def open_snapshot(snapshot: Snapshot) -> Opened:
    """The same one for the same snapshot, in whichever releases it stands; gone when the last of them is.

    Raises what Polars or DuckDB raises where a table is broken.
    """
    known = _by_snapshot.get(id(snapshot))
    if known is not None:
        return known
    with _lock:
        name = snapshot.hash, frozenset(snapshot.mapped.values())
        opened = _by_hash.get(name)
        if opened is None:
            opened = _by_hash[name] = Opened(snapshot)
        _by_snapshot[id(snapshot)] = opened
        weakref.finalize(snapshot, _by_snapshot.pop, id(snapshot), None).atexit = False
        return opened
