"""Publish one metro: from its tables to objects in the store and a manifest. Pure except for the store."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import partial
from io import BytesIO
from pathlib import Path

import polars as pl
from msgspec.structs import replace

from outings.answers.derived import derive_of_answers, derive_tables
from outings.answers.renderer_version import RENDERER_VERSION
from outings.contract.vocabulary import Vocabulary
from outings.release.manifest import (
    LAYOUT,
    FeedAccount,
    Manifest,
    Origins,
    Table,
    add_accounts,
    hash_snapshot,
    store_language,
)
from outings.release.mapped_table import LAYOUT as MAPPED_LAYOUT
from outings.release.mapped_table import encode_mapped
from outings.release.root import Part
from outings.release.snapshot import name_snapshot
from outings.release.store import Corrupt, NotFound, Store, encode_canonical, read_object
from outings.release.tables import PUBLISHED
from pipeline.fingerprint import number_renderer
from pipeline.previous_release import PreviousMetro
from pipeline.process_memory import return_memory
from pipeline.publish.metro_plan import Attachments, MetroBuild, MetroPlan
from pipeline.publish.objects.documents import pack_documents
from pipeline.publish.objects.exports import find_kept, put_exports
from pipeline.publish.objects.object_writer import ObjectWriter
from pipeline.publish.objects.precomputed_pages import put_pages
from pipeline.publish.objects.site import put_metro_site
from pipeline.resolve.previous_rows import PreviousSnapshot
from pipeline.tables.feed_account import count_tables
from pipeline.tables.similar import make_related
from pipeline.tables.snapshot_tables import Tables, encode_table, make_zips
from pipeline.tables.table_builder import TableBuilder
from pipeline.tables.versions import Change

# Days before and after the build's local date, both inclusive.
HORIZON = timedelta(days=400)


def open_previous(
    store: Store,
    released: PreviousMetro | None,
    *,
    cache: Path,
    vocabulary: Vocabulary | None = None,
    program: str | None = None,
) -> PreviousSnapshot:
    """Open the metro's previous snapshot. The origins of its rows are read only if the same program made them and they
    are not lost. `vocabulary`: the build's; if None, the snapshot's own."""
    if released is None:
        return PreviousSnapshot(None)
    manifest = released.manifest
    snapshot = name_snapshot(store, manifest, cache=cache)
    if manifest.origins is None or manifest.origins.program != program:
        return PreviousSnapshot(snapshot, vocabulary=vocabulary)
    try:
        origins = pl.read_parquet(BytesIO(read_object(store, manifest.origins.object)))
    except (NotFound, Corrupt, pl.exceptions.PolarsError):
        return PreviousSnapshot(snapshot, vocabulary=vocabulary)
    return PreviousSnapshot(snapshot, vocabulary=vocabulary, origins=origins, horizon=find_horizon(manifest.date))


def withdraw_metro(store: Store, released: PreviousMetro, *, cache: Path) -> tuple[Change, ...]:
    """Return a removal of each published row, for a metro that leaves."""
    previous = open_previous(store, released, cache=cache)
    rows = [row for row_id in previous if (row := previous.get(row_id)) is not None]
    return tuple(
        Change(listing_id=row["id"], type=row["kind"], slug=row["slug"], kind="removed", reason="withdrawn")
        for row in rows
        if row["status"] == PUBLISHED
    )


def find_horizon(today: date) -> tuple[date, date]:
    return today - HORIZON, today + HORIZON


def open_builder(previous: PreviousSnapshot, plan: MetroPlan, *, renderer: int | None = None) -> TableBuilder:
    """Return an empty builder of the metro's tables, to be opened with `with`.

    `renderer`: the version that made the documents of carried rows, if not this program's."""
    ours = number_renderer()
    return TableBuilder(
        previous, stamp=int(plan.stamp.timestamp()), metro=plan.metro.slug,
        is_ours=plan.previous is not None and {plan.previous.manifest.renderer, renderer or ours} == {ours},
        categories={} if plan.language is None else plan.language.categories,
    )  # fmt: skip


