"""Turn the changes of organizations in several metros into the versions of one release.

An organization may have a copy in several metros, and readers see the copies merged. So a version is derived from the
copies in all metros before and after, also in metros that this build left alone.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import Struct

from outings.answers.organizations import Rank, rank_copy
from outings.release.cache import fetch_object
from outings.release.log import Version
from outings.release.manifest import Manifest, read_manifest
from outings.release.root import Part
from outings.release.store import Store
from outings.release.tables import PUBLISHED, read_columns
from pipeline.tables.diff import name_changed_members, name_kind
from pipeline.tables.versions import Change, list_organizations

_COLUMNS = (
    "id", "slug", "status", "reason", "replaced_by", "hash", "updated_at", "pack", "offset", "length", "home"
)  # fmt: skip


class OrganizationCopy(Struct, frozen=True, kw_only=True):
    """The row of an organization in one metro."""

    metro: str
    row: Mapping[str, Any]
    read_document: Callable[[], bytes]

    @property
    def is_own(self) -> bool:
        """Return True if a record of that metro states the organization; False if a listing there only refers to
        another metro's."""
        return self.row["home"] is None


def compare_organizations(
    store: Store,
    changes: Mapping[str, Sequence[Change]],
    *,
    current_parts: Mapping[str, Part],
    parts: Mapping[str, Part | None],
    stamp: datetime,
    cache: Path,
) -> list[Version]:
    """Return the versions of the organizations that changed in some metro, by id. `parts` replace those of
    `current_parts`."""
    ids = list_organizations(changes)
    if not ids:
        return []
    following = {slug: part for slug, part in {**current_parts, **parts}.items() if part is not None}
    before = _read_copies(store, current_parts, ids, cache=cache)
    after = _read_copies(store, following, ids, cache=cache)
    return [version for id_ in sorted(ids) for version in _tell_organization(before[id_], after[id_], stamp=stamp)]


def _read_copies(
    store: Store, parts: Mapping[str, Part], ids: Collection[str], *, cache: Path
) -> defaultdict[str, list[OrganizationCopy]]:
    copies: defaultdict[str, list[OrganizationCopy]] = defaultdict(list)
    for metro, part in sorted(parts.items()):
        manifest = read_manifest(store, part.manifest)
        file = fetch_object(store, manifest.tables["organizations"].object, folder=cache)
        rows = read_columns(file, "organizations", _COLUMNS).filter(pl.col("id").is_in(list(ids)))
        for row in rows.iter_rows(named=True):
            read_document = partial(_read_document, store, manifest, row, cache=cache)
            copies[row["id"]].append(OrganizationCopy(metro=metro, row=row, read_document=read_document))
    return copies


def _tell_organization(
    before: Sequence[OrganizationCopy], after: Sequence[OrganizationCopy], *, stamp: datetime
) -> Iterator[Version]:
    """Yield the version of an organization for readers of all its metros. If it remains in a metro, also yield versions
    for readers of single metros that it enters or leaves."""
    old, new = (min(copies, key=_rank, default=None) for copies in (before, after))
    kind = name_kind(None if old is None else old.row, None if new is None else new.row["status"])
    if kind not in (None, "updated"):
        yield _make_version(kind, before, after, homes=_list_homes(before if kind == "removed" else after), stamp=stamp)
        return
    was, now = _list_homes(before), _list_homes(after)
    entered, left = now - was, was - now
    if entered:
        of_them = [copy for copy in before if copy.metro in entered]
        kinds = {name_kind(copy.row, PUBLISHED) for copy in of_them}
        came = "restored" if "restored" in kinds else "created"
        yield _make_version(came, before, after, homes=entered, known_in=was, stamp=stamp)
    if kind == "updated":
        yield from _tell_update(before, after, stamp=stamp)
    if left:
        gone = [copy for copy in after if copy.metro in left]
        yield _make_version("removed", before, gone, homes=left, known_in=now, stamp=stamp)


