"""List and derive the tables that the build maps for readers. A reader derives a table whose file is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

from outings.answers.addons.sources import SOURCES
from outings.answers.directory.ranking import ORGANIZATION_SPELLINGS
from outings.answers.gazetteer.listing_points import ADDRESSES
from outings.answers.near.items import make_item_tables
from outings.answers.rows.column_tables import COLUMNS
from outings.answers.search.namesakes import HEADS, VENUES
from outings.answers.search.postings import POSTING_ENDS, POSTINGS, RANKS
from outings.answers.search.repeats import REPEATS
from outings.answers.search.results import STORED_RESULTS, make_results
from outings.answers.snapshot.areas import AREAS
from outings.answers.snapshot.reader import (
    LISTING_INDEX,
    ORGANIZATION_INDEX,
    ROW_FACTS,
    TableContext,
    open_snapshot,
)
from outings.answers.snapshot.series_tables import MOMENTS, SERIES
from outings.answers.snapshot.terms import PLACES, WORDS
from outings.answers.suggestions.entries import SUGGESTIONS
from outings.contract.languages.language import ENGLISH, Language, read_shipped_language
from outings.lazy_polars import pl
from outings.release.snapshot import Snapshot

# The tables that the build writes, because making them takes long or because opening a release reads them: opening then
# reads no Parquet and takes 10 MiB less in each worker. A reader makes other tables at their first use, in 2 to 8 ms
# each if the metro has 25,000 listings.
DERIVED = (
    WORDS, PLACES, POSTINGS, POSTING_ENDS, RANKS, REPEATS, HEADS, VENUES, LISTING_INDEX, ORGANIZATION_INDEX,
    ROW_FACTS, SERIES, MOMENTS, COLUMNS, SOURCES, AREAS, ADDRESSES, ORGANIZATION_SPELLINGS, SUGGESTIONS,
)  # fmt: skip


def derive_tables(
    tables: Mapping[str, pl.DataFrame], *, today: date, language: Language | None = None
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the tables derived from a snapshot's tables, each with its name. They are made one group at a time, because
    all together take as much memory as the snapshot's tables. `today`: the metro's local date of the build. `language`:
    the metro's, else English."""
    context = TableContext(today=today, language=language or read_shipped_language(ENGLISH))
    for derived in DERIVED:
        columns = {name: tables[name].select(wanted) for name, wanted in derived.columns.items()}
        yield from derived.make(columns, context).items()


def derive_of_answers(snapshot: Snapshot) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the tables derived from the documents of a written snapshot, each with its name."""
    reader = open_snapshot(snapshot)
    yield STORED_RESULTS, make_results(reader)
    yield from make_item_tables(reader).items()
