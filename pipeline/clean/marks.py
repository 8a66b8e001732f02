"""Marks: what records call a listing by, as hashes. With them a root tells what was taken down without a word of it."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from outings.contract.text import fold_text
from outings.release.root import Withdrawals, list_withdrawn
from pipeline.records.ids import assign_id, make_id, make_organization_id
from pipeline.records.record import ORGANIZATION, RECORDS, Head, Reference

_DIGITS = 32
# What records may refer to by its name, and what such a mark is called. A place of the same name is meant too: what a
# record says of an address is not compared, because marks can't be.
_NAMED = {ORGANIZATION: "name", "place": "place name"}


def list_marks(row: Mapping[str, Any], *, metro: str) -> Iterator[str]:
    """Of a row: by which records are its own, and by which others refer to it."""
    kind = row["kind"]
    yield _mark("slug", metro, kind, row["slug"])
    if kind in _NAMED:
        yield _mark(_NAMED[kind], metro, fold_text(row["name"]))
    feed, _, rest = row["source"].partition("/")
    if feed:
        source_id = rest.partition("/")[2]
        yield _mark_source(feed, kind, source_id)


class WithdrawalMatcher:
    """What is withdrawn, as records are asked whether they speak of it."""

    def __init__(self, withdrawals: Withdrawals) -> None:
        self.ids = list_withdrawn(withdrawals)
        self._marks = frozenset(mark for row_id in self.ids for mark in withdrawals[row_id].marks)

    def __bool__(self) -> bool:
        return bool(self.ids)

    def is_own(self, head: Head) -> bool:
        """Whether this is the record of something withdrawn, whatever id it has by now."""
        return assign_id(head) in self.ids or _mark_source(head.feed, head.type, head.source_id) in self._marks

    def is_named(self, reference: Reference | None, kind: str, *, feed: str, metro: str) -> bool:
        """Whether a record of this feed refers to something withdrawn, in any way."""
        if reference is None:
            return False
        if reference.id is not None and reference.id.lower() in self.ids:
            return True
        marks = []
        if reference.source_id is not None:
            giver = reference.feed or feed
            if make_id(giver, kind, reference.source_id) in self.ids:
                return True
            marks.append(_mark_source(giver, kind, reference.source_id))
        if reference.slug is not None:
            marks.append(_mark("slug", metro, kind, reference.slug))
        if reference.name is not None:
            if kind == ORGANIZATION and make_organization_id(metro, reference.name) in self.ids:
                return True
            marks.append(_mark(_NAMED[kind], metro, fold_text(reference.name)))
        return not self._marks.isdisjoint(marks)

    def has_source(self, feed: str, source_id: str | None) -> bool:
        """Whether a record of this feed, of whatever type, is something withdrawn."""
        if source_id is None:
            return False
        return any(
            _mark_source(feed, kind, source_id) in self._marks or make_id(feed, kind, source_id) in self.ids
            for kind in RECORDS
        )


def _mark_source(feed: str, kind: str, source_id: str) -> str:
    return _mark("source", feed, kind, source_id)


def _mark(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGITS]
