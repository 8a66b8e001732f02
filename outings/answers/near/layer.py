"""What a request's filters show of a whole metro, whatever its point: worked out once a minute, so that a circle costs
what lies at its edge, and the nearest a few tiles.

A tile that lies whole in a circle is counted by a line of a table. Which listing of a program is its card depends on
the circle: those of which others match too are kept apart, and chosen for each circle.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from outings.answers.near.circles import Circles
from outings.answers.near.index import NearIndex
from outings.answers.near.kinds import COUNTS, OPEN, TALLIED, Counts
from outings.answers.near.starts import Starts
from outings.answers.near.tiles import (
    TILE,
    Columns,
    Follow,
    PlaceDistances,
    RowDistances,
    Rows,
    find_places,
    join_distances,
)
from outings.answers.snapshot.distance import Floats, Point, square_matrix
from outings.contract.resources.near import GROUPS
from outings.contract.vocabulary import TYPES

Mask = NDArray[np.bool_]
# Of a row that is shown whatever the circle, and of one that is where its program's others are not.
_ALONE, _SHARED = 1, 2
# Of categories, as bits.
Sets = NDArray[np.uint64]


class SharedPrograms(Columns, frozen=True, eq=False):
    """Listings of programs of which others match too: program after program, each in the order in which its card is
    chosen. `is_open`: those that are neither full nor closed."""

    rows: Rows
    programs: Rows
    is_open: Mask

    def choose_cards(self, inside: Mask) -> Rows:
        """The cards of some of them, by their places here."""
        at = np.flatnonzero(inside)
        programs = self.programs[at]
        is_first = np.ones(at.size, dtype=np.bool_)
        is_first[1:] = programs[1:] != programs[:-1]
        return at[is_first]


class CardsFromPoint:
    """What is shared, seen from a point: `squares` of its distances."""

    def __init__(self, shared: SharedPrograms, squares: Floats) -> None:
        self._shared, self.squares = shared, squares
        self._cards: dict[tuple[float, bool], Rows] = {}

    def choose_cards(self, most: float, *, is_open: bool) -> Rows:
        """The cards, by their places in `shared`, of those that are no further away than the square of a distance, or
        of the open ones of them."""
        if (most, is_open) not in self._cards:
            inside = self.squares <= most
            self._cards[most, is_open] = self._shared.choose_cards(inside & self._shared.is_open if is_open else inside)
        return self._cards[most, is_open]


class Layer:
    """`kept`: all rows of the metro that match, placed or not, rising; `start`: the day (since 1970) from which
    programs are chosen, None where no classes are asked for."""

    def __init__(self, index: NearIndex, kept: Rows, *, start: int | None) -> None:
        self.index = index
        shared = _find_shared(kept, index, start=start)
        is_alone = np.ones(kept.size, dtype=np.bool_)
        is_alone[np.searchsorted(kept, shared.rows)] = False
        alone = kept[is_alone]
        places = index.places[alone]
        self.shown: Mask = np.zeros((len(index.tiles), TILE), dtype=np.bool_)
        self.shown.ravel()[places[places >= 0]] = True
        self._hidden = alone[places < 0]
        is_placed = index.places[shared.rows] >= 0
        self.shared, self._hidden_shared = shared.choose(is_placed), shared.choose(~is_placed)
        self.shared_places: Rows = index.places[self.shared.rows].astype(np.int64)
        self._shared_points = np.stack([each[self.shared.rows] for each in index.vectors])
        self._last_cards: tuple[Point, CardsFromPoint] | None = None
        self._promises: tuple[object, NDArray[np.float32]] | None = None

    @cached_property
    def _shared_kinds(self) -> NDArray[np.uint16]:
        return self.index.kinds.numbers.ravel()[self.shared_places]

    @cached_property
    def table(self) -> Counts:
        """What each tile's rows add to counts."""
        kinds = self.index.kinds
        size = len(kinds.marks)
        cells = np.flatnonzero(self.shown)
        numbers = cells // TILE * size + kinds.numbers.ravel()[cells]
        counted = np.bincount(numbers, minlength=len(self.shown) * size).reshape(len(self.shown), size)
        counts: Counts = counted @ kinds.marks
        return counts

    @cached_property
    def groups(self) -> NDArray[np.uint8]:
        """Of each tile's rows the groups that they are shown in, as bit sets."""
        kinds = self.index.kinds
        groups: NDArray[np.uint8] = np.where(self.shown, kinds.groups[kinds.numbers], 0).astype(np.uint8)
        return groups

    def read_promises(self, starts: Starts | None) -> NDArray[np.float32]:
        """Of each tile and group the most that a row has of its score wherever the point is; -inf where there is none.
        `starts`: what is known of the minute."""
        key = None if starts is None else starts.key
        known = self._promises
        if known is None or known[0] != key:
            promises = self.index.find_promises(starts)
            groups = [(self.groups >> number & 1).astype(np.bool_) for number in range(len(GROUPS))]
            best = np.stack([np.where(each, promises, -np.inf).max(axis=1) for each in groups], axis=1)
            known = self._promises = key, best
        return known[1]

    @cached_property
    def categories(self) -> Sets:
        """Of each tile and type."""
        words = np.where(self.shown, self.index.words, np.uint64(0))
        types = self.index.kinds.types[self.index.kinds.numbers]
        sets = [np.bitwise_or.reduce(np.where(types == code, words, 0), axis=1) for code in range(len(TYPES))]
        return np.stack(sets, axis=1)

    def count(self, circles: Circles, chosen: slice = slice(None)) -> list[Counts]:
        """Of each of the circles, or of some of them: the cards are those of the last."""
        kinds = self.index.kinds
        cells = np.flatnonzero(self.shown[circles.cut])
        numbers, squares = kinds.numbers[circles.cut].ravel()[cells], circles.squares.ravel()[cells]
        cards = self._count_cards(circles)
        return [
            self.table[whole].sum(axis=0) + kinds.count(numbers[squares <= most]) + cards(most)
            for whole, most in zip(circles.whole[chosen], circles.squared[chosen], strict=True)
        ]

    def _count_cards(self, circles: Circles) -> Callable[[float], Counts]:
        """Of those in the last circle, chosen from all and from those that are open, how many are no further away than
        the square of a distance."""
        kinds, cards_from_point = self.index.kinds, self._find_cards(circles.point)
        all_, open_ = (cards_from_point.choose_cards(circles.squared[-1], is_open=is_open) for is_open in (False, True))
        of_open = slice(OPEN.start, None)

        def count(most: float) -> Counts:
            counts = np.zeros(COUNTS)
            counts[TALLIED] = kinds.count(self._shared_kinds[all_[cards_from_point.squares[all_] <= most]])[TALLIED]
            counts[of_open] = kinds.count(self._shared_kinds[open_[cards_from_point.squares[open_] <= most]])[of_open]
            return counts

        return count

    def unite_categories(self, circles: Circles) -> Sets:
        """Of the last of the circles, by type."""
        whole, most = circles.whole[-1], circles.squared[-1]
        union: Sets = np.bitwise_or.reduce(self.categories[whole], axis=0)
        if (union == self._all_categories).all():
            return union
        cells = np.flatnonzero(self.shown[circles.cut] & (circles.squares <= most))
        places = circles.cut[cells // TILE] * TILE + cells % TILE
        cards = self._find_cards(circles.point).choose_cards(most, is_open=False)
        places = np.concatenate((places, self.shared_places[cards]))
        words, numbers = self.index.words.ravel()[places], self.index.kinds.numbers.ravel()[places]
        return union | _unite(words, self.index.kinds.types[numbers])

    @cached_property
    def _all_categories(self) -> Sets:
        """What no circle has more of, by type."""
        every: Sets = np.bitwise_or.reduce(self.categories, axis=0)
        return every | _unite(self.index.categories[self.shared.rows], self.index.types[self.shared.rows])

    def find_nearest(self, point: Point, *, chord: float, count: int, follow: Follow | None = None) -> PlaceDistances:
        """The nearest cards within a straight line from the point, this many at least where there are so many, and all
        at their distances, in no order; of those that follow."""
        tiles, looks, alone = self.index.tiles, list[PlaceDistances](), np.empty(0)

        def look(chosen: Rows, most: float) -> float:
            nonlocal alone
            squares, marks = tiles.measure_tiles(chosen, point), self._marks[chosen]
            if follow is not None:
                marks = np.where(follow(chosen, squares), marks, 0)
            own = squares[marks == _ALONE]
            alone = np.concatenate((alone, own)) if looks else own
            if alone.size >= count:
                most = min(most, float(np.partition(alone, count - 1)[count - 1]))
            numbers, places = find_places(chosen, (squares <= most) & (marks != 0))
            looks.append(PlaceDistances(places, squares.ravel()[numbers]))
            return most

        tiles.search(point, chord=chord, look=look)
        near = join_distances(looks)
        shared = (self._marks.ravel()[near.places] == _SHARED).nonzero()[0]
        return near if not shared.size else self._drop_others(near, shared, point, chord=chord)

    def _drop_others(self, near: PlaceDistances, shared: Rows, point: Point, *, chord: float) -> PlaceDistances:
        """Without what is shared, at some places among the nearest, and not its program's card in the circle: something
        that is chosen before it lies there too."""
        order, places = self._shared_order
        numbers = order[places.searchsorted(near.places[shared])]
        is_kept = np.ones(near.places.size, dtype=np.bool_)
        for at, begin, number in zip(shared.tolist(), self._begins[numbers].tolist(), numbers.tolist(), strict=True):
            if begin < number and (square_matrix(self._shared_points[:, begin:number], point) <= chord**2).any():
                is_kept[at] = False
        return near.choose(is_kept)

    @cached_property
    def _marks(self) -> NDArray[np.uint8]:
        """Of each tile's rows: whether it is shown."""
        marks = self.shown.astype(np.uint8)
        marks.ravel()[self.shared_places] = _SHARED
        return marks

    @cached_property
    def _shared_order(self) -> tuple[Rows, Rows]:
        """Numbers of what is shared in the order of their places in the tiles, with these."""
        order = np.argsort(self.shared_places)
        return order, self.shared_places[order]

    @cached_property
    def _begins(self) -> Rows:
        """Of what is shared, where its program begins."""
        programs = self.shared.programs
        return np.searchsorted(programs, programs)

    def measure_groups(self, tiles: Rows, point: Point, *, most: float, groups: Rows, others: Rows) -> RowDistances:
        """What is in any of `groups` and in none of `others`, each a bit set a tile; no card of `shared`. No further
        away than the square of a distance."""
        own = self.groups[tiles]
        is_requested = ((own & groups[:, np.newaxis]) != 0) & ((own & others[:, np.newaxis]) == 0)
        squares = self.index.tiles.measure_tiles(tiles, point)
        numbers, places = find_places(tiles, is_requested & (squares <= most))
        return RowDistances(self.index.rows[places], squares.ravel()[numbers])

    def find_cards(
        self, point: Point, *, chord: float, most: float | None = None, is_open: bool = False
    ) -> RowDistances:
        """Of `shared` those within a straight line from the point, chosen from open ones alone, where this is said; no
        further away than the square of a distance."""
        cards_from_point = self._find_cards(point)
        cards = cards_from_point.choose_cards(chord**2, is_open=is_open)
        if most is not None:
            cards = cards[cards_from_point.squares[cards] <= most]
        return RowDistances(self.shared.rows[cards], cards_from_point.squares[cards])

    def _find_cards(self, point: Point) -> "CardsFromPoint":
        """The last point's is kept: a request asks several times."""
        last = self._last_cards
        if last is None or last[0] != point:
            last = self._last_cards = point, CardsFromPoint(self.shared, square_matrix(self._shared_points, point))
        return last[1]

    def count_hidden(self, point: Point, *, chord: float, is_open: bool) -> int:
        """The rows without coordinates that may be within a straight line from the point: cards, of open ones alone
        where this is said."""
        spots = self.index.unlocated.spots.lie_near(point, chord=chord)
        return 0 if spots is None else self._count_spots(spots, is_open=is_open)

    def count_unplaceable(self, *, is_open: bool) -> int:
        """The rows without coordinates that may be anywhere."""
        return self._count_spots(self.index.unlocated.spots.are_unknown(), is_open=is_open)

    def _count_spots(self, spots: Mask, *, is_open: bool) -> int:
        alone, alone_open = self._hidden_counts
        shared = self._hidden_shared
        inside = spots[self._hidden_spots]
        cards = shared.choose_cards(inside & shared.is_open if is_open else inside)
        return int((alone_open if is_open else alone)[spots].sum()) + cards.size

    @cached_property
    def _hidden_spots(self) -> Rows:
        return self.index.unlocated.number_spots(self._hidden_shared.rows)

    @cached_property
    def _hidden_counts(self) -> tuple[Rows, Rows]:
        """By spot: how many are hidden there, and how many of them are open."""
        size = self.index.unlocated.count
        spots = self.index.unlocated.number_spots(self._hidden)
        is_open = self.index.is_closed[self._hidden] == 0
        return np.bincount(spots, minlength=size), np.bincount(spots[is_open], minlength=size)


def _unite(words: NDArray[np.integer], types: NDArray[np.integer]) -> Sets:
    return np.array([np.bitwise_or.reduce(words[types == code]) for code in range(len(TYPES))], dtype=np.uint64)


def _find_shared(kept: Rows, index: NearIndex, *, start: int | None) -> SharedPrograms:
    programs = index.programs.find_programs(kept)
    at = np.flatnonzero(programs >= 0) if start is not None else kept[:0]
    if start is not None and at.size:
        at = at[np.bincount(programs[at])[programs[at]] > 1]
        rows = kept[at]
        days = index.starts.find_class_days(rows, start=start)
        at = at[np.lexsort((index.id_ranks[rows], days, programs[at]))]
    return SharedPrograms(kept[at], programs[at], index.is_closed[kept[at]] == 0)
