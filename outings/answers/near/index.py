"""The columns of listings that answers near a point read: when each listing begins, and its groups and price."""

from collections.abc import Mapping
from datetime import date, datetime

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.documents.occurrences import open_series
from outings.answers.rows.column_tables import open_columns
from outings.answers.rows.next_starts import NextStarts
from outings.answers.snapshot.distance import Floats, make_unit_vectors
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.zips import open_zips
from outings.configuration import read_zone
from outings.contract.resources.finding import GROUPS
from outings.contract.values import DAY, count_seconds, read_date
from outings.contract.vocabulary import REGISTRATION_STATUSES, TYPES
from outings.lazy_polars import pl
from outings.release.mapped_table import NEVER
from outings.release.tables import PUBLISHED, read_columns

Rows = NDArray[np.int64]

# The first and the last day of a window since 1970, by type.
Windows = Mapping[str, tuple[int, int | None]]


class Now(Struct, frozen=True, kw_only=True):
    """The current minute, in seconds since 1970: `instant` in UTC, `local` by the metro's clock."""

    instant: int
    local: int

    @property
    def date(self) -> date:
        return read_date(self.local // DAY)


def read_now(minute: datetime, timezone: str) -> Now:
    local = minute.astimezone(read_zone(timezone)).replace(tzinfo=None)
    return Now(instant=int(minute.timestamp()), local=count_seconds(local))


class Start(Struct, frozen=True):
    """The start of an item: `local` in seconds of the local clock, NEVER without one, and `instant` in seconds since
    1970. The end of an event: `ends` by the local clock, `ends_at` since 1970."""

    local: int
    instant: int | None = None
    ends: int | None = None
    ends_at: int | None = None


class Starts(Struct, frozen=True, eq=False):
    """When listings begin, by row. `locals`: seconds of the local clock, NEVER without a start; `numbers`: the number
    of an event's occurrence, else -1."""

    locals: Rows
    numbers: NDArray[np.int32]


_GROUP_NAMES = {"event": "happening_soon", "class": "classes_enrolling", "camp": "camps", "place": "places"}
_OWN_GROUPS = np.array([GROUPS.index(_GROUP_NAMES[name]) for name in TYPES])
_RECURRING = GROUPS.index("recurring_programs")

# Types in the order of their names, in which equally distant listings are listed.
TYPE_RANKS: tuple[int, ...] = tuple(sorted(TYPES).index(listing_type) for listing_type in TYPES)
# Statuses of a class for which nobody can register any more.
_CLOSED = [REGISTRATION_STATUSES.index(status) for status in ("full", "closed")]
_LISTINGS = (
    "row", "type", "status", "lat", "lng", "neighborhood_slug", "has_time", "is_free", "is_recurring", "registration",
)  # fmt: skip
_NEIGHBORHOODS = ("slug", "lat", "lng", "south")
# Six decimals of a degree are a tenth of a metre.
_DECIMALS = 6


class NearIndex:
    """The columns of one snapshot's listings that answers near a point read, as arrays by row."""

    def __init__(self, reader: SnapshotReader) -> None:
        listings = read_columns(reader.tables["listings"], "listings", _LISTINGS)
        neighborhoods = read_columns(reader.tables.get("neighborhoods"), "neighborhoods", _NEIGHBORHOODS)
        facts, columns = reader.rows, reader.open_index(open_columns)
        self.programs, self.vectors, self.id_ranks, self.types = (
            reader.programs, facts.vectors, facts.id_ranks, facts.types,
        )  # fmt: skip
        # The order of listings that are equally far: by the name of their type, then by id.
        self.ties: Rows = np.array(TYPE_RANKS, dtype=np.int64)[self.types] * self.types.size + self.id_ranks
        self.is_open: NDArray[np.bool_] = ~_mark(listings, pl.col("registration").is_in(_CLOSED))
        self.confidence: Floats = np.asarray(facts.confidences)
        # Counting the few pairs of a type and a set of categories is faster than uniting sets.
        self._category_sets = columns.category_sets
        self._typed_sets = self.types * np.uint32(self._category_sets.size) + columns.rows["category_set"]
        self.ages: NDArray[np.uint8] = columns.rows["age_bands"]
        # By row, the groups of a listing, a bit set over GROUPS; a class that is full or closed is in none.
        recurring = (_mark(listings, pl.col("is_recurring")) & (self.types == TYPES.index("event"))) << _RECURRING
        self.groups: Rows = np.where(self.is_open, 1 << _OWN_GROUPS[self.types] | recurring, 0)
        free = listings["is_free"].cast(pl.Int64()).fill_null(2).to_numpy()
        self._prices: Rows = self.types * np.int64(3) + free
        self.next_starts, self._series = NextStarts(columns), open_series(reader)
        self._has_time = _mark(listings, pl.col("has_time"))
        self.unlocated_rows, self.unlocated_centers = find_unlocated(listings, neighborhoods)
        self.open_zips = reader.defer(open_zips)

    def find_starts(self, rows: Rows, *, windows: Windows, now: Now) -> Starts:
        """Return when each of the rows first begins in the window of its type, but not before `now`."""
        size = self.types.size
        starts = Starts(np.full(size, NEVER, dtype=np.int64), np.full(size, -1, dtype=np.int32))
        for name, (low, high) in windows.items():
            own = rows[self.types[rows] == TYPES.index(name)]
            if name == "event":
                has_time = self._has_time[own]
                numbers = self._series.find_firsts(own, low=low, high=high, instant=now.instant, timed=has_time)
                starts.numbers[own], starts.locals[own] = numbers, self._series.read_local_starts(numbers)
            elif name != "place" and own.size:
                is_class = name == "class"
                find = self.next_starts.find_class_starts if is_class else self.next_starts.find_next_camp_starts
                seconds = find(own, start=low, now=now.local)
                starts.locals[own] = seconds if high is None else np.where(seconds < (high + 1) * DAY, seconds, NEVER)
        return starts

    def list_starts(self, rows: Rows, starts: Starts) -> list[tuple[int, int | None]]:
        """Return the start of each row in seconds, by the local clock and, for an event, since 1970."""
        numbers = starts.numbers[rows]
        instants = iter(self._series.read_instants(numbers[numbers >= 0].astype(np.int64)).tolist())
        pairs = zip(starts.locals[rows].tolist(), numbers.tolist(), strict=True)
        return [(local, None if number < 0 else next(instants)) for local, number in pairs]

    def read_start(self, row: int, starts: Starts) -> Start:
        """Return the start of a row, with the end of an event."""
        number = int(starts.numbers[row])
        if number < 0:
            return Start(int(starts.locals[row]))
        moment = self._series.read_moment(number)
        return Start(moment.starts_local, moment.starts_at, moment.ends_local, moment.ends_at)

    def count_prices(self, rows: Rows) -> Rows:
        """Count the rows by type, each in a row of the result, and price: not free, free, not stated."""
        return np.bincount(self._prices[rows], minlength=3 * len(TYPES)).reshape(-1, 3)

    def unite_categories(self, rows: Rows) -> NDArray[np.uint64]:
        """Return the union of the rows' categories, a bit set for each type."""
        size = self._category_sets.size
        counts = np.bincount(self._typed_sets[rows], minlength=len(TYPES) * size).reshape(len(TYPES), -1)
        united: NDArray[np.uint64] = np.bitwise_or.reduce(np.where(counts, self._category_sets, 0), axis=1)
        return united


def _mark(listings: "pl.DataFrame", condition: "pl.Expr") -> NDArray[np.bool_]:
    """Mark the rows that meet the condition. A null does not meet it."""
    return listings.select(condition.fill_null(value=False)).to_series().to_numpy()


def find_unlocated(listings: "pl.DataFrame", neighborhoods: "pl.DataFrame") -> tuple[Rows, Floats]:
    """Return the published listings without coordinates, ascending, and the centers of their neighborhoods: that of the
    map or, without one, the middle of the listings of the same type. Centers are x, y and z, NaN if unknown."""
    shown = listings.filter(pl.col("status") == PUBLISHED).rename({"neighborhood_slug": "slug"})
    is_located = pl.col("lat").is_not_null() & pl.col("lng").is_not_null()
    is_mapped = pl.col("south").is_not_null()
    mapped, unmapped = (
        neighborhoods.filter(condition).select("slug", "lat", "lng") for condition in (is_mapped, ~is_mapped)
    )
    # Only of the same type: listings that a key may not read must not show where this one is.
    stated = (
        shown.filter(is_located)
        .join(unmapped, on="slug", how="semi")
        .group_by("slug", "type")
        .agg(pl.col("lat", "lng").mean().round(_DECIMALS))
    )
    joined = (
        shown.filter(~is_located).select("row", "type", "slug").sort("row")
        .join(mapped, on="slug", how="left", maintain_order="left")
        .join(stated, on=("slug", "type"), how="left", maintain_order="left", suffix="_stated")
        .with_columns(pl.coalesce(name, f"{name}_stated").alias(name) for name in ("lat", "lng"))
    )  # fmt: skip
    degrees = (joined[name].fill_null(float("nan")).to_numpy() for name in ("lat", "lng"))
    return joined["row"].to_numpy().astype(np.int64), np.stack(make_unit_vectors(*degrees))
