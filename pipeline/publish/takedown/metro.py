"""One metro without what is withdrawn: what showed it and what had its words are made anew, all else stays."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from outings.release.manifest import Manifest
from outings.release.root import Part
from outings.release.site import SiteSettings
from outings.release.snapshot import Snapshot
from outings.release.store import Store
from outings.release.tables import PUBLISHED, read_columns
from pipeline.before import Base, read_base
from pipeline.clean.withdrawn_records import WithdrawalMatcher, list_marks
from pipeline.publish.metro import build_metro, open_previous
from pipeline.publish.metro_plan import MetroBuild
from pipeline.publish.takedown.metro_state import plan_kept, strip_kept
from pipeline.publish.takedown.rows import RowStripper
from pipeline.resolve.listings.rows import Listings, Row, UnchangedListing
from pipeline.resolve.previous import PreviousSnapshot
from pipeline.tables.versions import Change


class MetroWithdrawal(Struct, frozen=True, kw_only=True):
    """What a metro has of what is to be withdrawn: its rows by id, and what becomes of those that show it."""

    base: Base
    previous: PreviousSnapshot
    rows: Mapping[str, Mapping[str, Any]]
    stripping: RowStripper

    def list_marks(self, row_id: str) -> Iterator[str]:
        if row_id in self.rows:
            yield from list_marks(self.rows[row_id], metro=self.base.manifest.metro.slug)


def find_withdrawal(store: Store, part: Part, ids: Collection[str], *, cache: Path) -> MetroWithdrawal:
    """NotFound, Corrupt, StoreError."""
    base = read_base(store, part)
    origins = base.manifest.origins
    previous = open_previous(store, base, cache=cache, program=None if origins is None else origins.program)
    return MetroWithdrawal(
        base=base,
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
    """None where it has nothing of it. `site`: what the metro's pages are made with, if it has any. The build after it
    looks at the metro again, whatever feeds say."""
    manifest, previous = withdrawal.base.manifest, withdrawal.previous
    kept = strip_kept(store, manifest, taken)
    if not withdrawal.rows and not withdrawal.stripping.touched and not kept.has_moved:
        return None
    snapshot = previous.snapshot
    assert snapshot is not None
    plan = plan_kept(
        manifest, snapshot, base=withdrawal.base, today=manifest.date, stamp=stamp, inputs="", cache=cache, site=site,
        program=None if manifest.origins is None else manifest.origins.program, renderer=manifest.renderer,
        emptied=_find_packs(snapshot, manifest, taken.ids),
    )  # fmt: skip
    shown = [row for row in withdrawal.rows.values() if row["status"] == PUBLISHED]
    previous.drop_rows(withdrawal.rows)
    listings = Listings(
        rows=_list_rows(withdrawal),
        stays=_list_stays(withdrawal),
        neighborhoods=read_columns(snapshot.tables["neighborhoods"], "neighborhoods"),
        delta_state=kept.delta_state,
        spanning=kept.spanning,
    )
    built = build_metro(listings, previous, plan=plan, store=store)
    removed = tuple(
        Change(listing_id=row["id"], type=row["kind"], slug=row["id"], kind="removed", reason=reason) for row in shown
    )
    return replace(built, changes=(*removed, *built.changes))


def _list_rows(withdrawal: MetroWithdrawal) -> Iterator[Row]:
    """What is rendered again, and organizations, of which there are no others."""
    for row_id in withdrawal.previous:
        if row_id in withdrawal.stripping.touched:
            yield withdrawal.stripping.carry_row(row_id)
        elif withdrawal.previous.find_row(row_id) < 0:
            yield withdrawal.previous.carry_row(row_id)


def _list_stays(withdrawal: MetroWithdrawal) -> list[UnchangedListing]:
    origins = withdrawal.previous.origins or {}
    return [
        UnchangedListing(id=row_id, origin=origins.get(row_id))
        for row_id in withdrawal.previous
        if row_id not in withdrawal.stripping.touched and withdrawal.previous.find_row(row_id) >= 0
    ]


def _find_packs(snapshot: Snapshot, manifest: Manifest, ids: Collection[str]) -> frozenset[str]:
    """Those in which one of them stands, be it in a document that no row has any more."""
    packs = set()
    for pack, data in zip(manifest.packs, snapshot.packs, strict=True):
        words = data[0 : len(data)]
        if any(row_id.encode() in words for row_id in ids):
            packs.add(pack.object)
    return frozenset(packs)
