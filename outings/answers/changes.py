"""`/v1/changes`, the changes since a version, and `/v1/listings/{id}/versions`, the versions of one listing."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.plan import (
    AnswerContext,
    AnswerPlan,
    check_cursor,
    forbidden_metro,
    forbidden_types,
    make_cursor,
    make_tag,
)
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.cursor import malformed_cursor
from outings.contract.envelope import encode_list
from outings.contract.errors import bad_request, not_found
from outings.contract.query import Query
from outings.contract.resources.meta import ChangesMeta, VersionsMeta
from outings.contract.resources.sync import Change, ChangeLinks, ListingVersion
from outings.contract.values import format_instant
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.log import BLOCK, Version, list_history, name_log, read_versions, walk_versions
from outings.release.snapshot import Snapshot

# The most versions that one answer reads, even if few of them match: a client finds a rare one by going on with the
# cursor, not by waiting.
MOST_SCANNED = 64 * BLOCK
FIRST = 1

_ORGANIZATION = "organization"
_encoder = msgspec.json.Encoder()


def check_changes(query: Query, context: AnswerContext) -> None:
    """Raise an error for a wrong parameter: 404 or 403 for `metro`, 403 for `type`, 400 for a cursor ahead of all."""
    release, entitlement = context.release, context.entitlement
    if query.metro is not None and query.metro not in release.metros:
        raise not_found(f"There is no metro {query.metro}.")
    types = [word for word in query.get_words("type") if word != _ORGANIZATION]
    if query.metro is not None and not entitlement.allows_metro(query.metro):
        raise forbidden_metro(entitlement, query.metro)
    outside = [word for word in types if not entitlement.allows_type(word)]
    if outside:
        raise forbidden_types(context, outside)
    latest = release.history.log.latest_version_id
    if read_cursor(query) > latest:
        raise bad_request(
            param="cursor",
            reason="cursor_ahead",
            message=f"cursor is {read_cursor(query)}, but the latest version is {latest}; start again with cursor=0.",
            max=latest,
        )


def answer_changes(query: Query, context: AnswerContext) -> list[bytes]:
    """Return the body in chunks. It leaves out changes that the key may not see, so version ids have gaps."""
    history, start = context.release.history, read_cursor(query)
    limit, latest = query.get_as("limit", int), history.log.latest_version_id
    assert limit is not None
    types, kinds, metro = query.get_words("type"), query.get_words("kind"), query.metro

    def matches(version: Version) -> bool:
        if (types and version.type not in types) or (kinds and version.kind not in kinds):
            return False
        return is_visible(version, context) and (metro is None or metro in _list_metros(version))

    items, last = list[bytes](), start
    aliases = _list_aliases(context)
    for version in islice(walk_versions(history, after=start), MOST_SCANNED):
        if len(items) == limit:
            break
        last, version = version.version_id, _name_metros(version, aliases)
        if matches(version):
            items.append(_encoder.encode(_show_change(version)))
    stamps = [snapshot.stamp for snapshot in _list_readable(query, context)]
    meta = ChangesMeta(
        limit=limit,
        count=len(items),
        has_more=last < latest,
        next_cursor=last,
        earliest_version_id=FIRST,
        latest_version_id=latest,
        scope=context.entitlement.scope,
        generated_at=format_instant(max(stamps)) if stamps else None,
    )
    return encode_list(items, meta=_encoder.encode(meta), notices=query.notices)


def read_cursor(query: Query) -> int:
    cursor = query.get_as("cursor", int)
    assert cursor is not None
    return cursor


def _list_readable(query: Query, context: AnswerContext) -> list[Snapshot]:
    """List the snapshots of the requested metros that the API key may read, by slug."""
    return [
        snapshot
        for slug, snapshot in sorted(context.release.metros.items())
        if context.entitlement.allows_metro(slug) and query.metro in (None, slug)
    ]


def is_visible(version: Version, context: AnswerContext) -> bool:
    """Return True if the key may read the change."""
    entitlement = context.entitlement
    if version.listing_id in context.release.unlisted:
        return False
    if version.type != _ORGANIZATION and not entitlement.allows_type(version.type):
        return False
    if any(map(entitlement.allows_metro, version.known_in)):
        return False
    return any(map(entitlement.allows_metro, _list_metros(version)))


def _list_metros(version: Version) -> tuple[str, ...]:
    """Return the metros in which a version is a change; only an organization's may have several."""
    return version.metros if version.metro is None else (version.metro,)


def _list_aliases(context: AnswerContext) -> dict[str, str]:
    return {alias: slug for slug, metro in context.release.metros.items() for alias in metro.metro.aliases}


def _name_metros(version: Version, aliases: Mapping[str, str]) -> Version:
    """Return the version with the present slugs of metros that had other ones."""
    if aliases.keys().isdisjoint((version.metro, *version.metros, *version.known_in)):
        return version
    metros, known_in = (tuple(aliases.get(slug, slug) for slug in some) for some in (version.metros, version.known_in))
    metro = None if version.metro is None else aliases.get(version.metro, version.metro)
    return replace(version, metro=metro, metros=metros, known_in=known_in)


