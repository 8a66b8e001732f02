"""What a list, a calendar and a density are planned to cost."""

from outings.answers.addons.expanded import list_expanded
from outings.answers.cost import UNKNOWN, Rate, add_costs
from outings.answers.listings.density_cells import open_cells
from outings.answers.listings.lists import CHANGING, is_expanded
from outings.answers.rows.evaluator import has_columns
from outings.answers.rows.paging import count_items
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.query import Query
from outings.release.snapshot import Snapshot

_DOCUMENT = Rate(each=3)
_FIELDS = Rate(each=8)
# A reference is read out of each document.
_EXPANDED = Rate(each=12)
_OCCURRENCE = Rate(each=30)
_SOURCE = Rate(each=15)
_FACET = Rate(each=40, thousand=0.5)
# Of sections and sessions, which are looked at one by one.
_FACET_OF_HAPPENINGS = Rate(each=40, thousand=20)
_CALENDAR_DAY = Rate(each=5, thousand=0.1)
_DENSITY = Rate(each=200, thousand=6)
_TEXT = Rate(thousand=4)
_CIRCLE = Rate(thousand=2)
_OF_DATES = frozenset({"weekday", "time_block"})
_OF_OFFERS = _OF_DATES | {"price_band", "age_band"}


def estimate_list(query: Query, *, snapshot: Snapshot, days: int) -> int:
    """Microseconds. `days`: of the calendar's window, 0 of a list."""
    reader = open_snapshot(snapshot)
    if not has_columns(reader):
        return UNKNOWN
    items = 0 if days else count_items(query)
    parts = [(_CALENDAR_DAY, days), (_choose_document(query), items), *_list_searches(query)]
    looked_at = _OF_OFFERS if query.resource in ("class", "camp") else _OF_DATES if is_expanded(query) else ()
    parts += [(_FACET_OF_HAPPENINGS if name in looked_at else _FACET, 1) for name in query.get_words("facets")]
    if "source" in query.get_words("include"):
        parts.append((_SOURCE, items))
    return add_costs(parts, listings=len(reader.listings))


def estimate_density(query: Query, *, snapshot: Snapshot) -> int:
    """Microseconds. Where listings lie is worked out once."""
    reader = open_snapshot(snapshot)
    if not has_columns(reader) or reader.find_index(open_cells) is None:
        return UNKNOWN
    return add_costs([(_DENSITY, 1), *_list_searches(query)], listings=len(reader.listings))


def _list_searches(query: Query) -> list[tuple[Rate, int]]:
    """Of filters that look at more than sets."""
    return [(rate, 1) for name, rate in (("q", _TEXT), ("lat", _CIRCLE)) if name in query.values]


def _choose_document(query: Query) -> Rate:
    if is_expanded(query):
        return _OCCURRENCE
    if query.values.keys().isdisjoint(CHANGING):
        return _DOCUMENT
    if list_expanded(query):
        return _EXPANDED
    return _FIELDS if query.get_words("fields") else _DOCUMENT
