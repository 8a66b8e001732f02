"""How lively a point is: `/v1/{metro}/activity`, and the header of `around`."""

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from outings.answers.circumstances import Circumstances
from outings.answers.distance import find_metres
from outings.answers.near.asked import Near, list_notices, read_minute, settle_near
from outings.answers.near.cells import RADIUS_M, open_cells
from outings.answers.near.effect import encode_near_meta, list_dates
from outings.answers.near.finding import Circle, Finding
from outings.answers.near.liveliness import Component, list_components, score_components, tally_rows
from outings.answers.near.sentence import write_summary
from outings.answers.near.tiles import Measured
from outings.answers.opened import open_snapshot
from outings.contract.envelope import encode_object
from outings.contract.query import Query
from outings.contract.resources.near import Activity, ActivityComponent, AreaActivity
from outings.contract.resources.organization import Counts
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.snapshot import Snapshot

# A radius that is suggested has this many listings.
ENOUGH = 20
_LADDER = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
_WHOLE = 1000

_encoder = msgspec.json.Encoder()


class Lively(Struct, frozen=True, kw_only=True):
    """The header, and how many of each collection it counts."""

    activity: Activity
    counts: Counts


def settle_activity(query: Query, *, snapshot: Snapshot, about: Circumstances) -> Near:
    """Raises ApiError for whatever the answer would fail with."""
    return settle_near(query, snapshot=snapshot, about=about, minute=read_minute(about))


def answer_activity(near: Near) -> list[bytes]:
    """The body as parts."""
    finding = near.make_finding(open_snapshot(near.snapshot))
    lively = measure_activity(near, finding, finding.find_all())
    activity = lively.activity
    data = AreaActivity(
        location=near.origin,
        radius_m=near.radius_m,
        score=activity.score,
        percentile=activity.percentile,
        summary=activity.summary,
        components=activity.components,
        suggested_radius_m=activity.suggested_radius_m,
        counts=lively.counts,
    )
    notices = list_notices(near, hidden=finding.count_hidden())
    return encode_object(_encoder.encode(data), meta=encode_near_meta(near), notices=notices)


def measure_activity(near: Near, finding: Finding, circle: Circle) -> Lively:
    """`circle`: what `finding` found."""
    tally = tally_rows(circle.cards, finding.index)
    types, words = tuple(near.collections), len(near.snapshot.vocabulary.categories)
    components = list_components(tally, types, words=words)
    counts = {COLLECTIONS[each]: int(tally.counts[0, TYPES.index(each)]) for each in types}
    activity = Activity(
        score=int(score_components(components)[0]) / _WHOLE,
        percentile=_find_percentile(near, finding, circle.published, words=words),
        summary=write_summary(counts, radius_m=near.radius_m, window=list_dates(near)),
        components=tuple(
            ActivityComponent(
                name=each.name,
                value=_show_value(each),
                score=int(each.scores[0]) / _WHOLE,
                weight=each.weight / _WHOLE,
            )
            for each in components
        ),
        suggested_radius_m=_suggest_radius(finding, circle),
    )
    return Lively(activity=activity, counts=Counts(**{name: counts.get(name, 0) for name in COLLECTIONS.values()}))


def _show_value(component: Component) -> int | float | None:
    value = float(component.values[0])
    if np.isnan(value):
        return None
    return value if component.name == "free_share" else int(value)


def _find_percentile(near: Near, finding: Finding, published: Measured, *, words: int) -> int:
    """Where the point stands among the metro's, all with the default radius and window of the build's date."""
    cells, types = open_cells(near.snapshot), tuple(near.collections)
    if cells.date is None:
        return 0
    same = published if finding.radius_m == RADIUS_M else replace(finding, radius_m=RADIUS_M).find_published()
    tally = cells.tally_circle(same.rows, near.snapshot)
    own = score_components(list_components(tally, types, words=words))
    others = score_components(list_components(cells.tally, types, words=words))
    return int(100 * np.count_nonzero(others < own[0]) // others.size)


def _suggest_radius(finding: Finding, circle: Circle) -> int:
    """The least of the ladder with enough in it, else its last."""
    widest = replace(finding, radius_m=_LADDER[-1])
    # The nearest are no further than so many that are no program's, of which another may be the card out there.
    single = circle.kept.squares[finding.index.programs.find_programs(circle.kept.rows) < 0]
    if single.size < ENOUGH or finding.radius_m > widest.radius_m:
        found = widest.find_nearest(ENOUGH)
    else:
        last = np.partition(single, ENOUGH - 1)[ENOUGH - 1]
        found = widest.keep_cards(circle.published.choose(circle.published.squares <= last))
    metres = np.sort(find_metres(found.squares))
    if metres.size < ENOUGH:
        return _LADDER[-1]
    return next((each for each in _LADDER if metres[ENOUGH - 1] <= each), _LADDER[-1])