def _show_change(version: Version) -> Change:
    own = f"/v1/{COLLECTIONS.get(version.type, 'organizations')}/{version.listing_id}"
    return _show(version, Change, links=ChangeLinks(self=own, versions=f"/v1/listings/{version.listing_id}/versions"))


_Shown = TypeVar("_Shown", bound=Change | ListingVersion)


def _show(version: Version, shape: type[_Shown], **more: Any) -> _Shown:
    """Make a change or a listing's version of the members of the same names."""
    more["changed_at"] = format_instant(version.changed_at)
    return shape(**{name: getattr(version, name) for name in shape.__struct_fields__ if name not in more}, **more)


# The date in a cursor of versions. Ids of versions only rise, so paging goes on in any release and on any date.
_NO_DATE = date(1970, 1, 1)
_MOST_VERSIONS = 1 << 53


class Home(Struct, frozen=True, kw_only=True):
    """A metro that has the requested listing or organization. `type`: None for an organization."""

    snapshot: Snapshot
    type: str | None


def find_homes(query: Query, context: AnswerContext) -> list[Home]:
    """Return the readable metros that have the listing or organization with the query's id. Raises `not_found` if no
    metro has it, archived or not, and `forbidden` if the key may not read those metros or the type."""
    assert query.id is not None
    entitlement = context.entitlement
    homes = [home for _, snapshot in sorted(context.release.metros.items()) for home in _find_in(query.id, snapshot)]
    if not homes:
        raise not_found("There is no listing with this id.")
    near = [home for home in homes if entitlement.allows_metro(home.snapshot.metro.slug)]
    readable = [home for home in near if home.type is None or entitlement.allows_type(home.type)]
    if not readable:
        types = {home.type for home in near if home.type is not None}
        raise forbidden_types(context, types) if types else forbidden_metro(entitlement)
    return readable


def _find_in(row_id: str, snapshot: Snapshot) -> Iterator[Home]:
    opened = open_snapshot(snapshot)
    for code, listing_type in enumerate(TYPES):
        if opened.listings.find_visible(row_id, type_code=code, include_archived=True) is not None:
            yield Home(snapshot=snapshot, type=listing_type)
    if opened.organizations.find_visible(row_id, include_archived=True) is not None:
        yield Home(snapshot=snapshot, type=None)


def answer_versions(query: Query, homes: Sequence[Home], *, context: AnswerContext) -> list[bytes]:
    """Return a page of one listing's versions, as chunks of the body."""
    limit = query.get_as("limit", int)
    assert limit is not None
    latest = max((home.snapshot for home in homes), key=lambda snapshot: snapshot.stamp)
    versions = list(islice(_list_versions(query, context), limit + 1))
    shown, has_more = versions[:limit], len(versions) > limit
    meta = VersionsMeta(
        limit=limit,
        count=len(shown),
        has_more=has_more,
        next_cursor=make_cursor(query, (shown[-1].version_id,), snapshot=latest, today=_NO_DATE) if has_more else None,
        generated_at=format_instant(latest.stamp),
    )
    items = [_encoder.encode(_show(version, ListingVersion)) for version in shown]
    return encode_list(items, meta=_encoder.encode(meta), notices=query.notices)


def _list_versions(query: Query, context: AnswerContext) -> Iterator[Version]:
    """Yield a listing's versions after the cursor, in the requested order. The log is read only as far as needed."""
    assert query.id is not None
    history, after, aliases = context.release.history, _read_position(query), _list_aliases(context)
    ids = list_history(history.log, query.id, read=history.read)
    is_ascending = query.get("order") == "asc"
    wanted = [number for number in ids if after is None or (number > after if is_ascending else number < after)]
    if not is_ascending:
        wanted.reverse()
    limit = query.get_as("limit", int) or 1
    for at in range(0, len(wanted), limit + 1):
        versions = read_versions(history.log, wanted[at : at + limit + 1], read=history.read)
        named = (_name_metros(version, aliases) for version in versions)
        yield from (version for version in named if is_visible(version, context))


def _read_position(query: Query) -> int | None:
    """Return the id of the last version already shown, or None at the start. Raises `cursor_malformed`."""
    if query.cursor is None:
        return None
    match query.cursor.position:
        case (int(version_id),) if 0 < version_id < _MOST_VERSIONS and query.cursor.date == _NO_DATE:
            return version_id
    raise malformed_cursor()


def plan_changes(query: Query, context: AnswerContext) -> AnswerPlan:
    check_changes(query, context)
    log = context.release.history.log
    read = [snapshot.hash for snapshot in _list_readable(query, context)]
    is_new = read_cursor(query) < log.latest_version_id
    return AnswerPlan(
        make_tag("changes", name_log(log), read, query.text, context.entitlement.digest),
        lambda: answer_changes(query, context),
        is_quick=not is_new,
        reads_store=is_new,
    )


def plan_versions(query: Query, context: AnswerContext) -> AnswerPlan:
    homes = find_homes(query, context)
    check_cursor(query, *(home.snapshot for home in homes))
    read = [home.snapshot.hash for home in homes]
    named = name_log(context.release.history.log)
    return AnswerPlan(
        make_tag("versions", named, read, query.text, _read_position(query), context.entitlement.digest),
        lambda: answer_versions(query, homes, context=context),
        reads_store=True,
    )
