"""Logs made up in memory, of small segments, with a count of what was read of them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from outings.release.log import History, Version, append_versions
from outings.release.root import Log
from outings.release.store import hash_of

NOON = datetime(2026, 8, 1, 12, tzinfo=UTC)
SEGMENT = 600
KINDS = ["created", "updated", "removed", "restored"]
TYPES = ["event", "class", "camp", "place"]


class Shelf(dict[str, bytes]):
    """Objects by hash; `read` names those that were read, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def __call__(self, sha: str) -> bytes:
        self.read.append(sha)
        return self[sha]

    def __repr__(self) -> str:
        return f"Shelf of {len(self)}"

    def make_history(self, changes: Sequence[Version], *, steps: int = 1) -> History:
        """Grown in so many steps."""
        log, size = Log(), -(-len(changes) // steps) or 1
        for at in range(0, len(changes), size):
            grown = append_versions(log, changes[at : at + size], read=self, segment=SEGMENT)
            self.update({hash_of(data): data for data in grown.objects})
            log = grown.log
        self.read.clear()
        return History(log, self)


def change(row_id: str, **members: Any) -> Version:
    plain = {
        "type": "event", "metro": "harbor", "slug": "x", "kind": "created", "reason": None, "replaced_by": None,
        "changed_at": NOON, "fields": (),
    }  # fmt: skip
    return Version(listing_id=row_id, **{**plain, **members})


def make_changes(random: Random, ids: Sequence[str], count: int) -> list[Version]:
    """Make changes of every kind, type and metro, some of them of an organization in one metro or in both."""
    made = []
    for number in range(count):
        kind, is_organization = random.choice(KINDS), random.random() < 0.2
        metro = random.choice(["harbor", "lakeside", None] if is_organization else ["harbor", "lakeside"])
        made.append(
            change(
                random.choice(ids), metro=metro, kind=kind, slug=f"slug-{number}",
                type="organization" if is_organization else random.choice(TYPES),
                reason="cancelled" if kind == "removed" else None,
                fields=("name", "price") if kind == "updated" else (),
                changed_at=NOON + timedelta(seconds=number),
                metros=("harbor", "lakeside") if metro is None else (),
                known_in=random.choice([(), ("lakeside",)]) if is_organization and metro == "harbor" else (),
            )
        )  # fmt: skip
    return made
