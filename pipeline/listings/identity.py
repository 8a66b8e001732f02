"""Ids that stay the same from build to build: the record's own, or a version-5 uuid of what it is called."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha1
from uuid import UUID

from outings.contract.folding import fold_text
from pipeline.records.record import Head, Problem
from pipeline.records.spool import SpooledRecord

NAMESPACE = UUID("6f1f8a0e-5d0a-5c43-9a58-1d5b7c0e4f21")
_NAMESPACE_BYTES = NAMESPACE.bytes


def assign_id(record: Head) -> str:
    """The record's own `id` in lower case, else the uuid of `<feed name>/<type>/<source_id>` (feeds, section 2)."""
    if record.id is not None:
        return record.id.lower()
    return make_id(record.feed, record.type, record.source_id)


def derives_id(record: Head) -> bool:
    """Return True if the record's id is the one made of its feed, type and source_id, stated or not."""
    # Only a uuid of version 5 can be one.
    own = record.id
    return own is None or (own[14] == "5" and own == make_id(record.feed, record.type, record.source_id))


def find_derived(records: Iterable[Head]) -> dict[str, str]:
    """Return the feeds by the ids that their records derive. Nobody else may state these."""
    return {assign_id(record): record.feed for record in records if derives_id(record)}


def name_source(head: Head) -> str:
    """Return the name of a record's source, as a row's column `source` has it."""
    return f"{head.feed}/{head.type}/{head.source_id}"


def identify_records(
    records: Sequence[SpooledRecord],
    problems: list[Problem],
    *,
    refused: Mapping[str, str],
    kept: Mapping[str, str],
    feeds: Sequence[str],
) -> dict[str, SpooledRecord]:
    """Return the first record of each id. `problems` gets the others, since only one can be published.

    One that stood (line 0) is none of those that were read, and no less so.

    Args:
        records: in the order in which they may have an id.
        problems: gets a problem for each record that can't have its id.
        refused: the ids that the metro may not have, with the reason.
        kept: the source by id of rows that stay without a record.
        feeds: their names, in the configuration's order.
    """
    ids = [assign_id(each.head) for each in records]
    derived: dict[str, str] = {}
    if any(each.head.id is not None for each in records):
        named = zip(ids, (each.head for each in records), strict=True)
        derived = {row_id: head.feed for row_id, head in named if derives_id(head)}

    def explain(row_id: str, head: Head) -> str | None:
        if row_id in refused:
            return refused[row_id]
        owner = derived.get(row_id, head.feed)
        if row_id in kept and owner == head.feed:
            feed, kind, source_id = kept[row_id].split("/", 2)
            if row_id == make_id(feed, kind, source_id) or feeds.index(feed) < feeds.index(head.feed):
                owner = feed
        return None if owner == head.feed else f"duplicate_id: {owner} has it too"

    by_id: dict[str, SpooledRecord] = {}
    is_simple = not (refused or derived or kept)  # as in most metros
    for row_id, each in zip(ids, records, strict=True):
        reason = None if is_simple else explain(row_id, each.head)
        if reason is None:
            first = by_id.setdefault(row_id, each)
            if first is each:
                continue
            reason = f"duplicate_id: {first.head.feed} line {first.line} has it too"
        problems.append(
            Problem(
                feed=each.head.feed, line=each.line, source_id=each.head.source_id, field="id", reason=reason,
                value=row_id, quarantined=each.line > 0,
            )
        )  # fmt: skip
    return by_id


def make_id(feed: str, kind: str, source_id: str) -> str:
    return _make_uuid(f"{feed}/{kind}/{source_id}")


def make_organization_id(metro: str, name: str) -> str:
    """Of an organization that listings only name: the uuid of `<metro slug>/organization/<folded name>`."""
    return _make_uuid(f"{metro}/organization/{fold_text(name)}")


def make_part_id(whole: str, part: str, number: int) -> str:
    """Of a section or session that has no id of its own: the uuid of `<listing's id>/<part>/<number>`, from 0."""
    return _make_uuid(f"{whole}/{part}/{number}")


def _make_uuid(name: str) -> str:
    """As `uuid.uuid5` in the namespace, of version 5 and variant 1 too, without an object for each."""
    digits = sha1(_NAMESPACE_BYTES + name.encode(), usedforsecurity=False).hexdigest()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"
