"""The plans of the lists, of the calendar of events, and of what counts lists by place."""

from datetime import date

from outings.answers.addons.expanded import check_expanded, list_expanded
from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.context import AnswerContext
from outings.answers.listings.calendar import answer_calendar
from outings.answers.listings.cost import estimate_density, estimate_list
from outings.answers.listings.density import answer_density
from outings.answers.listings.lists import CHANGING, answer_list, settle_list
from outings.answers.plan import AnswerPlan, make_tag
from outings.contract.query import Query
from outings.release.snapshot import Snapshot


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