def publish_metro(
    made: Tables, attached: Attachments, previous: PreviousSnapshot, *, plan: MetroPlan, store: Store
) -> MetroBuild:
    """Write all objects of a metro durably, before any release names them, and return the new MetroBuild. Frees the
    tables of `made`: the rest reads the written ones."""
    released = plan.previous
    writer = ObjectWriter(store, known=_list_known(released, previous))
    manifest = _write_tables(made, plan=plan, writer=writer, account=attached.account)
    manifest = _keep_stamp(manifest, released)
    made.buffer.close()
    return_memory()
    snapshot = name_snapshot(store, manifest, cache=plan.cache)
    manifest = replace(manifest, mapped={**manifest.mapped, **_put_mapped(derive_of_answers(snapshot), writer)})
    pages = put_pages(snapshot, plan.today, writer=writer)
    old = None if released is None else released.manifest
    kept = partial(find_kept, previous=old, manifest=manifest)
    exports = put_exports(snapshot, writer=writer, find_kept=kept)
    state = {
        "delta_state": attached.delta_state, "lent": attached.shared.lent, "foreign": attached.shared.foreign,
        "located": attached.located,
    }  # fmt: skip
    named = {"located": None if old is None else old.located}
    named |= {name: writer.put(data) for name, data in state.items() if data is not None}
    site = plan.site and put_metro_site(
        snapshot, plan.today, settings=plan.site, outlines=attached.outlines, pictures=attached.pictures,
        fetch_pictures=attached.fetch_pictures, writer=writer,
    )  # fmt: skip
    manifest = replace(manifest, exports=exports, pages=pages, answers=str(RENDERER_VERSION), site=site, **named)
    sha = writer.put(encode_canonical(manifest))
    writer.flush()
    return MetroBuild(
        slug=plan.metro.slug,
        part=Part(manifest=sha, stamp=manifest.stamp, snapshot=hash_snapshot(manifest)),
        changes=made.changes,
        tally=writer.tally,
        account=manifest.account,
        pictures=(len(site.pictures), site.missing_pictures) if site and attached.fetch_pictures else None,
    )


def _list_known(released: PreviousMetro | None, previous: PreviousSnapshot) -> set[str]:
    """Return the objects of the previous release that need not be written again: all but state for builds that may be
    lost, because only builds read it."""
    if released is None:
        return set()
    manifest = released.manifest
    state = {manifest.delta_state, manifest.lent, manifest.foreign}
    if manifest.origins is not None and previous.origins is None:
        state.add(manifest.origins.object)
    return {sha for sha in released.list_objects() if sha not in state}


def _write_tables(
    made: Tables, *, plan: MetroPlan, writer: ObjectWriter, account: Mapping[str, FeedAccount]
) -> Manifest:
    """Write a metro's tables and return the manifest. Frees the tables of `made`."""
    old = None if plan.previous is None else plan.previous.manifest
    packs = () if old is None else old.packs
    frames, packs = pack_documents(made.tables, made.buffer, packs=packs, emptied=plan.emptied, writer=writer)
    frames["related"] = make_related(frames, today=plan.today)
    if plan.centroids:
        frames["zips"] = make_zips(plan.centroids)
    tables = {name: _put_table(encode_table(frame), frame, writer) for name, frame in frames.items()}
    target = BytesIO()
    made.origins.write_parquet(target, compression="uncompressed", statistics=False)
    origins = None if plan.program is None else Origins(program=plan.program, object=writer.put(target.getvalue()))
    account = add_accounts([count_tables(frames, today=plan.today), account])
    made.tables.clear()
    mapped = _put_mapped(derive_tables(frames, today=plan.today, language=plan.language), writer)
    del frames
    writer.flush()
    return Manifest(
        layout=LAYOUT, renderer=plan.renderer or number_renderer(), metro=plan.metro, stamp=plan.stamp, date=plan.today,
        vocabulary=plan.vocabulary, related=plan.related, stored_language=store_language(plan.language),
        inputs=plan.inputs, tables=tables, mapped=mapped,
        mapped_layout=MAPPED_LAYOUT,
        packs=packs, pages={}, origins=origins, account=account,
        first_slug=plan.first_slug,
    )  # fmt: skip


def _put_mapped(derived: Iterator[tuple[str, pl.DataFrame]], writer: ObjectWriter) -> dict[str, Table]:
    """Write tables as mapped tables, one by one so that only one is in memory. Return the stored tables by name."""
    mapped = {}
    for name, frame in derived:
        mapped[name] = _put_table(encode_mapped(frame), frame, writer)
        del frame
    return mapped


def _put_table(data: bytes, frame: pl.DataFrame, writer: ObjectWriter) -> Table:
    return Table(object=writer.put(data), size=len(data), rows=frame.height)


def _keep_stamp(manifest: Manifest, released: PreviousMetro | None) -> Manifest:
    """Keep the stamp of a metro whose snapshot is unchanged, so that the bytes of its answers stay the same."""
    if released is None:
        return manifest
    same = replace(manifest, stamp=released.manifest.stamp)
    return same if hash_snapshot(same) == hash_snapshot(released.manifest) else manifest
