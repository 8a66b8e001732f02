"""`/v1/listings/{id}/versions`: what the log says of one listing, published or archived; of an organization too."""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice

import msgspec
from msgspec import Struct

from outings.answers.access_errors import forbidden_metro, forbidden_types
from outings.answers.changes.feed import is_visible
from outings.answers.context import AnswerContext
from outings.answers.rows.paging import check_cursor, make_cursor
from outings.answers.snapshot.reader import open_snapshot
from outings.answers.snapshot.row_index import RowIndex
from outings.contract.cursor import malformed_cursor
from outings.contract.envelope import encode_list
from outings.contract.errors import ApiError, not_found
from outings.contract.instants import format_instant
from outings.contract.meta import VersionsMeta
from outings.contract.query import Query
from outings.contract.resources.change import ListingVersion
from outings.contract.vocabulary import TYPES
from outings.release.log import Version, list_history, read_versions
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()
# Ids only rise, so a walk goes on in any release, and on any date.
_NO_DATE = date(1970, 1, 1)
_MOST_VERSIONS = 1 << 53


class Home(Struct, frozen=True, kw_only=True):
    """A metro that has the row; `type` is None for an organization."""

    snapshot: Snapshot
    type: str | None


def find_homes(query: Query, about: AnswerContext) -> list[Home]:
    """Those that the key may read. Raises `not_found` where no metro shows the row, archived or not, and `forbidden`
    where only others do, or the type is not the key's."""
    assert query.id is not None
    homes = [home for _, snapshot in sorted(about.release.metros.items()) for home in _find_in(query.id, snapshot)]
    if not homes:
        raise not_found("There is no listing with this id.")
    readable = [home for home in homes if _may_read(home, about)]
    if not readable:
        raise _refuse(homes, about)
    return readable


def _refuse(homes: Sequence[Home], about: AnswerContext) -> ApiError:
    """By its metro where that is not the key's, else by its type."""
    types = [home.type for home in homes if about.entitlement.allows_metro(home.snapshot.metro.slug) and home.type]
    return forbidden_types(about, set(types)) if types else forbidden_metro(about.entitlement)


def _may_read(home: Home, about: AnswerContext) -> bool:
    entitlement = about.entitlement
    return entitlement.allows_metro(home.snapshot.metro.slug) and (
        home.type is None or entitlement.allows_type(home.type)
    )


def _find_in(row_id: str, snapshot: Snapshot) -> Iterator[Home]:
    opened = open_snapshot(snapshot)
    tables: list[tuple[RowIndex, int, str | None]] = [(opened.listings, code, name) for code, name in enumerate(TYPES)]
    for names, code, listing_type in [*tables, (opened.organizations, 0, None)]:
        if names.find_visible(row_id, type_code=code, include_archived=True) is not None:
            yield Home(snapshot=snapshot, type=listing_type)


def answer_versions(query: Query, homes: Sequence[Home], *, about: AnswerContext) -> list[bytes]:
    """The body as parts."""
    limit = query.get_as("limit", int)
    assert limit is not None
    latest = max((home.snapshot for home in homes), key=lambda snapshot: snapshot.stamp)
    versions = list(islice(_walk_history(query, about), limit + 1))
    shown, has_more = versions[:limit], len(versions) > limit
    meta = VersionsMeta(
        limit=limit,
        count=len(shown),
        has_more=has_more,
        next_cursor=make_cursor(query, (shown[-1].version_id,), snapshot=latest, today=_NO_DATE) if has_more else None,
        generated_at=format_instant(latest.stamp),
    )
    items = [_encoder.encode(show_version(version)) for version in shown]
    return encode_list(items, meta=_encoder.encode(meta), notices=query.notices)


def _walk_history(query: Query, about: AnswerContext) -> Iterator[Version]:
    """From the cursor on, in the order asked for, as far as they are read."""
    assert query.id is not None
    history, after = about.release.history, _find_position(query)
    ids = list_history(history.log, query.id, read=history.read)
    if query.get("order") == "asc":
        wanted = [each for each in ids if after is None or each > after]
    else:
        wanted = [each for each in reversed(ids) if after is None or each < after]
    limit = query.get_as("limit", int) or 1
    for at in range(0, len(wanted), limit + 1):
        versions = read_versions(history.log, wanted[at : at + limit + 1], read=history.read)
        yield from (version for version in versions if is_visible(version, about))


def read_position(query: Query, homes: Sequence[Home]) -> int | None:
    """The last version that was shown; None at the start. Raises `cursor_malformed`."""
    check_cursor(query, *(home.snapshot for home in homes))
    return _find_position(query)


def _find_position(query: Query) -> int | None:
    if query.cursor is None:
        return None
    match query.cursor.position:
        case (int(version_id),) if 0 < version_id < _MOST_VERSIONS and query.cursor.date == _NO_DATE:
            return version_id
    raise malformed_cursor()


def show_version(version: Version) -> ListingVersion:
    return ListingVersion(
        version_id=version.version_id,
        changed_at=format_instant(version.changed_at),
        kind=version.kind,
        fields=version.fields,
        reason=version.reason,
    )
