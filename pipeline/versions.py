"""Changes of several metros → the versions of one release, in an order that depends on nothing but them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import polars as pl

from outings.release.cache import fetch_object
from outings.release.log import UnnumberedVersion
from outings.release.manifest import read_manifest
from outings.release.root import Part
from outings.release.store import Store
from pipeline.diff import Change


def join_versions(
    store: Store,
    changes: Mapping[str, Sequence[Change]],
    *,
    parts: Mapping[str, Part | None],
    stamp: datetime,
    cache: Path,
) -> list[UnnumberedVersion]:
    """`parts`: all that the release will have. An organization of several metros is one version, of no metro."""
    spanning = _find_spanning(store, changes, parts=parts, cache=cache)
    versions: list[UnnumberedVersion] = []
    joined: dict[str, set[str]] = {}
    for metro in sorted(changes):
        for change in changes[metro]:
            if change.listing_id in spanning:
                kinds = joined.setdefault(change.listing_id, set())
                if change.kind in kinds:
                    continue
                kinds.add(change.kind)
            versions.append(
                UnnumberedVersion(
                    listing_id=change.listing_id, type=change.type,
                    metro=None if change.listing_id in spanning else metro, slug=change.slug,
                    kind=change.kind, reason=change.reason, replaced_by=change.replaced_by,
                    stamp=stamp, fields=change.fields,
                )
            )  # fmt: skip
    return versions


def _find_spanning(
    store: Store,
    changes: Mapping[str, Sequence[Change]],
    *,
    parts: Mapping[str, Part | None],
    cache: Path,
) -> set[str]:
    """Of the organizations that changed, those of more than one metro."""
    changed = {each.listing_id for some in changes.values() for each in some if each.type == "organization"}
    if not changed or len(parts) < 2:
        return set()
    seen: set[str] = set()
    spanning: set[str] = set()
    for part in parts.values():
        if part is not None:
            here = _list_organizations(store, part, cache=cache) & changed
            spanning |= here & seen
            seen |= here
    return spanning


def _list_organizations(store: Store, part: Part, *, cache: Path) -> set[str]:
    table = read_manifest(store, part.manifest).tables["organizations"]
    path = fetch_object(store, table.object, folder=cache)
    return set(pl.read_parquet(path, columns=["id"])["id"].to_list())
