"""The shrink guard: refuses a full feed that lost too many records, because the feed is probably broken."""

from collections.abc import Iterable, Mapping

from outings.configuration import FeedTable
from outings.release.root import FeedMemory

_ADVICE = "if the listings are really gone, publish with --allow-shrink"


class ShrinkRefusal(Exception):  # noqa: N818 - the name says it
    """A full feed lost more than its `max_shrink`; nothing is published. Exit 3."""


def refuse_shrink(feeds: Iterable[FeedTable], now: Mapping[str, FeedMemory], before: Mapping[str, FeedMemory]) -> None:
    """Compares listings and quarantined records (whose last good version stays) with the previous release. Raises
    ShrinkRefused."""
    refused = []
    for feed in feeds:
        old, new = before.get(feed.name), now.get(feed.name)
        if feed.mode != "full" or old is None or new is None:
            continue
        had, has = old.listings + old.quarantined, new.listings + new.quarantined
        if has < had * (1 - feed.max_shrink):
            lost = 100 * (had - has) / had
            refused.append(
                f"feed {feed.name}: {has} records, {had} in the previous release: {lost:.0f} % are gone, "
                f"max_shrink allows {100 * feed.max_shrink:.0f} %"
            )
    if refused:
        raise ShrinkRefusal("\n".join([*refused, _ADVICE]))


def refuse_restart(feed: str, *, had: int, has: int, max_shrink: float) -> None:
    """Checks a delta feed that was read again from its first page. Raises ShrinkRefused."""
    if has < had * (1 - max_shrink):
        lost = 100 * (had - has) / had
        raise ShrinkRefusal(
            f"feed {feed}: read again from its first page it has {has} records, {had} in the previous release: "
            f"{lost:.0f} % are gone, max_shrink allows {100 * max_shrink:.0f} %\n{_ADVICE}"
        )
