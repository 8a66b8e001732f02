"""Which of the rows near a point are shown: those that their collections' filters keep, of a program one.

Of a request that nobody made before in its minute: of what is asked again a layer knows it of the whole metro.
"""

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from outings.answers.near.index import NearIndex
from outings.answers.near.layers import find_first_day
from outings.answers.near.tiles import Follow, PlaceDistances, Rows, find_places, join_distances
from outings.answers.selecting.collections import CollectionQuery
from outings.answers.selecting.evaluator import Evaluator
from outings.answers.snapshot.distance import Point, find_chord, square_chords


class CircleScan(Struct, frozen=True, kw_only=True):
    """What a circle's rows are asked: `collections` by type."""

    index: NearIndex
    evaluator: Evaluator
    collections: Mapping[str, CollectionQuery]
    point: Point
    radius_m: float

    @property
    def chord(self) -> float:
        """The radius as a straight line through the unit sphere."""
        return find_chord(self.radius_m)

    def find_nearest(self, count: int, *, follow: Follow | None = None) -> PlaceDistances:
        """The nearest cards in the circle, this many at least where there are so many, and all at their distances, in
        no order; of those that follow."""
        tiles, cards = self.index.tiles, PlaceDistances(np.empty(0, dtype=np.int64), np.empty(0))

        def look(chosen: Rows, most: float) -> float:
            nonlocal cards
            squares = tiles.measure_tiles(chosen, self.point)
            inside = squares <= most
            numbers, places = find_places(chosen, inside if follow is None else inside & follow(chosen, squares))
            cards = join_distances((cards, self._keep_cards(PlaceDistances(places, squares.ravel()[numbers]))))
            if cards.squares.size < count:
                return most
            # All that are no further than the last of these.
            most = float(np.partition(cards.squares, count - 1)[count - 1])
            cards = cards.choose(cards.squares <= most)
            return most

        tiles.search(self.point, chord=self.chord, look=look)
        return cards

    def _keep_cards(self, distances: PlaceDistances) -> PlaceDistances:
        """Of what is in the circle. A program's others are looked up wherever in the circle they are: one of them may
        be the card."""
        rows = self.index.rows[distances.places]
        kept = self.keep_rows(np.sort(rows))
        programs = self.index.programs.find_programs(kept)
        shared = programs >= 0
        if shared.any():
            members = np.sort(self.index.programs.list_members(np.unique(programs[shared])))
            squares = square_chords([each[members] for each in self.index.vectors], self.point)
            members = members[squares <= self.chord**2]
            cards = self.choose_cards(self.evaluator.keep_rows(self.collections["class"].selection, members))
            kept = kept[~shared | np.isin(kept, cards, assume_unique=True)]
        return distances.choose(np.isin(rows, kept, assume_unique=True))

    def count_hidden(self) -> int:
        """The rows without coordinates that may be in the circle, by their neighborhood or zip, and match all else."""
        rows = self.index.unlocated.find_near(self.point, chord=self.chord)
        return self.choose_cards(self.keep_rows(rows)).size

    def keep_rows(self, rows: Rows) -> Rows:
        """Those that match, rising as they came."""
        kept = [self.evaluator.keep_rows(each.selection, rows) for each in self.collections.values()]
        return np.sort(np.concatenate(kept)) if kept else rows[:0]

    def choose_cards(self, rows: Rows) -> Rows:
        start = find_first_day(self.collections)
        return rows if start is None else choose_program_cards(rows, self.index, start=start)


def choose_program_cards(rows: Rows, index: NearIndex, *, start: int) -> Rows:
    """Of a program's rows the listing with the earliest date from a day (since 1970) on; ties by id. Rising."""
    programs = index.programs.find_programs(rows)
    shared = np.flatnonzero(programs >= 0)
    if not shared.size:
        return rows
    own = rows[shared]
    starts = index.starts.find_class_days(own, start=start)
    order = np.lexsort((index.id_ranks[own], starts, programs[shared]))
    ordered = programs[shared][order]
    kept = programs < 0
    kept[shared[order[np.concatenate(([True], ordered[1:] != ordered[:-1]))]]] = True
    return rows[kept]
