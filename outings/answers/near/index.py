"""What answers near a point read of one snapshot, opened at the first of them."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from outings.answers.near.kinds import Kinds
from outings.answers.near.scores import score_promises
from outings.answers.near.starts import Moments, Starts
from outings.answers.near.tiles import TILE, Rows, Tiles
from outings.answers.near.unlocated import Unplaced
from outings.answers.snapshot.distance import Vectors
from outings.answers.snapshot.programs import Programs
from outings.answers.snapshot.series import Series
from outings.answers.snapshot.zips import Zips
from outings.contract.vocabulary import TYPES
from outings.release.mapped import NEVER, MappedTable

_PLACE = TYPES.index("place")


class NearIndex:
    """`read` opens a mapped table by its name."""

    def __init__(
        self,
        read: Callable[[str], MappedTable],
        *,
        series: Series,
        programs: Programs,
        vectors: Vectors,
        zips: Callable[[], Zips | None],
    ) -> None:
        self.tiles = Tiles(read("tiles"), bounds=read("tile_bounds"))
        self._unplaced, self._zips = read("unplaced"), zips
        self.programs = programs
        self.vectors = vectors
        ranks, traits = read("ranks"), read("traits")
        self.id_ranks, self.types = ranks.read_array("id_rank"), ranks.read_array("type")
        self.is_recurring, self.is_closed = traits.read_array("is_recurring"), traits.read_array("is_closed")
        self.is_free, self.ages = traits.read_array("is_free"), traits.read_array("ages")
        self.confidence, self.categories = traits.read_array("confidence"), traits.read_array("categories")
        self.moments = Moments(read("slots"), series=series, types=self.types, has_time=traits.read_array("has_time"))

    @cached_property
    def unplaced(self) -> Unplaced:
        return Unplaced(self._unplaced, zips=self._zips())

    @cached_property
    def rows(self) -> Rows:
        """By place in the tiles; 0 where the last of all has no row."""
        rows = np.zeros(len(self.tiles) * TILE, dtype=np.int64)
        placed = self.tiles.list_places()
        rows[: placed.size] = placed
        return rows

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """By row, in the tiles; -1 of what has no coordinates or is not published."""
        places = np.full(self.types.size, -1, dtype=np.int32)
        rows = self.tiles.list_places()
        places[rows] = np.arange(rows.size, dtype=np.int32)
        return places

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """Of each tile's rows the categories, as bit sets."""
        return self.categories[self.rows].reshape(-1, TILE).astype(np.uint64)

    def find_promises(self, starts: Starts | None) -> NDArray[np.float32]:
        """Of each tile's rows what they have of their scores wherever a point is; the most of it without starts, when
        anything may begin at once."""
        if starts is None:
            waits = np.where(self.types == _PLACE, NEVER, 0)
        else:
            waits = np.where(starts.locals == NEVER, NEVER, starts.locals - starts.asked[1].local)
        promises = score_promises(waits=waits, confidence=self.confidence).astype(np.float32)
        return promises[self.rows].reshape(-1, TILE)

    @cached_property
    def kinds(self) -> Kinds:
        rows = self.tiles.list_places()
        return Kinds(
            types=self.types[rows],
            is_free=self.is_free[rows],
            ages=self.ages[rows],
            is_recurring=self.is_recurring[rows],
            is_closed=self.is_closed[rows],
        )
