"""Ids that stay the same from build to build: the record's own, or a version-5 uuid of what it is called."""

from collections.abc import Iterable
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


def identify_records(records: Iterable[SpooledRecord], problems: list[Problem]) -> dict[str, SpooledRecord]:
    """By id; a second record that claims an id is set aside, since only one can be published. One that stood (line 0)
    is none of those that were read, and no less so."""
    by_id: dict[str, SpooledRecord] = {}
    for each in records:
        row_id = assign_id(each.head)
        first = by_id.setdefault(row_id, each)
        if first is not each:
            problems.append(
                Problem(
                    feed=each.head.feed, line=each.line, source_id=each.head.source_id, field="id",
                    reason=f"duplicate_id: {first.head.feed} line {first.line} has it too", value=row_id,
                    quarantined=each.line > 0,
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
