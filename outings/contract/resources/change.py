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
