"""`/v1/metros`: every active metro, with live counts of what the key may read there. `/v1/{metro}`: one of them.
`/v1`: the routes."""

import re
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from outings.answers.live_counts import count_listings
from outings.answers.plan import AnswerContext, AnswerPlan, make_tag
from outings.contract.envelope import encode_detail, encode_list
from outings.contract.query import Query
from outings.contract.resources.directories import Directory, Metro
from outings.contract.resources.meta import MetrosMeta
from outings.contract.routes import ROUTES
from outings.contract.values import format_instant
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()
# Routes that a client can request without knowing an id, by name.
PATHS: Mapping[str, str] = {
    route.name.removesuffix(".list"): route.path
    for route in ROUTES
    if route.group != "service" and {*re.findall(r"{\w+}", route.path)} <= {"{metro}"}
}


def plan_directory(query: Query, _: AnswerContext) -> AnswerPlan:
    document = _encoder.encode(Directory(links={**PATHS, "openapi": "/openapi.json"}))
    body = encode_detail(document, notices=query.notices)
    return AnswerPlan(make_tag(b"".join(body).decode()), lambda: body, is_quick=True)


def plan_metro(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    def render() -> list[bytes]:
        metro = _describe_metro(snapshot, context)
        links = {name: path.format(metro=metro.slug) for name, path in PATHS.items() if "{metro}" in path}
        return encode_detail(_encoder.encode(replace(metro, links=links)), notices=query.notices)

    read = (snapshot.hash, context.dates[snapshot.metro.slug])
    return AnswerPlan(make_tag("metro", read, query.text, context.entitlement.digest), render)


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
