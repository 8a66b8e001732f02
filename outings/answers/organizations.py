"""`/v1/organizations/{id}`: one organization, of which several metros may have a copy."""

from collections.abc import Iterable
from functools import reduce

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from outings.answers.cache import LruCache
from outings.answers.documents.fields import add_members, choose_fields
from outings.answers.live_counts import NOTHING, count_organization
from outings.answers.plan import AnswerContext, AnswerPlan, forbidden_metro, make_tag
from outings.answers.snapshot.reader import SnapshotReader, open_snapshot
from outings.contract.envelope import encode_detail
from outings.contract.errors import not_found
from outings.contract.query import Query
from outings.contract.resources.listings import Counts
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.lazy_polars import pl
from outings.release.snapshot import Snapshot
from outings.release.tables import PUBLISHED, read_columns

# Bit sets over the vocabulary, by row of the table of organizations.
Sets = NDArray[np.uint64]


class OrganizationCategories:
    """The categories of a snapshot's organizations: those of each record, and by type those of its published listings,
    as bit sets."""

    def __init__(self, reader: SnapshotReader) -> None:
        table = read_columns(reader.tables.get("organizations"), "organizations", ("id", "categories"))
        columns = ("organization_id", "type", "status", "categories")
        listings = read_columns(reader.tables["listings"], "listings", columns)
        shown = listings.filter((pl.col("status") == PUBLISHED) & pl.col("organization_id").is_not_null())
        for code, name in enumerate(TYPES):
            own = shown.filter(pl.col("type") == code).group_by("organization_id")
            united = own.agg(pl.col("categories").bitwise_or().alias(name))
            table = table.join(united, left_on="id", right_on="organization_id", how="left", maintain_order="left")
        names = ("categories", *TYPES)
        self._sets = {name: table[name].fill_null(0).to_numpy().astype(np.uint64) for name in names}

    def unite(self, types: Iterable[str]) -> Sets:
        """Return, by row, the union of the categories of the record and of its listings of `types`."""
        return reduce(np.bitwise_or, (self._sets[name] for name in ("categories", *types)))


_encoder = msgspec.json.Encoder()
# The last documents encoded, 1.3 kB each.
_encoded: LruCache[tuple[object, ...], bytes] = LruCache(size=4_096)


class Copy(Struct, frozen=True, kw_only=True):
    """An organization's row in one metro."""

    snapshot: Snapshot
    id: str
    row: int


def find_copies(row_id: str, *, context: AnswerContext, include_archived: bool = False) -> list[Copy]:
    """Return the organization's copies in the key's metros, by slug. Raises `not_found`, and `forbidden` if it is only
    in other metros."""
    readable = list_copies(row_id, context=context, include_archived=include_archived)
    if not readable:
        metros = context.release.metros.values()
        indexes = [open_snapshot(snapshot).organizations for snapshot in metros]
        if any(index.find_visible(row_id, include_archived=include_archived) is not None for index in indexes):
            raise forbidden_metro(context.entitlement)
        raise not_found("There is no organization with this id.")
    return readable


def choose_record(copies: list[Copy]) -> Copy:
    """Return the copy whose document is shown, the first by `rank_copy`."""

    def rank(copy: Copy) -> Rank:
        index, row = open_snapshot(copy.snapshot).organizations, copy.row
        is_published, updated_at = index.is_visible(row, include_archived=False), index.read_stamps(row)[1]
        metro = copy.snapshot.metro.slug
        return rank_copy(is_published=is_published, is_own=index.is_own(row), updated_at=updated_at, metro=metro)

    return min(copies, key=rank)


def encode_organization(copies: list[Copy], *, context: AnswerContext) -> bytes:
    """Return the JSON of an organization, merged from the copies that the key may read."""
    record = choose_record(copies)
    # The key of the cache has everything that the document depends on. Lists that attach organizations show the same
    # ones again and again.
    read = ((copy.snapshot.hash, context.dates[copy.snapshot.metro.slug]) for copy in copies)
    name = (record.id, context.entitlement.digest, *read)

    def encode() -> bytes:
        document = open_snapshot(record.snapshot).read_organization(record.row)
        return add_members(document, _encoder.encode(_make_live_members(copies, context=context)))

    return _encoded.read(name, encode)


def list_copies(row_id: str, *, context: AnswerContext, include_archived: bool = False) -> list[Copy]:
    """Return the organization's copies in the key's metros, by slug."""
    copies = []
    for slug, snapshot in sorted(context.release.metros.items()):
        row = open_snapshot(snapshot).organizations.find_visible(row_id, include_archived=include_archived)
        if row is not None and context.entitlement.allows_metro(slug):
            copies.append(Copy(snapshot=snapshot, id=row_id, row=row))
    return copies


def _make_live_members(copies: list[Copy], *, context: AnswerContext) -> dict[str, object]:
    """Return the members of an organization that the stored document lacks. They depend on the date and the key."""
    categories: dict[str, None] = {}
    counts = NOTHING
    for copy in copies:
        today = context.dates[copy.snapshot.metro.slug]
        opened = open_snapshot(copy.snapshot)
        bits = opened.open_index(OrganizationCategories).unite(context.entitlement.readable_types)[copy.row]
        words = copy.snapshot.vocabulary.categories
        categories |= {word: None for index, word in enumerate(words) if int(bits) >> index & 1}
        own = count_organization(copy.id, copy.snapshot, today=today, entitlement=context.entitlement)
        counts = Counts(**{name: getattr(counts, name) + getattr(own, name) for name in COLLECTIONS.values()})
    metros = [copy.snapshot.metro.slug for copy in copies]
    return {"categories": sorted(categories), "metros": metros, "counts": counts}


Rank = tuple[bool, bool, int, str]


def rank_copy(*, is_published: bool, is_own: bool, updated_at: int, metro: str) -> Rank:
    """Return the rank of a copy; the smallest is the record. Published copies come first, then those whose record is
    in their own metro (`is_own`), then the newest, then the first metro's."""
    return not is_published, not is_own, -updated_at, metro


def plan_organization(query: Query, context: AnswerContext) -> AnswerPlan:
    assert query.id is not None
    copies = find_copies(query.id, context=context, include_archived=bool(query.get("include_archived")))
    read = [(copy.snapshot.hash, context.dates[copy.snapshot.metro.slug]) for copy in copies]
    tag = make_tag("organization", read, query.text, context.entitlement.digest)

    def answer() -> list[bytes]:
        document = encode_organization(copies, context=context)
        return encode_detail(choose_fields(query)(document), notices=query.notices)

    return AnswerPlan(tag, answer)
