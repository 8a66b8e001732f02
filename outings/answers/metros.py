"""`/v1/metros`: every active metro, with live counts of what the key may read there."""

import msgspec

from outings.answers.live_counts import count_listings
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag
from outings.contract.envelope import encode_list
from outings.contract.query import Query
from outings.contract.resources.directories import Metro
from outings.contract.resources.meta import MetrosMeta
from outings.contract.values import format_instant
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def plan_metros(query: Query, context: AnswerContext) -> AnswerPlan:
    read = [(snapshot.hash, context.dates[slug]) for slug, snapshot in sorted(context.release.metros.items())]
    tag = make_tag("metros", read, query.text, context.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_metros(query, context))


def answer_metros(query: Query, context: AnswerContext) -> list[bytes]:
    """Return the metros sorted by slug, as chunks of the body."""
    snapshots = [snapshot for _, snapshot in sorted(context.release.metros.items())]
    items = [_encoder.encode(_describe_metro(snapshot, context)) for snapshot in snapshots]
    latest = max((snapshot.stamp for snapshot in snapshots), default=None)
    meta = MetrosMeta(count=len(items), generated_at=None if latest is None else format_instant(latest))
    return encode_list(items, meta=_encoder.encode(meta), notices=query.notices)


def _describe_metro(snapshot: Snapshot, context: AnswerContext) -> Metro:
    settings, entitlement = snapshot.metro, context.entitlement
    return Metro(
        slug=settings.slug,
        name=settings.name,
        timezone=settings.timezone,
        aliases=settings.aliases,
        center=settings.center,
        bounds=settings.bounds,
        counts=count_listings(snapshot, today=context.dates[settings.slug], entitlement=entitlement),
        accessible=entitlement.allows_metro(settings.slug),
        links={name: f"/v1/{settings.slug}/{name}" for name in COLLECTIONS.values()},
    )
