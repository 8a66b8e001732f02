"""`/v1/organizations/{id}`: one organization, of which several metros may have a copy."""

from collections.abc import Iterable
from functools import reduce

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.cache import LruCache
from outings.answers.counts import NOTHING, count_organization
from outings.answers.documents.fields import add_members, choose_fields
from outings.answers.plan import AnswerContext, AnswerPlan, forbidden_metro, make_tag
from outings.answers.snapshot.reader import SnapshotReader, derive_table, open_snapshot
from outings.contract.envelope import encode_detail
from outings.contract.errors import not_found
from outings.contract.query import Query
from outings.contract.resources.listings import Counts
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.lazy_polars import pl
from outings.release.snapshot import Snapshot
from outings.release.tables import PUBLISHED

# Bit sets over the vocabulary, by row of the table of organizations.
Sets = NDArray[np.uint64]


def make_organization_categories(organizations: "pl.DataFrame", listings: "pl.DataFrame") -> "pl.DataFrame":
    """Return organizations' categories: `own`, those of the record, and by type those of its published listings."""
    shown = listings.filter((pl.col("status") == PUBLISHED) & pl.col("organization_id").is_not_null())
    table = organizations.rename({"categories": "own"})
    for code, name in enumerate(TYPES):
        own = shown.filter(pl.col("type") == code).group_by("organization_id")
        united = own.agg(pl.col("categories").bitwise_or().alias(name))
        table = table.join(united, left_on="id", right_on="organization_id", how="left", maintain_order="left")
    return table.select(pl.col("own", *TYPES).fill_null(0))


ORGANIZATION_CATEGORIES = derive_table(
    "organization_categories",
    make_organization_categories,
    {"organizations": ("id", "categories"), "listings": ("organization_id", "type", "status", "categories")},
)


class OrganizationCategories:
    """The table of a snapshot's `organization_categories`, opened."""

    def __init__(self, reader: SnapshotReader) -> None:
        self._sets = reader.open_table(ORGANIZATION_CATEGORIES).read_arrays()

    def unite(self, types: Iterable[str]) -> Sets:
        """Return, by row, the union of the categories of the record and of its listings of `types`."""
        return reduce(np.bitwise_or, (self._sets[name] for name in ("own", *types)))

    def read(self, row: int, types: Iterable[str]) -> int:
        """Return the result of `unite` for one row."""
        return reduce(int.__or__, (int(self._sets[name][row]) for name in ("own", *types)))


_encoder = msgspec.json.Encoder()
# Documents made lately, 1.3 kB each.
_encoded: LruCache[tuple[object, ...], bytes] = LruCache(size=4_096)


class Copy(Struct, frozen=True, kw_only=True):
    """An organization's row in one metro. `is_lent`: True if its record is in another metro."""

    snapshot: Snapshot
    id: str
    row: int
    updated_at: int
    is_lent: bool


class _LiveMembers(Struct, frozen=True, kw_only=True):
    categories: tuple[str, ...]
    metros: tuple[str, ...]
    counts: Counts


def find_copies(row_id: str, *, context: AnswerContext, include_archived: bool = False) -> list[Copy]:
    """Return the organization's copies in the key's metros, by slug. Raises `not_found`, and `forbidden` if it is only
    in other metros."""
    copies = _list_copies(row_id, context=context, include_archived=include_archived)
    readable = [copy for copy in copies if context.entitlement.allows_metro(copy.snapshot.metro.slug)]
    if not copies:
        raise not_found("There is no organization with this id.")
    if not readable:
        raise forbidden_metro(context.entitlement)
    return readable


def list_copies(row_id: str, *, context: AnswerContext) -> list[Copy]:
    """Return what `find_copies` does, or an empty list if the key may read no copy."""
    copies = _list_copies(row_id, context=context, include_archived=False)
    return [copy for copy in copies if context.entitlement.allows_metro(copy.snapshot.metro.slug)]


def choose_record(copies: list[Copy]) -> Copy:
    """Return the copy whose document is shown, the first by `rank_copy`."""
    return min(copies, key=_rank)


def encode_organization(copies: list[Copy], *, context: AnswerContext) -> bytes:
    """Return the whole document, merged from the copies that the key may read."""
    record = choose_record(copies)
    # All that it depends on: lists that attach organizations show the same ones over and over.
    read = ((copy.snapshot.hash, context.dates[copy.snapshot.metro.slug]) for copy in copies)
    name = (record.id, context.entitlement.digest, *read)

    def encode() -> bytes:
        document = open_snapshot(record.snapshot).read_organization(record.row)
        return add_members(document, _encoder.encode(_make_live_members(copies, context=context)))

    return _encoded.read(name, encode)


def _list_copies(row_id: str, *, context: AnswerContext, include_archived: bool) -> list[Copy]:
    copies = []
    for _, snapshot in sorted(context.release.metros.items()):
        names = open_snapshot(snapshot).organizations
        row = names.find_visible(row_id, include_archived=include_archived)
        if row is not None:
            updated_at, is_lent = names.read_stamps(row)[1], names.is_lent(row)
            copies.append(Copy(snapshot=snapshot, id=row_id, row=row, updated_at=updated_at, is_lent=is_lent))
    return copies


def _make_live_members(copies: list[Copy], *, context: AnswerContext) -> _LiveMembers:
    categories: dict[str, None] = {}
    counts = NOTHING
    for copy in copies:
        today = context.dates[copy.snapshot.metro.slug]
        opened = open_snapshot(copy.snapshot)
        bits = opened.open_index(OrganizationCategories).read(copy.row, context.entitlement.readable_types)
        words = copy.snapshot.vocabulary.categories
        categories |= {word: None for index, word in enumerate(words) if bits >> index & 1}
        own = count_organization(copy.id, copy.snapshot, today=today, entitlement=context.entitlement)
        counts = Counts(**{name: getattr(counts, name) + getattr(own, name) for name in COLLECTIONS.values()})
    return _LiveMembers(
        categories=tuple(sorted(categories)),
        metros=tuple(copy.snapshot.metro.slug for copy in copies),
        counts=counts,
    )


Rank = tuple[bool, bool, int, str]


def rank_copy(*, is_published: bool, is_lent: bool, updated_at: int, metro: str) -> Rank:
    """Return the rank of a copy; the smallest is the record. Published copies come first, then a metro's own before
    lent ones, then the newest, then the first metro's."""
    return not is_published, is_lent, -updated_at, metro


def _rank(copy: Copy) -> Rank:
    is_published = open_snapshot(copy.snapshot).organizations.is_visible(copy.row, include_archived=False)
    metro = copy.snapshot.metro.slug
    return rank_copy(is_published=is_published, is_lent=copy.is_lent, updated_at=copy.updated_at, metro=metro)


def plan_organization(query: Query, context: AnswerContext) -> AnswerPlan:
    assert query.id is not None
    copies = find_copies(query.id, context=context, include_archived=bool(query.get("include_archived")))
    read = [(copy.snapshot.hash, context.dates[copy.snapshot.metro.slug]) for copy in copies]
    tag = make_tag("organization", read, query.text, context.entitlement.digest)

    def answer() -> list[bytes]:
        document = encode_organization(copies, context=context)
        return encode_detail(choose_fields(query)(document), notices=query.notices)

    return AnswerPlan(tag, answer)
