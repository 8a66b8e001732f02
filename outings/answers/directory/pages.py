"""Plan the answer of a directory, cut the requested page, and make its cursor and `meta`."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from datetime import date

import msgspec

from outings.answers.plan import KEY_CHARACTERS, AnswerContext, AnswerPlan, make_cursor, make_tag, read_limit, read_page
from outings.answers.rows.filters import EffectiveFilters, find_route_filters
from outings.contract.cursor import malformed_cursor
from outings.contract.envelope import encode_list
from outings.contract.query import Query
from outings.contract.resources.meta import DirectoryMeta
from outings.contract.values import format_instant
from outings.release.snapshot import Snapshot

# The version of the ranking, in each cursor. Raise it when scores change: a cursor made by another ranking is refused,
# because its score says nothing about the order.
RANKING = 1
_MOST_RANK = 1 << 40
# The most entries whose encoding takes less than a millisecond.
_MOST_QUICK = 50

# The sort key of an entry: its score or count, greatest first (0 if the order is by name), its folded name, and its id.
Key = tuple[int, str, str]
_encoder = msgspec.json.Encoder()


def encode_page(
    query: Query,
    filters: EffectiveFilters,
    size: int,
    *,
    name_key: Callable[[int], Key],
    encode_entry: Callable[[int], bytes],
    snapshot: Snapshot,
    today: date,
    hint: str | None = None,
) -> list[bytes]:
    """Return the requested page of a directory of `size` entries, as chunks of the body. `name_key`, `encode_entry`:
    return the sort key and the JSON of an entry, given its index."""
    limit = read_limit(query)
    start = (read_page(query) - 1) * limit if query.cursor is None else _find_start(read_key(query), size, name_key)
    start = min(start, size)
    stop = min(start + limit, size)
    next_cursor = None
    if stop < size:
        rank, name, row_id = name_key(stop - 1)
        next_cursor = make_cursor(query, (RANKING, rank, name[:KEY_CHARACTERS], row_id), snapshot=snapshot, today=today)
    meta = DirectoryMeta(
        limit=limit,
        count=stop - start,
        has_more=next_cursor is not None,
        next_cursor=next_cursor,
        page=read_page(query) if query.cursor is None else None,
        **filters.describe(),
        metro=snapshot.metro.slug,
        generated_at=format_instant(snapshot.stamp),
        hint=hint,
    )
    items = [encode_entry(at) for at in range(start, stop)]
    return encode_list(items, meta=_encoder.encode(meta), notices=query.notices)


def read_key(query: Query) -> Key:
    """Return the sort key in a query's cursor. Raises `cursor_malformed` if no current directory can have issued it."""
    cursor = query.cursor
    assert cursor is not None
    match cursor.position:
        case (int(ranking), int(rank), str(name), str(row_id)) if ranking == RANKING and abs(rank) < _MOST_RANK:
            return rank, name, row_id
    raise malformed_cursor()


def _find_start(after: Key, size: int, name_key: Callable[[int], Key]) -> int:
    """Return the index after the entry with this sort key or, if the entry is gone, after where it would be."""
    rank, name, row_id = after

    def cut_key(at: int) -> tuple[int, str]:
        other_rank, other_name, _ = name_key(at)
        return -other_rank, other_name[:KEY_CHARACTERS]

    low = bisect_left(range(size), (-rank, name), key=cut_key)
    high = bisect_right(range(size), (-rank, name), lo=low, key=cut_key)
    ids = [name_key(at)[2] for at in range(low, high)]
    if row_id in ids:
        return low + ids.index(row_id) + 1
    return low + sum(other <= row_id for other in ids)


def plan_directory(
    query: Query,
    snapshot: Snapshot,
    context: AnswerContext,
    answer: Callable[[Query, EffectiveFilters, Snapshot, AnswerContext], list[bytes]],
) -> AnswerPlan:
    """Plan the answer. `answer`: makes the body."""
    filters = find_route_filters(query)
    if query.cursor is not None:
        read_key(query)
    position = None if query.cursor is None else query.cursor.position
    today = context.dates[snapshot.metro.slug]
    tag = make_tag("directory", snapshot.hash, query.text, position, today, context.entitlement.digest)
    # Looking for a new word may take some milliseconds.
    is_quick = not query.values.keys() & {"q", "neighborhood"} and read_limit(query) <= _MOST_QUICK
    return AnswerPlan(tag, lambda: answer(query, filters, snapshot, context), is_quick=is_quick)
