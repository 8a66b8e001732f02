"""How much a metro's data is, how fresh and how clean, for what the key may read."""

import msgspec
from msgspec.structs import asdict

from outings.answers.context import AnswerContext
from outings.answers.coverage.measures import measure_coverage
from outings.answers.plan import AnswerPlan, make_tag
from outings.answers.rows.filters import find_route_filters
from outings.answers.rows.selection import choose_types
from outings.contract.instants import format_instant
from outings.contract.meta import CoverageMeta
from outings.contract.query import Query
from outings.contract.resources.coverage import Coverage, CoverageRelease
from outings.contract.values import echo_value
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def plan_coverage(query: Query, snapshot: Snapshot, about: AnswerContext) -> AnswerPlan:
    """It names the release that answers."""
    today = about.dates[snapshot.metro.slug]
    tag = make_tag("coverage", about.release.id, snapshot.hash, query.text, today, about.entitlement.digest)
    return AnswerPlan(tag, lambda: answer_coverage(query, snapshot=snapshot, about=about))


def answer_coverage(query: Query, *, snapshot: Snapshot, about: AnswerContext) -> list[bytes]:
    """The body as parts."""
    today = about.dates[snapshot.metro.slug]
    types = choose_types(query, about.entitlement)
    measures = measure_coverage(snapshot, types=types, today=today, neighborhood=query.get_as("neighborhood", str))
    release = CoverageRelease(id=about.release.id, built_at=format_instant(snapshot.stamp))
    coverage = Coverage(metro=snapshot.metro.slug, release=release, **asdict(measures))
    filters = find_route_filters(query)
    meta = CoverageMeta(
        metro=snapshot.metro.slug,
        applied_filters={name: echo_value(value) for name, value in filters.values.items()},
        defaults_applied=filters.defaults,
        generated_at=format_instant(snapshot.stamp),
    )
    return [b'{"data":', _encoder.encode(coverage), b',"meta":', _encoder.encode(meta), b"}"]
