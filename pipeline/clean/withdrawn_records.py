"""Remove withdrawn listings from stored records. The root of a release names these by marks: hashes of the names by
which records refer to a listing, so that a root reveals none of its words."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import is_
from typing import Any

import msgspec
import zstandard
from msgspec.structs import replace

from outings.contract.text import fold_text
from outings.release.root import FeedMemory, Withdrawals, leave_out_texts, list_withdrawn
from outings.release.store import Corrupt, NotFound, Store
from pipeline.clean.feed_read import (
    CleanedRecord,
    FeedRead,
    SpooledRecord,
    decode_head,
    decode_record,
    encode_cleaned,
    encode_record,
    put_cached_read,
    put_problems,
    read_cached_read,
    read_problems,
)
from pipeline.records.ids import assign_id, make_id, make_organization_id
from pipeline.records.record import ORGANIZATION, RECORDS, Head, ListingHead, Problem, Reference

_DIGITS = 32
# What records may refer to by its name, and what such a mark is called. A place of the same name is meant too: what a
# record says of an address is not compared, because marks can't be.
_NAMED = {ORGANIZATION: "name", "place": "place name"}


def list_marks(row: Mapping[str, Any], *, metro: str) -> Iterator[str]:
    """Yield the marks of a row: hashes by which its own records and references to it are recognized."""
    kind = row["kind"]
    yield _mark("slug", metro, kind, row["slug"])
    if kind in _NAMED:
        yield _mark(_NAMED[kind], metro, fold_text(row["name"]))
    feed, _, rest = row["source"].partition("/")
    if feed:
        yield _mark("source", feed, kind, rest.partition("/")[2])


class WithdrawalMatcher:
    """A matcher that recognizes the records of withdrawn listings, and references to them. `first_slugs`: by slug, the
    first slugs of metros, by which references of their records are known."""

    def __init__(self, withdrawals: Withdrawals, first_slugs: Mapping[str, str] = {}) -> None:
        self._first_slugs = first_slugs
        self.ids = list_withdrawn(withdrawals)
        self._marks = frozenset(mark for row_id in self.ids for mark in withdrawals[row_id].marks)

    def __bool__(self) -> bool:
        return bool(self.ids)

    def is_own(self, head: Head) -> bool:
        """Return True if the record is that of a withdrawn listing, even if its id has changed."""
        return assign_id(head) in self.ids or _mark("source", head.feed, head.type, head.source_id) in self._marks

    def is_named(self, reference: Reference | None, kind: str, *, feed: str, metro: str) -> bool:
        """Return True if a reference in a record of `feed` leads to something withdrawn, by any of its members."""
        if reference is None:
            return False
        if reference.id is not None and reference.id.lower() in self.ids:
            return True
        metro, marks = self._first_slugs.get(metro, metro), []
        if reference.source_id is not None:
            giver = reference.feed or feed
            if make_id(giver, kind, reference.source_id) in self.ids:
                return True
            marks.append(_mark("source", giver, kind, reference.source_id))
        if reference.slug is not None:
            marks.append(_mark("slug", metro, kind, reference.slug))
        if reference.name is not None:
            if kind == ORGANIZATION and make_organization_id(metro, reference.name) in self.ids:
                return True
            marks.append(_mark(_NAMED[kind], metro, fold_text(reference.name)))
        return not self._marks.isdisjoint(marks)

    def has_source(self, feed: str, source_id: str | None) -> bool:
        """Return True if this feed's record with this `source_id`, of any type, is withdrawn."""
        if source_id is None:
            return False
        return any(
            _mark("source", feed, kind, source_id) in self._marks or make_id(feed, kind, source_id) in self.ids
            for kind in RECORDS
        )


def _mark(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGITS]


# Of objects that a build does without where they are torn.
_UNREADABLE = (NotFound, Corrupt, msgspec.DecodeError, zstandard.ZstdError)


def strip_read(read: FeedRead, taken: WithdrawalMatcher) -> FeedRead:
    """Return `read` without withdrawn records and references to them, or `read` itself if it has none. Texts that no
    reader understood may be theirs, and go too."""
    if not taken:
        return read
    kept = [record for own in read.cleaned if (record := _strip_cleaned(own, taken)) is not None]
    problems = strip_problems(read.problems, taken)
    if len(problems) == len(read.problems) and len(kept) == len(read.cleaned) and all(map(is_, kept, read.cleaned)):
        return read
    withdrawn = read.withdrawn + len(read.cleaned) - len(kept)
    return replace(read, cleaned=kept, problems=problems, withdrawn=withdrawn, unread=leave_out_texts(read.unread))


def strip_problems(problems: Sequence[Problem], taken: WithdrawalMatcher) -> tuple[Problem, ...]:
    return tuple(problem for problem in problems if not taken.has_source(problem.feed, problem.source_id))


def _strip_cleaned(cleaned: CleanedRecord, taken: WithdrawalMatcher) -> CleanedRecord | None:
    head = decode_head(cleaned.encoded, cleaned.kind, crawled=None).head
    if taken.is_own(head):
        return None
    members = _find_named(head, taken)
    return encode_cleaned(replace(decode_record(cleaned.encoded, cleaned.kind), **members)) if members else cleaned


def strip_records(records: Iterable[SpooledRecord], taken: WithdrawalMatcher) -> list[SpooledRecord]:
    stripped = []
    for record in records:
        if taken.is_own(record.head):
            continue
        if members := _find_named(record.head, taken):
            cleared = replace(record.read_record(), **members)
            record = decode_head(encode_record(cleared), cleared.type, crawled=record.crawled)
        stripped.append(record)
    return stripped


def _find_named(head: Head, taken: WithdrawalMatcher) -> dict[str, Any]:
    """Return null for each member, `organization` or `place`, by which the record refers to something withdrawn."""
    if not isinstance(head, ListingHead):
        return {}
    references = {ORGANIZATION: head.organization, "place": head.place}
    return {
        name: None
        for name, reference in references.items()
        if taken.is_named(reference, name, feed=head.feed, metro=head.metro or "")
    }


def strip_memory(store: Store, memory: FeedMemory, taken: WithdrawalMatcher) -> FeedMemory:
    """Remove withdrawn records from a feed's memory, and store its changed objects again. An unreadable object is
    dropped, so that the next build reads the feed, and so are pages that the feed links to."""
    stripped = replace(_strip_problems(store, memory, taken), pages=None)
    try:
        if memory.records is not None:
            read = read_cached_read(store, memory.records)
            left = strip_read(read, taken)
            if left is not read:
                gone = left.withdrawn - read.withdrawn
                stripped = replace(stripped, records=put_cached_read(store, left), withdrawn=memory.withdrawn + gone)
    except _UNREADABLE:
        return forget_answers(stripped)
    return stripped


def forget_answers(memory: FeedMemory) -> FeedMemory:
    """Forget what the feed's server answered, so that the next build requests and reads the feed as if for the first
    time."""
    return replace(
        memory, question=None, records=None, etag=None, last_modified=None, pages=None, next=None, walked_at=None
    )  # fmt: skip


def _strip_problems(store: Store, memory: FeedMemory, taken: WithdrawalMatcher) -> FeedMemory:
    try:
        problems = read_problems(store, memory.problems)
    except _UNREADABLE:
        return replace(memory, problems=None)
    left = strip_problems(problems, taken)
    return memory if len(left) == len(problems) else replace(memory, problems=put_problems(store, left))
