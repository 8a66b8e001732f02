"""Which of the rows near a point are shown: those that their collections' filters keep, of a program one."""

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from outings.answers.asking import Collection
from outings.answers.distance import Point, find_line, measure_squares
from outings.answers.evaluator import Evaluator
from outings.answers.near.index import NearIndex
from outings.answers.near.tiles import Measured, Rows
from outings.answers.zips import Zips


class Circle(Struct, frozen=True, kw_only=True, eq=False):
    """All that is `published` in a circle; of that what is `kept` by the filters, a program's every listing; and of
    that the `cards`. All of them rising."""

    published: Measured
    kept: Measured
    cards: Rows


class Finding(Struct, frozen=True, kw_only=True):
    """What a circle's rows are asked: `collections` by type; with `is_enrolling`, classes not to be full or closed."""

    index: NearIndex
    evaluator: Evaluator
    collections: Mapping[str, Collection]
    point: Point
    radius_m: float
    is_enrolling: bool = False
    zips: Zips | None = None

    @property
    def line(self) -> float:
        """The radius as a straight line through the unit sphere."""
        return find_line(self.radius_m)

    def find_nearest(self, count: int) -> Measured:
        """This many at least, where there are so many; a walk's filter aside, as `Tiles.find_nearest`."""
        return self.index.tiles.find_nearest(self.point, line=self.line, count=count, keep=self.keep_cards)

    def find_published(self) -> Measured:
        return self.index.tiles.find_near(self.point, line=self.line)

    def find_all(self) -> Circle:
        """Everything in the circle."""
        published = self.find_published()
        kept = published.keep(self.keep_rows(published.rows))
        return Circle(published=published, kept=kept, cards=self.deal_cards(kept.rows))

    def keep_cards(self, found: Measured) -> Measured:
        """Of rising rows in the circle. A program's others are looked up wherever in the circle they are: one of them
        may be the card."""
        kept = self.keep_rows(found.rows)
        programs = self.index.programs.find_programs(kept)
        shared = programs >= 0
        if shared.any():
            members = np.sort(self.index.programs.list_members(np.unique(programs[shared])))
            squares = measure_squares([each[members] for each in self.index.vectors], self.point)
            members = members[squares <= self.line**2]
            cards = self.deal_cards(self.evaluator.keep_rows(self.collections["class"].selection, members))
            kept = kept[~shared | np.isin(kept, cards, assume_unique=True)]
        return found.keep(kept)

    def count_hidden(self) -> int:
        """The rows without coordinates that may be in the circle, by their neighborhood or zip, and match all else."""
        rows = self.index.unplaced.find_near(self.point, line=self.line)
        if self.zips is not None:
            others = self.index.unplaced.rows
            squares = measure_squares([each[others] for each in self.zips.vectors], self.point)
            rows = np.union1d(rows, others[squares <= self.line**2])
        return self.deal_cards(self.keep_rows(rows)).size

    def count_unplaceable(self) -> int:
        """The same of those that may be anywhere: of a selection, not of a point."""
        asked = (*(each.selection for each in self.collections.values()), self.is_enrolling)
        return self.index.unplaceable.read(asked, self._count_unplaceable)

    def _count_unplaceable(self) -> int:
        rows = self.index.unplaced.list_unknown()
        if self.zips is not None:
            rows = rows[np.isnan(self.zips.vectors[0][rows])]
        return self.deal_cards(self.keep_rows(rows)).size

    def keep_rows(self, rows: Rows) -> Rows:
        """Those that match, rising as they came."""
        kept = [self.evaluator.keep_rows(each.selection, rows) for each in self.collections.values()]
        found = np.sort(np.concatenate(kept)) if kept else rows[:0]
        return found[self.index.is_closed[found] == 0] if self.is_enrolling else found

    def deal_cards(self, rows: Rows) -> Rows:
        if "class" not in self.collections:
            return rows
        return deal_programs(rows, self.index, start=self.collections["class"].window[0])


def deal_programs(rows: Rows, index: NearIndex, *, start: int) -> Rows:
    """Of a program's rows the listing with the earliest date from a day (since 1970) on; ties by id. Rising."""
    programs = index.programs.find_programs(rows)
    shared = np.flatnonzero(programs >= 0)
    if not shared.size:
        return rows
    own = rows[shared]
    starts = index.find_class_days(own, start=start)
    order = np.lexsort((index.id_ranks[own], starts, programs[shared]))
    ordered = programs[shared][order]
    kept = programs < 0
    kept[shared[order[np.concatenate(([True], ordered[1:] != ordered[:-1]))]]] = True
    return rows[kept]
