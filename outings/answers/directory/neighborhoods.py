"""The directory of a metro's neighborhoods, with live counts of what the key may read."""

from collections.abc import Mapping
from datetime import date

import msgspec
import numpy as np
from msgspec.structs import replace

from outings.answers.directory.organizations import find_hint
from outings.answers.directory.pages import Key, encode_page, plan_directory
from outings.answers.directory.ranking import parse_title, rank_areas
from outings.answers.live_counts import count_daily, select_default
from outings.answers.plan import AnswerContext, AnswerPlan
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import EffectiveFilters, choose_types
from outings.answers.snapshot.areas import Areas, Rows, open_areas
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.query import Query
from outings.contract.resources.directories import Neighborhood, NeighborhoodCounts, NeighborhoodLinks
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def answer_neighborhoods(
    query: Query, filters: EffectiveFilters, snapshot: Snapshot, context: AnswerContext
) -> list[bytes]:
    """Return a page of the directory, as chunks of the body."""
    today = context.dates[snapshot.metro.slug]
    opened = open_snapshot(snapshot)
    readable = context.entitlement.readable_types
    areas = opened.open_index(open_areas).narrow(readable)
    types = choose_types(query, context.entitlement)
    live = {listing_type: count_by_area(listing_type, snapshot, today) for listing_type in types}
    totals = sum(live.values(), np.zeros(len(areas), dtype=np.int64))
    text = query.get_as("q", str)
    title = None if text is None else parse_title(text)
    least = filters.values["min_count"]
    assert isinstance(least, int)
    passed = areas.are_known(types) & (totals >= least)
    if title is not None:
        passed &= opened.open_index(rank_areas(readable)).rank(title).scores > 0
    chosen = np.flatnonzero(passed)
    is_counted = query.get("sort") == "count"
    chosen = chosen[np.lexsort((areas.order[chosen], -totals[chosen] if is_counted else areas.order[chosen]))]

    def name_key(at: int) -> Key:
        number = int(chosen[at])
        return int(totals[number]) if is_counted else 0, areas.names[number].casefold(), areas.slugs[number]

    def encode_area(at: int) -> bytes:
        return _encode_area(int(chosen[at]), areas=areas, live=live, metro=snapshot.metro.slug)

    return encode_page(
        query, filters, chosen.size, name_key=name_key, encode_entry=encode_area, snapshot=snapshot, today=today,
        hint=find_hint(title),
    )  # fmt: skip


@count_daily(size=16)
def count_by_area(listing_type: str, snapshot: Snapshot, today: date) -> Rows:
    """Return the size of a type's default list restricted to one neighborhood, by the neighborhood's number."""
    opened = open_snapshot(snapshot)
    rows = open_evaluator(opened).list_all_rows(
        replace(select_default(listing_type, snapshot, today), folds_programs=False)
    )
    return opened.open_index(open_areas).count_listings(rows, programs=opened.programs.find_programs(rows))


def _encode_area(number: int, *, areas: Areas, live: Mapping[str, Rows], metro: str) -> bytes:
    counts = dict.fromkeys(COLLECTIONS.values(), 0)
    counts |= {COLLECTIONS[listing_type]: int(by_area[number]) for listing_type, by_area in live.items()}
    slug = areas.slugs[number]
    links = {collection: f"/v1/{metro}/{collection}?neighborhood={slug}" for collection in COLLECTIONS.values()}
    return _encoder.encode(
        Neighborhood(
            slug=slug,
            name=areas.names[number],
            metro=metro,
            center=areas.read_center(number),
            bounds=areas.read_bounds(number),
            counts=NeighborhoodCounts(**counts, total=sum(counts.values())),
            links=NeighborhoodLinks(**links),
        )
    )


def plan_neighborhoods(query: Query, snapshot: Snapshot, context: AnswerContext) -> AnswerPlan:
    return plan_directory(query, snapshot, context, answer_neighborhoods)
