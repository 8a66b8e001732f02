"""One organization by id: its copies in the key's metros merged, and what moves with the day, the key and other rows
spliced in: `categories`, `metros`, `counts`."""

import msgspec
from msgspec import Struct

from outings.answers.access_errors import forbidden_metro
from outings.answers.cache import LruCache
from outings.answers.context import AnswerContext
from outings.answers.counts import NOTHING, add_counts, count_organization
from outings.answers.documents.splicing import add_members
from outings.answers.organizations.categories import open_categories
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.errors import not_found
from outings.contract.resources.organization import Counts
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()
# Documents made lately, 1.3 kB each.
_encoded: LruCache[tuple[object, ...], bytes] = LruCache(size=4_096)


class Copy(Struct, frozen=True, kw_only=True):
    """The organization as one metro has it; `is_lent`: by another metro's record."""

    snapshot: Snapshot
    id: str
    row: int
    updated_at: int
    is_lent: bool


class _LiveMembers(Struct, frozen=True, kw_only=True):
    categories: tuple[str, ...]
    metros: tuple[str, ...]
    counts: Counts


def find_copies(row_id: str, *, about: AnswerContext, include_archived: bool = False) -> list[Copy]:
    """In the key's metros, by slug. Raises `not_found`, and `forbidden` where it is only in other metros."""
    copies = _list_copies(row_id, about=about, include_archived=include_archived)
    readable = [copy for copy in copies if about.entitlement.allows_metro(copy.snapshot.metro.slug)]
    if not copies:
        raise not_found("There is no organization with this id.")
    if not readable:
        raise forbidden_metro(about.entitlement)
    return readable


def list_copies(row_id: str, *, about: AnswerContext) -> list[Copy]:
    """As `find_copies`; empty where there is none that the key may read."""
    copies = _list_copies(row_id, about=about, include_archived=False)
    return [copy for copy in copies if about.entitlement.allows_metro(copy.snapshot.metro.slug)]


def choose_record(copies: list[Copy]) -> Copy:
    """The first by `rank_copy`."""
    return min(copies, key=_rank)


def encode_organization(copies: list[Copy], *, about: AnswerContext) -> bytes:
    """The whole document, from copies of one organization that the key may read."""
    record = choose_record(copies)
    # All that it depends on: lists that attach organizations show the same ones over and over.
    read = ((copy.snapshot.hash, about.dates[copy.snapshot.metro.slug]) for copy in copies)
    name = (record.id, about.entitlement.digest, *read)

    def encode() -> bytes:
        document = open_snapshot(record.snapshot).read_organization(record.row)
        return add_members(document, _encoder.encode(_make_live_members(copies, about=about)))

    return _encoded.read(name, encode)


def _list_copies(row_id: str, *, about: AnswerContext, include_archived: bool) -> list[Copy]:
    copies = []
    for _, snapshot in sorted(about.release.metros.items()):
        names = open_snapshot(snapshot).organizations
        row = names.find_visible(row_id, include_archived=include_archived)
        if row is not None:
            updated_at, is_lent = names.read_stamps(row)[1], names.is_lent(row)
            copies.append(Copy(snapshot=snapshot, id=row_id, row=row, updated_at=updated_at, is_lent=is_lent))
    return copies


def _make_live_members(copies: list[Copy], *, about: AnswerContext) -> _LiveMembers:
    categories: dict[str, None] = {}
    counts = NOTHING
    for copy in copies:
        today = about.dates[copy.snapshot.metro.slug]
        opened = open_snapshot(copy.snapshot)
        bits = opened.open_index(open_categories).read(copy.row, about.entitlement.readable_types)
        words = copy.snapshot.vocabulary.categories
        categories |= {word: None for index, word in enumerate(words) if bits >> index & 1}
        own = count_organization(copy.id, copy.snapshot, today=today, entitlement=about.entitlement)
        counts = add_counts(counts, own)
    return _LiveMembers(
        categories=tuple(sorted(categories)),
        metros=tuple(copy.snapshot.metro.slug for copy in copies),
        counts=counts,
    )


Rank = tuple[bool, bool, int, str]


def rank_copy(*, is_published: bool, is_lent: bool, updated_at: int, metro: str) -> Rank:
    """Of copies, the smallest is the record: the newest (ties: the first metro's), one of the metro's own before those
    that are lent, a published one before others."""
    return not is_published, is_lent, -updated_at, metro


def _rank(copy: Copy) -> Rank:
    is_published = open_snapshot(copy.snapshot).organizations.is_visible(copy.row, include_archived=False)
    metro = copy.snapshot.metro.slug
    return rank_copy(is_published=is_published, is_lent=copy.is_lent, updated_at=copy.updated_at, metro=metro)
