"""The plans of the directories: what there is in a metro beside its listings, with how many of these it has."""

from collections.abc import Container
from datetime import date
from typing import Protocol

from outings.answers.context import AnswerContext
from outings.answers.cost import UNKNOWN, Rate, add_costs
from outings.answers.directory.counts import remember_row_counts
from outings.answers.directory.neighborhoods import answer_neighborhoods, remember_area_counts
from outings.answers.directory.organizations import answer_organizations
from outings.answers.directory.pages import read_key
from outings.answers.plan import AnswerPlan, make_tag
from outings.answers.selecting.defaults import EffectiveFilters, find_route_filters
from outings.answers.selecting.paging import read_limit
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.query import Query
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

_ENTRY = Rate(each=15)


class Answer(Protocol):
    def __call__(
        self, query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, about: AnswerContext
    ) -> list[bytes]: ...


def plan_organizations(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    known = open_snapshot(snapshot).open_index(remember_row_counts)
    cost = _estimate(query, known, about.dates[snapshot.metro.slug])
    return _plan(query, snapshot, about, answer=answer_organizations, cost=cost)


def plan_neighborhoods(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    known = open_snapshot(snapshot).open_index(remember_area_counts)
    cost = _estimate(query, known, about.dates[snapshot.metro.slug])
    return _plan(query, snapshot, about, answer=answer_neighborhoods, cost=cost)


def _plan(query: Query, snapshot: Snapshot, about: AnswerContext, *, answer: Answer, cost: int) -> AnswerPlan:
    filters = find_route_filters(query)
    if query.cursor is not None:
        read_key(query)
    position = None if query.cursor is None else query.cursor.position
    today = about.dates[snapshot.metro.slug]
    tag = make_tag("directory", snapshot.hash, query.text, position, today, about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer(query, filters, snapshot=snapshot, about=about), cost)


def _estimate(query: Query, known: Container[tuple[str, date]], today: date) -> int:
    """Microseconds. Counts are worked out once a day, and a word that is new may take some milliseconds."""
    if not all((each, today) in known for each in COLLECTIONS) or query.values.keys() & {"q", "neighborhood"}:
        return UNKNOWN
    return add_costs([(_ENTRY, read_limit(query))])
