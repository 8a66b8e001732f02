"""Turn the changes of several metros into the versions of one release, in a fixed order.

A listing belongs to one metro. For organizations see `pipeline.publish.organization_changes`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import asdict

from outings.release.log import Version


class Change(Struct, frozen=True, kw_only=True):
    """A change of one row. A version is a change with a number."""

    listing_id: str
    type: str
    slug: str
    kind: str
    reason: str | None = None
    replaced_by: str | None = None
    fields: tuple[str, ...] = ()


def list_versions(changes: Mapping[str, Sequence[Change]], *, stamp: datetime) -> list[Version]:
    """Return the versions of listings, metro by metro, each in its own order. For a listing that moved to another
    metro, its removal comes first."""
    versions = [
        Version(**asdict(change), metro=metro, changed_at=stamp)
        for metro in sorted(changes)
        for change in changes[metro]
        if change.type != "organization"
    ]
    counts = Counter(version.listing_id for version in versions)
    return sorted(versions, key=lambda version: counts[version.listing_id] > 1 and version.kind != "removed")


def list_organizations(changes: Mapping[str, Sequence[Change]]) -> set[str]:
    """Return the ids of the organizations that changed in some metro."""
    return {change.listing_id for some in changes.values() for change in some if change.type == "organization"}
