"""What answers near a point read of one snapshot, opened at the first of them."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from outings.answers.near.kinds import Kinds
from outings.answers.near.scores import score_promises
from outings.answers.near.starts import Starts, StartTimes
from outings.answers.near.tiles import TILE, TILE_BOUNDS, TILES, Rows, Tiles
from outings.answers.near.traits import TRAITS
from outings.answers.near.unlocated import UNLOCATED, UnlocatedRows
from outings.answers.snapshot.next_starts import SLOTS
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.zips import open_zips
from outings.contract.vocabulary import TYPES
from outings.release.mapped_table import NEVER

_PLACE = TYPES.index("place")


class NearIndex:
    """Of one snapshot."""

    def __init__(self, reader: SnapshotReader) -> None:
        self.tiles = Tiles(reader.open_table(TILES), bounds=reader.open_table(TILE_BOUNDS))
        self._unlocated, self._open_zips = reader.open_table(UNLOCATED), reader.defer(open_zips)
        self.programs = reader.programs
        self.vectors = reader.rows.vectors
        self.id_ranks, self.types = reader.rows.id_ranks, reader.rows.types
        traits = reader.open_table(TRAITS)
        self.is_recurring, self.is_closed = traits.read_array("is_recurring"), traits.read_array("is_closed")
        self.is_free, self.ages = traits.read_array("is_free"), traits.read_array("ages")
        self.confidence, self.categories = traits.read_array("confidence"), traits.read_array("categories")
        self.starts = StartTimes(
            reader.open_table(SLOTS), series=reader.series, types=self.types, has_time=traits.read_array("has_time")
        )

    @cached_property
    def unlocated(self) -> UnlocatedRows:
        return UnlocatedRows(self._unlocated, zips=self._open_zips())

    @property
    def rows(self) -> Rows:
        """By place in the tiles; 0 where the last of all has no row."""
        return self.tiles.rows

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
            waits = np.where(starts.locals == NEVER, NEVER, starts.locals - starts.key[1].local)
        promises = score_promises(waits=waits, confidence=self.confidence).astype(np.float32)
        return promises[self.rows].reshape(-1, TILE)

    @cached_property
    def kinds(self) -> Kinds:
        names, rows = ("types", "is_free", "ages", "is_recurring", "is_closed"), self.tiles.list_places()
        return Kinds(**{name: getattr(self, name)[rows] for name in names})


def open_near(reader: SnapshotReader) -> NearIndex:
    return NearIndex(reader)
