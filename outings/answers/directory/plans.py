"""The plans of the directories: organizations and neighborhoods of a metro, with their counts of listings."""

from typing import Any, Protocol

from outings.answers.counts import DailyCount
from outings.answers.directory.neighborhoods import answer_neighborhoods, count_by_area
from outings.answers.directory.organizations import answer_organizations, count_by_row
from outings.answers.directory.pages import read_key
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag, read_limit
from outings.answers.rows.filters import EffectiveFilters, find_route_filters
from outings.contract.query import Query
from outings.release.snapshot import Snapshot

# Entries that are quick to send.
_MOST_QUICK = 50


class Answer(Protocol):
    def __call__(
        self, query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, about: AnswerContext
    ) -> list[bytes]: ...


def plan_organizations(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    return _plan(query, snapshot, about, answer=answer_organizations, counts=count_by_row)


def plan_neighborhoods(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    return _plan(query, snapshot, about, answer=answer_neighborhoods, counts=count_by_area)


def _plan(
    query: Query, snapshot: Snapshot, about: AnswerContext, *, answer: Answer, counts: DailyCount[Any]
) -> AnswerPlan:
    filters = find_route_filters(query)
    if query.cursor is not None:
        read_key(query)
    position = None if query.cursor is None else query.cursor.position
    today = about.dates[snapshot.metro.slug]
    tag = make_tag("directory", snapshot.hash, query.text, position, today, about.entitlement.digest)
    # Counts are worked out once a day, and a word that is new may take some milliseconds.
    is_quick = counts.is_known(snapshot, today) and not query.values.keys() & {"q", "neighborhood"}
    is_quick = is_quick and read_limit(query) <= _MOST_QUICK
    return AnswerPlan(tag, lambda: answer(query, filters, snapshot=snapshot, about=about), is_quick=is_quick)
