"""The plan of each route. Only this module knows every kind of answer."""

from collections.abc import Callable, Mapping

from outings.answers.changes import plan_changes, plan_versions
from outings.answers.context import AnswerContext
from outings.answers.coverage import plan_coverage
from outings.answers.details import plan_detail
from outings.answers.directory.plans import plan_neighborhoods, plan_organizations
from outings.answers.directory.ranking import open_ranking
from outings.answers.exports import plan_export, plan_file
from outings.answers.ical import plan_calendar_file
from outings.answers.listings.calendar import plan_calendar
from outings.answers.listings.density import plan_density
from outings.answers.listings.lists import plan_list
from outings.answers.listings.relations import find_metros_of_row, settle_metro
from outings.answers.metros import plan_metros
from outings.answers.near.activity import plan_activity
from outings.answers.near.around import plan_around
from outings.answers.near.nearby import plan_nearby
from outings.answers.organizations import plan_organization
from outings.answers.plan import AnswerPlan
from outings.answers.rows.evaluator import make_evaluator
from outings.answers.rows.selection import check_cursor
from outings.answers.search.index import open_search
from outings.answers.search.planning import plan_search
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.answers.snapshot.zips import check_zips
from outings.answers.suggestions.index import open_suggestions
from outings.answers.suggestions.planning import plan_suggestions
from outings.contract.errors import not_enabled, not_found
from outings.contract.parameters import ZIPS
from outings.contract.query import Query
from outings.contract.resources.meta import ListMeta
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

# By the route's name: of one metro's snapshot, or of the whole release.
OF_METRO: Mapping[str, Callable[[Query, Snapshot, AnswerContext], AnswerPlan]] = {
    **{route.name: plan_list for route in ROUTES if route.meta is ListMeta},
    "events.calendar": plan_calendar,
    **{f"{name}.density": plan_density for name in COLLECTIONS.values()},
    "events.ics": plan_calendar_file,
    "search": plan_search,
    "suggest": plan_suggestions,
    "nearby": plan_nearby,
    "around": plan_around,
    "activity": plan_activity,
    "organizations.list": plan_organizations,
    "neighborhoods": plan_neighborhoods,
    "coverage": plan_coverage,
    "export": plan_export,
    "export.file": plan_file,
}
OF_RELEASE: Mapping[str, Callable[[Query, AnswerContext], AnswerPlan]] = {
    **{f"{name}.{kind}": plan_detail for name in COLLECTIONS.values() for kind in ("detail", "slug")},
    "organizations.detail": plan_organization,
    "metros": plan_metros,
    "changes": plan_changes,
    "versions": plan_versions,
}


# What the first requests of a snapshot need.
_PREPARED: tuple[Callable[[SnapshotReader], object], ...] = (
    make_evaluator, open_ranking, open_search, open_suggestions,
)  # fmt: skip


def make_plan(query: Query, about: AnswerContext) -> AnswerPlan:
    """Raises ApiError for whatever the answer would fail with: who gets a tag also gets a body."""
    name = query.match.route.name
    of_metro = OF_METRO.get(name)
    if of_metro is not None:
        query, snapshot = _find_snapshot(query, about)
        return of_metro(query, snapshot, about)
    of_release = OF_RELEASE.get(name)
    if of_release is not None:
        return of_release(query, about)
    raise not_enabled(query.match.route.path)


def _find_snapshot(query: Query, about: AnswerContext) -> tuple[Query, Snapshot]:
    """Return the query with its snapshot, which the route's path names, or the place or organization in it."""
    if query.match.route.sets is not None:
        query = settle_metro(query, find_metros_of_row(query.match, about=about), about=about)
    snapshot = None if query.metro is None else about.release.metros.get(query.metro)
    if snapshot is None:
        raise not_found(f"There is no metro {query.metro}.")
    if query.cursor is not None:
        check_cursor(query, snapshot)
    if not query.values.keys().isdisjoint(ZIPS):
        check_zips(query, open_snapshot(snapshot))
    return query, snapshot


def prepare_snapshot(snapshot: Snapshot) -> None:
    """Open what the first requests would wait for. What the build did not map is made, which takes a while."""
    reader = open_snapshot(snapshot)
    for make in _PREPARED:
        reader.open_index(make)
