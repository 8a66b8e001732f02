"""Resources that keep a copy up to date: changes, versions and files of the export."""

from typing import Annotated

from msgspec import Meta, Struct

from outings.contract import vocabulary
from outings.contract.resources.shared import Id, Instant, ListingType, means, one_of

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
    """A version of one listing. `reason` and `fields` are as in a `Change`."""

    version_id: Annotated[int, means("The number of this version: greater than all before.")]
    changed_at: Instant
    kind: Annotated[ChangeKind, means("What happened.")]
    fields: Annotated[tuple[str, ...], means("The members that an update changed; empty for all else.")]
    reason: Annotated[RemovalReason | None, means("Why it was removed; null for all else.")]


# Format → the file's media type.
EXPORT_TYPES = {
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "ics": "text/calendar; charset=utf-8",
}

ExportFormat = Annotated[str, one_of(*EXPORT_TYPES)]
Sha256 = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]


class ExportLinks(Struct, frozen=True, kw_only=True):
    self: Annotated[str, means("The file.")]


class ExportFile(Struct, frozen=True, kw_only=True):
    """`size` in bytes and `sha256` of the file itself, whatever coding it travels in. `rows_hash`: the sum modulo 2^256
    of the SHA-256 of each row's `<id> <updated_at>`, equal for whoever has the same rows."""

    type: ListingType
    format: Annotated[ExportFormat, means("The format of the file.")]
    content_type: Annotated[str, means("The media type of the file.")]
    rows: Annotated[int, means("How many rows the file has.")]
    size: Annotated[int, means("The size of the file in bytes.")]
    sha256: Annotated[Sha256, means("The SHA-256 of the file, whatever coding it travels in.")]
    rows_hash: Annotated[
        Sha256,
        means(
            "Equal for whoever has the same rows: the sum modulo 2^256 of the SHA-256 of each row's `<id> "
            "<updated_at>`."
        ),
    ]
    links: ExportLinks
