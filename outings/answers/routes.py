"""Query → what answers it: its ETag at once, without a query of the engine, and its body when asked for.

ETags are weak and by one rule, whether a body is stored or computed. A list's is made of the metro's
snapshot, the request, the date and what the key may read; a detail's of the row alone, so that a document that did not
change keeps it across releases.
"""

import hashlib
from collections.abc import Callable, Mapping
from datetime import date

import msgspec
from msgspec import Struct

from outings.answers.addons.expanded import (
    check_expanded,
    find_organization,
    find_place,
    list_expanded,
    read_references,
)
from outings.answers.addons.forecast import ForecastBlocks
from outings.answers.addons.source import SourceBlocks, list_addons
from outings.answers.changes.answer import answer_changes, check_changes, list_read, read_cursor
from outings.answers.changes.versions import answer_versions, read_position
from outings.answers.changes.versions import find_homes as find_versioned
from outings.answers.context import Circumstances
from outings.answers.cost import LOOK_UP, UNKNOWN, estimate_directory, estimate_list, estimate_nearby
from outings.answers.coverage.answer import answer_coverage
from outings.answers.details.answer import Found, answer_detail, find_listing
from outings.answers.directory.neighborhoods import answer_neighborhoods
from outings.answers.directory.organizations import answer_organizations
from outings.answers.directory.pages import settle_directory
from outings.answers.exports import answer_export, find_file, read_file
from outings.answers.ical.answer import answer_calendar_file
from outings.answers.listings.calendar import answer_calendar
from outings.answers.listings.lists import answer_list, settle_list
from outings.answers.listings.relations import find_homes, settle_metro
from outings.answers.metros import answer_metros
from outings.answers.near.activity import answer_activity, settle_activity
from outings.answers.near.around import answer_around, settle_around
from outings.answers.near.nearby import answer_nearby, settle_nearby
from outings.answers.organizations.answer import Copy, answer_organization, find_copies
from outings.answers.renderer import RENDERER
from outings.answers.search.answer import answer_search, estimate_cost
from outings.answers.search.request import settle_search
from outings.answers.selecting.cursors import check_cursor
from outings.answers.snapshot.reader import open_snapshot
from outings.answers.snapshot.zips import check_zips
from outings.contract.errors import not_enabled, not_found
from outings.contract.query import Query
from outings.contract.resources.export import EXPORT_TYPES
from outings.release.log import name_log
from outings.release.objects import Bytes
from outings.release.snapshot import Export, Snapshot

_DIGITS = 32
JSON = "application/json"
# What there is in a metro beside its listings, with how many of these it has.
_DIRECTORIES = {"organizations.list": answer_organizations, "neighborhoods": answer_neighborhoods}


class PlannedFile(Struct, frozen=True):
    """An export, and what opens its object."""

    export: Export
    open: Callable[[], Bytes]


class Plan(Struct, frozen=True):
    """`render` gives the body as parts to be joined; `cost` is what that is planned to take, in microseconds, and
    `reads_store` that it may wait for objects of the store: it may raise NotFound, Corrupt and StoreError then. A
    `file` may be sent as it lies there instead."""

    etag: str
    render: Callable[[], list[bytes]]
    cost: int = UNKNOWN
    reads_store: bool = False
    media: str = JSON
    file: PlannedFile | None = None


def make_plan(query: Query, about: Circumstances) -> Plan:
    """Raises ApiError for whatever the answer would fail with: who gets a tag also gets a body."""
    kind = query.route.partition(".")[2]
    planner = _PLANNERS.get(query.route)
    if planner is not None:
        return planner(query, about)
    if query.resource is not None and kind in ("list", "of_organization", "at_place", "calendar"):
        return _plan_list(query, about)
    if query.resource is not None and kind in ("detail", "slug"):
        return _plan_detail(query, about)
    raise not_enabled(query.match.route.path)


def _plan_list(query: Query, about: Circumstances) -> Plan:
    query, snapshot = _find_snapshot(query, about)
    check_expanded(query, about)
    today = about.dates[snapshot.metro.slug]
    filters = settle_list(query, today)
    position = None if query.cursor is None else query.cursor.position
    others = _list_others(query, about)
    forecast = ForecastBlocks(query, snapshot=snapshot, about=about).tag
    tag = _hash("list", snapshot.hash, query.text, position, today, about.entitlement.digest, others, forecast)
    if query.route == "events.calendar":
        cost = estimate_list(query, snapshot=snapshot, days=filters.count_days())
        return Plan(tag, lambda: answer_calendar(query, filters, snapshot=snapshot, about=about), cost)
    cost = estimate_list(query, snapshot=snapshot, days=0)
    return Plan(tag, lambda: answer_list(query, filters, snapshot=snapshot, about=about), cost)


