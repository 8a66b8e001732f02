"""Compare rows with the previous release, and derive their changes, stamps and documents."""

import hashlib
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

import msgspec
import orjson
from msgspec import Struct
from msgspec.structs import fields, replace

from outings.contract.resources.listings import find_structs
from outings.contract.values import format_instant
from outings.contract.vocabulary import STATUSES
from outings.release.tables import ARCHIVED, DRAFT, PUBLISHED
from pipeline.records.record import ORGANIZATION
from pipeline.resolve.listings.columns import STRUCTS
from pipeline.resolve.listings.rows import Row
from pipeline.resolve.previous_rows import PreviousSnapshot
from pipeline.tables.versions import Change

# Members whose difference is no change of the listing.
_STAMPS = ("created_at", "updated_at")
# Members whose items have stamps of their own, by the type of the listing.
PARTS = {"class": "sections", "camp": "sessions"}


class VersionedRow(Struct, kw_only=True):
    """A row with its stamps. `document` is None if it is unchanged since the previous release."""

    row: Row
    hash: bytes
    created_at: int
    updated_at: int
    document: bytes | None
    change: Change | None


def hash_members(members: Struct) -> bytes:
    """Return the SHA-256 of the public members. The caller must set stamps to None."""
    return hashlib.sha256(msgspec.json.encode(members)).digest()


def withdraw_row(row: Row) -> Row | None:
    """Archive the row of a listing that its feed dropped. Return None for a draft that was never published."""
    if row.columns["status"] == DRAFT and row.columns["reason"] is None:
        return None
    if row.columns["status"] != PUBLISHED:
        return row
    columns = {**row.columns, "status": ARCHIVED, "reason": "withdrawn"}
    members = replace(read_members(row), status=STATUSES[ARCHIVED])
    return replace(row, columns=columns, members=members, document=None, hash=None)


def rename_metro(row: Row, metro: str) -> Row:
    """Return a row of an earlier release with another slug of its metro. Organizations do not state theirs."""
    members: Any = unstamp_members(row) if row.members is None else row.members
    if row.kind == ORGANIZATION or members.metro == metro:
        return row
    return replace(row, members=replace(members, metro=metro), document=None, hash=None)


def make_versioned_row(row: Row, previous: PreviousSnapshot, *, stamp: int, is_ours: bool) -> VersionedRow:
    """Compare a row with the previous release, and set its stamps and change. If not `is_ours`, another version of the
    program made the previous documents: then only members that both versions know can change."""
    old = previous.get(row.id)
    if row.columns["status"] == DRAFT:
        # A draft that was ever published can be `restored` later.
        was_visible = old is not None and (old["status"] != DRAFT or old["reason"] is not None)
        row.columns["reason"] = "unpublished" if was_visible else None
    digest = row.hash if row.hash is not None else hash_members(row.members)
    if old is None:
        return _render_row(row, digest, old, created_at=row.created_at or stamp, updated_at=stamp)
    same = old["hash"] == digest
    if same and (is_ours or row.members is not None):
        return _keep_row(row, old)
    created_at = row.created_at or old["created_at"]
    before = previous.read_document(row.id)
    if is_ours:
        return _render_row(row, digest, old, created_at=created_at, updated_at=stamp, before=before)
    if row.members is None:
        row.members = read_members(row)
        digest = hash_members(row.members)
    again = _render_row(row, digest, old, created_at=created_at, updated_at=old["updated_at"], before=before)
    if again.document == before:
        return _keep_row(row, old)
    if name_changed_members(before, again.document or b"{}"):
        return _render_row(row, digest, old, created_at=created_at, updated_at=stamp, before=before)
    again.change = None
    return again


def _keep_row(row: Row, old: Mapping[str, Any]) -> VersionedRow:
    return VersionedRow(
        row=row, hash=old["hash"], created_at=old["created_at"], updated_at=old["updated_at"],
        document=None, change=None,
    )  # fmt: skip


def _render_row(
    row: Row,
    digest: bytes,
    old: Mapping[str, Any] | None,
    *,
    created_at: int,
    updated_at: int,
    before: bytes | None = None,
) -> VersionedRow:
    members = _stamp_members(row, created_at=created_at, updated_at=updated_at, before=before)
    document = msgspec.json.encode(members)
    return VersionedRow(
        row=row, hash=digest, created_at=created_at, updated_at=updated_at, document=document,
        change=_name_change(row, old, before=before, after=document),
    )  # fmt: skip


