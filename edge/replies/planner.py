"""Makes the plan of a request: what will answer it, from which release, with which ETag. No body is made here."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from functools import partial

from cachetools import FIFOCache
from msgspec import Struct
from msgspec.structs import replace

from edge.geocoding.geocoder import Geocoder, NoGeocoder
from edge.local_dates import LocalDates
from edge.releases import Releases, ServedRelease
from edge.replies.query_reader import read_query
from edge.replies.responses import Lines, make_head
from edge.request_context import RequestContext
from edge.thread_pool import ThreadPool
from edge.weather.forecasts import Forecasts
from outings.answers.changes.feed import read_cursor
from outings.answers.context import AnswerContext
from outings.answers.listings.relations import costs_queries
from outings.answers.plan import AnswerPlan
from outings.answers.renderer_version import RENDERER_VERSION
from outings.answers.routes import make_plan
from outings.answers.semantic.model import Model
from outings.answers.weather.weather import Weather
from outings.contract.cursor import Cursor
from outings.contract.entitlement import Entitlement
from outings.contract.errors import unavailable
from outings.contract.includes import Offer
from outings.contract.query import Query
from outings.contract.resources.metro import Center
from outings.contract.route import Match, Route
from outings.release.manifest import PrecomputedPage

# A plan with its query, as measured over lists with filters; those of details are half of it.
PLAN_BYTES = 4_096
# Longer ones are lists of ids and the like, which nobody sends twice.
_MOST_REMEMBERED_BYTES = 512

# What they need may be in the store, with another worker, or not worked out yet: `Planner.resolve_request`.
_WAITING_ROUTES = frozenset({"changes", "events.ics.address"})
_WAITING = re.compile(rb"(?:^|&)(?:address|[^=&]*%[^=&]*)(?:=|&|$)")

# Path, query string and rights.
_Name = tuple[str, bytes, str]


class RequestPlan(Struct, frozen=True, kw_only=True):
    """A request that gets an answer: `page` was written ahead for it, `served` answers, and `head` are the headers of
    whichever answer. `minute` and `weather`: those of which alone it holds; None where none matters.

    It keeps the release open: who sends the answer lets go of it before."""

    query: Query
    plan: AnswerPlan
    etag: bytes
    page: PrecomputedPage | None
    served: ServedRelease
    head: Lines
    minute: datetime | None = None
    weather: Mapping[str, Weather] | None = None


class PlanSlot(Struct, frozen=True):
    """Where the plan of a request is remembered: by path, query string and rights, under the current release and
    dates."""

    served: ServedRelease
    dates: Mapping[str, date]
    plans: FIFOCache[_Name, RequestPlan]
    name: _Name


class ResolvedRequest(Struct, frozen=True, kw_only=True):
    """A query, and what is to answer it."""

    query: Query
    served: ServedRelease
    dates: Mapping[str, date]


class Planner:
    """Remembers plans for as long as a release and its local dates are the current ones: the same request with the
    same rights has the same plan. They take `memory` bytes at most. `computing` works, and `fetching` reads
    the store. `model` ranks searches, `geocoder` finds addresses, `forecasts` tell the weather."""

    def __init__(
        self,
        *,
        releases: Releases,
        dates: LocalDates,
        computing: ThreadPool,
        fetching: ThreadPool,
        memory: int,
        offer: Offer,
        model: Model | None = None,
        geocoder: Geocoder = NoGeocoder(),
        forecasts: Forecasts | None = None,
    ) -> None:
        self._releases = releases
        self._geocoder = geocoder
        self._forecasts = forecasts or Forecasts(None, clock=dates.read_minute)
        self._dates = dates
        self._computing = computing
        self._fetching = fetching
        self._offer = offer
        self._model = model
        self._under: tuple[ServedRelease, Mapping[str, date]] | None = None
        self._most = max(1, memory // PLAN_BYTES)
        self._plans: FIFOCache[_Name, RequestPlan] = FIFOCache(self._most)

    def find_slot(self, path: str, query_string: bytes, *, entitlement: Entitlement) -> PlanSlot | None:
        """None before the first release."""
        served = self._releases.current
        if served is None:
            return None
        dates = self._dates.read_dates(served.release)
        return PlanSlot(served, dates, self._recall(served, dates), (path, query_string, entitlement.digest))

    def recall_plan(self, slot: PlanSlot) -> RequestPlan | None:
        """None, too, where it was of another minute, or of another forecast."""
        planned = slot.plans.get(slot.name)
        if planned is None or (planned.minute is None and planned.weather is None):
            return planned
        is_now = planned.minute is None or planned.minute == self._dates.read_minute()
        is_known = planned.weather is None or planned.weather is self._forecasts.read()
        return planned if is_now and is_known else None

    async def read_plan(self, match: Match, context: RequestContext, *, entitlement: Entitlement) -> RequestPlan:
        """Makes the plan. Raises ApiError for everything that the answer could fail with, except faults of the
        program."""
        self._find_served(context)
        slot = self.find_slot(context.path, context.query_string, entitlement=entitlement)
        assert slot is not None
        planned = self.recall_plan(slot)
        if planned is not None:
            return planned
        plans = slot.plans
        requested = await self.resolve_request(match, context, entitlement=entitlement)
        query, served, dates = requested.query, requested.served, requested.dates
        plans = self._recall(served, dates)
        current = self._releases.current
        is_lasting = len(context.query_string) <= _MOST_REMEMBERED_BYTES
        if query.cursor is not None and query.metro is not None:  # a walk over no metro pins nothing
            began = await self._find_walk(query.metro, query.cursor, context)
            # The release of a cursor that is ahead of this edge may be served when it comes again.
            is_lasting = is_lasting and not self._releases.is_newer(query.metro, query.cursor.release)
            served = began or served
            dates = dict.fromkeys(served.release.metros, query.cursor.date)
        spot = await self._find_spot(query, served, context, entitlement=entitlement)
        about = self._make_context(match.route, served, dates, entitlement=entitlement, spot=spot)
        planned = self._plan(query, served=served, about=about)
        # A plan keeps its release open: a replaced one is to be closed when nobody asks for it.
        if is_lasting and served is current:
            plans[slot.name] = planned
        return planned

    def plan_now(self, match: Match, slot: PlanSlot, *, entitlement: Entitlement) -> RequestPlan | None:
        """The plan that `read_plan` would make of a request that `is_plannable_now`, for a caller that can't wait: None
        if it would wait for something, or not remember the plan. Raises ApiError as `read_plan` does."""
        served = slot.served
        about = self._make_context(match.route, served, slot.dates, entitlement=entitlement)
        # Of an earlier minute: the query is the same as long as the release and the dates are.
        known = slot.plans.get(slot.name)
        if known is None:
            query = read_query(match, slot.name[1], served=served, about=about, offer=self._offer)
        else:
            query = known.query
        if query.cursor is not None and query.metro is not None:
            if served.stamps.get(query.metro) != query.cursor.release:
                return None
            about = replace(about, dates=dict.fromkeys(served.release.metros, query.cursor.date))
        planned = self._plan(query, served=served, about=about)
        slot.plans[slot.name] = planned
        return planned

    def _make_context(
        self,
        route: Route,
        served: ServedRelease,
        dates: Mapping[str, date],
        *,
        entitlement: Entitlement,
        spot: Center | None = None,
    ) -> AnswerContext:
        """`spot`: where the query's address is."""
        return AnswerContext(
            release=served.release,
            dates=dates,
            entitlement=entitlement,
            minute=self._dates.read_minute() if route.is_now else None,
            model=self._model,
            spot=spot,
            weather=self._forecasts.read(),
        )

    def _plan(self, query: Query, *, served: ServedRelease, about: AnswerContext) -> RequestPlan:
        """What a walk began with is in its cursor."""
        plan = make_plan(query, about)
        etag = plan.etag.encode()
        return RequestPlan(
            query=query,
            plan=plan,
            etag=etag,
            page=find_page(query, about),
            served=served,
            head=make_head(etag=etag, max_age=query.match.route.max_age, release=served.header),
            minute=about.minute if query.cursor is None else None,
            weather=about.weather if "include" in query.values and "forecast" in query.get_words("include") else None,
        )

    def _find_served(self, context: RequestContext) -> ServedRelease:
        served = self._releases.current
        if served is None:
            raise unavailable()
        context.release = served.header
        return served

    async def resolve_request(
        self, match: Match, context: RequestContext, *, entitlement: Entitlement
    ) -> ResolvedRequest:
        """Read the query with the current release, or a newer one that it knows of. Raises ApiError for what is wrong
        with the request."""
        served = self._find_served(context)
        dates = self._dates.read_dates(served.release)
        about = AnswerContext(release=served.release, dates=dates, entitlement=entitlement)
        read = partial(read_query, match, context.query_string, served=served, about=about, offer=self._offer)
        is_slow = match.route.sets is not None and costs_queries(match, about=about)
        query = await self._computing.run(read, key_id=read_key_id(context)) if is_slow else read()
        if query.route == "changes" and read_cursor(query) > served.release.latest_version_id:
            served = await self._await_version(read_cursor(query), context)
            dates = self._dates.read_dates(served.release)
        return ResolvedRequest(query=query, served=served, dates=dates)

    async def _find_spot(
        self, query: Query, served: ServedRelease, context: RequestContext, *, entitlement: Entitlement
    ) -> Center | None:
        """Where the query's address is; None without one. 400, 501, 503."""
        address = query.get_as("address", str)
        if address is None:
            return None
        assert query.metro is not None
        snapshot = served.release.metros[query.metro]
        return await self._geocoder.find_address(
            address, snapshot=snapshot, types=entitlement.readable_types, key_id=read_key_id(context)
        )

    def _recall(self, served: ServedRelease, dates: Mapping[str, date]) -> FIFOCache[_Name, RequestPlan]:
        if self._under is None or self._under[0] is not served or self._under[1] is not dates:
            self._under = (served, dates)
            self._plans = FIFOCache(self._most)
        return self._plans

    async def _await_version(self, version_id: int, context: RequestContext) -> ServedRelease:
        """The newest release there is: a worker that saw it first may have sent the reader. 503 where it has that
        version and can't be served yet."""
        key_id = read_key_id(context)
        await self._fetching.run(self._releases.poll, key_id=key_id, name="poll")
        served = self._releases.current
        assert served is not None
        is_behind = version_id > served.release.latest_version_id
        look = partial(self._releases.has_published, version_id)
        if is_behind and await self._fetching.run(look, key_id=key_id, name=("version", version_id)):
            raise unavailable(1)
        return served

    async def _find_walk(self, metro: str, cursor: Cursor, context: RequestContext) -> ServedRelease | None:
        """Return the release that the walk began in, or None if it is not open."""
        if self._releases.is_newer(metro, cursor.release):  # another worker was first to see it
            await self._fetching.run(self._releases.poll, key_id=read_key_id(context), name="poll")
        return self._releases.find_walk(metro, cursor.release)


def read_key_id(context: RequestContext) -> str:
    """Return the id of the key of a request that has a plan."""
    assert context.principal is not None
    return context.principal.key.id


def is_plannable_now(route: Route, query_string: bytes) -> bool:
    """Whether a plan needs nothing that may have to be waited for. A name that is spelt with escapes is taken for one
    that does."""
    if route.sets is not None or route.name in _WAITING_ROUTES or len(query_string) > _MOST_REMEMBERED_BYTES:
        return False
    return _WAITING.search(query_string) is None


def find_page(query: Query, about: AnswerContext) -> PrecomputedPage | None:
    """The object that was written ahead for this: only ever for keys of all types, and by a program that answers as
    this one does."""
    if query.metro is None or query.cursor is not None or about.entitlement.types is not None:
        return None
    snapshot = about.release.metros[query.metro]
    if snapshot.answers != str(RENDERER_VERSION):
        return None
    return snapshot.pages.get(f"{query.text}@{about.dates[query.metro]}")
