"""Query → what answers it: its ETag at once, without a query of the engine, and its body when asked for.

ETags are weak and by one rule, whether a body is stored or computed (decisions §2). A list's is made of the metro's
snapshot, the request, the date and what the key may read; a detail's of the row alone, so that a document that did not
change keeps it across releases.
"""

import hashlib
from collections.abc import Callable, Mapping
from datetime import date

import msgspec
from msgspec import Struct

from outings.answers.details import Found, answer_detail, find_listing
from outings.answers.lists import answer_list, settle_list
from outings.answers.metros import answer_metros
from outings.answers.opened import open_snapshot
from outings.answers.organizations import answer_organization, find_copies
from outings.contract.entitlement import Entitlement
from outings.contract.errors import not_found, not_implemented
from outings.contract.query import Query
from outings.release.snapshot import Release
from outings.release.tables import RENDERER

_DIGITS = 32


class Plan(Struct, frozen=True):
    """`render` gives the body as parts to be joined."""

    etag: str
    render: Callable[[], list[bytes]]


class Circumstances(Struct, frozen=True, kw_only=True):
    """What an answer depends on beside its query; `dates`: metro → local date."""

    release: Release
    dates: Mapping[str, date]
    entitlement: Entitlement


def make_plan(query: Query, about: Circumstances) -> Plan:
    """Raises ApiError for whatever the answer would fail with: who gets a tag also gets a body."""
    kind = query.route.partition(".")[2]
    if query.route == "metros":
        return _plan_metros(query, about)
    if query.route == "organizations.detail":
        return _plan_organization(query, about)
    if query.resource is not None and kind == "list":
        return _plan_list(query, about)
    if query.resource is not None and kind in ("detail", "slug"):
        return _plan_detail(query, about)
    raise not_implemented(f"{query.match.route.path} is not answered by this version yet.")


def _plan_list(query: Query, about: Circumstances) -> Plan:
    snapshot = None if query.metro is None else about.release.metros.get(query.metro)
    if snapshot is None:
        raise not_found(f"There is no metro {query.metro}.")
    today = about.dates[snapshot.metro.slug]
    settle_list(query, today)
    position = None if query.cursor is None else query.cursor.position
    return Plan(
        _hash("list", snapshot.hash, query.text, position, today, about.entitlement.digest),
        lambda: answer_list(query, snapshot=snapshot, today=today),
    )


def _plan_detail(query: Query, about: Circumstances) -> Plan:
    found = find_listing(query, release=about.release, entitlement=about.entitlement)
    today = about.dates[found.snapshot.metro.slug]
    return Plan(_tag_listing(query, found, today), lambda: answer_detail(query, found, today=today))


def _tag_listing(query: Query, found: Found, today: date) -> str:
    """The stamps are not in the row's hash, but they are in its document."""
    opened = open_snapshot(found.snapshot)
    names, row = opened.names, found.row
    series = opened.series.find_next(row, today) if query.resource == "event" and opened.series.is_series(row) else None
    asked = (query.get_words("fields"), query.notices)
    return _hash("detail", names.read_hash(row).hex(), names.read_stamps(row), series, asked)


def _plan_organization(query: Query, about: Circumstances) -> Plan:
    copies = find_copies(query, release=about.release, entitlement=about.entitlement)
    read = [(copy.snapshot.hash, about.dates[copy.snapshot.metro.slug]) for copy in copies]
    return Plan(
        _hash("organization", read, query.text, about.entitlement.digest),
        lambda: answer_organization(query, copies, dates=about.dates, entitlement=about.entitlement),
    )


def _plan_metros(query: Query, about: Circumstances) -> Plan:
    metros = sorted(about.release.metros.items())
    read = [(snapshot.hash, about.dates[slug]) for slug, snapshot in metros]
    return Plan(
        _hash("metros", read, query.text, about.entitlement.digest),
        lambda: answer_metros(query, release=about.release, dates=about.dates, entitlement=about.entitlement),
    )


def _hash(*parts: object) -> str:
    digest = hashlib.sha256(msgspec.json.encode((RENDERER, parts))).hexdigest()
    return f'W/"{digest[:_DIGITS]}"'
