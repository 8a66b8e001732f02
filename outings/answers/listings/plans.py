"""The plans of the lists, of the calendar of events and of density."""

from datetime import date

from outings.answers.addons.expanded import check_expanded, list_expanded
from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.context import AnswerContext
from outings.answers.listings.calendar import answer_calendar
from outings.answers.listings.density import answer_density, open_cells
from outings.answers.listings.lists import CHANGING, answer_list, is_expanded, settle_list
from outings.answers.plan import AnswerPlan, make_tag
from outings.answers.rows.paging import count_items
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.query import Query
from outings.release.snapshot import Snapshot

# So many items are quick to send if each is changed, and so many if each is made of an occurrence or has its source.
_MOST_CHANGED, _MOST_MADE = 50, 20
_OF_DATES = frozenset({"weekday", "time_block"})
_OF_OFFERS = _OF_DATES | {"price_band", "age_band"}


def _is_quick(query: Query) -> bool:
    """Return True for a list that looks at no sections, sessions or occurrences one by one, and changes few items."""
    items, facets = count_items(query), {*query.get_words("facets")}
    if is_expanded(query) or "source" in query.get_words("include"):
        return items <= _MOST_MADE and not facets & _OF_DATES
    if query.resource in ("class", "camp") and facets & _OF_OFFERS:
        return False
    return items <= _MOST_CHANGED or query.values.keys().isdisjoint(CHANGING)


def plan_list(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    if "expand" in query.values:
        check_expanded(query, about)
    today = about.dates[snapshot.metro.slug]
    filters = settle_list(query, today)
    tag = _tag_list(query, snapshot, about)
    return AnswerPlan(
        tag, lambda: answer_list(query, filters, snapshot=snapshot, about=about), is_quick=_is_quick(query)
    )


def plan_calendar(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    filters = settle_list(query, about.dates[snapshot.metro.slug])
    tag = _tag_list(query, snapshot, about)
    return AnswerPlan(tag, lambda: answer_calendar(query, filters, snapshot=snapshot, about=about), is_quick=True)


def plan_density(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    today = about.dates[snapshot.metro.slug]
    filters = settle_list(query, today)
    tag = make_tag("density", snapshot.hash, query.text, today, about.entitlement.digest)
    # Where listings lie is worked out once.
    is_quick = open_snapshot(snapshot).find_index(open_cells) is not None
    return AnswerPlan(tag, lambda: answer_density(query, filters, snapshot=snapshot, about=about), is_quick=is_quick)


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
    """List the key's other metros, which an organization shows counts of, if a list attaches organizations."""
    if "organization" not in list_expanded(query):
        return []
    metros = sorted(about.release.metros.items())
    return [(each.hash, about.dates[slug]) for slug, each in metros if about.entitlement.allows_metro(slug)]
