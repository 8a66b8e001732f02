"""List and derive the tables that the build maps for readers. A reader derives a table whose file is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from outings.answers.addons.sources import SOURCES
from outings.answers.directory.ranking import ORGANIZATION_SPELLINGS
from outings.answers.documents.occurrences import MOMENTS, SERIES
from outings.answers.gazetteer.spots import make_spots
from outings.answers.near.items import make_item_tables
from outings.answers.rows.column_tables import COLUMNS
from outings.answers.search.cards import CARDS, make_cards
from outings.answers.search.namesakes import HEADS, VENUES
from outings.answers.search.postings import POSTING_ENDS, POSTINGS, RANKS
from outings.answers.search.repeats import REPEATS
from outings.answers.snapshot.areas import AREAS
from outings.answers.snapshot.reader import (
    LISTING_INDEX,
    ORGANIZATION_INDEX,
    ROW_FACTS,
    DerivedTables,
    TableContext,
    open_snapshot,
)
from outings.answers.snapshot.terms import PLACES, WORDS
from outings.answers.suggestions.entries import SUGGESTIONS
from outings.contract.languages.language import ENGLISH, Language, read_shipped_language
from outings.lazy_polars import pl
from outings.release.snapshot import Snapshot

# What the build writes: what takes long to make, or is read when a release is opened. Opening then reads no Parquet and
# takes 10 MiB less in each worker. First what is made of words. A reader makes other tables at their first use, in 2 to
# 8 ms each of 25,000 listings.
DERIVED = (
    WORDS, PLACES, POSTINGS, POSTING_ENDS, RANKS, REPEATS, HEADS, VENUES, LISTING_INDEX, ORGANIZATION_INDEX,
    ROW_FACTS, SERIES, MOMENTS, COLUMNS, SOURCES, AREAS, ORGANIZATION_SPELLINGS, SUGGESTIONS,
)  # fmt: skip


def derive_tables(
    tables: Mapping[str, pl.DataFrame],
    *,
    today: date,
    language: Language | None = None,
    derivations: Sequence[DerivedTables] = DERIVED,
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the tables derived from a snapshot's own, each with its name. They are made one at a time, since all take
    as much memory as the snapshot's tables; a column that no later one needs is freed.

    `today`: the metro's local date of the build. `language`: the metro's, else English.
    """
    context = TableContext(today=today, language=language or read_shipped_language(ENGLISH))
    for number, derived in enumerate(derivations):
        tables = _choose_columns(tables, derivations[number:])
        yield from _let_go(derived.make_ahead(tables, context))


def _choose_columns(
    tables: Mapping[str, pl.DataFrame], derivations: Iterable[DerivedTables]
) -> dict[str, pl.DataFrame]:
    """Return the columns from which these tables are derived."""
    needed: dict[str, set[str]] = {}
    for derived in derivations:
        for name, columns in derived.columns.items():
            needed.setdefault(name, set()).update(columns)
    return {name: tables[name].select(sorted(columns)) for name, columns in needed.items()}


def _let_go(made: Mapping[str, pl.DataFrame]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the tables, and drop each one before the next, so that memory is freed."""
    remaining = dict(made)
    del made
    for name in (*remaining,):
        yield name, remaining.pop(name)


def derive_of_answers(snapshot: Snapshot) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the tables derived from the documents of a written snapshot, each with its name, one at a time."""
    reader = open_snapshot(snapshot)
    yield CARDS, make_cards(reader)
    yield from _let_go(make_item_tables(reader))
    yield from _let_go(make_spots(reader))
