"""Find the most similar listings for each event, class and camp, without comparing all pairs.

Listings are compared by traits: arrays with an element for each row. Those that share a category are sorted by place
and, separately, by kind; each is compared with its neighbors in both orders. docs/addons.md has the formula of a score.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.snapshot.distance import EARTH_RADIUS_M, make_unit_vectors
from outings.contract.routes import LISTS
from outings.contract.vocabulary import AUDIENCES, TIME_BLOCKS, TYPES, WEEKDAYS
from outings.release.tables import PUBLISHED, RELATED

OLDEST = 18

Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]


class Traits(Struct, frozen=True, kw_only=True, eq=False):
    """The traits of all listings, as arrays by row. `points`: coordinates in metres from a point near them, NaN if
    unknown. `youngest` is above `oldest` if ages are unknown. `slots`: a bit for each weekday and block of the day,
    `days`: a bit for each weekday. `kinds`: the index in `sets` of the row's set of categories."""

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
    # Metres relative to the first point: such small numbers keep millimetres in half the bytes.
    metres = [vector * EARTH_RADIUS_M for vector in make_unit_vectors(lats, lngs)]
    x, y, z = ((axis - axis[~np.isnan(axis)][:1].sum()).astype(np.float32) for axis in metres)
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


def _find_tiles(lats: NDArray[np.float64], lngs: NDArray[np.float64]) -> Numbers:
    """Return the number of each point's tile of some hundred metres, -1 without a point. Close tiles have close numbers
    (a Z-order curve)."""
    is_placed = ~(np.isnan(lats) | np.isnan(lngs))
    tiles = np.zeros(lats.size, dtype=np.int64)
    for bit, (degrees, span) in enumerate(((lngs, 360), (lats, 180))):
        steps = np.where(is_placed, (degrees + span / 2) / span * (1 << 17), 0).astype(np.int64)
        for place in range(17):
            tiles |= (steps >> place & 1) << (2 * place + bit)
    return np.where(is_placed, tiles, -1)


