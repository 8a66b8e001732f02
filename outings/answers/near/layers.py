"""The layers of one snapshot, kept for the minute and the filters that they are of."""

from collections.abc import Hashable, Mapping

import numpy as np
from msgspec import Struct

from outings.answers.cache import LruCache
from outings.answers.near.index import NearIndex, open_near
from outings.answers.near.layer import Layer
from outings.answers.near.starts import Windows
from outings.answers.near.tiles import Rows
from outings.answers.selecting.collections import CollectionQuery
from outings.answers.selecting.evaluator import Evaluator
from outings.answers.selecting.selection import Selection
from outings.answers.snapshot.reader import SnapshotReader
from outings.contract.meta import SearchWindow, Window
from outings.contract.values import Value
from outings.contract.vocabulary import TYPES

Collections = Mapping[str, CollectionQuery]


class FiltersMeta(Struct, frozen=True, kw_only=True):
    """`window` of the dated collections, which have one and the same; without any, none. Audience and confidence of the
    first collection that was asked. `by_type`: what differs."""

    window: Window
    audience: Value
    min_confidence: float
    by_type: Mapping[str, SearchWindow]


class NearFilters(Struct, frozen=True, kw_only=True, eq=False):
    """What a request asks of each collection, by type, wherever its point is. `sent`: the filters that it names;
    `defaults`: those of any of them that came from a default. `meta` is what every answer says of it."""

    sent: tuple[tuple[str, Value], ...]
    collections: Collections
    windows: Windows
    defaults: tuple[str, ...]
    meta: FiltersMeta


# Of a million listings a layer takes some 5 MB, what one selection keeps 4 at most.
_LAYERS, _SELECTIONS = 8, 16
# Who asked before, of which one may be asked again.
_REQUESTED = 64


class Layers:
    """Selections without a minute hold all day: only events are gone through again."""

    def __init__(self, index: NearIndex) -> None:
        self._index = index
        self._layers: LruCache[Hashable, Layer] = LruCache(size=_LAYERS)
        self._by_filters: LruCache[NearFilters, Layer] = LruCache(size=_LAYERS)
        self._kept: LruCache[Selection, Rows] = LruCache(size=_SELECTIONS)
        self._requested: LruCache[Hashable, bool] = LruCache(size=_REQUESTED)

    def read(self, collections: Collections, evaluator: Evaluator) -> Layer:
        return self._layers.read(_name(collections), lambda: self._make(collections, evaluator))

    def knows(self, filters: NearFilters) -> bool:
        """Whether it takes no look at the whole metro."""
        return filters in self._by_filters

    def recall(self, filters: NearFilters, evaluator: Evaluator) -> Layer | None:
        """None of what nobody asked before: working it out takes as long as ten small answers without it."""
        layer = self._by_filters.find(filters)
        if layer is not None:
            return layer
        name = _name(filters.collections)
        if name in self._requested or name in self._layers:
            return self._by_filters.read(filters, lambda: self.read(filters.collections, evaluator))
        self._requested.read(name, lambda: True)
        return None

    def _make(self, collections: Collections, evaluator: Evaluator) -> Layer:
        kept = [self._keep(each.selection, evaluator) for each in collections.values()]
        rows = np.sort(np.concatenate(kept)) if kept else np.empty(0, dtype=np.int64)
        return Layer(self._index, rows, start=find_first_day(collections))

    def _keep(self, selection: Selection, evaluator: Evaluator) -> Rows:
        code = TYPES.index(selection.type)

        def keep() -> Rows:
            rows: Rows = evaluator.keep_rows(selection, np.flatnonzero(self._index.types == code))
            return rows

        return self._kept.read(selection, keep)


def _name(collections: Collections) -> Hashable:
    return tuple(each.selection for each in collections.values()), find_first_day(collections)


def find_first_day(collections: Collections) -> int | None:
    """From which cards of programs are chosen: a day since 1970, None where no classes are asked for."""
    return collections["class"].window[0] if "class" in collections else None


def open_layers(reader: SnapshotReader) -> Layers:
    return Layers(reader.open_index(open_near))