def _list_others(query: Query, about: Circumstances) -> list[tuple[str, date]]:
    """What an organization shows of the key's other metros, where a list attaches organizations."""
    if "organization" not in list_expanded(query):
        return []
    metros = sorted(about.release.metros.items())
    return [(each.hash, about.dates[slug]) for slug, each in metros if about.entitlement.allows_metro(slug)]


def _find_snapshot(query: Query, about: Circumstances) -> tuple[Query, Snapshot]:
    """Of a list: by its path, or by where the place or organization of its path is."""
    if query.match.route.sets is not None:
        query = settle_metro(query, find_homes(query.match, about=about), about=about)
    snapshot = None if query.metro is None else about.release.metros.get(query.metro)
    if snapshot is None:
        raise not_found(f"There is no metro {query.metro}.")
    check_cursor(query, snapshot)
    check_zips(query, lambda: open_snapshot(snapshot).zips)
    return query, snapshot


def _plan_detail(query: Query, about: Circumstances) -> Plan:
    check_expanded(query, about)
    found = find_listing(query, about=about)
    # What is attached to a listing counts an organization's others, or asks the lists.
    cost = UNKNOWN if list_expanded(query) or "related" in list_addons(query, about) else LOOK_UP
    return Plan(_tag_listing(query, found, about), lambda: answer_detail(query, found, about=about), cost)


def _tag_listing(query: Query, found: Found, about: Circumstances) -> str:
    """The stamps are not in the row's hash, but they are in its document."""
    opened = open_snapshot(found.snapshot)
    names, row = opened.names, found.row
    today = about.dates[found.snapshot.metro.slug]
    series = opened.series.find_next(row, today) if query.resource == "event" and opened.series.is_series(row) else None
    attached = (_tag_references(query, found, about), _tag_addons(query, found, about))
    asked = (query.get_words("fields"), query.notices, attached)
    return _hash("detail", names.read_hash(row).hex(), names.read_stamps(row), series, asked)


def _tag_references(query: Query, found: Found, about: Circumstances) -> object:
    """What is attached to a detail, by what it is made of."""
    members = list_expanded(query)
    if not members:
        return None
    names = open_snapshot(found.snapshot).names
    tags: list[object] = []
    references = read_references(open_snapshot(found.snapshot).read_document(found.row))
    if "place" in members:
        place = find_place(references, snapshot=found.snapshot)
        tags.append(None if place is None else (names.read_hash(place).hex(), names.read_stamps(place)))
    if "organization" in members:
        copies = find_organization(references, about=about)
        tags.append((_list_read(copies, about), about.entitlement.digest))
    return members, tags


def _tag_addons(query: Query, found: Found, about: Circumstances) -> object:
    """What is attached to a detail: the block of its source, and all that lists of the date may show to the key."""
    addons = list_addons(query, about)
    if not addons:
        return None
    block = SourceBlocks(query, snapshot=found.snapshot, about=about).make(found.row)
    related = None
    if "related" in addons:
        related = (found.snapshot.hash, about.dates[found.snapshot.metro.slug], about.entitlement.digest)
    return addons, block, related, _tag_forecast(query, found, about)


def _tag_forecast(query: Query, found: Found, about: Circumstances) -> object:
    """The block itself, so that what has none keeps its tag whatever the weather."""
    if query.resource != "event":
        return None
    forecasts = ForecastBlocks(query, snapshot=found.snapshot, about=about)
    document = open_snapshot(found.snapshot).read_document(found.row)
    return forecasts.make_next(document, found.row), forecasts.notices


def _list_read(copies: list[Copy], about: Circumstances) -> list[tuple[str, date]]:
    return [(copy.snapshot.hash, about.dates[copy.snapshot.metro.slug]) for copy in copies]


def _plan_organization(query: Query, about: Circumstances) -> Plan:
    assert query.id is not None
    copies = find_copies(query.id, about=about, include_archived=bool(query.get("include_archived")))
    return Plan(
        _hash("organization", _list_read(copies, about), query.text, about.entitlement.digest),
        lambda: answer_organization(query, copies, about=about),
    )


def _plan_metros(query: Query, about: Circumstances) -> Plan:
    metros = sorted(about.release.metros.items())
    read = [(snapshot.hash, about.dates[slug]) for slug, snapshot in metros]
    return Plan(
        _hash("metros", read, query.text, about.entitlement.digest),
        lambda: answer_metros(query, release=about.release, dates=about.dates, entitlement=about.entitlement),
    )


def _plan_directory(query: Query, about: Circumstances) -> Plan:
    query, snapshot = _find_snapshot(query, about)
    filters = settle_directory(query)
    position = None if query.cursor is None else query.cursor.position
    today = about.dates[snapshot.metro.slug]
    answer = _DIRECTORIES[query.route]
    return Plan(
        _hash("directory", snapshot.hash, query.text, position, today, about.entitlement.digest),
        lambda: answer(query, filters, snapshot=snapshot, about=about),
        cost=estimate_directory(query, snapshot=snapshot, today=today),
    )


