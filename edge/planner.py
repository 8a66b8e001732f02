"""Plan the answer to a request: find its route, release, query and ETag. `edge.bodies` makes the body."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache, partial
from time import monotonic

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from edge.calendar_addresses import CalendarAddresses
from edge.releases import Releases, ServedRelease
from edge.request_headers import Request
from edge.response_headers import make_etag, make_head
from edge.services.forecasts import Forecasts
from edge.services.geocoder import Geocoder
from edge.thread_pool import ThreadPool, Turns
from outings.answers.addons.forecast import find_weather
from outings.answers.changes import read_cursor
from outings.answers.expressions.parsing import canonicalize
from outings.answers.listings.owner_metros import find_metros_of_row, resolve_metro
from outings.answers.plan import AnswerContext, AnswerPlan, check_types, forbidden_metro, forbidden_types
from outings.answers.renderer_version import RENDERER_VERSION
from outings.answers.routes import is_prepared, make_plan, prepare_snapshot
from outings.answers.snapshot.reader import find_reader, open_snapshot
from outings.answers.weather import Weather
from outings.configuration import read_zone
from outings.contract.did_you_mean import find_nearest, list_nearest
from outings.contract.envelope import encode_detail
from outings.contract.errors import ApiError, feature_not_in_plan, not_enabled, not_found, not_implemented, unavailable
from outings.contract.pricing_plans import Offer, resolve_includes
from outings.contract.query import Entitlement, Query, parse_query, split_pairs
from outings.contract.resources.directories import CalendarAddress, Center
from outings.contract.routes import PATH_WORDS, Match, Route, match_route
from outings.contract.values import Parameter, Value, show_text
from outings.release.manifest import PrecomputedPage
from outings.release.snapshot import Release, Snapshot
from outings.release.store import Corrupt, StoreError

log = structlog.get_logger()

# Longer paths are 404. The longest path of the contract contains a slug.
MOST_PATH_CHARACTERS = 2_048
_REMEMBERED = 8_192
# The most metros that an error names.
_SHOWN_METROS = 10


@lru_cache(maxsize=_REMEMBERED)
def find_match(path: str) -> Match:
    """Return the route of this path. Raises 404, which is not cached."""
    match = match_route(path) if len(path) <= MOST_PATH_CHARACTERS else None
    if match is None:
        raise not_found("There is no such route.", did_you_mean=suggest_path(path))
    return match


def suggest_path(path: str) -> str | None:
    """Return a route's path that differs from this one in case or slashes alone, or that adds `/v1` or a metro, has
    another last word (`event` for `events`), a slug in place of an id, or a metro before a listing that needs none."""
    if len(path) > MOST_PATH_CHARACTERS:
        return None
    plain = "/" + "/".join(filter(None, path.split("/")))
    lower = plain.lower()
    start, _, last = lower.removeprefix("/v1").rpartition("/")
    near = find_nearest(last, PATH_WORDS) or last
    # Without `/v1` it is the path of a page.
    listed = "/" + start[1:].partition("/")[2] if lower.startswith("/v1/") else start
    ends = (f"{start}/{last}", f"{start}/{near}", f"{start or '/{metro}'}/{near}", f"{start}/slug/{last}")
    nearest = (plain, lower, *(f"/v1{end}" for end in (*ends, f"{listed}/{last}", f"{listed}/slug/{last}")))
    found = ((path, match_route(path)) for path in nearest)
    # Any word may be a metro.
    return next((path for path, match in found if match and match.route.name != "metros.detail"), None)


_MINUTE = timedelta(minutes=1)


class LocalDates:
    """The local date of each metro, by slug, computed once a minute: in no zone does the date change within one."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._minute = datetime.min.replace(tzinfo=UTC)
        self._computed_for: tuple[datetime, str] | None = None
        self._dates: Mapping[str, date] = {}

    def read_minute(self) -> datetime:
        """Return the current time, rounded down to the minute."""
        now = self._clock()
        if not self._minute <= now < self._minute + _MINUTE:
            self._minute = now.replace(second=0, microsecond=0)
        return self._minute

    def read_dates(self, release: Release) -> Mapping[str, date]:
        """Return the current local date of each metro. The mapping is the same object until a date in it changes."""
        minute = self.read_minute()
        if self._computed_for != (minute, release.id):
            self._computed_for = minute, release.id
            zones = {slug: read_zone(snapshot.metro.timezone) for slug, snapshot in release.metros.items()}
            dates = {slug: minute.astimezone(zone).date() for slug, zone in zones.items()}
            if dates != self._dates:
                self._dates = dates
        return self._dates


