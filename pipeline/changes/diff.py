"""What changed since the release before, and the versions, stamps and documents that follow from it."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from outings.contract.instants import format_instant
from outings.contract.resources import LISTINGS, Organization
from outings.contract.vocabulary import STATUSES
from outings.release.tables import RENDERER
from pipeline.listings.previous import Previous
from pipeline.listings.rows import Row

PUBLISHED, ARCHIVED, DRAFT = range(len(STATUSES))
STRUCTS: Mapping[str, type[Struct]] = {**LISTINGS, "organization": Organization}
# Members that are no change of the listing: when it was written, not what it says.
_STAMPS = ("created_at", "updated_at")


class Change(Struct, frozen=True, kw_only=True):
    """A version before it has its number: what the change feed will say of one row."""

    listing_id: str
    type: str
    slug: str
    kind: str
    reason: str | None
    replaced_by: str | None
    fields: tuple[str, ...]


class Settled(Struct, kw_only=True):
    """A row with its stamps. `document` is None where the one in the release before is kept as it is."""

    row: Row
    hash: bytes
    created_at: int
    updated_at: int
    document: bytes | None
    change: Change | None


def hash_members(members: Struct) -> bytes:
    """SHA-256 over the public members; stamps must be left out (None) by the caller."""
    return hashlib.sha256(msgspec.json.encode(members)).digest()


def withdraw_row(row: Row) -> Row | None:
    """The row of a listing that its feed no longer has: archived with its last content; a draft goes."""
    if row.columns["status"] == DRAFT and row.columns["reason"] is None:
        return None
    if row.columns["status"] != PUBLISHED:
        return row
    return archive_row(row, reason="withdrawn")


def archive_row(row: Row, *, reason: str) -> Row:
    members = row.members if row.members is not None else _read_members(row)
    return Row(
        kind=row.kind,
        columns={**row.columns, "status": ARCHIVED, "reason": reason},
        members=msgspec.structs.replace(members, status=STATUSES[ARCHIVED]),
        created_at=row.created_at,
        happenings=row.happenings,
    )


def settle_row(row: Row, previous: Previous, *, stamp: int, renderer: int = RENDERER) -> Settled:
    old = previous.get(row.id)
    _mark_unpublished(row, old)
    digest = row.hash if row.hash is not None else hash_members(row.members)
    if old is None:
        return _render_row(row, digest, old, created_at=row.created_at or stamp, updated_at=stamp)
    same = old["hash"] == digest
    if same and renderer == RENDERER:
        return Settled(
            row=row, hash=digest, created_at=old["created_at"], updated_at=old["updated_at"],
            document=None, change=None,
        )  # fmt: skip
    created_at = row.created_at or old["created_at"]
    before = previous.read_document(row.id)
    if renderer != RENDERER:
        again = _render_row(row, digest, old, created_at=created_at, updated_at=old["updated_at"], before=before)
        if same or not name_changed_members(before, again.document or b"{}", shared=True):
            again.change = None
            return again
    return _render_row(row, digest, old, created_at=created_at, updated_at=stamp, before=before)


def _mark_unpublished(row: Row, old: Mapping[str, Any] | None) -> None:
    """A draft that readers once saw is told from one that they never did by its reason: back, it is `restored`."""
    if row.columns["status"] == DRAFT:
        seen = old is not None and (old["status"] != DRAFT or old["reason"] is not None)
        row.columns["reason"] = "unpublished" if seen else None


def _render_row(
    row: Row,
    digest: bytes,
    old: Mapping[str, Any] | None,
    *,
    created_at: int,
    updated_at: int,
    before: bytes | None = None,
) -> Settled:
    members = _stamp_members(row, created_at=created_at, updated_at=updated_at, before=before)
    document = msgspec.json.encode(members)
    return Settled(
        row=row, hash=digest, created_at=created_at, updated_at=updated_at, document=document,
        change=_name_change(row, old, before=before, after=document),
    )  # fmt: skip


def _read_members(row: Row) -> Struct:
    """A carried document as its struct, without its stamps."""
    assert row.document is not None
    members = msgspec.json.decode(row.document, type=STRUCTS[row.kind])
    return msgspec.structs.replace(members, updated_at=None)


def _stamp_members(row: Row, *, created_at: int, updated_at: int, before: bytes | None) -> Struct:
    members = row.members if row.members is not None else _read_members(row)
    changes: dict[str, Any] = {
        "created_at": format_instant(created_at),
        "updated_at": format_instant(updated_at),
    }
    part = {"class": "sections", "camp": "sessions"}.get(row.kind)
    if part is not None:
        changes[part] = _stamp_parts(getattr(members, part), before, part, format_instant(updated_at))
    return msgspec.structs.replace(members, **changes)


def _stamp_parts(parts: Iterable[Any], before: bytes | None, member: str, stamp: str) -> tuple[Struct, ...]:
    """Sections and sessions keep their own `updated_at` while they say the same."""
    old = {} if before is None else {part["id"]: part for part in msgspec.json.decode(before)[member]}
    stamped = []
    for part in parts:
        was = old.get(part.id)
        now = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(part, updated_at=None)))
        kept = was is not None and {**was, "updated_at": None} == now
        stamped.append(msgspec.structs.replace(part, updated_at=was["updated_at"] if kept and was else stamp))
    return tuple(stamped)


def name_kind(old: Mapping[str, Any] | None, status: int | None) -> str | None:
    """decisions: created, updated, removed, restored; none for what readers can't see on either side.

    `old` is the row before, `status` the one that it has now; None where there is none.
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


def name_changed_members(before: bytes, after: bytes, *, shared: bool = False) -> tuple[str, ...]:
    """Top-level public members that differ between two documents, by name.

    `shared`: only of those that both have, since another renderer's new member is no change of the listing.
    """
    old, new = msgspec.json.decode(before), msgspec.json.decode(after)
    names = ({*old} & {*new} if shared else {*old, *new}) - set(_STAMPS)
    return tuple(sorted(name for name in names if old.get(name) != new.get(name)))
