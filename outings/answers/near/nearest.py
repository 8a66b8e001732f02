"""Find the listings that a request's filters show, and those of them in a circle.

Only one listing of each program is shown. It depends on the circle which one, so `Circle` chooses them. A *card* is a
listing that is shown: one that shares no program with other matches, or the chosen one of a program. `ShownListings`
depends on the filters and the minute, not on the point.
"""

from functools import cached_property
from typing import Self

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple
from numpy.typing import NDArray

from outings.answers.cache import LruCache
from outings.answers.near.index import NearIndex, Rows, Starts
from outings.answers.near.request import Collections, Near, NearFilters
from outings.answers.rows.columns import mark_firsts, order_groups
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.snapshot.distance import Floats, Point, square_chords
from outings.answers.snapshot.reader import SnapshotReader

Mask = NDArray[np.bool_]

# Filters and minutes whose listings are cached, since nearly all requests of a minute have the same filters. The
# listings take some 0.8 MB if the metro has 25,000.
_CACHED = 4
# The most by which rounding may move one coordinate of a listing at the circle's edge.
_ROUNDING = 1e-12


class Columns(Struct, frozen=True, eq=False):
    """Several arrays of equal length, one element for each listing, that are selected and joined together."""

    def choose(self, chosen: NDArray[np.generic] | slice) -> Self:
        """Return the elements of an index, a mask or a slice, from every array."""
        return type(self)(*(column[chosen] for column in astuple(self)))

    def join(self, other: Self) -> Self:
        """Return these arrays with those of `other` appended."""
        return type(self)(*map(np.concatenate, zip(astuple(self), astuple(other), strict=True)))


class RowDistances(Columns, frozen=True, eq=False):
    """Rows, with the squares of their straight distances from a point through the unit sphere."""

    rows: Rows
    squares: Floats


class SharedPrograms(Columns, frozen=True, eq=False):
    """Matching listings of programs that have several, sorted by program, then by date, then by id."""

    rows: Rows
    programs: Rows
    is_open: Mask

    def choose_cards(self, inside: Mask) -> Rows:
        """Return the index of each program's first listing inside the circle."""
        at = inside.nonzero()[0]
        return at[mark_firsts(self.programs[at])]


def find_shared(rows: Rows, index: NearIndex, *, start: int | None) -> SharedPrograms:
    """Return the listings among `rows` that share a program. `start`: the day (since 1970) from which dates count; None
    if no classes are requested."""
    programs = index.programs.find_programs(rows)
    at = np.flatnonzero(programs >= 0) if start is not None else rows[:0]
    if start is not None and at.size:
        at = at[np.bincount(programs[at])[programs[at]] > 1]
        days = index.next_starts.find_class_days(rows[at], start=start)
        at = at[order_groups(programs[at], days, index.id_ranks[rows[at]])]
    return SharedPrograms(rows[at], programs[at], index.is_open[rows[at]])


