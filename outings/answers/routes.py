"""Choose the function that plans the answer of each route. Only this module knows every kind of answer."""

from collections.abc import Callable, Mapping
from datetime import date, datetime

from msgspec import Struct
from msgspec.structs import replace

from outings.answers.changes import plan_changes, plan_versions
from outings.answers.coverage import plan_coverage
from outings.answers.details import plan_detail
from outings.answers.directory.neighborhoods import plan_neighborhoods
from outings.answers.directory.organizations import plan_organizations
from outings.answers.directory.ranking import open_ranking
from outings.answers.exports import plan_export, plan_file
from outings.answers.expressions.evaluation import evaluate
from outings.answers.ical import plan_calendar_file
from outings.answers.listings.calendar import plan_calendar
from outings.answers.listings.density import plan_density
from outings.answers.listings.lists import plan_list
from outings.answers.listings.owner_metros import find_metros_of_row, resolve_metro
from outings.answers.metros import plan_directory, plan_metro, plan_metros
from outings.answers.near.activity import plan_activity
from outings.answers.near.around import plan_around
from outings.answers.near.nearby import plan_nearby
from outings.answers.organizations import plan_organization
from outings.answers.plan import AnswerContext, AnswerPlan, asks_now, check_cursor
from outings.answers.rows.evaluator import make_evaluator
from outings.answers.rows.filters import choose_types
from outings.answers.search.index import open_search
from outings.answers.search.page import plan_search
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import SnapshotReader, find_reader, open_snapshot
from outings.answers.snapshot.zips import check_zips
from outings.answers.suggestions.index import open_suggestions
from outings.answers.suggestions.suggest import plan_suggestions
from outings.answers.vocabulary import plan_vocabulary
from outings.answers.weather import Weather
from outings.contract.envelope import unknown_neighborhood
from outings.contract.errors import not_enabled, not_found
from outings.contract.parameters import ZIPS
from outings.contract.query import Entitlement, Query
from outings.contract.resources.meta import CalendarMeta, ListMeta
from outings.contract.routes import ROUTES
from outings.contract.values import show_text
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Release, Snapshot

# The planning functions by the route's name: for answers from one metro's snapshot, and from the whole release.
OF_METRO: Mapping[str, Callable[[Query, Snapshot, AnswerContext], AnswerPlan]] = {
    **{route.name: plan_list for route in ROUTES if route.meta is ListMeta},
    **{route.name: plan_calendar for route in ROUTES if route.meta is CalendarMeta},
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
    "metros.detail": plan_metro,
}
OF_RELEASE: Mapping[str, Callable[[Query, AnswerContext], AnswerPlan]] = {
    **{f"{name}.{kind}": plan_detail for name in COLLECTIONS.values() for kind in ("detail", "slug")},
    "organizations.detail": plan_organization,
    "directory": plan_directory,
    "vocabulary": plan_vocabulary,
    "metros": plan_metros,
    "changes": plan_changes,
    "versions": plan_versions,
}


# The indexes that the first requests of a snapshot need.
_PREPARED: tuple[Callable[[SnapshotReader], object], ...] = (
    make_evaluator, open_ranking, open_search, open_suggestions,
)  # fmt: skip


def make_plan(query: Query, context: AnswerContext) -> AnswerPlan:
    """Plan the answer. Raises every ApiError with which the answer would fail: whoever gets an ETag also gets a
    body."""
    name = query.match.route.name
    if name in OF_METRO:
        plan = OF_METRO[name](*_find_snapshot(query, context), context)
        return replace(plan, is_now=True) if asks_now(query.values) else plan
    if name in OF_RELEASE:
        return OF_RELEASE[name](query, context)
    raise not_enabled(query.match.route.path)


def _find_snapshot(query: Query, context: AnswerContext) -> tuple[Query, Snapshot]:
    """Return the query with its metro's snapshot, by the path's metro, place or organization. Check cursor, zips,
    `where`."""
    if query.match.route.sets is not None:
        homes = find_metros_of_row(query.match, context=context) if query.metro is None else ()
        query = resolve_metro(query, homes, context=context)
    snapshot = None if query.metro is None else context.release.metros.get(query.metro)
    if snapshot is None:
        raise not_found(f"There is no metro {query.metro}.")
    if query.cursor is not None:
        check_cursor(query, snapshot)
    if not query.values.keys().isdisjoint(ZIPS):
        check_zips(query, open_snapshot(snapshot))
    if "neighborhood" in query.values:
        text = str(query.get("neighborhood"))
        nearest = open_snapshot(snapshot).open_index(open_areas).suggest(text, context.entitlement.readable_types)
        if nearest is not None:
            notice = unknown_neighborhood(show_text(text), metro=snapshot.metro.slug, nearest=nearest)
            query = replace(query, notices=(*query.notices, notice))
    if "where" in query.values:
        types = choose_types(query, context.entitlement) if query.resource is None else (query.resource,)
        evaluate(str(query.get("where")), types, snapshot=snapshot, release=context.release)
    return query, snapshot


def prepare_snapshot(snapshot: Snapshot) -> None:
    """Fetch a snapshot's files, and open the indexes that the first requests need. Tables that the build did not map
    are computed, which takes a while."""
    # `np.unique` imports it at its first call, which would stop an event loop for 0.1 s.
    import numpy.ma  # noqa: F401

    snapshot.fetch()
    reader = open_snapshot(snapshot)
    reader.open_packs()
    for make in _PREPARED:
        reader.open_index(make)


def is_prepared(snapshot: Snapshot) -> bool:
    """Return True if `prepare_snapshot` has finished for this snapshot."""
    reader = find_reader(snapshot)
    return reader is not None and reader.find_index(_PREPARED[-1]) is not None


class Answer(Struct, frozen=True, kw_only=True):
    """A successful answer. `parts`: the body, to be joined; `max_age`: in seconds, None for `no-cache`."""

    parts: tuple[bytes, ...]
    etag: str
    max_age: int | None


def answer(
    query: Query,
    *,
    release: Release,
    dates: Mapping[str, date],
    entitlement: Entitlement,
    minute: datetime | None = None,
    weather: Mapping[str, Weather] = {},
) -> Answer:
    """Plan and render the answer to a query.

    `dates`: the local date of every metro in the release, for a cursor the date of its first page. `minute`: the
    current time, if the answer depends on it. `weather`: forecasts by metro. Raises ApiError: 400 for what only the
    date shows to be wrong, 403, 404, 501. The caller checks metro, type scope and add-ons of a path's metro before.
    """
    context = AnswerContext(release=release, dates=dates, entitlement=entitlement, minute=minute, weather=weather)
    plan = make_plan(query, context)
    return Answer(parts=tuple(plan.render()), etag=plan.etag, max_age=query.match.route.max_age)
