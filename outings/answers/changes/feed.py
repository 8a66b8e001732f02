"""`/v1/changes`: the release's log from a version on, less what the key may not see.

What is a change, and of which kind, a build decides: `pipeline/changes/diff.py`.
"""

from collections.abc import Callable
from itertools import islice

import msgspec

from outings.answers.access_errors import forbidden_metro, forbidden_types
from outings.answers.context import AnswerContext
from outings.contract.envelope import encode_list
from outings.contract.errors import bad_request, not_found
from outings.contract.instants import format_instant
from outings.contract.meta import ChangesMeta
from outings.contract.query import Query
from outings.contract.resources.change import Change, ChangeLinks
from outings.contract.vocabulary import COLLECTIONS
from outings.release.log import BLOCK, Version, walk_versions
from outings.release.snapshot import Snapshot

# Versions that one answer looks at, however few of them pass: a rare one is found by going on, never by waiting.
MOST_SCANNED = 64 * BLOCK
FIRST = 1

_ORGANIZATION = "organization"
_encoder = msgspec.json.Encoder()


def check_changes(query: Query, about: AnswerContext) -> None:
    """Raises 404 and 403 of `metro`, 403 of a `type` outside the key's, and `cursor_ahead`."""
    release, entitlement = about.release, about.entitlement
    if query.metro is not None and query.metro not in release.metros:
        raise not_found(f"There is no metro {query.metro}.")
    types = [word for word in query.get_words("type") if word != _ORGANIZATION]
    if query.metro is not None and not entitlement.allows_metro(query.metro):
        raise forbidden_metro(entitlement, query.metro)
    outside = [each for each in types if not entitlement.allows_type(each)]
    if outside:
        raise forbidden_types(about, outside)
    latest = release.history.log.latest_version_id
    if read_cursor(query) > latest:
        raise bad_request(
            param="cursor",
            reason="cursor_ahead",
            message=f"cursor is {read_cursor(query)}, and the latest version is {latest}: it is not from here.",
            max=latest,
        )


def answer_changes(query: Query, about: AnswerContext) -> list[bytes]:
    """The body as parts. What the key may not see is passed over: ids are not dense for it."""
    history, start = about.release.history, read_cursor(query)
    limit, latest = query.get_as("limit", int), history.log.latest_version_id
    assert limit is not None
    passes = make_condition(query, about)
    items, last = list[bytes](), start
    for version in islice(walk_versions(history, after=start), MOST_SCANNED):
        if len(items) == limit:
            break
        last = version.version_id
        if passes(version):
            items.append(_encoder.encode(show_change(version)))
    stamps = [snapshot.stamp for snapshot in list_read(query, about)]
    meta = ChangesMeta(
        limit=limit,
        count=len(items),
        has_more=last < latest,
        next_cursor=last,
        earliest_version_id=FIRST,
        latest_version_id=latest,
        scope=about.entitlement.scope,
        generated_at=format_instant(max(stamps)) if stamps else None,
    )
    return encode_list(items, meta=_encoder.encode(meta), notices=query.notices)


def read_cursor(query: Query) -> int:
    cursor = query.get_as("cursor", int)
    assert cursor is not None
    return cursor


def list_read(query: Query, about: AnswerContext) -> list[Snapshot]:
    """Of the metros that the answer may speak of."""
    return [
        snapshot
        for slug, snapshot in sorted(about.release.metros.items())
        if about.entitlement.allows_metro(slug) and query.metro in (None, slug)
    ]


def make_condition(query: Query, about: AnswerContext) -> Callable[[Version], bool]:
    """Whether the key may see a version, and the query's filters keep it."""
    types, kinds, metro = query.get_words("type"), query.get_words("kind"), query.metro

    def passes(version: Version) -> bool:
        if (types and version.type not in types) or (kinds and version.kind not in kinds):
            return False
        return is_visible(version, about) and (metro is None or metro in _list_metros(version))

    return passes


def is_visible(version: Version, about: AnswerContext) -> bool:
    """Whether it is a change of what the key may read."""
    entitlement = about.entitlement
    if version.type != _ORGANIZATION and not entitlement.allows_type(version.type):
        return False
    if any(map(entitlement.allows_metro, version.known_in)):
        return False
    return any(map(entitlement.allows_metro, _list_metros(version)))


def _list_metros(version: Version) -> tuple[str, ...]:
    """Where it is a change; of an organization there may be several."""
    return version.metros if version.metro is None else (version.metro,)


def show_change(version: Version) -> Change:
    collection = COLLECTIONS.get(version.type, "organizations")
    return Change(
        version_id=version.version_id,
        listing_id=version.listing_id,
        type=version.type,
        metro=version.metro,
        slug=version.slug,
        kind=version.kind,
        reason=version.reason,
        replaced_by=version.replaced_by,
        changed_at=format_instant(version.changed_at),
        fields=version.fields,
        links=ChangeLinks(
            self=f"/v1/{collection}/{version.listing_id}", versions=f"/v1/listings/{version.listing_id}/versions"
        ),
    )
