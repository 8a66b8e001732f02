"""Publish one metro without the withdrawn listings. All that showed them or contained their words is rebuilt; the
rest is unchanged.

State for the metro's next build loses them too: delta state, and organizations lent to other metros.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from operator import is_
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outings.release.manifest import Manifest
from outings.release.root import Part
from outings.release.site import SiteSettings
from outings.release.snapshot import Snapshot
from outings.release.store import Corrupt, Store
from outings.release.tables import PUBLISHED, read_columns
from pipeline.clean.withdrawn_records import WithdrawalMatcher, list_marks, strip_records
from pipeline.previous_release import PreviousMetro, read_previous_metro
from pipeline.publish.metro import open_builder, open_previous, publish_metro
from pipeline.publish.metro_plan import Attachments, MetroBuild, MetroPlan
from pipeline.publish.objects.site import read_outlines
from pipeline.publish.takedown.rows import RowStripper
from pipeline.resolve.delta_state import encode_delta_state, parse_delta_state, read_state
from pipeline.resolve.foreign_organizations import SharedState, read_shared_state
from pipeline.resolve.listings.rows import Row
from pipeline.resolve.previous_rows import PreviousSnapshot
from pipeline.tables.snapshot_tables import copy_centroids, make_tables
from pipeline.tables.versions import Change


class MetroWithdrawal(Struct, frozen=True, kw_only=True):
    """The rows to withdraw from a metro, by id; `stripping` removes them from rows that show them."""

    released: PreviousMetro
    previous: PreviousSnapshot
    rows: Mapping[str, Mapping[str, Any]]
    stripping: RowStripper

    def list_marks(self, row_id: str) -> Iterator[str]:
        if row_id in self.rows:
            yield from list_marks(self.rows[row_id], metro=self.released.first_slug)


def find_withdrawal(store: Store, part: Part, ids: Collection[str], *, cache: Path) -> MetroWithdrawal:
    """Find the rows with these ids. Raises NotFound, Corrupt, StoreError."""
    released = read_previous_metro(store, part)
    origins = released.manifest.origins
    previous = open_previous(store, released, cache=cache, program=None if origins is None else origins.program)
    return MetroWithdrawal(
        released=released,
        previous=previous,
        rows={row_id: row for row_id in sorted(ids) if (row := previous.get(row_id)) is not None},
        stripping=RowStripper(previous, ids),
    )


def strip_metro(
    store: Store,
    withdrawal: MetroWithdrawal,
    taken: WithdrawalMatcher,
    *,
    stamp: datetime,
    reason: str,
    cache: Path,
    site: SiteSettings | None,
) -> MetroBuild | None:
    """Build the metro without the withdrawn rows, or return None if it has none of them. `site`: settings of the
    metro's pages, if it has any. The next build reads the metro even if no feed changed."""
    manifest, previous = withdrawal.released.manifest, withdrawal.previous
    kept = strip_kept(store, manifest, taken)
    if not withdrawal.rows and not withdrawal.stripping.touched and not kept.has_moved:
        return None
    snapshot = previous.snapshot
    assert snapshot is not None
    plan = plan_kept(
        manifest, snapshot, previous=withdrawal.released, today=manifest.date, stamp=stamp, inputs="", cache=cache,
        site=site, program=None if manifest.origins is None else manifest.origins.program, renderer=manifest.renderer,
        emptied=_find_packs(snapshot, manifest, taken.ids),
    )  # fmt: skip
    shown = [row for row in withdrawal.rows.values() if row["status"] == PUBLISHED]
    previous.drop_rows(withdrawal.rows)
    origins, touched = previous.origins or {}, withdrawal.stripping.touched
    unchanged = {
        row_id: origins.get(row_id) for row_id in previous if row_id not in touched and previous.find_row(row_id) >= 0
    }
    with open_builder(previous, plan) as builder:
        builder.add(_list_rows(withdrawal), unchanged)
        tables = make_tables(builder, read_columns(snapshot.tables["neighborhoods"], "neighborhoods"))
        built = publish_metro(tables, copy_attachments(store, manifest, kept), previous, plan=plan, store=store)
    removed = tuple(
        Change(listing_id=row["id"], type=row["kind"], slug=row["id"], kind="removed", reason=reason) for row in shown
    )
    return replace(built, changes=(*removed, *built.changes))


def _list_rows(withdrawal: MetroWithdrawal) -> Iterator[Row]:
    """Yield the rows to render again, and all organizations, because only listings can stay unchanged."""
    for row_id in withdrawal.previous:
        if row_id in withdrawal.stripping.touched:
            yield withdrawal.stripping.copy_row(row_id)
        elif withdrawal.previous.find_row(row_id) < 0:
            yield withdrawal.previous.copy_row(row_id)


def _find_packs(snapshot: Snapshot, manifest: Manifest, ids: Collection[str]) -> frozenset[str]:
    """Return the packs that contain any of the ids, even in a document to which no row refers."""
    packs = zip(manifest.packs, (data[0 : len(data)] for data in snapshot.packs), strict=True)
    return frozenset(pack.object for pack, data in packs if any(row_id.encode() in data for row_id in ids))


class MetroState(Struct, frozen=True, kw_only=True):
    """A metro's state for its next build, without withdrawn records. `has_moved`: it had some."""

    delta_state: bytes | None
    shared: SharedState
    has_moved: bool


def plan_kept(manifest: Manifest, snapshot: Snapshot, **plan: Any) -> MetroPlan:
    """Return a plan with the release's own settings. `plan`: the other fields."""
    return MetroPlan(
        metro=manifest.metro, vocabulary=manifest.vocabulary, related=manifest.related, language=manifest.language,
        first_slug=manifest.first_slug, centroids=copy_centroids(snapshot), **plan,
    )  # fmt: skip


def copy_attachments(store: Store, manifest: Manifest, kept: MetroState) -> Attachments:
    """Return all that a release has of the metro beside its tables."""
    return Attachments(
        outlines=read_outlines(store, manifest), pictures=manifest.pictures, delta_state=kept.delta_state,
        shared=kept.shared,
    )  # fmt: skip


def strip_kept(store: Store, manifest: Manifest, taken: WithdrawalMatcher) -> MetroState:
    """Return the metro's state for its next build without the withdrawn records. Unreadable state, and
    references to other metros' organizations, are dropped: the next build resolves these again."""
    delta_state, shared = read_state(store, manifest.delta_state), read_shared_state(store, manifest)
    if not taken:
        return MetroState(delta_state=delta_state, shared=shared, has_moved=False)
    records, lent = (_strip(data, taken) for data in (delta_state, shared.lent))
    return MetroState(
        delta_state=records, shared=SharedState(lent=lent), has_moved=records != delta_state or lent != shared.lent
    )


def _strip(data: bytes | None, taken: WithdrawalMatcher) -> bytes | None:
    if data is None:
        return None
    try:
        records = parse_delta_state(data)
    except (Corrupt, msgspec.DecodeError):
        return None
    remaining = strip_records(records, taken)
    unchanged = len(remaining) == len(records) and all(map(is_, remaining, records))
    return data if unchanged else encode_delta_state(remaining)
