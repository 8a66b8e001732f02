"""Make ids that are the same in every build: the record's own, or a version-5 UUID of its names."""

from collections.abc import Iterable
from uuid import UUID, uuid5

from outings.contract.text import fold_text
from pipeline.records.record import Head

NAMESPACE = UUID("6f1f8a0e-5d0a-5c43-9a58-1d5b7c0e4f21")


def assign_id(record: Head) -> str:
    """Return the record's own `id`, else the UUID of `<feed name>/<type>/<source_id>`."""
    return record.id or make_id(record.feed, record.type, record.source_id)


def derives_id(record: Head) -> bool:
    """Return True if the record's id is the one made of its feed, type and source_id, even if the record states it."""
    # Only a uuid of version 5 can be one.
    own = record.id
    return own is None or (own[14] == "5" and own == make_id(record.feed, record.type, record.source_id))


def find_derived(records: Iterable[Head]) -> dict[str, str]:
    """Return the feed by each id that is made of a record's feed, type and source_id. No other feed may state it."""
    return {assign_id(record): record.feed for record in records if derives_id(record)}


def name_source(head: Head) -> str:
    """Return `<feed>/<type>/<source_id>`, the value of the column `source` of a row."""
    return f"{head.feed}/{head.type}/{head.source_id}"


def make_id(feed: str, kind: str, source_id: str) -> str:
    return str(uuid5(NAMESPACE, f"{feed}/{kind}/{source_id}"))


def make_organization_id(metro: str, name: str) -> str:
    """Return the id of an organization without a record, made of its metro's slug and its folded name."""
    return str(uuid5(NAMESPACE, f"{metro}/organization/{fold_text(name)}"))


def make_part_id(whole: str, part: str, number: int) -> str:
    """Return the id of a section or session without its own, made of its listing's id and its number from 0."""
    return str(uuid5(NAMESPACE, f"{whole}/{part}/{number}"))
