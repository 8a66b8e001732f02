"""What is similar to what: for each event, class and camp the listings most like it, found without comparing all pairs.

Listings that share a category stand in two orders, by place and by kind; each is compared with those about it in both.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from outings.contract.routes import LISTS
from outings.contract.vocabulary import AUDIENCES, TYPES
from outings.release.tables import PUBLISHED, RELATED
from pipeline.tables.similarity import score_likeness, weigh_categories
from pipeline.tables.traits import Floats, Numbers, Traits, find_middles, read_traits

_ADULTS = AUDIENCES.index("adults")
# The types that have similar listings, and are such: things to do on a day.
KINDS = ("event", "class", "camp")
# How many of each type are kept: a reader is shown six, of those that are live then and that it may see.
KEPT = 10
# How many are compared about a listing's own place in each order.
BY_PLACE, BY_KIND = 48, 32
# Of one name at one place: so many are candidates, since the first may be over when someone asks.
_MOST_TWINS = 2
_WINDOW_DAYS = 30

_LIST = LISTS["event"]

# Listings compared at once.
_CHUNK = 8_192
# A score in ten-thousandths, the row of its listing and that of the other as one number, best first.
_SCALE = 10_000
_SCORE_BITS, _ROW_BITS = 14, 26


def make_related(tables: Mapping[str, pl.DataFrame], *, today: date) -> pl.DataFrame:
    """The table `related`, of a metro's other tables: candidates are what the default lists hold on the local date."""
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
    """The rows of the default lists, rising; of a program one, of one thing in several listings two."""
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
    """Of listings, their most similar ones of a pool of one type: numbers of score and rows, rising."""
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
    """Chunks of listings, with a row of candidates each: all, where these are few; else those about its own place."""
    orders = (BY_PLACE, _rank_places(traits)), (BY_KIND, _rank_kinds(traits))
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


def _rank_places(traits: Traits) -> Numbers:
    return (traits.tiles << 24) | (find_middles(traits) << 16) | (traits.kinds & 0xFFFF)


def _rank_kinds(traits: Traits) -> Numbers:
    """Those without a point first."""
    return (traits.kinds << 45) | (find_middles(traits) << 37) | np.maximum(traits.tiles, 0)


def _choose_best(rows: Numbers, candidates: Numbers, score: Floats) -> NDArray[np.uint64]:
    """The best of each row's candidates but itself: twice as many as are kept, for some stand there twice."""
    own = np.broadcast_to(rows[:, np.newaxis], candidates.shape)
    penalty = (_SCALE - np.rint(score * _SCALE)).astype(np.int64)
    keys = (own << (_SCORE_BITS + _ROW_BITS)) | (penalty << _ROW_BITS) | candidates
    keys[candidates == own] = np.iinfo(np.int64).max
    count = min(2 * KEPT, keys.shape[1])
    best = np.partition(keys, count - 1, axis=1)[:, :count] if count else keys
    numbers: NDArray[np.uint64] = best[best != np.iinfo(np.int64).max].astype(np.uint64)
    return numbers
