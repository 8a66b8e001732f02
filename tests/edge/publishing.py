"""Releases for the edge: two small metros, published by hand into a store, their pages included."""

import gzip
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from msgspec.structs import replace

from outings.answers.renderer_version import RENDERER_VERSION
from outings.answers.routes import answer
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.keys.key_text import make_key_text, split_key_text
from outings.keys.registry import Key, add_key, change_registry
from outings.release import mapped_table
from outings.release.cache import MappedFile
from outings.release.log import Version
from outings.release.manifest import LAYOUT, Manifest, Pack, PrecomputedPage, Table, hash_snapshot, read_manifest
from outings.release.pointer import read_current, read_pointer
from outings.release.publishing import Publication, publish
from outings.release.root import Part, read_root
from outings.release.snapshot import Release, Snapshot
from outings.release.store import Store, encode_canonical, put_object
from outings.release.trust import ANYBODY, Trust
from pipeline.publish.objects.exports import put_exports
from pipeline.publish.objects.object_writer import ObjectWriter
from tests.answers.documents import make_camp, make_class, make_event, make_organization, make_place
from tests.answers.worlds import COLLECTIONS, World, open_world

NOW = datetime(2026, 8, 10, 12, tzinfo=UTC)
TODAY = date(2026, 8, 10)

# The listings of each metro whose feed says where they came from.
SOURCED = ("event-1", "event-2", "camp", "place")


def make_id(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, name))


def make_world(slug: str, *, timezone: str, events: int = 5) -> World:
    """Events one a day from tomorrow on, a class, a camp, a place, an archived event and an organization."""
    dates = {make_id(f"{slug}-event-{n}"): datetime(2026, 8, 11 + n, 10) for n in range(events)}
    listings = [
        make_event(
            row_id, slug=f"story-{n}", name=f"Story {n} of {slug}", has_date=True, has_time=True, timezone=timezone,
            starts_local=f"{starts:%Y-%m-%dT%H:%M:%S}", starts_at=f"{starts:%Y-%m-%dT%H:%M:%S}Z", metro=slug,
            description="Stories, songs and rhymes for small children and whoever brings them. " * 20,
        )
        for n, (row_id, starts) in enumerate(dates.items())
    ]  # fmt: skip
    listings += [
        make_event(make_id(f"{slug}-archived"), slug="gone", status="archived", timezone=timezone, metro=slug),
        make_class(make_id(f"{slug}-class"), slug="clay", metro=slug),
        make_camp(make_id(f"{slug}-camp"), slug="woods", metro=slug),
        make_place(make_id(f"{slug}-place"), slug="library", metro=slug),
    ]
    return World(
        slug=slug, timezone=timezone, listings=listings, organizations=[make_organization(make_id(f"{slug}-org"))],
        dates={row_id: [starts] for row_id, starts in dates.items()},
        sources={make_id(f"{slug}-{name}"): {"url": f"https://{slug}.example/{name}"} for name in SOURCED},
    )  # fmt: skip


def make_worlds() -> list[World]:
    return [make_world("harbor", timezone="America/New_York"), make_world("lakeside", timezone="America/Los_Angeles")]


def publish_worlds(
    store: Store,
    worlds: Sequence[World],
    *,
    folder: Path,
    stamp: datetime = NOW,
    days: Sequence[date] = (TODAY,),
    trust: Trust = ANYBODY,
) -> Publication:
    """One more release, in which these metros are new as of `stamp`; `days` are those that pages are written for."""
    current = read_pointer(store)
    parts = {
        world.slug: put_snapshot(
            store, open_world(world, folder / f"{world.slug}-{stamp:%H%M%S}", stamp=stamp), days=days
        )
        for world in worlds
    }
    return publish(
        store,
        base=None if current is None else read_root(store, current.pointer.root),
        parts=parts,
        changes=[make_version(slug, stamp) for slug in parts],
        feeds={},
        now=stamp,
        trust=trust,
    )


