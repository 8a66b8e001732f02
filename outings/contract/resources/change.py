"""A version as readers see it: in the feed over all listings, and in one listing's history."""

from typing import Annotated

from msgspec import Meta, Struct

from outings.contract import vocabulary
from outings.contract.resources.words import Id, Instant

RecordType = Annotated[str, Meta(extra_json_schema={"enum": [*vocabulary.TYPES, "organization"]})]
ChangeKind = Annotated[str, Meta(extra_json_schema={"enum": list(vocabulary.CHANGE_KINDS)})]
RemovalReason = Annotated[str, Meta(extra_json_schema={"enum": list(vocabulary.REMOVAL_REASONS)})]


class ChangeLinks(Struct, frozen=True, kw_only=True):
    self: str
    versions: str


class Change(Struct, frozen=True, kw_only=True):
    """`metro` is null for an organization of several, `reason` but for removals; `fields` names the top-level members
    that an update changed, and is empty for all else."""

    version_id: int
    listing_id: Id
    type: RecordType
    metro: str | None
    slug: str
    kind: ChangeKind
    reason: RemovalReason | None
    replaced_by: Id | None
    changed_at: Instant
    fields: tuple[str, ...]
    links: ChangeLinks


class ListingVersion(Struct, frozen=True, kw_only=True):
    """One of a listing's own: `reason` and `fields` as of a `Change`."""

    version_id: int
    changed_at: Instant
    kind: ChangeKind
    fields: tuple[str, ...]
    reason: RemovalReason | None


# What their members mean, where outings/contract/meanings/everywhere.py does not say it.
MEANINGS = {
    "Change.fields": "The members that an update changed; empty for all else.",
    "Change.kind": "What happened.",
    "Change.listing_id": "The id of the listing or organization.",
    "Change.metro": "The slug of the metro; null for an organization of several.",
    "Change.reason": "Why it was removed; null for all else.",
    "Change.replaced_by": "What took its place; null where nothing did.",
    "Change.version_id": "The number of this version: greater than all before.",
    "ChangeLinks.self": "What changed.",
    "ChangeLinks.versions": "Its history.",
    "ListingVersion.fields": "The members that an update changed; empty for all else.",
    "ListingVersion.kind": "What happened.",
    "ListingVersion.reason": "Why it was removed; null for all else.",
    "ListingVersion.version_id": "The number of this version: greater than all before.",
}
