"""Erasing: the log without the words of what was taken down. Its versions stay, and name it by its id alone."""

from collections.abc import Collection

from msgspec.structs import replace

from outings.release.log import ExtendedLog, ReadObject, has_listing, list_segments, rewrite_segment
from outings.release.root import Log


def erase_words(log: Log, ids: Collection[str], *, read: ReadObject) -> ExtendedLog:
    """The versions, in which the id of these listings and organizations stands for their slug."""
    objects: list[bytes] = []
    segments = []
    for segment in list_segments(log):
        if any(has_listing(segment, row_id, read=read) for row_id in ids):
            following, *made = rewrite_segment(
                segment, lambda each: replace(each, slug=each.listing_id) if each.listing_id in ids else each, read=read
            )
            objects += made
            segments.append(following)
        else:
            segments.append(segment)
    sealed = tuple(segments[: len(log.sealed)])
    return ExtendedLog(replace(log, sealed=sealed, tail=segments[-1] if log.tail else None), tuple(objects))