def _tell_update(
    before: Sequence[OrganizationCopy], after: Sequence[OrganizationCopy], *, stamp: datetime
) -> Iterator[Version]:
    """Yield updates of an organization: copies that a metro's own record states for readers of any of its metros, other
    copies for readers who see no such copy."""
    own, lent = (_choose_own(before), _choose_own(after)), (_choose_lent(before), _choose_lent(after))
    updates = [sides for sides in (own, lent) if _is_other(*sides)]
    if not updates:
        return
    fields = {name for sides in updates for name in _name_fields(*sides)}
    homes, known_in = _list_homes((*before, *after)), set[str]()
    if own not in updates:
        known_in = _list_homes(own[1])
        homes -= known_in
    if homes:
        yield _make_version(
            "updated", before, after, homes=homes, known_in=known_in, stamp=stamp, fields=tuple(sorted(fields))
        )


def _choose_own(copies: Sequence[OrganizationCopy]) -> list[OrganizationCopy]:
    """Return the published copies that their metro's own record states, else all published copies."""
    shown = [copy for copy in copies if copy.row["status"] == PUBLISHED]
    return [copy for copy in shown if copy.is_own] or shown


def _choose_lent(copies: Sequence[OrganizationCopy]) -> list[OrganizationCopy]:
    return [copy for copy in copies if copy.row["status"] == PUBLISHED and not copy.is_own]


def _make_version(
    kind: str,
    before: Sequence[OrganizationCopy],
    after: Sequence[OrganizationCopy],
    *,
    homes: Collection[str],
    stamp: datetime,
    known_in: Collection[str] = (),
    fields: tuple[str, ...] = (),
) -> Version:
    """Make a version. `homes`: the metros whose readers get it. `after` is empty if no copy remains."""
    shown, is_removed = min(after or before, key=_rank), kind == "removed"
    metros = {copy.metro for copy in (*before, *after)}
    is_one = len(metros) == 1
    return Version(
        listing_id=shown.row["id"],
        type="organization",
        metro=metros.pop() if is_one else None,
        slug=shown.row["slug"],
        kind=kind,
        reason=(shown.row["reason"] if after else "withdrawn") if is_removed else None,
        replaced_by=shown.row["replaced_by"] if is_removed and after else None,
        changed_at=stamp,
        fields=fields,
        metros=() if is_one else tuple(sorted(homes)),
        known_in=tuple(sorted(known_in)),
    )


def _list_homes(copies: Sequence[OrganizationCopy]) -> set[str]:
    """Return the metros that show the organization."""
    return {copy.metro for copy in copies if copy.row["status"] == PUBLISHED}


def _is_other(before: Sequence[OrganizationCopy], after: Sequence[OrganizationCopy]) -> bool:
    """Return True if readers of some of these metros see another record: a copy changed, or one that differs from the
    others appeared or went."""
    old, new = _list_hashes(before), _list_hashes(after)
    if any(old[metro] != new[metro] for metro in old.keys() & new.keys()):
        return True
    return bool(new) and old.keys() != new.keys() and len({*old.values(), *new.values()}) > 1


def _list_hashes(copies: Sequence[OrganizationCopy]) -> dict[str, bytes]:
    return {copy.metro: copy.row["hash"] for copy in copies}


def _rank(copy: OrganizationCopy) -> Rank:
    is_published, updated_at = copy.row["status"] == PUBLISHED, copy.row["updated_at"]
    return rank_copy(is_published=is_published, is_own=copy.is_own, updated_at=updated_at, metro=copy.metro)


def _name_fields(before: Sequence[OrganizationCopy], after: Sequence[OrganizationCopy]) -> set[str]:
    """Return the members in which any copy, before or after, differs from the organization's current record."""
    shown = {copy.row["hash"]: copy for copy in (*before, *after)}
    record = min(after, key=_rank).read_document()
    return {name for copy in shown.values() for name in name_changed_members(copy.read_document(), record)}


def _read_document(store: Store, manifest: Manifest, row: Mapping[str, Any], *, cache: Path) -> bytes:
    """Read the document of a row, and fetch only its pack: other packs may not be on this machine."""
    pack = fetch_object(store, manifest.packs[row["pack"]].object, folder=cache)
    return pack[row["offset"] : row["offset"] + row["length"]]
