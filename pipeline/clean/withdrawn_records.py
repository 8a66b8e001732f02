"""Records without what is withdrawn: of a feed as it was read, and as they stand; and what was wrong with them."""

from collections.abc import Iterable, Sequence
from operator import is_
from typing import Any

import msgspec
import zstandard
from msgspec.structs import replace

from outings.release.objects import Corrupt
from outings.release.root import FeedMemory
from outings.release.store import NotFound, Store
from pipeline.clean.feed_read import (
    CleanedRecord,
    FeedRead,
    Records,
    encode_cleaned,
    list_cleaned,
    put_cached_read,
    read_cached_read,
)
from pipeline.clean.marks import WithdrawalMatcher
from pipeline.clean.problems import put_problems, read_problems
from pipeline.clean.spool import SpooledRecord, decode_head, encode_record
from pipeline.records.record import ORGANIZATION, Head, ListingHead, ListingRecord, Problem, Record

# Of objects that a build does without where they are torn.
_UNREADABLE = (NotFound, Corrupt, msgspec.DecodeError, zstandard.ZstdError)


def strip_read(read: FeedRead, taken: WithdrawalMatcher) -> FeedRead:
    """The object itself if it says nothing of what is withdrawn."""
    if not taken:
        return read
    cleaned = list_cleaned(read.records)
    kept = [each for each in (_strip_cleaned(each, taken) for each in cleaned) if each is not None]
    problems = strip_problems(read.problems, taken)
    if len(problems) == len(read.problems) and len(kept) == len(cleaned) and all(map(is_, kept, cleaned)):
        return read
    withdrawn = read.withdrawn + len(cleaned) - len(kept)
    return replace(read, records=Records(kept), problems=problems, withdrawn=withdrawn)


def strip_problems(problems: Sequence[Problem], taken: WithdrawalMatcher) -> tuple[Problem, ...]:
    return tuple(each for each in problems if not taken.has_source(each.feed, each.source_id))


def _strip_cleaned(cleaned: CleanedRecord, taken: WithdrawalMatcher) -> CleanedRecord | None:
    head = decode_head(cleaned.encoded, cleaned.kind, crawled=None).head
    if taken.is_own(head):
        return None
    members = _find_named(head, taken)
    if not members:
        return cleaned
    return encode_cleaned(_clear(Records([cleaned])[0], members))


def strip_records(records: Iterable[SpooledRecord], taken: WithdrawalMatcher) -> list[SpooledRecord]:
    stripped = []
    for each in records:
        if taken.is_own(each.head):
            continue
        if members := _find_named(each.head, taken):
            record = _clear(each.read_record(), members)
            each = decode_head(encode_record(record), record.type, crawled=each.crawled)
        stripped.append(each)
    return stripped


def _find_named(head: Head, taken: WithdrawalMatcher) -> list[str]:
    """The members by which it refers to something withdrawn."""
    if not isinstance(head, ListingHead):
        return []
    references = {ORGANIZATION: head.organization, "place": head.place}
    return [
        name
        for name, reference in references.items()
        if taken.is_named(reference, name, feed=head.feed, metro=head.metro or "")
    ]


def _clear(record: Record, members: Sequence[str]) -> Record:
    assert isinstance(record, ListingRecord)
    changed: dict[str, Any] = dict.fromkeys(members)
    return replace(record, **changed)


def strip_memory(store: Store, memory: FeedMemory, taken: WithdrawalMatcher) -> FeedMemory:
    """What the release remembers of a feed; its objects are written anew where they said something. What is torn is
    left out: the next build reads the feed."""
    stripped = _strip_problems(store, memory, taken)
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
    """Of what the feed's server said nothing is known: it is asked, and read, as if for the first time."""
    return replace(
        memory, question=None, records=None, etag=None, last_modified=None, next=None, walked_at=None
    )  # fmt: skip


def _strip_problems(store: Store, memory: FeedMemory, taken: WithdrawalMatcher) -> FeedMemory:
    try:
        problems = read_problems(store, memory.problems)
    except _UNREADABLE:
        return replace(memory, problems=None)
    left = strip_problems(problems, taken)
    return memory if len(left) == len(problems) else replace(memory, problems=put_problems(store, left))
