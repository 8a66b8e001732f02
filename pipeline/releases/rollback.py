"""A rollback is a publish: one more release, with the listings of an old one."""

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path

from msgspec import Struct

from outings.release.objects import Corrupt, read_object
from outings.release.parquet_columns import read_columns
from outings.release.publishing import Publication, make_deadline, publish
from outings.release.reading import open_snapshot
from outings.release.releases import ListedRelease
from outings.release.root import Part, Root
from outings.release.snapshot import Snapshot
from outings.release.store import NotFound, Store
from outings.release.tables import PUBLISHED
from outings.release.trust import ANYBODY, Trust
from pipeline.centroids import carry_centroids
from pipeline.changes.diff import Change
from pipeline.changes.versions import compare_organizations, list_versions
from pipeline.listings.previous import PreviousSnapshot
from pipeline.metro import MetroBuild, MetroPlan, build_metro, open_previous, read_base
from pipeline.objects.delta_state import DeltaState
from pipeline.shared_organizations import read_shared_state
from pipeline.tables.vectors import ModelPlan


class RollbackResult(Struct, frozen=True, kw_only=True):
    published: Publication
    metros: tuple[MetroBuild, ...]


def roll_back(
    store: Store,
    *,
    current: ListedRelease,
    target: ListedRelease,
    stamp: datetime,
    today: Mapping[str, date],
    cache: Path,
    trust: Trust = ANYBODY,
) -> RollbackResult:
    """`today`: each metro's local date. Raises BuildRaced when a build publishes meanwhile."""
    check_deadline = make_deadline(act="rollback")
    built = [
        _roll_metro_back(store, slug, current=current.root, target=part, stamp=stamp, today=today[slug], cache=cache)
        for slug, part in sorted(target.root.parts.items())
    ]
    parts: dict[str, Part | None] = {each.slug: each.part for each in built}
    changes = {each.slug: each.changes for each in built}
    for slug in sorted(current.root.parts.keys() - target.root.parts.keys()):
        parts[slug] = None
        base = read_base(store, current.root.parts[slug])
        changes[slug] = _withdraw_all(open_previous(store, base, cache=cache))
    published = publish(
        store,
        base=current.root,
        parts=parts,
        changes=list_versions(changes, stamp=stamp),
        feeds={name: target.root.feeds.get(name) for name in {*current.root.feeds, *target.root.feeds}},
        now=stamp,
        find_changes=lambda standing: compare_organizations(
            store, changes, standing=standing, parts=parts, stamp=stamp, cache=cache
        ),
        check_deadline=check_deadline,
        trust=trust,
        act="rollback",
    )
    return RollbackResult(published=published, metros=tuple(built))


def _roll_metro_back(
    store: Store,
    slug: str,
    *,
    current: Root,
    target: Part,
    stamp: datetime,
    today: date,
    cache: Path,
) -> MetroBuild:
    base = read_base(store, current.parts.get(slug))
    old = read_base(store, target)
    assert old is not None
    manifest = old.manifest
    source = PreviousSnapshot(open_snapshot(store, manifest, cache=cache))
    assert source.snapshot is not None
    plan = MetroPlan(
        metro=manifest.metro, vocabulary=manifest.vocabulary, related=manifest.related, today=today, stamp=stamp,
        inputs=manifest.inputs, details=manifest.details is not None, cache=cache, base=base,
        model=_keep_vectors(source.snapshot), centroids=carry_centroids(source.snapshot),
    )  # fmt: skip
    return build_metro(
        [source.carry_row(row_id) for row_id in source],
        open_previous(store, base, cache=cache, vocabulary=plan.vocabulary),
        plan=plan,
        neighborhoods=read_columns(source.snapshot.tables["neighborhoods"], "neighborhoods"),
        store=store,
        standing=_keep_standing(store, manifest.standing),
        spanning=read_shared_state(store, manifest),
        renderer=manifest.renderer,
    )


def _keep_vectors(snapshot: Snapshot) -> ModelPlan | None:
    """A rollback needs no model: its texts are those of the old release."""
    known = snapshot.semantic
    return None if known is None else ModelPlan(hash=known.model, known=known)


def _withdraw_all(previous: PreviousSnapshot) -> tuple[Change, ...]:
    """The metro did not exist in the old release: its published rows are gone."""
    rows = [row for row_id in previous if (row := previous.get(row_id)) is not None]
    return tuple(
        Change(
            listing_id=row["id"], type=row["kind"], slug=row["slug"], kind="removed",
            reason="withdrawn", replaced_by=None, fields=(),
        )
        for row in rows
        if row["status"] == PUBLISHED
    )  # fmt: skip


def _keep_standing(store: Store, sha: str | None) -> DeltaState:
    """Where it is gone the next build's report says so; a rollback does without."""
    try:
        return DeltaState() if sha is None else DeltaState(read_object(store, sha))
    except (NotFound, Corrupt):
        return DeltaState(torn=sha)
