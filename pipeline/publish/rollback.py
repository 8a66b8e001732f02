"""Roll back: publish a new release with the listings of an old one."""

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path

from msgspec import Struct

from outings.release.manifest import read_manifest
from outings.release.publishing import Publication, make_deadline, publish
from outings.release.root import ListedRelease, Part
from outings.release.snapshot import name_snapshot
from outings.release.store import Store
from outings.release.tables import read_columns
from outings.release.trust import ANYBODY, Trust
from pipeline.clean.withdrawn_records import WithdrawalMatcher, strip_memory
from pipeline.previous_release import read_previous_metro, read_previous_release
from pipeline.publish.metro import open_builder, open_previous, publish_metro, withdraw_metro
from pipeline.publish.metro_plan import MetroBuild
from pipeline.publish.objects.site import compose_site, read_settings
from pipeline.publish.organization_changes import compare_organizations
from pipeline.publish.takedown.metro import copy_attachments, plan_kept, strip_kept
from pipeline.publish.takedown.rows import RowStripper
from pipeline.resolve.previous_rows import PreviousSnapshot
from pipeline.tables.snapshot_tables import make_tables
from pipeline.tables.versions import list_versions


class RollbackResult(Struct, frozen=True, kw_only=True):
    """The new release, and its metros with the listings of the old one."""

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
    """Publish the listings of `target` as a new release, without those that were taken down since. `today`: each
    metro's local date. Pages are made with the settings of the current release.

    Raises ConcurrentPublication if a build publishes meanwhile, and NotFound if the old release ended with a takedown
    and its objects were pruned.
    """
    check_deadline = make_deadline(act="rollback")
    slugs = read_previous_release(store, current.root).first_slugs
    taken = WithdrawalMatcher(current.root.withdrawals, slugs)
    feeds = {name: strip_memory(store, memory, taken) for name, memory in target.root.feeds.items()}

    def roll_metro_back(slug: str, part: Part) -> MetroBuild:
        released = read_previous_metro(store, current.root.parts[slug]) if slug in current.root.parts else None
        manifest = read_manifest(store, part.manifest)
        source = PreviousSnapshot(name_snapshot(store, manifest, cache=cache))
        assert source.snapshot is not None
        stripping = RowStripper(source, taken.ids)
        source.drop_rows(taken.ids)
        kept = strip_kept(store, manifest, taken)
        plan = plan_kept(
            manifest, source.snapshot, previous=released, today=today[slug], stamp=stamp, cache=cache,
            inputs="" if taken else manifest.inputs, site=read_settings(store, current.root.site),
        )  # fmt: skip
        rows = ((stripping if row_id in stripping.touched else source).copy_row(row_id) for row_id in source)
        neighborhoods = read_columns(source.snapshot.tables["neighborhoods"], "neighborhoods")
        previous = open_previous(store, released, cache=cache, vocabulary=plan.vocabulary)
        with open_builder(previous, plan, renderer=manifest.renderer) as builder:
            builder.add(rows, {})
            tables, attached = make_tables(builder, neighborhoods), copy_attachments(store, manifest, kept)
            return publish_metro(tables, attached, previous, plan=plan, store=store)

    built = [roll_metro_back(slug, part) for slug, part in sorted(target.root.parts.items())]
    parts: dict[str, Part | None] = {metro.slug: metro.part for metro in built}
    changes = {metro.slug: metro.changes for metro in built}
    for slug in sorted(current.root.parts.keys() - target.root.parts.keys()):
        parts[slug] = None
        released = read_previous_metro(store, current.root.parts[slug])
        changes[slug] = withdraw_metro(store, released, cache=cache)
    published = publish(
        store,
        base=current.root,
        parts=parts,
        changes=list_versions(changes, stamp=stamp),
        feeds={name: feeds.get(name) for name in {*current.root.feeds, *feeds}},
        now=stamp,
        find_changes=lambda current_parts: compare_organizations(
            store, changes, current_parts=current_parts, parts=parts, stamp=stamp, cache=cache
        ),
        make_site=compose_site(store),
        check_deadline=check_deadline,
        trust=trust,
        act="rollback",
    )
    return RollbackResult(published=published, metros=tuple(built))
