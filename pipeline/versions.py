"""Changes of several metros → the versions of one release, in an order that depends on nothing but them.

A listing is of one metro. An organization may be of several, and readers see its copies merged: what became of it is
told from the copies of all metros before and after, also of those that the build left alone.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import Struct

from outings.answers.organizations import rank_copy
from outings.release.cache import fetch_object
from outings.release.log import UnnumberedVersion
from outings.release.manifest import Manifest, read_manifest
from outings.release.root import Part
from outings.release.store import Store
from pipeline.diff import PUBLISHED, Change, name_changed_members, name_kind

_COLUMNS = ("id", "slug", "status", "reason", "replaced_by", "hash", "updated_at", "pack", "offset", "length")


class Copy(Struct, frozen=True, kw_only=True):
    """An organization as one metro has it."""

    metro: str
    row: Mapping[str, Any]
    manifest: Manifest


def list_versions(changes: Mapping[str, Sequence[Change]], *, stamp: datetime) -> list[UnnumberedVersion]:
    """Of listings: by metro, in each metro's order."""
    return [
        UnnumberedVersion(
            listing_id=change.listing_id, type=change.type, metro=metro, slug=change.slug, kind=change.kind,
            reason=change.reason, replaced_by=change.replaced_by, stamp=stamp, fields=change.fields,
        )
        for metro in sorted(changes)
        for change in changes[metro]
        if change.type != "organization"
    ]  # fmt: skip


def compare_organizations(
    store: Store,
    changes: Mapping[str, Sequence[Change]],
    *,
    standing: Mapping[str, Part],
    parts: Mapping[str, Part | None],
    stamp: datetime,
    cache: Path,
) -> list[UnnumberedVersion]:
    """Of the organizations that changed in some metro, by id. `parts` take the place of the `standing` ones."""
    ids = {each.listing_id for some in changes.values() for each in some if each.type == "organization"}
    if not ids:
        return []
    following = {slug: part for slug, part in {**standing, **parts}.items() if part is not None}
    before = _read_copies(store, standing, ids, cache=cache)
    after = _read_copies(store, following, ids, cache=cache)
    versions = (_compare(store, before[id_], after[id_], stamp=stamp, cache=cache) for id_ in sorted(ids))
    return [version for version in versions if version is not None]


def _read_copies(
    store: Store, parts: Mapping[str, Part], ids: Collection[str], *, cache: Path
) -> defaultdict[str, list[Copy]]:
    found: defaultdict[str, list[Copy]] = defaultdict(list)
    for metro, part in sorted(parts.items()):
        manifest = read_manifest(store, part.manifest)
        path = fetch_object(store, manifest.tables["organizations"].object, folder=cache)
        rows = pl.read_parquet(path, columns=list(_COLUMNS)).filter(pl.col("id").is_in(list(ids)))
        for row in rows.iter_rows(named=True):
            found[row["id"]].append(Copy(metro=metro, row=row, manifest=manifest))
    return found


def _compare(
    store: Store, before: Sequence[Copy], after: Sequence[Copy], *, stamp: datetime, cache: Path
) -> UnnumberedVersion | None:
    old, new = (min(copies, key=_rank, default=None) for copies in (before, after))
    kind = name_kind(None if old is None else old.row, None if new is None else new.row["status"])
    shown = new or old
    if kind is None or shown is None or (kind == "updated" and old and new and old.row["hash"] == new.row["hash"]):
        return None
    metros = set(_list_metros(before)) | set(_list_metros(after))
    is_removed = kind == "removed"
    return UnnumberedVersion(
        listing_id=shown.row["id"],
        type="organization",
        metro=None if len(metros) > 1 else metros.pop(),
        slug=shown.row["slug"],
        kind=kind,
        reason=("withdrawn" if new is None else new.row["reason"]) if is_removed else None,
        replaced_by=new.row["replaced_by"] if is_removed and new else None,
        stamp=stamp,
        fields=_name_fields(store, old, new, cache=cache) if kind == "updated" else (),
    )


def _rank(copy: Copy) -> tuple[bool, int, str]:
    return rank_copy(is_published=copy.row["status"] == PUBLISHED, updated_at=copy.row["updated_at"], metro=copy.metro)


def _list_metros(copies: Sequence[Copy]) -> Iterator[str]:
    return (copy.metro for copy in copies)


def _name_fields(store: Store, old: Copy | None, new: Copy | None, *, cache: Path) -> tuple[str, ...]:
    assert old is not None
    assert new is not None
    return name_changed_members(_read_document(store, old, cache=cache), _read_document(store, new, cache=cache))


def _read_document(store: Store, copy: Copy, *, cache: Path) -> bytes:
    """That pack alone: of a metro that is not built, the others may be on no disk here."""
    path = fetch_object(store, copy.manifest.packs[copy.row["pack"]].object, folder=cache)
    with path.open("rb") as file:
        file.seek(copy.row["offset"])
        return file.read(copy.row["length"])
