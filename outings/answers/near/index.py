"""Hold the columns of listings that answers near a point read: when each begins, and what it counts as."""

from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.documents.occurrences import open_series
from outings.answers.rows.column_tables import pack_ages
from outings.answers.rows.next_starts import open_next_starts
from outings.answers.snapshot.distance import Floats, make_unit_vectors
from outings.answers.snapshot.reader import SnapshotReader
from outings.answers.snapshot.zips import open_zips
from outings.configuration import read_zone
from outings.contract.resources.finding import GROUPS
from outings.contract.values import DAY, count_seconds, read_date
from outings.contract.vocabulary import AGE_BANDS, REGISTRATION_STATUSES, TYPES
from outings.lazy_polars import pl
from outings.release.mapped_table import NEVER
from outings.release.tables import PUBLISHED, read_columns

Rows = NDArray[np.int64]

# By a zone's clock.
_MINUTES = 256

# By type, the first and the last day since 1970.
Windows = Mapping[str, tuple[int, int | None]]


class Now(Struct, frozen=True, kw_only=True):
    """A minute, in seconds since 1970: `instant` in UTC, `local` by the metro's clock."""

    instant: int
    local: int

    @property
    def date(self) -> date:
        return read_date(self.local // DAY)


@lru_cache(maxsize=_MINUTES)
def read_now(minute: datetime, timezone: str) -> Now:
    local = minute.astimezone(read_zone(timezone)).replace(tzinfo=None)
    return Now(instant=int(minute.timestamp()), local=count_seconds(local))


class Start(Struct, frozen=True):
    """When an item begins, in seconds of the local clock, NEVER if it does not. For events also the end, by that clock,
    and both in seconds since 1970 (`instant`, `ends_at`)."""

    local: int
    instant: int | None = None
    ends: int | None = None
    ends_at: int | None = None


class Starts(Struct, frozen=True, eq=False):
    """Starts by row. `locals`: seconds of the local clock, NEVER if there is none; `numbers`: the number of an event's
    occurrence, else -1."""

    locals: Rows
    numbers: NDArray[np.int32]


class StartTimes:
    """A finder of when a snapshot's listings begin. `types`, `has_time`: by row."""

    def __init__(self, reader: SnapshotReader, *, types: NDArray[np.integer], has_time: NDArray[np.bool_]) -> None:
        self.next_starts = open_next_starts(reader)
        self._series = open_series(reader)
        self._types, self._has_time = types, has_time

    def find_starts(self, rows: Rows, *, windows: Windows, now: Now) -> Starts:
        """Return when each of the rows first begins in the window of its type, but not before `now`."""
        size = self._types.size
        starts = Starts(np.full(size, NEVER, dtype=np.int64), np.full(size, -1, dtype=np.int32))
        for name, (low, high) in windows.items():
            own = rows[self._types[rows] == TYPES.index(name)]
            if name == "event":
                numbers = self._series.find_since(
                    own, low=low, high=high, instant=now.instant, timed=self._has_time[own]
                )
                starts.numbers[own], starts.locals[own] = numbers, self._series.read_local_starts(numbers)
            elif name != "place" and own.size:
                meetings = self._find_meetings(name, own, start=low, now=now)
                starts.locals[own] = (
                    meetings if high is None else np.where(meetings >= (high + 1) * DAY, NEVER, meetings)
                )
        return starts

    def _find_meetings(self, listing_type: str, rows: Rows, *, start: int, now: Now) -> Rows:
        if listing_type == "class":
            return self.next_starts.find_class_starts(rows, start=start, now=now.local)
        return self.next_starts.find_next_camp_starts(rows, start=start, now=now.local)

    def list_starts(self, rows: Rows, starts: Starts) -> list[tuple[int, int | None]]:
        """Return the start of each row in seconds, by the local clock and, for an event, since 1970."""
        numbers = starts.numbers[rows]
        instants = iter(self._series.read_instants(numbers[numbers >= 0].astype(np.int64)).tolist())
        pairs = zip(starts.locals[rows].tolist(), numbers.tolist(), strict=True)
        return [(local, None if number < 0 else next(instants)) for local, number in pairs]

    def read_starts(self, rows: Rows, starts: Starts) -> list[Start]:
        """Return the start of each row, with the end of an event."""
        pairs = zip(starts.locals[rows].tolist(), starts.numbers[rows].tolist(), strict=True)
        return [Start(local) if number < 0 else self._read_start(number) for local, number in pairs]

    def _read_start(self, number: int) -> Start:
        moment = self._series.read_moment(number)
        return Start(moment.starts_local, moment.starts_at, moment.ends_local, moment.ends_at)


Counts = NDArray[np.float64]
Column = NDArray[np.integer] | NDArray[np.bool_]

_TYPES, _BANDS = len(TYPES), len(AGE_BANDS) + 1
# Places in a row of counts: of every listing, by type, and then of open ones (no class that is full or closed).
ALL = slice(0, _TYPES)
FREE, PAID = slice(_TYPES, 2 * _TYPES), slice(2 * _TYPES, 3 * _TYPES)
TALLIED = slice(0, 3 * _TYPES)
OPEN = slice(3 * _TYPES, 4 * _TYPES)
GROUPED = slice(OPEN.stop, OPEN.stop + len(GROUPS))
AGES = slice(GROUPED.stop, GROUPED.stop + _BANDS)
OPEN_FREE, OPEN_PAID = AGES.stop, AGES.stop + 1
COUNTS = AGES.stop + 2

_OWN_GROUPS = {"event": "happening_soon", "class": "classes_enrolling", "camp": "camps", "place": "places"}
_OWN = np.array([GROUPS.index(_OWN_GROUPS[name]) for name in TYPES])
_EVENT, _RECURRING = TYPES.index("event"), GROUPS.index("recurring_programs")


class Kinds:
    """The kinds of a snapshot's listings: those of one kind count alike. `numbers`: kinds by row; `marks`: what a
    listing of each kind adds to each count; `groups`: the groups of each kind, a bit set over GROUPS."""

    def __init__(
        self, *, types: Column, is_free: Column, ages: Column, is_recurring: Column, is_closed: Column
    ) -> None:
        codes = ages.astype(np.int64)
        for part in (is_closed, is_recurring, types, is_free + 1):
            codes = codes << 2 | part
        known, numbers = np.unique(codes, return_inverse=True)
        self.numbers: NDArray[np.uint16] = numbers.astype(np.uint16)
        free, types = (known & 3) - 1, known >> 2 & 3
        recurs, is_open = (known >> 4 & 3 == 1) & (types == _EVENT), known >> 6 & 3 == 0
        self.groups = np.where(is_open, 1 << _OWN[types] | recurs.astype(np.int64) << _RECURRING, 0)
        self.marks = _mark_kinds(types, free, known >> 8, groups=self.groups, is_open=is_open)

    def count(self, rows: NDArray[np.integer]) -> Counts:
        counts: Counts = np.bincount(self.numbers[rows], minlength=len(self.marks)) @ self.marks
        return counts


def _mark_kinds(
    types: NDArray[np.int64],
    free: NDArray[np.int64],
    ages: NDArray[np.int64],
    *,
    groups: NDArray[np.int64],
    is_open: NDArray[np.bool_],
) -> Counts:
    marks = np.zeros((types.size, COUNTS))
    by_type = types[:, np.newaxis] == np.arange(_TYPES)
    marks[:, ALL] = by_type
    marks[:, FREE], marks[:, PAID] = by_type & (free == 1)[:, np.newaxis], by_type & (free == 0)[:, np.newaxis]
    marks[:, OPEN] = by_type
    marks[:, GROUPED] = groups[:, np.newaxis] >> np.arange(len(GROUPS)) & 1
    marks[:, AGES] = ages[:, np.newaxis] >> np.arange(_BANDS) & 1
    marks[:, OPEN_FREE], marks[:, OPEN_PAID] = free == 1, free == 0
    marks[:, OPEN.start :] *= is_open[:, np.newaxis]
    return marks


# The order of types among what is equally far: that of their names.
TYPE_RANKS: tuple[int, ...] = tuple(sorted(TYPES).index(listing_type) for listing_type in TYPES)
# Of a class that nobody can sign up for any more.
_CLOSED = [REGISTRATION_STATUSES.index(status) for status in ("full", "closed")]
_LISTINGS = (
    "row", "type", "status", "lat", "lng", "neighborhood_slug", "has_time", "is_free", "age_min", "age_max",
    "confidence", "categories", "is_recurring", "registration",
)  # fmt: skip
_NEIGHBORHOODS = ("slug", "lat", "lng", "south")
# Six decimals of a degree are a tenth of a metre.
_DECIMALS = 6


class UnlocatedListings(Struct, frozen=True, eq=False):
    """The published listings without coordinates, by ascending row. `centers`: x, y and z of the center of each one's
    neighborhood, NaN if unknown."""

    rows: Rows
    centers: Floats


class NearIndex:
    """The columns of one snapshot's listings that answers near a point read, as arrays by row."""

    def __init__(self, reader: SnapshotReader) -> None:
        listings = read_columns(reader.tables["listings"], "listings", _LISTINGS)
        neighborhoods = read_columns(reader.tables.get("neighborhoods"), "neighborhoods", _NEIGHBORHOODS)
        facts = reader.rows
        self.programs, self.vectors, self.id_ranks, self.types = (
            reader.programs, facts.vectors, facts.id_ranks, facts.types,
        )  # fmt: skip
        # The order of listings that are equally far: by the name of their type, then by id.
        self.ties: Rows = np.array(TYPE_RANKS, dtype=np.int64)[self.types] * self.types.size + self.id_ranks
        self.is_open: NDArray[np.bool_] = ~_mark(listings, pl.col("registration").is_in(_CLOSED))
        self.confidence: Floats = listings["confidence"].fill_null(0.0).to_numpy()
        self.categories: NDArray[np.uint64] = listings["categories"].fill_null(0).to_numpy().astype(np.uint64)
        # One number for a type and a set, of which there are few: they are counted faster than sets are united.
        self._category_sets, numbers = np.unique(self.categories, return_inverse=True)
        self._typed_sets = (self.types * np.int64(self._category_sets.size) + numbers).astype(np.uint32)
        self.ages: NDArray[np.uint8] = pack_ages(listings)
        self.kinds = Kinds(
            types=self.types,
            is_free=listings["is_free"].cast(pl.Int8()).fill_null(-1).to_numpy(),
            ages=self.ages,
            is_recurring=_mark(listings, pl.col("is_recurring")),
            is_closed=~self.is_open,
        )
        self.starts = StartTimes(reader, types=self.types, has_time=_mark(listings, pl.col("has_time")))
        self.unlocated = find_unlocated(listings, neighborhoods)
        self.open_zips = reader.defer(open_zips)

    def unite_categories(self, rows: Rows) -> NDArray[np.uint64]:
        """Return the union of the rows' categories, a bit set for each type."""
        size = self._category_sets.size
        counts = np.bincount(self._typed_sets[rows], minlength=_TYPES * size).reshape(_TYPES, -1)
        united: NDArray[np.uint64] = np.bitwise_or.reduce(np.where(counts, self._category_sets, 0), axis=1)
        return united


def _mark(listings: "pl.DataFrame", condition: "pl.Expr") -> NDArray[np.bool_]:
    """Mark the rows that meet the condition; null does not."""
    return listings.select(condition.fill_null(value=False)).to_series().to_numpy()


def find_unlocated(listings: "pl.DataFrame", neighborhoods: "pl.DataFrame") -> UnlocatedListings:
    """Return the published listings without coordinates, each with the center of its neighborhood: that of the map or,
    without one, the middle of the listings of the same type."""
    shown = listings.filter(pl.col("status") == PUBLISHED).rename({"neighborhood_slug": "slug"})
    is_located = pl.col("lat").is_not_null() & pl.col("lng").is_not_null()
    is_mapped = pl.col("south").is_not_null()
    mapped, unmapped = (
        neighborhoods.filter(condition).select("slug", "lat", "lng") for condition in (is_mapped, ~is_mapped)
    )
    # Of its own type: what a key may not read says nothing of where a row is.
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
    return UnlocatedListings(joined["row"].to_numpy().astype(np.int64), np.stack(make_unit_vectors(*degrees)))