def publish_restamped(store: Store, count: int, *, minutes: int = 1) -> list[str]:
    """Publish several releases, a minute apart, in which every metro has another snapshot of the same listings. Return
    their ids."""
    ids = []
    for minute in range(minutes, minutes + count):
        current = read_current(store)
        assert current is not None
        stamp = NOW + timedelta(minutes=minute)
        parts: dict[str, Part | None] = {}
        for slug, part in current.root.parts.items():
            manifest = replace(read_manifest(store, part.manifest), stamp=stamp)
            sha = put_object(store, encode_canonical(manifest))
            parts[slug] = Part(manifest=sha, stamp=stamp, snapshot=hash_snapshot(manifest))
        changes = [make_version(slug, stamp) for slug in parts]
        ids.append(publish(store, base=current.root, parts=parts, changes=changes, feeds={}, now=stamp).id)
    return ids


def put_snapshot(
    store: Store,
    snapshot: Snapshot,
    *,
    days: Sequence[date],
    vandal: bytes | None = None,
    exports: bool = True,
    answers: str = str(RENDERER_VERSION),
) -> Part:
    """`vandal`: a body that stands in every page instead of the answer; `exports`: whether there are files of it;
    `answers`: the program that wrote the pages."""
    manifest = Manifest(
        layout=LAYOUT, renderer=1, metro=snapshot.metro, stamp=snapshot.stamp, date=TODAY, inputs="",
        vocabulary=snapshot.vocabulary, pages=dict(list_pages(store, snapshot, days=days, vandal=vandal)),
        answers=answers,
        tables=_put_tables(store, snapshot.tables), mapped=_put_tables(store, snapshot.mapped),
        mapped_layout=mapped_table.LAYOUT,
        packs=tuple(
            Pack(object=put_object(store, bytes(data)), size=len(data), alive=len(data)) for data in snapshot.packs
        ),
    )  # fmt: skip
    if exports:
        writer = ObjectWriter(store, known=())
        made = put_exports(snapshot, writer=writer)
        manifest = replace(manifest, exports=made)
        writer.flush()
    return Part(
        manifest=put_object(store, encode_canonical(manifest)), stamp=snapshot.stamp, snapshot=hash_snapshot(manifest)
    )


def _put_tables(store: Store, files: Mapping[str, MappedFile]) -> dict[str, Table]:
    return {
        name: Table(object=put_object(store, bytes(file.view)), size=len(file), rows=0) for name, file in files.items()
    }


def list_pages(
    store: Store, snapshot: Snapshot, *, days: Sequence[date], vandal: bytes | None
) -> Sequence[tuple[str, PrecomputedPage]]:
    """The default first page of each list."""
    slug, pages = snapshot.metro.slug, []
    release = Release(id="", sequence=0, latest_version_id=0, metros={slug: snapshot})
    for collection in COLLECTIONS.values():
        match = match_route(f"/v1/{slug}/{collection}")
        assert match is not None
        query = parse_query(match, b"", vocabulary=snapshot.vocabulary)
        for day in days:
            made = answer(query, release=release, dates={slug: day}, entitlement=Entitlement())
            body = b"".join(made.parts) if vandal is None else vandal
            page = PrecomputedPage(object=put_object(store, gzip.compress(body, mtime=0)), size=len(body))
            pages.append((f"/v1/{slug}/{collection}@{day}", page))
    return pages


def make_version(slug: str, stamp: datetime) -> Version:
    return Version(
        listing_id=make_id(slug), type="event", metro=slug, slug="x", kind="created", reason=None, replaced_by=None,
        changed_at=stamp, fields=(),
    )  # fmt: skip


def add_keys(store: Store, members: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Keys by the name of their kind; their texts."""
    texts = {}
    for name, member in members.items():
        text = make_key_text()
        id_, hash_ = split_key_text(text)
        # The clock stands still for most tests: what no test is about is not to run out.
        plain = {"client": name, "plan": "partner", "per_minute": 1_000_000, "created_at": NOW}
        key = Key(**{"id": id_, "hash": hash_, **plain, **member})
        change_registry(store, lambda registry, key=key: add_key(registry, key))
        texts[name] = text
    return texts


KEY_KINDS: Mapping[str, Mapping[str, object]] = {
    "all": {},
    "other": {},
    "harbor": {"metros": ("harbor",)},
    "lakeside": {"metros": ("lakeside",)},
    "events": {"types": ("events",)},
    "places": {"types": ("places",)},
    "harbor_places": {"metros": ("harbor",), "types": ("places",)},
    "revoked": {"revoked_at": NOW - timedelta(days=1)},
    "expired": {"expires_at": NOW},
    "expiring": {"expires_at": NOW + timedelta(seconds=1)},
}
