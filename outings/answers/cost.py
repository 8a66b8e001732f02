"""What an answer is planned to cost, before it is made: who serves it decides by that where to make it.

A sum of parts, each measured by `python -m bench.paths` on columns of 100,000 listings; those that look at listings
grow with how many there are. It needs to be right within a factor of two or so.
"""

from datetime import date

from msgspec import Struct

from outings.answers.addons.expanded import list_expanded
from outings.answers.listings.meta import read_limit
from outings.answers.near.request import Near
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.query import Query
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

# Microseconds.
LOOK_UP = 100
LIST = 300
UNKNOWN = 5_000
ENGINE = 10_000


class Rate(Struct, frozen=True, kw_only=True):
    """Microseconds: `each` for an item or a dimension, `thousand` for a thousand listings of the metro."""

    each: float = 0
    thousand: float = 0


_DOCUMENT = Rate(each=3)
_FIELDS = Rate(each=8)
_ENTRY = Rate(each=15)
# A reference is read out of each document.
_EXPANDED = Rate(each=12)
_OCCURRENCE = Rate(each=30)
_SOURCE = Rate(each=15)
_FACET = Rate(each=40, thousand=0.5)
# Of sections and sessions, which are looked at one by one.
_FACET_OF_HAPPENINGS = Rate(each=40, thousand=20)
_CALENDAR_DAY = Rate(each=5, thousand=0.1)
_TEXT = Rate(thousand=4)
_CIRCLE = Rate(thousand=2)
_SEARCHED_WORD = Rate(each=100)
# Of listings that have a word.
_POSTINGS = Rate(thousand=20)
# Its passage is looked for in its description.
_RESULT = Rate(each=12)
_NEAR_ITEM = Rate(each=10)
_HAPPENING_DIMENSIONS = frozenset({"weekday", "time_block"})


def estimate_list(query: Query, *, snapshot: Snapshot, days: int) -> int:
    """Microseconds. `days`: of the calendar's window, 0 of a list."""
    opened = open_snapshot(snapshot)
    if not opened.has_columns:
        return ENGINE
    parts = [(_CALENDAR_DAY, days), (_choose_document(query), 0 if days else _count_items(query))]
    for name in query.get_words("facets"):
        is_looked_at = name in _HAPPENING_DIMENSIONS and (query.resource != "event" or _is_expanded(query))
        parts.append((_FACET_OF_HAPPENINGS if is_looked_at else _FACET, 1))
    if "source" in query.get_words("include"):
        parts.append((_SOURCE, _count_items(query)))
    if "q" in query.values:
        parts.append((_TEXT, 1))
    if "lat" in query.values:
        parts.append((_CIRCLE, 1))
    thousands = len(opened.names) / 1000
    return LIST + round(sum(count * (rate.each + rate.thousand * thousands) for rate, count in parts))


def estimate_nearby(near: Near) -> int:
    """Microseconds: little where what the request shows of the whole metro is known already."""
    layers = open_snapshot(near.snapshot).recall_layers()
    if layers is None or not layers.knows(near.asked) or near.query.values.keys() & {"fields", "include"}:
        return UNKNOWN
    return LIST + round(read_limit(near.query) * _NEAR_ITEM.each)


def estimate_search(*, words: int, postings: int, limit: int, has_columns: bool) -> int:
    """Microseconds. `postings`: how often the query's words stand in the index, in all of their forms."""
    if not has_columns:
        return ENGINE
    parts = ((_SEARCHED_WORD, words), (_RESULT, limit))
    return LIST + round(sum(count * rate.each for rate, count in parts) + _POSTINGS.thousand * postings / 1000)


def estimate_directory(query: Query, *, snapshot: Snapshot, today: date) -> int:
    """Microseconds. Counts are worked out once a day, and a word that is new may take some milliseconds."""
    opened = open_snapshot(snapshot)
    counts = opened.area_counts if query.route == "neighborhoods" else opened.row_counts
    if not all((each, today) in counts for each in COLLECTIONS):
        return UNKNOWN
    if query.values.keys() & {"q", "neighborhood"}:
        return UNKNOWN
    return LIST + round(read_limit(query) * _ENTRY.each)


def _count_items(query: Query) -> int:
    return len(query.get_words("ids")) if "ids" in query.values else read_limit(query)


def _choose_document(query: Query) -> Rate:
    if _is_expanded(query):
        return _OCCURRENCE
    if list_expanded(query):
        return _EXPANDED
    return _FIELDS if query.get_words("fields") else _DOCUMENT


def _is_expanded(query: Query) -> bool:
    return query.get("occurrences") == "expand"