def read_members(row: Row) -> Struct:
    """Decode the document of an unchanged row, without `updated_at`."""
    assert row.document is not None
    struct = STRUCTS[row.kind]
    members = msgspec.convert(complete_members(orjson.loads(row.document), struct), type=struct)
    return replace(members, updated_at=None)


def unstamp_members(row: Row) -> Any:
    """Return the row's members as they were when they were hashed: without the times that the build added."""
    members: Any = read_members(row)
    if (name := PARTS.get(row.kind)) is not None:
        members = replace(members, **{name: tuple(replace(part, updated_at=None) for part in getattr(members, name))})
    assigned = replace(members, created_at=None)
    return assigned if hash_members(assigned) == row.hash else members


def _stamp_members(row: Row, *, created_at: int, updated_at: int, before: bytes | None) -> Struct:
    members = row.members if row.members is not None else read_members(row)
    stamp = format_instant(updated_at)
    changes: dict[str, Any] = {"created_at": format_instant(created_at), "updated_at": stamp}
    name = PARTS.get(row.kind)
    if name is not None:
        document = {} if before is None else orjson.loads(before)
        old = {part["id"]: part for part in document.get(name, ())}  # it may have been of another kind
        changes[name] = _stamp_parts(getattr(members, name), old, stamp=stamp)
    return replace(members, **changes)


def _stamp_parts(parts: Iterable[Any], old: Mapping[str, Any], *, stamp: str) -> tuple[Struct, ...]:
    """Set `updated_at` of sections or sessions: `stamp`, or the old one if a part is unchanged."""
    stamped = []
    for part in parts:
        was = old.get(part.id, {"updated_at": stamp})
        now = orjson.loads(msgspec.json.encode(replace(part, updated_at=None)))
        is_same = part.id in old and _is_same({**was, "updated_at": None}, now)
        stamped.append(replace(part, updated_at=was["updated_at"] if is_same else stamp))
    return tuple(stamped)


def name_kind(old: Mapping[str, Any] | None, status: int | None) -> str | None:
    """Return `created`, `updated`, `removed` or `restored`; None if readers saw it neither before nor now.

    `old` is the previous row, `status` the present status; None if there is none.
    """
    if status != PUBLISHED:
        return "removed" if old is not None and old["status"] == PUBLISHED else None
    if old is None or (old["status"] == DRAFT and old["reason"] is None):
        return "created"
    return "updated" if old["status"] == PUBLISHED else "restored"


def _name_change(row: Row, old: Mapping[str, Any] | None, *, before: bytes | None, after: bytes) -> Change | None:
    kind = name_kind(old, row.columns["status"])
    if kind is None:
        return None
    fields = name_changed_members(before or b"{}", after) if kind == "updated" else ()
    return Change(
        listing_id=row.id, type=row.kind, slug=row.columns["slug"], kind=kind,
        reason=row.columns["reason"] if kind == "removed" else None,
        replaced_by=row.columns["replaced_by"] if kind == "removed" else None,
        fields=fields,
    )  # fmt: skip


def name_changed_members(before: bytes, after: bytes) -> tuple[str, ...]:
    """Return the names of top-level public members that differ between two documents. If both are of one type, members
    that only one has are ignored, at any depth: another version of the program may have added them."""
    old, new = orjson.loads(before), orjson.loads(after)
    names = {*old} & {*new} if old.get("type") == new.get("type") else {*old, *new}
    return tuple(sorted(name for name in names.difference(_STAMPS) if not _is_same(old.get(name), new.get(name))))


def _is_same(one: Any, other: Any) -> bool:
    """Return True if two JSON values are equal. Members that only one of them has are ignored."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(_is_same(one[name], other[name]) for name in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_is_same(*pair) for pair in zip(one, other, strict=True))
    return bool(one == other)


def complete_members(given: Any, annotation: Any) -> Any:
    """Add members that the program of the document did not know: null, or empty where null is not allowed. Members
    with a default, or that can be neither, stay missing."""
    struct = next(find_structs(annotation), None)
    if isinstance(given, list):
        return [complete_members(inner, annotation) for inner in given]
    if struct is None or not isinstance(given, dict):
        return given
    members = {}
    for field in fields(struct):
        if field.encode_name in given:
            members[field.encode_name] = complete_members(given[field.encode_name], field.type)
        elif field.required:
            members |= _make_empty(field.encode_name, field.type)
    return members


def _make_empty(name: str, annotation: Any) -> dict[str, Any]:
    if get_origin(annotation) is Annotated:
        return _make_empty(name, get_args(annotation)[0])
    if NoneType in get_args(annotation):
        return {name: None}
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        return {name: complete_members({}, annotation)}
    return {name: []} if getattr(annotation, "__origin__", None) is tuple else {}
