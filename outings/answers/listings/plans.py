"""The plans of the lists, of the calendar of events and of density, and what each is planned to cost."""

from datetime import date

from outings.answers.addons.expanded import check_expanded, list_expanded
from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.context import AnswerContext
from outings.answers.cost import UNKNOWN, Rate, add_costs
from outings.answers.listings.calendar import answer_calendar
from outings.answers.listings.density import answer_density, open_cells
from outings.answers.listings.lists import CHANGING, answer_list, is_expanded, settle_list
from outings.answers.plan import AnswerPlan, make_tag
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


def plan_list(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    if "expand" in query.values:
        check_expanded(query, about)
    today = about.dates[snapshot.metro.slug]
    filters = settle_list(query, today)
    cost = estimate_list(query, snapshot=snapshot, days=0)
    tag = _tag_list(query, snapshot, about)
    return AnswerPlan(tag, lambda: answer_list(query, filters, snapshot=snapshot, about=about), cost)


def plan_calendar(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    filters = settle_list(query, about.dates[snapshot.metro.slug])
    cost = estimate_list(query, snapshot=snapshot, days=filters.count_days())
    tag = _tag_list(query, snapshot, about)
    return AnswerPlan(tag, lambda: answer_calendar(query, filters, snapshot=snapshot, about=about), cost)


def plan_density(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    today = about.dates[snapshot.metro.slug]
    filters = settle_list(query, today)
    cost = estimate_density(query, snapshot=snapshot)
    tag = make_tag("density", snapshot.hash, query.text, today, about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_density(query, filters, snapshot=snapshot, about=about), cost)


def _tag_list(query: Query, snapshot: Snapshot, about: AnswerContext) -> str:
    today = about.dates[snapshot.metro.slug]
    position = None if query.cursor is None else query.cursor.position
    others: list[tuple[str, date]] = []
    forecast = None
    if not query.values.keys().isdisjoint(CHANGING):
        others = _list_others(query, about)
        forecast = ForecastBlocks(query, snapshot=snapshot, about=about).tag
    return make_tag("list", snapshot.hash, query.text, position, today, about.entitlement.digest, others, forecast)


def _list_others(query: Query, about: AnswerContext) -> list[tuple[str, date]]:
    """What an organization shows of the key's other metros, where a list attaches organizations."""
    if "organization" not in list_expanded(query):
        return []
    metros = sorted(about.release.metros.items())
    return [(each.hash, about.dates[slug]) for slug, each in metros if about.entitlement.allows_metro(slug)]
