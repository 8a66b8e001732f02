"""Every derived table there is: what the build makes ahead, and a reader itself where a file lacks."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date

import polars as pl

from outings.answers.addons.sources import SOURCES
from outings.answers.coverage.index import GROUPS
from outings.answers.details.similar import SIMILAR
from outings.answers.directory.spellings import AREA_SPELLINGS, ORGANIZATION_SPELLINGS
from outings.answers.gazetteer.spots import SPOT_TABLES, make_spots
from outings.answers.near.cells import CELLS, make_cells
from outings.answers.near.parts import make_item_tables
from outings.answers.near.tiles import TILE_BOUNDS, TILES
from outings.answers.near.traits import TRAITS
from outings.answers.near.unlocated import UNLOCATED
from outings.answers.search.cards import CARDS, make_cards
from outings.answers.search.namesakes import HEADS, VENUES
from outings.answers.search.notions import NOTIONS
from outings.answers.search.postings import POSTING_ENDS, POSTINGS, RANKS
from outings.answers.search.repeats import REPEATS
from outings.answers.selecting.columns.derived import COLUMNS
from outings.answers.snapshot.areas import AREAS
from outings.answers.snapshot.derived import DerivedTables, TableContext
from outings.answers.snapshot.next_starts import SLOTS
from outings.answers.snapshot.programs import MEMBERS
from outings.answers.snapshot.reader import open_snapshot
from outings.answers.snapshot.row_index import LISTING_INDEX, ORGANIZATION_INDEX
from outings.answers.snapshot.rows import ROW_FACTS
from outings.answers.snapshot.series import MOMENTS, SERIES
from outings.answers.snapshot.terms import PLACES, WORDS
from outings.answers.suggestions.entries import SUGGESTIONS
from outings.contract.languages.language import ENGLISH, Language, read_shipped_language
from outings.release.snapshot import Snapshot

DERIVED = (
    LISTING_INDEX, ORGANIZATION_INDEX, ROW_FACTS, SERIES, MOMENTS, MEMBERS, SLOTS, WORDS, PLACES, COLUMNS, SOURCES,
    SIMILAR, ORGANIZATION_SPELLINGS, AREAS, AREA_SPELLINGS, GROUPS, POSTINGS, POSTING_ENDS, RANKS, REPEATS, NOTIONS,
    HEADS, VENUES, TILES, TILE_BOUNDS, UNLOCATED, TRAITS, SUGGESTIONS,
)  # fmt: skip


def derive_tables(
    tables: Mapping[str, pl.DataFrame],
    *,
    today: date,
    language: Language | None = None,
    every: Sequence[DerivedTables] = DERIVED,
    but: Collection[str] = (),
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Of a snapshot's tables, each with its name. `today`: the metro's local date of the build; `language`: its own,
    else English; `but`: the names of those that are there. One after the other, since all at once take as much memory
    as the tables do."""
    context = TableContext(today=today, language=language or read_shipped_language(ENGLISH))
    for derived in every:
        if not {*derived.names} <= {*but}:
            yield from derived.make_ahead(tables, context).items()


def derive_of_answers(
    snapshot: Snapshot,
    *,
    today: date,
    cards: pl.DataFrame | None = None,
    items: pl.DataFrame | None = None,
    but: Collection[str] = (),
) -> dict[str, pl.DataFrame]:
    """Of documents, and of what the snapshot answers: it is written already. `cards`, `items`: those that are known;
    `but`: the names of tables that are there."""
    reader = open_snapshot(snapshot)
    spots = {} if {*SPOT_TABLES} <= {*but} else make_spots(reader)
    own = {CELLS: make_cells(reader, today), CARDS: make_cards(reader, cards)}
    return {**own, **make_item_tables(reader, items), **spots}
