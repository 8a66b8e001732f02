"""Resources that keep a copy up to date: changes, versions and files of the export."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from outings.contract import vocabulary
from outings.contract.resources.shared import Id, Instant, Local, means, one_of

RecordType = Annotated[str, one_of(*vocabulary.TYPES, "organization", name="RecordType")]
ChangeKind = Annotated[str, one_of(*vocabulary.CHANGE_KINDS, name="ChangeKind")]
RemovalReason = Annotated[str, one_of(*vocabulary.REMOVAL_REASONS, name="RemovalReason")]


class ChangeLinks(Struct, frozen=True, kw_only=True):
    self: Annotated[str, means("The listing or organization.")]
    versions: Annotated[str, means("Its history.")]


class Change(Struct, frozen=True, kw_only=True):
    """A change of one listing or organization."""

    version_id: Annotated[int, means("The number of this version, greater than all earlier ones.")]
    listing_id: Annotated[Id, means("The id of the listing or organization.")]
    type: RecordType
    metro: Annotated[str | None, means("The slug of the metro; null for an organization of several metros.")]
    slug: str
    kind: Annotated[ChangeKind, means("What happened.")]
    reason: Annotated[RemovalReason | None, means("Why it was removed; null for other kinds.")]
    replaced_by: Annotated[Id | None, means("The id of the listing that replaces it; or null.")]
    changed_at: Instant
    fields: Annotated[tuple[str, ...], means("The top-level members that an update changed; empty for other kinds.")]
    links: ChangeLinks


class ListingVersion(Struct, frozen=True, kw_only=True):
    version_id: Annotated[int, means("The number of this version, greater than all earlier ones.")]
    changed_at: Instant
    kind: Annotated[ChangeKind, means("What happened.")]
    fields: Annotated[tuple[str, ...], means("The top-level members that an update changed; empty for other kinds.")]
    reason: Annotated[RemovalReason | None, means("Why it was removed; null for other kinds.")]


# Media type of each export format.
EXPORT_TYPES = {
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "ics": "text/calendar; charset=utf-8",
}


class ExportKind(Struct, frozen=True):
    """A collection of export files. `type`: what one row is. `scope`: the type that a key must read, or None."""

    type: str
    scope: str | None
    formats: tuple[str, ...] = ("jsonl", "parquet")


EXPORTS: Mapping[str, ExportKind] = {
    "events": ExportKind("event", "event", ("jsonl", "parquet", "ics")),
    "classes": ExportKind("class", "class"),
    "camps": ExportKind("camp", "camp"),
    "places": ExportKind("place", "place"),
    "organizations": ExportKind("organization", None),
    "occurrences": ExportKind("occurrence", "event"),
}


class EventOccurrence(Struct, frozen=True, kw_only=True):
    """A row of the export `occurrences`: one date of an event."""

    event_id: Id
    key: Annotated[str, means("This date's permanent id: `<event id>_<YYYYMMDDTHHMMSS local>`.")]
    index: Annotated[int, means("The number of this date in the series, from 1.")]
    starts_at: Instant
    starts_local: Local
    ends_at: Instant | None
    ends_local: Local | None


ExportType = Annotated[str, one_of(*(kind.type for kind in EXPORTS.values()), name="ExportType")]
ExportFormat = Annotated[str, one_of(*EXPORT_TYPES, name="ExportFormat")]
Sha256 = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]


class ExportLinks(Struct, frozen=True, kw_only=True):
    self: Annotated[str, means("The file.")]


class ExportFile(Struct, frozen=True, kw_only=True):
    type: Annotated[ExportType, means("What a row of the file is.")]
    format: Annotated[ExportFormat, means("The format of the file.")]
    content_type: Annotated[str, means("The media type of the file.")]
    rows: Annotated[int, means("How many rows the file has.")]
    size: Annotated[int, means("The size in bytes of the file without content coding.")]
    sha256: Annotated[Sha256, means("The SHA-256 of the file without content coding.")]
    rows_hash: Annotated[Sha256, means("The sum modulo 2^256 of the SHA-256 of each row's `<id> <updated_at>`.")]
    links: ExportLinks
