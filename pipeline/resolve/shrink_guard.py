"""The shrink guard refuses a full feed that lost too many listings, because the feed is probably broken."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from outings.failures import GuardRefusal
from pipeline.resolve.metro_claims import Claims, list_arrived

_ADVICE = "if the listings are really gone, publish with --allow-shrink"


class ShrinkRefusal(GuardRefusal):
    """A full feed lost more than its `max_shrink`; nothing is published."""


class FeedLoss(Struct, frozen=True):
    """The number of published listings that a feed had in a metro, and the ids of those that would disappear."""

    had: int
    gone: tuple[str, ...] = ()


def count_losses(published: Mapping[str, str], present: Collection[str]) -> dict[str, FeedLoss]:
    """Count by feed the listings that leave a metro.

    Args:
        published: the source of each listing that the previous release shows, by id.
        present: the ids that the metro will have, from any feed.
    """
    had, gone = Counter[str](), defaultdict[str, list[str]](list)
    for row_id, source in published.items():
        feed = source.partition("/")[0]
        had[feed] += 1
        if row_id not in present:
            gone[feed].append(row_id)
    return {feed: FeedLoss(number, tuple(gone[feed])) for feed, number in had.items() if feed}


def add_losses(losses: Sequence[Mapping[str, FeedLoss]], *, claims: Iterable[Claims]) -> dict[str, FeedLoss]:
    """Add up the losses of all metros by feed. Listings that moved to another metro, by its claims, do not count."""
    total: dict[str, FeedLoss] = {}
    arrived = list_arrived(claims)
    for metro in losses:
        for feed, loss in metro.items():
            earlier = total.get(feed, FeedLoss(0))
            gone = (row_id for row_id in loss.gone if row_id not in arrived)
            total[feed] = FeedLoss(earlier.had + loss.had, (*earlier.gone, *gone))
    return total


def find_shrunk(
    allowed: Mapping[str, float], losses: Sequence[Mapping[str, FeedLoss]], *, claims: Iterable[Claims]
) -> dict[str, ShrinkRefusal]:
    """Return the refusal of each feed that lost more than its `max_shrink` allows.

    Args:
        allowed: `max_shrink` by feed.
        losses: by feed, from each metro.
        claims: the ids of each metro.
    """
    lost = add_losses(losses, claims=claims)
    reasons = {feed: explain_shrink(lost[feed], max_shrink=share) for feed, share in allowed.items() if feed in lost}
    return {
        feed: ShrinkRefusal(f"feed {feed}: {reason}; {_ADVICE}")
        for feed, reason in reasons.items()
        if reason is not None
    }


def explain_shrink(loss: FeedLoss, *, max_shrink: float) -> str | None:
    """Return the reason to refuse a feed with this loss, or None."""
    had, gone = loss.had, len(loss.gone)
    if gone <= had * max_shrink:
        return None
    lost, allowed = 100 * gone / had, 100 * max_shrink
    return f"{gone:,} of its {had:,} listings would leave: {lost:.0f} % are gone, max_shrink allows {allowed:.0f} %"
