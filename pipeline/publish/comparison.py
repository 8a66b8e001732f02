"""Compare two releases: which listings differ, and in which members."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from outings.release.root import Root
from outings.release.store import Store
from outings.release.tables import PUBLISHED
from pipeline.previous_release import read_previous_metro
from pipeline.publish.metro import open_previous
from pipeline.resolve.previous_rows import PreviousSnapshot
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
            metros = [None if part is None else read_previous_metro(store, part) for part in parts]
            before, after = (open_previous(store, released, cache=cache) for released in metros)
            differences += sorted(
                _compare(metro, before, after), key=lambda difference: (difference.type, difference.slug, difference.id)
            )
    return differences


def _compare(metro: str, before: PreviousSnapshot, after: PreviousSnapshot) -> Iterator[Difference]:
    """Yield the differences between a metro's rows."""
    for row_id in {*before, *after}:
        rows = before.get(row_id), after.get(row_id)
        old, new = (row if row is not None and row["status"] == PUBLISHED else None for row in rows)
        fields: tuple[str, ...] = ()
        if old is not None and new is not None:
            if old["hash"] == new["hash"]:
                continue
            fields = name_changed_members(before.read_document(row_id), after.read_document(row_id))
            if not fields:
                continue  # they differ by the version of the program alone
        if old is not None or new is not None:
            kind = "created" if old is None else "removed" if new is None else "updated"
            row = rows[1] or rows[0]
            assert row is not None
            yield Difference(metro=metro, type=row["kind"], id=row_id, slug=row["slug"], kind=kind, fields=fields)