def _plan_search(query: Query, about: Circumstances) -> Plan:
    query, snapshot = _find_snapshot(query, about)
    search = settle_search(query, snapshot=snapshot, about=about)
    semantic = None if search.semantic is None else search.semantic.tag
    tag = _hash("search", snapshot.hash, query.text, search.offset, search.today, about.entitlement.digest, semantic)
    return Plan(tag, lambda: answer_search(search), estimate_cost(search))


def _plan_coverage(query: Query, about: Circumstances) -> Plan:
    """It names the release that answers."""
    query, snapshot = _find_snapshot(query, about)
    today = about.dates[snapshot.metro.slug]
    return Plan(
        _hash("coverage", about.release.id, snapshot.hash, query.text, today, about.entitlement.digest),
        lambda: answer_coverage(query, snapshot=snapshot, about=about),
    )


def _plan_nearby(query: Query, about: Circumstances) -> Plan:
    query, snapshot = _find_snapshot(query, about)
    nearby = settle_nearby(query, snapshot=snapshot, about=about)
    read = (snapshot.hash, nearby.near.minute, nearby.after)
    tag = _hash("nearby", query.text, read, about.entitlement.digest)
    return Plan(tag, lambda: answer_nearby(nearby), estimate_nearby(nearby.near))


def _plan_around(query: Query, about: Circumstances) -> Plan:
    query, snapshot = _find_snapshot(query, about)
    around = settle_around(query, snapshot=snapshot, about=about)
    origin = around.near.origin  # an address need not always be found at the same place
    forecast = ForecastBlocks(query, snapshot=snapshot, about=about).tag
    read = (snapshot.hash, around.near.minute, origin.lat, origin.lng, forecast)
    tag = _hash("around", query.text, read, about.entitlement.digest)
    return Plan(tag, lambda: answer_around(around))


def _plan_activity(query: Query, about: Circumstances) -> Plan:
    query, snapshot = _find_snapshot(query, about)
    near = settle_activity(query, snapshot=snapshot, about=about)
    tag = _hash("activity", query.text, snapshot.hash, near.minute, about.entitlement.digest)
    return Plan(tag, lambda: answer_activity(near))


def _plan_changes(query: Query, about: Circumstances) -> Plan:
    check_changes(query, about)
    log = about.release.history.log
    read = [snapshot.hash for snapshot in list_read(query, about)]
    is_new = read_cursor(query) < log.latest_version_id
    return Plan(
        _hash("changes", name_log(log), read, query.text, about.entitlement.digest),
        lambda: answer_changes(query, about),
        cost=UNKNOWN if is_new else LOOK_UP,
        reads_store=is_new,
    )


def _plan_versions(query: Query, about: Circumstances) -> Plan:
    homes = find_versioned(query, about)
    read = [home.snapshot.hash for home in homes]
    named = name_log(about.release.history.log)
    return Plan(
        _hash("versions", named, read, query.text, read_position(query, homes), about.entitlement.digest),
        lambda: answer_versions(query, homes, about=about),
        reads_store=True,
    )


def _hash(*parts: object) -> str:
    digest = hashlib.sha256(msgspec.json.encode((RENDERER, parts))).hexdigest()
    return f'W/"{digest[:_DIGITS]}"'


def _plan_export(query: Query, about: Circumstances) -> Plan:
    query, snapshot = _find_snapshot(query, about)
    tag = _hash("export", snapshot.hash, snapshot.exports, query.text, about.entitlement.digest)
    return Plan(tag, lambda: answer_export(query, snapshot, about), cost=LOOK_UP)


def _plan_file(query: Query, about: Circumstances) -> Plan:
    query, snapshot = _find_snapshot(query, about)
    media, export = find_file(query, snapshot, about)
    return Plan(
        _hash("file", export.sha256),
        lambda: [read_file(export, about)],
        reads_store=True,
        media=media,
        file=PlannedFile(export, lambda: about.release.read_object(export.object)),
    )


def _plan_calendar_file(query: Query, about: Circumstances) -> Plan:
    query, snapshot = _find_snapshot(query, about)
    today = about.dates[snapshot.metro.slug]
    filters = settle_list(query, today)
    return Plan(
        _hash("ics", snapshot.hash, query.text, today, about.entitlement.digest),
        lambda: answer_calendar_file(query, filters, snapshot=snapshot, today=today),
        media=EXPORT_TYPES["ics"],
    )


_PLANNERS: Mapping[str, Callable[[Query, Circumstances], Plan]] = {
    "coverage": _plan_coverage,
    "metros": _plan_metros,
    "organizations.detail": _plan_organization,
    **dict.fromkeys(_DIRECTORIES, _plan_directory),
    "search": _plan_search,
    "nearby": _plan_nearby,
    "around": _plan_around,
    "activity": _plan_activity,
    "changes": _plan_changes,
    "export": _plan_export,
    "export.file": _plan_file,
    "events.ics": _plan_calendar_file,
    "versions": _plan_versions,
}
