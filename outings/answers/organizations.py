"""One organization by id: its copies in the key's metros merged, and what moves with the day, the key and other rows
spliced in: `categories`, `metros`, `counts`."""

from collections.abc import Mapping
from datetime import date

import msgspec
from msgspec import Struct

from outings.answers.counts import NOTHING, add_counts, count_listings
from outings.answers.fields import keep_fields
from outings.answers.opened import open_snapshot
from outings.contract.entitlement import Entitlement
from outings.contract.envelope import encode_detail
from outings.contract.errors import forbidden, not_found
from outings.contract.query import Query
from outings.contract.resources.organization import Counts
from outings.release.snapshot import Release, Snapshot

_encoder = msgspec.json.Encoder()


class Copy(Struct, frozen=True, kw_only=True):
    """The organization as one metro has it."""

    snapshot: Snapshot
    row: int
    updated_at: int


class _Moving(Struct, frozen=True, kw_only=True):
    categories: tuple[str, ...]
    metros: tuple[str, ...]
    counts: Counts


def find_copies(query: Query, *, release: Release, entitlement: Entitlement) -> list[Copy]:
    """In the key's metros, by slug. Raises `not_found`, and `forbidden` where it is only in other metros."""
    assert query.id is not None
    include_archived = bool(query.get("include_archived"))
    copies = []
    for _, snapshot in sorted(release.metros.items()):
        names = open_snapshot(snapshot).organizations
        row = names.find_id(query.id)
        if row is not None and names.is_visible(row, include_archived=include_archived):
            copies.append(Copy(snapshot=snapshot, row=row, updated_at=names.read_stamps(row)[1]))
    readable = [copy for copy in copies if entitlement.allows_metro(copy.snapshot.metro.slug)]
    if not copies:
        raise not_found("There is no organization with this id.")
    if not readable:
        raise forbidden(metros=entitlement.metros or ())
    return readable


def answer_organization(
    query: Query, copies: list[Copy], *, dates: Mapping[str, date], entitlement: Entitlement
) -> list[bytes]:
    """The first copy by `rank_copy` is the record."""
    newest = min(copies, key=_rank)
    document = open_snapshot(newest.snapshot).read_organization(newest.row)
    moving = _encoder.encode(_make_moving(query, copies, dates=dates, entitlement=entitlement))
    document = b"%b,%b" % (document[:-1], moving[1:])
    paths = query.get_words("fields")
    return encode_detail(keep_fields(document, paths) if paths else document, notices=query.notices)


def _make_moving(
    query: Query, copies: list[Copy], *, dates: Mapping[str, date], entitlement: Entitlement
) -> _Moving:
    categories: dict[str, None] = {}
    counts = NOTHING
    for copy in copies:
        slug = copy.snapshot.metro.slug
        bits = open_snapshot(copy.snapshot).read_organization_categories(copy.row)
        words = copy.snapshot.vocabulary.categories
        categories |= {word: None for index, word in enumerate(words) if bits >> index & 1}
        found = count_listings(
            copy.snapshot, today=dates[slug], entitlement=entitlement, organization_id=query.id
        )
        counts = add_counts(counts, found)
    return _Moving(
        categories=tuple(sorted(categories)),
        metros=tuple(copy.snapshot.metro.slug for copy in copies),
        counts=counts,
    )


def rank_copy(*, is_published: bool, updated_at: int, metro: str) -> tuple[bool, int, str]:
    """Of copies, the smallest is the record: the newest (ties: the first metro's), a published one before others."""
    return not is_published, -updated_at, metro


def _rank(copy: Copy) -> tuple[bool, int, str]:
    return rank_copy(
        is_published=_is_published(copy), updated_at=copy.updated_at, metro=copy.snapshot.metro.slug
    )


def _is_published(copy: Copy) -> bool:
    return open_snapshot(copy.snapshot).organizations.is_visible(copy.row, include_archived=False)
