"""`/v1/{metro}/{collection}/density`: the whole list, counted by where on the map it is."""

import msgspec

from outings.answers.context import AnswerContext
from outings.answers.listings.density_cells import PER_DEGREE, open_cells
from outings.answers.listings.lists import select_query
from outings.answers.listings.meta import describe_filters
from outings.answers.rows.evaluator import open_evaluator
from outings.answers.rows.filters import EffectiveFilters
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.envelope import encode_list
from outings.contract.meta import DensityMeta
from outings.contract.query import Query
from outings.release.snapshot import Snapshot

_encoder = msgspec.json.Encoder()


def answer_density(query: Query, filters: EffectiveFilters, *, snapshot: Snapshot, about: AnswerContext) -> list[bytes]:
    """The body as parts."""
    reader = open_snapshot(snapshot)
    selection = select_query(query, filters, snapshot=snapshot, today=about.dates[snapshot.metro.slug])
    rows = open_evaluator(reader).list_all_rows(selection)
    cells = reader.open_index(open_cells).count(rows)
    meta = DensityMeta(
        degrees=1 / PER_DEGREE,
        total=rows.size,
        without_coordinates=rows.size - sum(each.count for each in cells),
        **describe_filters(filters, snapshot=snapshot),
    )
    items = [_encoder.encode(each) for each in cells]
    return encode_list(items, meta=_encoder.encode(meta), notices=query.notices)
