"""Compare two releases: which listings differ, and in which members."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from outings.release.manifest import read_manifest
from outings.release.root import Part, Root
from outings.release.store import Store
from outings.release.tables import PUBLISHED
from pipeline.before import read_base
from pipeline.publish.metro import open_previous
from pipeline.resolve.previous import PreviousSnapshot
from pipeline.tables.diff import name_changed_members


class Difference(Struct, frozen=True, kw_only=True):
    """A listing that differs between two releases. `kind`: as in the feed of changes from the first to the second."""

    metro: str
    type: str
    id: str
    slug: str
    kind: str
    fields: tuple[str, ...] = ()


def compare_releases(store: Store, one: Root, other: Root, *, cache: Path) -> list[Difference]:
    """Return the differences between two releases, sorted by metro, type and slug. Listings that readers see in neither
    are left out."""
    differences: list[Difference] = []
    for metro in sorted({*one.parts, *other.parts}):
        parts = one.parts.get(metro), other.parts.get(metro)
        if parts[0] != parts[1]:
            before, after = (_open(store, part, cache=cache) for part in parts)
            shared = not _have_one_renderer(store, parts)
            differences += sorted(
                _compare(metro, before, after, shared=shared),
                key=lambda difference: (difference.type, difference.slug, difference.id),
            )
    return differences


def _open(store: Store, part: Part | None, *, cache: Path) -> PreviousSnapshot:
    return open_previous(store, None if part is None else read_base(store, part), cache=cache)


def _have_one_renderer(store: Store, parts: Iterable[Part | None]) -> bool:
    return len({read_manifest(store, part.manifest).renderer for part in parts if part is not None}) == 1


def _compare(metro: str, before: PreviousSnapshot, after: PreviousSnapshot, *, shared: bool) -> Iterator[Difference]:
    for row_id in {*before, *after}:
        old, new = before.get(row_id), after.get(row_id)
        row = new or old
        assert row is not None
        was = old is not None and old["status"] == PUBLISHED
        now = new is not None and new["status"] == PUBLISHED
        fields: tuple[str, ...] = ()
        if was and now:
            if old is not None and new is not None and old["hash"] == new["hash"]:
                continue
            documents = before.read_document(row_id), after.read_document(row_id)
            fields = name_changed_members(*documents, shared=shared)
            if shared and not fields:
                continue  # another program shows more of it, or less
        if was or now:
            kind = "updated" if was and now else "created" if now else "removed"
            yield Difference(metro=metro, type=row["kind"], id=row_id, slug=row["slug"], kind=kind, fields=fields)
