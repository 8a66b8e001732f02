"""Recognizes a feed that says what it said in the release before: by the hash of its bytes, and of what was asked."""

import hashlib
from collections.abc import Sequence

from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.release.objects import object_name
from outings.release.root import FeedMemory
from outings.release.store import Store
from pipeline.feeds.source import FeedSource, SourceFile, hash_feed, hash_settings
from pipeline.fingerprint import hash_program


def keep_known(
    feed: FeedTable,
    configuration: Configuration,
    files: tuple[SourceFile, ...],
    *,
    source: FeedSource,
    known: FeedMemory | None,
) -> FeedSource:
    """Uses the stored records if the bytes have not changed."""
    own = hash_feed(feed, configuration, files)
    kept = known.records if known is not None and known.hash == own else None
    before = None if known is None or kept is not None else known.records
    return replace(source, hash=own, files=files, kept=kept, before=before)


def choose_known(memory: FeedMemory | None, *, question: str) -> FeedMemory | None:
    return memory if memory is not None and memory.question == question and memory.records is not None else None


def hash_question(feed: FeedTable, configuration: Configuration, *, names: Sequence[str] = ()) -> str:
    """Of all that decides which records a feed's answer is: an answer to another question is not remembered."""
    digest = hashlib.sha256(hash_program().encode())
    digest.update(hash_settings(feed, configuration))
    digest.update("\n".join([feed.url, *names, *map(": ".join, sorted(feed.headers.items()))]).encode())
    return digest.hexdigest()


def check_memory(memory: FeedMemory | None, store: Store | None) -> FeedMemory | None:
    """What it names may be gone from a store that was copied in part: then it remembers nothing."""
    if memory is None or store is None:
        return None
    named = (sha for sha in (memory.records, memory.items) if sha is not None)
    return memory if all(store.exists(object_name(sha)) for sha in named) else None