class ShownListings:
    """The listings of a metro that a request's filters show."""

    def __init__(self, index: NearIndex, rows: Rows, *, start: int | None, starts: Starts | None = None) -> None:
        """`rows`: all matches, ascending; `start`: the day (since 1970) from which programs' dates count, None without
        classes; `starts`: when each listing begins, None if nobody asks."""
        self.index, self._starts = index, starts
        x, y, z = index.vectors
        shared = find_shared(rows, index, start=start)
        alone = np.setdiff1d(rows, shared.rows, assume_unique=True)
        is_located = ~np.isnan(x[alone])
        self._hidden_alone = alone[~is_located]
        # Sorted from south to north, so that a circle's rows are in one slice.
        alone = alone[is_located]
        self._alone: Rows = alone[np.argsort(z[alone])]
        self._alone_points = np.stack((x[self._alone], y[self._alone], z[self._alone]))
        is_placed = ~np.isnan(x[shared.rows])
        self.shared, self._hidden_shared = shared.choose(is_placed), shared.choose(~is_placed)
        self.shared_points = np.stack([vector[self.shared.rows] for vector in index.vectors])

    @property
    def starts(self) -> Starts:
        assert self._starts is not None, "the filters of a request have a minute"
        return self._starts

    def find_alone(self, point: Point, chord: float) -> RowDistances:
        """Return the located listings within `chord` of the point that share no program, unordered."""
        # Only the listings between the circle's southern and northern edge are measured.
        begin, end = self._alone_points[2].searchsorted((point[2] - chord - _ROUNDING, point[2] + chord + _ROUNDING))
        squares = square_chords(self._alone_points[:, begin:end], point)
        inside = (squares <= chord**2).nonzero()[0]
        return RowDistances(self._alone[begin:end][inside], squares[inside])

    def find_nearest(
        self, point: Point, *, chord: float, count: int, after: tuple[float, int] | None = None
    ) -> RowDistances:
        """Return the `count` nearest cards in a circle, by distance, type and id. `after`: the squared distance of the
        last card to skip, and the least rank in `ties` of the cards of this distance that are not skipped."""
        ties, cards = self.index.ties, Circle(self, point, chord).list_cards()
        if after is not None:
            is_tied = (cards.squares == after[0]) & (ties[cards.rows] >= after[1])
            cards = cards.choose((cards.squares > after[0]) | is_tied)
        if cards.rows.size > count:
            cards = cards.choose(cards.squares <= np.partition(cards.squares, count - 1)[count - 1])
        return cards.choose(np.lexsort((ties[cards.rows], cards.squares))[:count])

    def count_hidden(self, point: Point, *, chord: float, is_open: bool) -> int:
        """Count the cards without coordinates whose neighborhood or postal code has its center in a circle. `is_open`:
        count only listings that are neither full nor closed."""
        near, most = np.zeros(self._hidden_rows.size, dtype=np.bool_), chord**2
        at, places = self._hidden_places
        for place in places:
            near[at] |= square_chords(place, point) <= most
        return self._count_cards(near, is_open=is_open)

    def count_unplaceable(self, *, is_open: bool) -> int:
        """Count the cards without coordinates whose neighborhood and postal code are unknown too."""
        is_unknown = np.ones(self._hidden_rows.size, dtype=np.bool_)
        is_unknown[self._hidden_places[0]] = False
        return self._count_cards(is_unknown, is_open=is_open)

    def _count_cards(self, chosen: Mask, *, is_open: bool) -> int:
        """Count the cards among listings without coordinates. `chosen`: a mask, of those without a program first."""
        if is_open:
            chosen = chosen & self.index.is_open[self._hidden_rows]
        alone = self._hidden_alone.size
        return int(np.count_nonzero(chosen[:alone])) + self._hidden_shared.choose_cards(chosen[alone:]).size

    @cached_property
    def _hidden_rows(self) -> Rows:
        return np.concatenate((self._hidden_alone, self._hidden_shared.rows))

    @cached_property
    def _hidden_places(self) -> tuple[Rows, Floats]:
        """Return the indexes of the listings without coordinates that have a known place, and these places: x, y and z
        of the neighborhood's center, then of the postal code's if the deployment knows these; NaN if unknown."""
        index, zips = self.index, self.index.open_zips()
        centers = index.unlocated_centers[:, np.searchsorted(index.unlocated_rows, self._hidden_rows)]
        middles = [] if zips is None else [np.stack([vector[self._hidden_rows] for vector in zips.vectors])]
        places = np.stack([centers, *middles])
        at = np.flatnonzero(~np.isnan(places[:, 0]).all(axis=0))
        return at, places[:, :, at]


class Circle:
    """The shown listings within `chord`, a straight line, of a point."""

    def __init__(self, shown: ShownListings, point: Point, chord: float) -> None:
        self.index = shown.index
        self._alone = shown.find_alone(point, chord)
        self._shared, self._squares = shown.shared, square_chords(shown.shared_points, point)
        self._inside = self._squares <= chord**2

    def list_cards(self) -> RowDistances:
        """Return all cards in the circle, unordered."""
        return self._join(self._inside)

    def list_open_cards(self) -> RowDistances:
        """Return the cards chosen among listings that are neither full nor closed."""
        cards = self._join(self._inside & self._shared.is_open)
        return cards.choose(self.index.is_open[cards.rows])

    def _join(self, inside: Mask) -> RowDistances:
        at = self._shared.choose_cards(inside)
        return self._alone.join(RowDistances(self._shared.rows[at], self._squares[at]))


def open_shown(near: Near, reader: SnapshotReader) -> ShownListings:
    """Return the listings that a request's filters show in its minute."""

    def make() -> ShownListings:
        index = reader.open_index(NearIndex)
        rows = find_matches(near.filters.collections, reader)
        windows = {name: collection.window for name, collection in near.filters.collections.items()}
        starts = index.find_starts(rows, windows=windows, now=near.now)
        return ShownListings(index, rows, start=find_first_day(near.filters.collections), starts=starts)

    return reader.open_index(open_cache).read(near.filters, make)


def find_matches(collections: Collections, reader: SnapshotReader) -> Rows:
    """Return the rows of all requested collections that match their filters, ascending."""
    evaluator = open_evaluator(reader)
    matches = [evaluator.list_all_rows(collection.selection) for collection in collections.values()]
    return np.sort(np.concatenate(matches)) if matches else np.empty(0, dtype=np.int64)


def find_first_day(collections: Collections) -> int | None:
    """Return the day (since 1970) from which dates of programs count; None if no classes are requested."""
    return collections["class"].window[0] if "class" in collections else None


def open_cache(_: SnapshotReader) -> LruCache[NearFilters, ShownListings]:
    """Make the cache of a snapshot's shown listings, by the filters and minute of requests."""
    return LruCache(size=_CACHED)