def _find_slots(tables: Mapping[str, pl.DataFrame], *, size: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return each row's bits of weekday and block, and its bits of weekday, from the dates of events, the sections of
    classes and the sessions of camps."""
    parts = [tables["occurrences"].select("row", "weekday", "time").unique()]
    for name in ("sections", "sessions"):
        frame = tables[name].select("row", "days", "time")
        parts += [
            frame.filter(pl.col("days") & (1 << day) != 0).select(
                "row", pl.lit(day, pl.UInt8()).alias("weekday"), "time"
            )
            for day in range(len(WEEKDAYS))
        ]
    slots_by_row = pl.concat(parts)
    rows, weekdays = slots_by_row["row"].to_numpy(), slots_by_row["weekday"].to_numpy().astype(np.uint32)
    bounds = [hour * 3600 for hour in TIME_BLOCKS.values()]
    times = slots_by_row["time"].fill_null(-1).to_numpy()
    blocks = np.searchsorted(bounds, times, side="right") - 1
    slots, days = np.zeros(size, dtype=np.uint32), np.zeros(size, dtype=np.uint8)
    timed = np.unique(np.stack((rows, weekdays * len(TIME_BLOCKS) + blocks))[:, times >= 0].astype(np.int64), axis=1)
    np.bitwise_or.at(slots, timed[0], np.uint32(1) << timed[1].astype(np.uint32))
    np.bitwise_or.at(days, rows, (1 << weekdays).astype(np.uint8))
    return slots, days


# The parts of a score and their weights.
CATEGORIES, AGES, DISTANCE, WEEK = 0.5, 0.2, 0.2, 0.1
HALF_DISTANCE_M = 2_000
UNKNOWN_AGES = 0.5


def weigh_categories(categories: NDArray[np.uint64]) -> Floats:
    """Return a weight for each bit: the rarer the category among the candidates, the higher; 0 if none has it."""
    counts = np.array([int((categories >> np.uint64(bit) & np.uint64(1)).sum()) for bit in range(64)])
    weights = np.log1p(categories.size / np.maximum(counts, 1))
    return np.where(counts > 0, weights, 0).astype(np.float32)


def score_likeness(rows: Numbers, candidates: Numbers, weights: Floats, traits: Traits) -> Floats:
    """Return scores from 0 to 1 of shape (rows, candidates of each)."""
    own = rows[:, np.newaxis]
    parts = (
        (CATEGORIES, _compare_categories(rows, candidates, weights, traits)),
        (AGES, _compare_ages(own, candidates, traits)),
        (DISTANCE, _compare_places(own, candidates, traits)),
        (WEEK, _compare_weeks(own, candidates, traits)),
    )
    score = np.zeros(candidates.shape, dtype=np.float32)
    for weight, part in parts:
        score += np.float32(weight) * part
    return score


def _compare_categories(rows: Numbers, candidates: Numbers, weights: Floats, traits: Traits) -> Floats:
    """Score shared categories: their weight as a share of the weight of all categories of either listing."""
    kinds, at = np.unique(traits.kinds[rows], return_inverse=True)
    bits = traits.sets[:, np.newaxis] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    others: Floats = bits.astype(np.float32)
    own = others[kinds]
    shared = (own * weights) @ others.T
    either = (own @ weights)[:, np.newaxis] + others @ weights - shared
    similarity = np.divide(shared, either, out=np.zeros_like(shared), where=either > 0)
    compared: Floats = similarity[at[:, np.newaxis], traits.kinds[candidates]]
    return compared


def _compare_ages(own: Numbers, candidates: Numbers, traits: Traits) -> Floats:
    """Score shared ages: the years that both have, as a share of all years from the youngest to the oldest of
    either."""
    low, high = traits.youngest[own], traits.oldest[own]
    other_low, other_high = traits.youngest[candidates], traits.oldest[candidates]
    both = np.minimum(high, other_high) - np.maximum(low, other_low) + 1
    either = np.maximum(high, other_high) - np.minimum(low, other_low) + 1
    overlap = np.maximum(both, 0) / either.astype(np.float32)
    is_unknown = (low > high) | (other_low > other_high)
    return np.where(is_unknown, np.float32(UNKNOWN_AGES), overlap).astype(np.float32)


def _compare_places(own: Numbers, candidates: Numbers, traits: Traits) -> Floats:
    """Score the distance of two places: 1 at the same point, 0.5 at 2 km, 0 if either has no point."""
    squares = np.zeros(candidates.shape, dtype=np.float32)
    for axis in traits.points:
        squares += (axis[own] - axis[candidates]) ** 2
    near = 1 / (1 + np.sqrt(squares) / np.float32(HALF_DISTANCE_M))
    return np.nan_to_num(near, nan=0).astype(np.float32)


def _compare_weeks(own: Numbers, candidates: Numbers, traits: Traits) -> Floats:
    """Score when two listings take place: 1 if they share a block of a weekday, 0.5 if only a weekday."""
    is_slot = (traits.slots[own] & traits.slots[candidates]) != 0
    is_day = (traits.days[own] & traits.days[candidates]) != 0
    alike: Floats = np.maximum(is_slot.astype(np.float32), is_day * np.float32(0.5))
    return alike


_ADULTS = AUDIENCES.index("adults")
# Types that have similar listings and may be one.
KINDS = ("event", "class", "camp")
# Similar listings to store of each type: readers are shown six, of those that are live then and that they may read.
KEPT = 10
# Neighbors to compare with a listing in each order.
BY_PLACE, BY_KIND = 48, 32
# Candidates with one name at one place: more than one, because the first may be over at the time of a request.
_MOST_TWINS = 2
_WINDOW_DAYS = 30

_LIST = LISTS["event"]

# Listings compared at once.
_CHUNK = 8_192
# A score in ten-thousandths, the row of its listing and that of the other as one number, best first.
_SCALE = 10_000
_SCORE_BITS, _ROW_BITS = 14, 26


# The columns that `related` is made of, by table.
RELATED_COLUMNS = {
    "listings": (
        "row", "type", "status", "categories", "lat", "lng", "age_min", "age_max", "audience", "confidence",
        "name_key", "place_id", "organization_id", "program_key",
    ),
    "occurrences": ("row", "date", "weekday", "time"),
    "sections": ("row", "days", "time", "starts_on", "ends_on"),
    "sessions": ("row", "days", "time", "starts_on", "ends_on"),
}  # fmt: skip


def make_related(tables: Mapping[str, pl.DataFrame], *, today: date) -> pl.DataFrame:
    """Make the table `related` from a metro's other tables. Candidates are the listings in the default lists on the
    local date."""
    tables = {name: tables[name].select(columns) for name, columns in RELATED_COLUMNS.items()}
    listings = tables["listings"]
    traits = read_traits(tables)
    is_dated = listings["type"].is_in([TYPES.index(kind) for kind in KINDS])
    owners = listings.filter(is_dated & (pl.col("status") == PUBLISHED) & (pl.col("categories") != 0))["row"]
    own = owners.to_numpy().astype(np.int64)
    live = _find_live(tables, today=today)
    keys = [_find_similar(own, live[traits.types[live] == TYPES.index(kind)], traits) for kind in KINDS]
    merged = np.sort(np.concatenate(keys))
    rows, others = merged >> np.uint64(_SCORE_BITS + _ROW_BITS), merged & np.uint64((1 << _ROW_BITS) - 1)
    pairs = pl.DataFrame({"row": rows, "others": others}, schema={"row": pl.UInt32(), "others": pl.UInt32()})
    return pairs.group_by("row", maintain_order=True).agg("others").select(*RELATED)


def _find_live(tables: Mapping[str, pl.DataFrame], *, today: date) -> Numbers:
    """Return the rows in the default lists, ascending: one row for each program, and at most two listings of the same
    thing."""
    last = today + timedelta(days=_WINDOW_DAYS)
    ends = pl.col("ends_on"), pl.coalesce("ends_on", "starts_on")
    rows = pl.concat(
        (
            tables["occurrences"].filter(pl.col("date").is_between(today, last)).select("row"),
            *(
                tables[name].filter(end.is_null() | (end >= today)).select("row")
                for name, end in zip(("sections", "sessions"), ends, strict=True)
            ),
        )
    ).unique()
    is_shown = (
        (pl.col("status") == PUBLISHED)
        & (pl.col("audience") != _ADULTS)
        & (pl.col("confidence") >= pl.lit(_LIST.parameters["min_confidence"].default))
        & (pl.col("categories") != 0)
    )
    shown = tables["listings"].filter(is_shown).join(rows, on="row", how="semi").sort("row")
    is_first = pl.int_range(pl.len()).over("type", "name_key", "place_id", "organization_id") < _MOST_TWINS
    is_card = pl.col("program_key").is_null() | (pl.int_range(pl.len()).over("program_key") == 0)
    return shown.filter(is_first & is_card)["row"].to_numpy().astype(np.int64)


def _find_similar(own: Numbers, pool: Numbers, traits: Traits) -> NDArray[np.uint64]:
    """Find the most similar listings for each of `own` in a pool of one type. Return score and rows packed in numbers,
    ascending."""
    pairs = []
    weights = weigh_categories(traits.categories[pool])
    for bit in np.flatnonzero(weights):
        mask = np.uint64(1 << int(bit))
        members = pool[traits.categories[pool] & mask != 0]
        asking = own[traits.categories[own] & mask != 0]
        for rows, candidates in _list_candidates(asking, members, traits):
            pairs.append(_choose_best(rows, candidates, score_likeness(rows, candidates, weights, traits)))
    keys = np.sort(np.concatenate(pairs)) if pairs else np.empty(0, dtype=np.uint64)
    # Found by two categories or in both orders: one number. Sorting is five times as fast as np.unique's table.
    keys = keys[np.diff(keys, prepend=np.uint64((1 << 64) - 1)) != 0]
    rows = keys >> np.uint64(_SCORE_BITS + _ROW_BITS)
    ranks = np.arange(keys.size) - np.searchsorted(rows, rows)
    best: NDArray[np.uint64] = keys[ranks < KEPT]
    return best


def _list_candidates(asking: Numbers, members: Numbers, traits: Traits) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield chunks of listings with their candidates: all members if few, else neighbors by place and by kind."""
    ages = traits.youngest.astype(np.int64) + traits.oldest  # twice the middle of each row's ages, an integer
    by_place = (traits.tiles << 24) | (ages << 16) | (traits.kinds & 0xFFFF)
    by_kind = (traits.kinds << 45) | (ages << 37) | np.maximum(traits.tiles, 0)  # those without a point come first
    orders = (BY_PLACE, by_place), (BY_KIND, by_kind)
    sorted_members = [(size, ranks, members[np.argsort(ranks[members], kind="stable")]) for size, ranks in orders]
    for at in range(0, asking.size, _CHUNK):
        rows = asking[at : at + _CHUNK]
        if members.size <= BY_PLACE + BY_KIND:
            yield rows, np.broadcast_to(members, (rows.size, members.size))
            continue
        windows = []
        for size, ranks, ordered in sorted_members:
            middle = np.searchsorted(ranks[ordered], ranks[rows])
            first = np.clip(middle - size // 2, 0, ordered.size - size)
            windows.append(ordered[first[:, np.newaxis] + np.arange(size)])
        yield rows, np.concatenate(windows, axis=1)


def _choose_best(rows: Numbers, candidates: Numbers, score: Floats) -> NDArray[np.uint64]:
    """Return each row's best candidates except itself: twice as many as `related` has, since some appear twice."""
    own = np.broadcast_to(rows[:, np.newaxis], candidates.shape)
    penalty = (_SCALE - np.rint(score * _SCALE)).astype(np.int64)
    keys = (own << (_SCORE_BITS + _ROW_BITS)) | (penalty << _ROW_BITS) | candidates
    keys[candidates == own] = np.iinfo(np.int64).max
    count = min(2 * KEPT, keys.shape[1])
    best = np.partition(keys, count - 1, axis=1)[:, :count] if count else keys
    numbers: NDArray[np.uint64] = best[best != np.iinfo(np.int64).max].astype(np.uint64)
    return numbers
