"""What listings are compared by: categories, points, ages, days and blocks of the week, as arrays by row."""

from collections.abc import Mapping

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.snapshot.distance import EARTH_RADIUS_M, make_unit_vectors
from outings.contract.vocabulary import TIME_BLOCKS, WEEKDAYS

OLDEST = 18

Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]


class Traits(Struct, frozen=True, kw_only=True, eq=False):
    """Of all listings, by row. `points`: metres from somewhere near, NaN where not stated; `youngest` above
    `oldest` where ages are not; `slots`: a bit for each weekday and block of the day, `days` one for each weekday;
    `kinds`: the number of the row's set of categories in `sets`."""

    types: Numbers
    categories: NDArray[np.uint64]
    kinds: Numbers
    sets: NDArray[np.uint64]
    points: tuple[Floats, Floats, Floats]
    tiles: Numbers
    youngest: NDArray[np.int8]
    oldest: NDArray[np.int8]
    slots: NDArray[np.uint32]
    days: NDArray[np.uint8]


def read_traits(tables: Mapping[str, pl.DataFrame]) -> Traits:
    listings = tables["listings"]
    lats, lngs = (listings[name].fill_null(float("nan")).to_numpy() for name in ("lat", "lng"))
    categories = listings["categories"].fill_null(0).to_numpy()
    ages = listings.select("age_min", "age_max")
    is_stated = ages["age_min"].is_not_null() | ages["age_max"].is_not_null()
    youngest = ages["age_min"].fill_null(0).clip(0, OLDEST).set(~is_stated, OLDEST + 1)
    oldest = ages["age_max"].fill_null(OLDEST).clip(0, OLDEST).set(~is_stated, 0)
    x, y, z = (_shift(each * EARTH_RADIUS_M) for each in make_unit_vectors(lats, lngs))
    slots, days = _find_slots(tables, size=listings.height)
    sets, kinds = np.unique(categories, return_inverse=True)
    return Traits(
        types=listings["type"].to_numpy().astype(np.int64),
        categories=categories,
        kinds=kinds.astype(np.int64),
        sets=sets,
        points=(x, y, z),
        tiles=_find_tiles(lats, lngs),
        youngest=youngest.to_numpy().astype(np.int8),
        oldest=oldest.to_numpy().astype(np.int8),
        slots=slots,
        days=days,
    )


def find_middles(traits: Traits) -> Numbers:
    """Twice the middle of the ages."""
    return traits.youngest.astype(np.int64) + traits.oldest


def _shift(metres: NDArray[np.float64]) -> Floats:
    """To where the first point is: half as many bytes hold a metro's width to the millimetre, but not the earth's."""
    stated = metres[~np.isnan(metres)]
    shifted: Floats = (metres - stated[:1].sum()).astype(np.float32)
    return shifted


def _find_tiles(lats: NDArray[np.float64], lngs: NDArray[np.float64]) -> Numbers:
    """A number a tile of some hundred metres, close numbers for close tiles (a Z-order curve); -1 without a point."""
    is_placed = ~(np.isnan(lats) | np.isnan(lngs))
    tiles = np.zeros(lats.size, dtype=np.int64)
    for bit, (degrees, span) in enumerate(((lngs, 360), (lats, 180))):
        steps = np.where(is_placed, (degrees + span / 2) / span * (1 << 17), 0).astype(np.int64)
        for place in range(17):
            tiles |= (steps >> place & 1) << (2 * place + bit)
    return np.where(is_placed, tiles, -1)


def _find_slots(tables: Mapping[str, pl.DataFrame], *, size: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Of events their dates', of classes and camps their sections' and sessions' days."""
    parts = [tables["occurrences"].select("row", "weekday", "time").unique()]
    for name in ("sections", "sessions"):
        frame = tables[name].select("row", "days", "time")
        parts += [
            frame.filter(pl.col("days") & (1 << day) != 0).select(
                "row", pl.lit(day, pl.UInt8()).alias("weekday"), "time"
            )
            for day in range(len(WEEKDAYS))
        ]
    every = pl.concat(parts)
    rows, weekdays = every["row"].to_numpy(), every["weekday"].to_numpy().astype(np.uint32)
    bounds = [hour * 3600 for hour in TIME_BLOCKS.values()]
    times = every["time"].fill_null(-1).to_numpy()
    blocks = np.searchsorted(bounds, times, side="right") - 1
    slots, days = np.zeros(size, dtype=np.uint32), np.zeros(size, dtype=np.uint8)
    timed = np.unique(np.stack((rows, weekdays * len(TIME_BLOCKS) + blocks))[:, times >= 0].astype(np.int64), axis=1)
    np.bitwise_or.at(slots, timed[0], np.uint32(1) << timed[1].astype(np.uint32))
    np.bitwise_or.at(days, rows, (1 << weekdays).astype(np.uint8))
    return slots, days
