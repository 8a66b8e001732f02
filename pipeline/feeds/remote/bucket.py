"""Fetches a feed's files from an S3 bucket: one key, or all keys that match a pattern."""

from fnmatch import fnmatchcase
from glob import escape, has_magic
from pathlib import Path, PurePosixPath

from outings.release.store import NotFound, StoreError
from outings.release.stores import open_store

SCHEME = "s3://"


class BucketError(Exception):
    """The bucket can't be read; the text says why."""


def read_bucket(
    url: str, *, folder: Path, most: int, endpoint_url: str | None, region: str | None
) -> list[tuple[str, Path]]:
    """Writes the files to `folder`, at most `most` bytes in all; their addresses, in order, and paths. Unread."""
    bucket, _, pattern = url.removeprefix(SCHEME).partition("/")
    files: list[tuple[str, Path]] = []
    try:
        store = open_store(f"{SCHEME}{bucket}", endpoint_url=endpoint_url, region=region)
        entries = [each for each in store.list(_find_prefix(pattern)) if _matches(each.name, pattern)]
        if not entries:
            raise BucketError("no key matches" if has_magic(pattern) else "there is no such key")
        if sum(entry.size for entry in entries) > most:
            raise BucketError(f"has more than {most:,} bytes, the feed's max_bytes")
        for number, entry in enumerate(sorted(entries, key=lambda entry: entry.name)):
            path = folder / f"{number}{PurePosixPath(entry.name).suffix.lower()}"
            path.write_bytes(store.get(entry.name))
            files.append((f"{SCHEME}{bucket}/{entry.name}", path))
    except NotFound:
        raise BucketError("changed while it was read; run the command again when nothing changes it") from None
    except StoreError as error:
        raise BucketError(error.cause) from error
    return files


def _find_prefix(pattern: str) -> str:
    """What stands before the first sign of a pattern."""
    plain = next((number for number in range(len(pattern)) if escape(pattern[number]) != pattern[number]), len(pattern))
    return pattern[:plain]


def _matches(name: str, pattern: str) -> bool:
    """A pattern's * is of one folder, as a path's is."""
    return name == pattern or (name.count("/") == pattern.count("/") and fnmatchcase(name, pattern))
