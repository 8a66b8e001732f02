"""Versions of a log, a page at a time."""

from outings.release.log import Log, ReadObject, Version, read_versions


def read_page(log: Log, *, after: int, limit: int, read: ReadObject) -> list[Version]:
    """Read at most `limit` versions with ids above `after`, in order."""
    last = min(after + limit, log.latest_version_id)
    return read_versions(log, range(max(after, 0) + 1, last + 1), read=read)
