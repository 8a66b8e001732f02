"""The shrink guard: refuses a full feed that lost too many records, because the feed is probably broken."""

from collections.abc import Iterable, Mapping

from outings.configuration import FeedTable
from outings.failures import GuardRefusal
from outings.release.root import FeedMemory

_ADVICE = "if the listings are really gone, publish with --allow-shrink"


class ShrinkRefusal(GuardRefusal):
    """A full feed lost more than its `max_shrink`; nothing is published."""


def refuse_shrink(feeds: Iterable[FeedTable], now: Mapping[str, FeedMemory], before: Mapping[str, FeedMemory]) -> None:
    """Compares with the previous release. Raises ShrinkRefusal."""
    refused = [
        f"feed {feed.name}: {reason}"
        for feed in feeds
        if feed.name in now and (reason := explain_shrink(feed, now[feed.name], before.get(feed.name)))
    ]
    if refused:
        raise ShrinkRefusal("\n".join([*refused, _ADVICE]))


def explain_shrink(feed: FeedTable, now: FeedMemory, before: FeedMemory | None) -> str | None:
    """Why the feed is refused. Quarantined records count: their last good versions stay."""
    if feed.mode != "full" or before is None:
        return None
    had, has = before.listings + before.quarantined, now.listings + now.quarantined
    if has >= had * (1 - feed.max_shrink):
        return None
    lost, allowed = 100 * (had - has) / had, 100 * feed.max_shrink
    return f"{has} records, {had} in the previous release: {lost:.0f} % are gone, max_shrink allows {allowed:.0f} %"


def refuse_restart(feed: str, *, had: int, has: int, max_shrink: float) -> None:
    """Checks a delta feed that was read again from its first page. Raises ShrinkRefusal."""
    if has < had * (1 - max_shrink):
        lost = 100 * (had - has) / had
        raise ShrinkRefusal(
            f"feed {feed}: read again from its first page it has {has} records, {had} in the previous release: "
            f"{lost:.0f} % are gone, max_shrink allows {100 * max_shrink:.0f} %\n{_ADVICE}"
        )
