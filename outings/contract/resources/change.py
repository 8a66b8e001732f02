"""A version as readers see it: in the feed over all listings, and in one listing's history."""

from typing import Annotated

from msgspec import Struct

from outings.contract import vocabulary
from outings.contract.resources.words import Id, Instant, means, one_of

RecordType = Annotated[str, one_of(*vocabulary.TYPES, "organization")]
ChangeKind = Annotated[str, one_of(*vocabulary.CHANGE_KINDS)]
RemovalReason = Annotated[str, one_of(*vocabulary.REMOVAL_REASONS)]


class ChangeLinks(Struct, frozen=True, kw_only=True):
    self: Annotated[str, means("What changed.")]
    versions: Annotated[str, means("Its history.")]


class Change(Struct, frozen=True, kw_only=True):
    """`metro` is null for an organization of several, `reason` but for removals; `fields` names the top-level members
    that an update changed, and is empty for all else."""

    version_id: Annotated[int, means("The number of this version: greater than all before.")]
    listing_id: Annotated[Id, means("The id of the listing or organization.")]
    type: RecordType
    metro: Annotated[str | None, means("The slug of the metro; null for an organization of several.")]
    slug: str
    kind: Annotated[ChangeKind, means("What happened.")]
    reason: Annotated[RemovalReason | None, means("Why it was removed; null for all else.")]
    replaced_by: Annotated[Id | None, means("What took its place; null where nothing did.")]
    changed_at: Instant
    fields: Annotated[tuple[str, ...], means("The members that an update changed; empty for all else.")]
    links: ChangeLinks


class ListingVersion(Struct, frozen=True, kw_only=True):
    """One of a listing's own: `reason` and `fields` as of a `Change`."""

    version_id: Annotated[int, means("The number of this version: greater than all before.")]
    changed_at: Instant
    kind: Annotated[ChangeKind, means("What happened.")]
    fields: Annotated[tuple[str, ...], means("The members that an update changed; empty for all else.")]
    reason: Annotated[RemovalReason | None, means("Why it was removed; null for all else.")]