def read_query(
    match: Match, query_string: bytes, *, served: ServedRelease, context: AnswerContext, offer: Offer
) -> Query:
    """Parse the query and check that the key may send it. A place or an organization in the path gives the metro.

    Raises ApiError: 404 for a metro or such a row that does not exist, 403, 400, and 501."""
    entitlement = context.entitlement
    metro = None if match.metro is None else read_metro(match.metro, served=served, entitlement=entitlement)
    homes = () if match.route.sets is None else find_metros_of_row(match, context=context)
    listing_type = match.route.type
    if listing_type is not None and not entitlement.allows_type(listing_type):
        raise forbidden_types(context, [listing_type])
    query = parse_query(
        match,
        query_string,
        vocabulary=served.vocabulary if metro is None else metro.vocabulary,
        aliases=served.aliases,
        enabled=served.enabled,
        read_expression=partial(_read_expression, entitlement=entitlement, offer=offer),
    )
    if metro is None and query.metro is not None:
        read_metro(query.metro, served=served, entitlement=entitlement)
    check_types(query, context)
    query = resolve_includes(query, entitlement=entitlement, offer=offer)
    return resolve_metro(query, homes, context=context) if homes else query


def read_metro(name: str, *, served: ServedRelease, entitlement: Entitlement) -> Snapshot:
    """Return the metro with this slug or alias. Raises 404 if there is none, and 403 if the key may not read it."""
    metro = served.metros.get(name)
    if name in served.elsewhere:
        slug = served.elsewhere[name]
        raise forbidden_metro(entitlement, slug) if not entitlement.allows_metro(slug) else refuse_elsewhere(slug)
    if metro is None:
        raise unknown_metro(name, served=served, entitlement=entitlement)
    if not entitlement.allows_metro(metro.metro.slug):
        raise forbidden_metro(entitlement, metro.metro.slug)
    return metro


def unknown_metro(name: str, *, served: ServedRelease, entitlement: Entitlement) -> ApiError:
    """Return the 404 for a metro that there is not. It names some metros that the key may read, the nearest names
    first."""
    slugs = {alias: snapshot.metro.slug for alias, snapshot in served.metros.items()} | dict(served.elsewhere)
    readable = {alias: slug for alias, slug in slugs.items() if entitlement.allows_metro(slug)}
    nearest = [readable[alias] for alias in list_nearest(name, readable)]
    metros = [*dict.fromkeys((*nearest, *sorted(readable.values())))]
    shown = metros[:_SHOWN_METROS]
    more = f" and {len(metros) - len(shown)} more: /v1/metros lists all" if shown != metros else ""
    message = f"There is no metro {show_text(name)}; this key may read {', '.join(shown) or 'none'}{more}."
    error = not_found(message, did_you_mean=nearest[0] if nearest else None)
    return ApiError(error.code, error.message, details={**error.details, "metros": shown})


def refuse_elsewhere(metro: str) -> ApiError:
    """Log that a request needs a metro of other edges, and return 503: after a 404 a client would not retry."""
    log.warning("metro_not_served", metro=metro)
    return unavailable()


# The bytes of a plan with its query, measured for lists with filters. Plans for details have half as many.
PLAN_BYTES = 4_096
# Plans for longer query strings are not cached: these are lists of ids and the like, which nobody sends twice.
_MOST_REMEMBERED_BYTES = 512

