"""What look-ups read: mapped where the build made it, else made from a snapshot's tables by the same functions."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl
from msgspec import Struct

from outings.answers.addons import sources
from outings.answers.coverage import index as groups
from outings.answers.details import similar
from outings.answers.directory import areas
from outings.answers.directory import spellings as directory
from outings.answers.near import tiles, traits, unlocated
from outings.answers.search import postings
from outings.answers.snapshot import meetings, names, programs, series, terms
from outings.release.columns import read_columns
from outings.release.mapped import MappedTable, encode_mapped


class _Index(Struct, frozen=True):
    """`tables`: which columns of which tables it is made of, in the order of the maker's arguments."""

    make: Callable[..., pl.DataFrame]
    tables: Mapping[str, Sequence[str]]


# By the name of the mapped file.
_INDEXES: Mapping[str, _Index] = {
    "names": _Index(names.make_names, {"listings": names.LISTINGS}),
    "organization_names": _Index(names.make_names, {"organizations": names.ORGANIZATIONS}),
    "series": _Index(series.make_series, {"listings": series.LISTINGS, "occurrences": ("row",)}),
    "moments": _Index(series.make_moments, {"occurrences": series.OCCURRENCES}),
    "members": _Index(programs.make_members, {"listings": programs.LISTINGS}),
    "words": _Index(terms.make_words, {"terms": terms.WORDS}),
    "places": _Index(terms.make_places, {"terms": terms.PLACES}),
    "organization_spellings": _Index(directory.make_spellings, {"organizations": directory.ORGANIZATIONS}),
    "areas": _Index(areas.make_areas, {"neighborhoods": areas.NEIGHBORHOODS, "listings": areas.LISTINGS}),
    "groups": _Index(groups.make_groups, {"listings": groups.LISTINGS}),
    "area_spellings": _Index(areas.make_area_spellings, {"neighborhoods": areas.NEIGHBORHOODS[:2]}),
    "postings": _Index(postings.make_postings, {"terms": postings.TERMS}),
    "posting_ends": _Index(postings.make_posting_ends, {"terms": postings.TERMS[:2]}),
    "ranks": _Index(postings.make_ranks, {"listings": postings.LISTINGS, "terms": ("row", "field")}),
    "sources": _Index(
        sources.make_sources,
        {
            "listings": sources.LISTINGS,
            "occurrences": sources.OCCURRENCES,
            "sections": sources.HAPPENINGS,
            "sessions": sources.HAPPENINGS,
        },
    ),
    "similar": _Index(similar.make_similar, {"related": similar.RELATED}),
    "slots": _Index(meetings.make_slots, {"sections": meetings.SECTIONS, "sessions": meetings.SESSIONS}),
    "tiles": _Index(tiles.make_tiles, {"listings": tiles.LISTINGS}),
    "tile_bounds": _Index(tiles.make_tile_bounds, {"listings": tiles.LISTINGS}),
    "unplaced": _Index(
        unlocated.make_unplaced, {"listings": unlocated.LISTINGS, "neighborhoods": unlocated.NEIGHBORHOODS}
    ),
    "traits": _Index(traits.make_traits, {"listings": traits.LISTINGS}),
}


def make_indexes(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    return {
        name: index.make(*(tables[table].select(columns) for table, columns in index.tables.items()))
        for name, index in _INDEXES.items()
    }


def open_index(name: str, *, mapped: Mapping[str, Path], tables: Mapping[str, Path]) -> MappedTable:
    """Of a release from before the build made it: in memory, from Parquet. Raises what Polars raises."""
    path = mapped.get(name)
    if path is not None:
        return MappedTable(path)
    index = _INDEXES[name]
    frames = (read_columns(tables.get(table), table, columns) for table, columns in index.tables.items())
    return MappedTable(encode_mapped(index.make(*frames)))
