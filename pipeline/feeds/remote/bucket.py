"""Fetches a feed's files from an S3 bucket: one key, or all keys that match a pattern."""

import re
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path, PurePosixPath

from outings.configuration import Configuration, FeedTable
from outings.release.store import NotFound, StoreError
from outings.release.stores import open_store
from pipeline.feeds.source import FeedError, SourceFile, look_at

SCHEME = "s3://"
_SIGNS = re.compile(r"[*?[]")


def read_bucket(feed: FeedTable, configuration: Configuration, folder: Path) -> tuple[SourceFile, ...]:
    """Writes the files to `folder`, in the order of their addresses. Raises FeedError."""
    bucket, _, pattern = feed.url.removeprefix(SCHEME).partition("/")
    settings = configuration.store
    files: list[SourceFile] = []
    try:
        store = open_store(f"{SCHEME}{bucket}", endpoint_url=settings.endpoint_url, region=settings.region)
        entries = [each for each in store.list(_SIGNS.split(pattern, maxsplit=1)[0]) if _matches(each.name, pattern)]
        if not entries:
            raise FeedError(feed.name, feed.url, "no key matches" if has_magic(pattern) else "there is no such key")
        if sum(entry.size for entry in entries) > feed.max_bytes:
            raise FeedError(feed.name, feed.url, f"has more than {feed.max_bytes:,} bytes, the feed's max_bytes")
        for number, entry in enumerate(sorted(entries, key=lambda entry: entry.name)):
            path = folder / f"{number}{PurePosixPath(entry.name).suffix.lower()}"
            path.write_bytes(store.get(entry.name))
            files.append(look_at(feed, f"{SCHEME}{bucket}/{entry.name}", path))
    except NotFound:
        changed = "changed while it was read; run the command again when nothing changes it"
        raise FeedError(feed.name, feed.url, changed) from None
    except StoreError as error:
        raise FeedError(feed.name, feed.url, error.cause) from None
    except OSError as error:
        raise FeedError(feed.name, feed.url, f"can't be stored while it is read: {error.strerror}") from error
    return tuple(files)


def _matches(name: str, pattern: str) -> bool:
    """A pattern's * is of one folder, as a path's is."""
    return name == pattern or (name.count("/") == pattern.count("/") and fnmatchcase(name, pattern))
