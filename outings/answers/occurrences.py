"""`occurrences=expand`: the list whose items are occurrences, by `starts_at`, then id.

No two occurrences of an event start at one instant (what the clocks skip does not take place), so these two tell
where a walk stands.
"""

from msgspec import Struct

from outings.answers.happenings import compile_expansion
from outings.answers.opened import Opened
from outings.answers.sql import Selection, Span
from outings.answers.walks import Position


class Occurring(Struct, frozen=True):
    """An event's row, its occurrence's place in the table, and where that stands in the list."""

    row: int
    number: int
    position: Position


def find_occurrences(selection: Selection, span: Span, *, opened: Opened) -> list[Occurring]:
    ties = (0, 0)
    if span.after is not None:
        starts_at = span.after[0]
        assert isinstance(starts_at, int)
        ties = opened.series.find_ties(starts_at)
    tables = opened.open_tables()
    found = tables.fetch_rows(compile_expansion(selection, span, ties=ties, schema=tables.schema))
    return [
        Occurring(row, number, (opened.series.read_moment(number).starts_at, row_id)) for number, row, row_id in found
    ]