# Path, query string and rights.
_Name = tuple[str, bytes, str]


class RequestPlan(Struct, frozen=True, kw_only=True):
    """A plan for the answer to a request: how to make its body, and its headers. It keeps its release open.

    Attributes:
        page: the body that the build wrote in advance, if any.
        head: the headers of a success and of its 304.
        minute: the only minute in which the plan is valid; None for any.
        weather: the only forecasts with which the plan is valid; None for any.
    """

    query: Query
    plan: AnswerPlan
    etag: bytes
    page: PrecomputedPage | None
    served: ServedRelease
    head: bytes
    minute: datetime | None = None
    weather: Mapping[str, Weather] | None = None


class Planner(Struct, kw_only=True):
    """Plans answers. Caches plans by request and rights while their release and its local dates are current.

    Attributes:
        conditions: threads that parse and evaluate `where=`.
        fetching: threads that read the store.
        turns: those of plans that are not cached.
        memory: the most bytes of cached plans.
        is_ahead: False if requests come one at a time, so that none waits while another reads the store.
        cached_for: the release and the dates of which `cached` has the plans.
    """

    releases: Releases
    dates: LocalDates
    addresses: CalendarAddresses
    conditions: ThreadPool
    fetching: ThreadPool
    turns: Turns
    memory: int
    offer: Offer
    geocoder: Geocoder | None = None
    forecasts: Forecasts | None = None
    is_ahead: bool = True
    cached_for: tuple[ServedRelease, Mapping[str, date]] | None = None
    cached: dict[_Name, RequestPlan] = {}

    def read_release(self) -> bytes:
        """Return the current release, as `X-Release` names it. Raises 503 before the first one."""
        return self._read_current().header

    async def plan(self, request: Request) -> RequestPlan:
        """Return the plan of the answer, from the cache if possible. Raises ApiError for everything that can fail in an
        answer, except faults of the program."""
        served, name = self._read_current(), (request.path, request.query_string, request.entitlement.digest)
        planned = self._recall(served, self.dates.read_dates(served.release)).get(name)
        if planned is None or not self._is_valid(planned):
            await self.turns.wait(key_id=request.key_id)
            try:
                planned = await self._make(request, name)
            except ApiError as failure:
                assert request.match is not None
                if failure.status == 404 and served.elsewhere and request.match.metro is None:
                    raise refuse_elsewhere("of an id or slug") from None
                raise
        if planned.query.metro is not None:
            self.releases.used_at[planned.query.metro] = monotonic()
        return planned

    def _read_current(self) -> ServedRelease:
        served = self.releases.current
        if served is None:
            raise unavailable()
        return served

    async def _make(self, request: Request, name: _Name) -> RequestPlan:
        assert request.match is not None
        match, served = request.match, self._read_current()
        context = AnswerContext(
            release=served.release,
            dates=self.dates.read_dates(served.release),
            entitlement=request.entitlement.resolve(served.aliases),
            minute=self.dates.read_minute(),
            weather={} if self.forecasts is None else self.forecasts.read(),
        )
        prepared = list_prepared(match.route, request.query_string)
        in_thread = "thread" in prepared.values()
        query = await self._open_metros(request, served, context, in_thread=in_thread)
        served, is_lasting = await self._find_release(query, served, request)
        # A plan keeps its release open, so none is cached for a replaced one.
        is_current = served is self.releases.current
        plans = self._recall(served, self.dates.read_dates(served.release)) if is_current else {}
        context = replace(context, release=served.release, dates=self._choose_dates(query, served))
        for parameter in (parameter for parameter, what in prepared.items() if what == "center"):
            context = replace(context, address_center=await self._find_center(parameter, query, served, request))
        if match.route.signs is not None:
            return self._plan_address(query, match.route.signs, request, served=served, context=context)
        make = partial(make_plan, query, context)
        # An expression is evaluated here, so that whoever gets an ETag also gets a body.
        made = await self.conditions.run(make, key_id=request.key_id) if in_thread else make()
        planned = _plan(query, made, served=served, context=context)
        if is_lasting and len(request.query_string) <= _MOST_REMEMBERED_BYTES:
            if len(plans) >= max(1, self.memory // PLAN_BYTES):
                del plans[next(iter(plans))]
            plans[name] = planned
        return planned

    async def _open_metros(
        self, request: Request, served: ServedRelease, context: AnswerContext, *, in_thread: bool
    ) -> Query:
        """Parse the query, and open the metros that it reads. Raises 503 for metros that other edges serve."""
        assert request.match is not None
        route = request.match.route
        if request.match.metro is None:
            unread_metros = [metro for metro in served.release.metros.values() if find_reader(metro) is None]
            await self._run_each(request, unread_metros, open_snapshot)
        read = partial(
            read_query, request.match, request.query_string, served=served, context=context, offer=self.offer
        )
        # To parse an expression is slow, and the first one imports DuckDB.
        query = await self.conditions.run(read, key_id=request.key_id) if in_thread else read()
        if query.metro is not None:
            wanted: Collection[str] = (query.metro,)
        elif route.reads != "metro":
            unread = {slug for slug in served.elsewhere.values() if context.entitlement.allows_metro(slug)}
            if unread:
                raise refuse_elsewhere(", ".join(sorted(unread)))
            wanted = served.release.metros if route.reads == "metros" else ()
        else:
            wanted = ()
        snapshots = [served.release.metros[slug] for slug in wanted]
        unprepared = [snapshot for snapshot in snapshots if not is_prepared(snapshot)]
        await self._run_each(request, unprepared, prepare_snapshot)
        return query

    async def _run_each(
        self, request: Request, snapshots: Sequence[Snapshot], act: Callable[[Snapshot], object]
    ) -> None:
        """Call `act`, which opens a snapshot, with each of them, in a thread, so that other requests need not wait."""
        if not self.is_ahead:
            return  # the answer opens what it reads
        for snapshot in snapshots:
            try:
                name = (act.__name__, snapshot.hash)
                await self.fetching.run(partial(act, snapshot), key_id=request.key_id, name=name)
            except (StoreError, Corrupt, OSError) as error:
                log.warning("metro_not_opened", metro=snapshot.metro.slug, reason=str(error))
                raise unavailable() from None

    def _plan_address(
        self, query: Query, signed: Route, request: Request, *, served: ServedRelease, context: AnswerContext
    ) -> RequestPlan:
        """Plan the answer with the address of a calendar, the route `signed`: the metro's slug in place of an alias,
        and the filters in canonical form. Raises each error that the calendar itself would give now.

        The address contains the id of one key, so the plan is not cached: other keys may have the same rights."""
        if not self.addresses.exist:
            raise not_enabled(query.match.route.path)
        calendar = replace(query, match=Match(route=signed, values=query.match.values))
        make_plan(calendar, context)
        address = CalendarAddress(url=self.addresses.sign(calendar.text, key_id=request.key_id))
        parts = encode_detail(msgspec.json.encode(address), notices=query.notices)
        plan = AnswerPlan(make_etag(b"".join(parts)).decode(), lambda: parts, is_quick=True)
        return _plan(query, plan, served=served, context=context)

    def _is_valid(self, planned: RequestPlan) -> bool:
        is_now = planned.minute is None or planned.minute == self.dates.read_minute()
        is_latest = planned.weather is None or self.forecasts is None or planned.weather is self.forecasts.read()
        return is_now and is_latest

    async def _find_center(self, name: str, query: Query, served: ServedRelease, request: Request) -> Center:
        """Return the coordinates of an address, the value of the parameter `name`. Raises 400, 501, 503."""
        assert query.metro is not None
        if self.geocoder is None:
            raise not_implemented(f"{name} is not supported on this deployment: send lat and lng.", param=name)
        return await self.geocoder.find_address(
            str(query.get(name)),
            snapshot=served.release.metros[query.metro],
            types=request.entitlement.readable_types,
            key_id=request.key_id,
        )

    def _recall(self, served: ServedRelease, dates: Mapping[str, date]) -> dict[_Name, RequestPlan]:
        if self.cached_for is None or self.cached_for[0] is not served or self.cached_for[1] is not dates:
            self.cached_for, self.cached = (served, dates), {}
        return self.cached

    async def _find_release(self, query: Query, served: ServedRelease, request: Request) -> tuple[ServedRelease, bool]:
        """Return the release that answers, and False if a later request may find another: `served`, or that of the
        cursor. Another worker may have been first to open it. Without a metro, paging is bound to no release."""
        if query.match.route.reads == "log" and read_cursor(query) > served.release.latest_version_id:
            return await self._await_version(read_cursor(query), request), True
        if query.cursor is None or query.metro is None:
            return served, True
        metro, stamp = query.metro, query.cursor.release
        if self.releases.is_newer(metro, stamp):
            await self.fetching.run(self.releases.poll, key_id=request.key_id, name="poll")
        return self.releases.find_by_stamp(metro, stamp) or served, not self.releases.is_newer(metro, stamp)

    def _choose_dates(self, query: Query, served: ServedRelease) -> Mapping[str, date]:
        """Return the date of each metro: the current one, or that of the cursor's first page."""
        if query.cursor is None or query.metro is None:
            return self.dates.read_dates(served.release)
        return dict.fromkeys(served.release.metros, query.cursor.date)

    async def _await_version(self, version_id: int, request: Request) -> ServedRelease:
        """Poll for a newer release, in which another worker may have shown the reader this version, and return the
        current one. Raises 503 if it lacks the version because the poll failed."""
        await self.fetching.run(self.releases.poll, key_id=request.key_id, name="poll")
        served = self.releases.current
        assert served is not None
        if version_id > served.release.latest_version_id and (self.releases.failure or self.releases.refusal):
            raise unavailable(1)
        return served


def _plan(query: Query, plan: AnswerPlan, *, served: ServedRelease, context: AnswerContext) -> RequestPlan:
    etag = plan.etag.encode()
    return RequestPlan(
        query=query,
        plan=plan,
        etag=etag,
        page=find_page(query, context),
        served=served,
        head=make_head(etag=etag, max_age=query.match.route.max_age, release=served.header),
        # A cursor near a point has its own minute.
        minute=context.minute if plan.is_now or (query.match.route.is_now and query.cursor is None) else None,
        weather=find_weather(query, context),
    )


def list_prepared(route: Route, query_string: bytes) -> Mapping[str, str]:
    """Return what the request's parameters need prepared, by name, as its route says."""
    if not route.prepared:
        return route.prepared
    names = {name for name, _ in split_pairs(query_string)}
    return {name: what for name, what in route.prepared.items() if name.encode() in names}


def _read_expression(
    read: Callable[[], Value], row: Parameter, route: Route, *, entitlement: Entitlement, offer: Offer
) -> str:
    if row.grant is not None and not entitlement.allows_addon(row.grant):
        raise feature_not_in_plan(row.grant, permission=offer.describe_permission(row.grant), links=offer.links)
    return canonicalize(str(read()), route)


def find_page(query: Query, context: AnswerContext) -> PrecomputedPage | None:
    """Return the page that the build wrote for this query, or None. Pages are written only for keys of all types, and
    are used only if the program's renderer is the one that wrote them."""
    if query.metro is None or query.cursor is not None or context.entitlement.types is not None:
        return None
    snapshot = context.release.metros[query.metro]
    if snapshot.answers != str(RENDERER_VERSION):
        return None
    return snapshot.pages.get(f"{query.text}@{context.dates[query.metro]}")
