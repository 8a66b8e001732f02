"""Find the columns of a metro's tables that are the same as in the previous release. What is made of these alone need
not be made again."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import polars as pl
from msgspec import Struct

from outings.release.manifest import Manifest
from outings.release.mapped_table import LAYOUT as MAPPED_LAYOUT
from pipeline.resolve.previous_rows import PreviousSnapshot


class UnchangedColumns(Struct, frozen=True, kw_only=True):
    """The unchanged columns by table; none in a metro's first build."""

    by_table: Mapping[str, frozenset[str]] = {}

    def cover(self, columns: Mapping[str, Sequence[str]]) -> bool:
        return all(self.by_table.get(table, frozenset()).issuperset(names) for table, names in columns.items())


def find_unchanged_columns(
    frames: Mapping[str, pl.DataFrame], previous: PreviousSnapshot, manifest: Manifest | None, *, today: date
) -> UnchangedColumns:
    """Compare new tables with the previous release, whose `manifest` is None if there was none. Nothing is unchanged if
    another program made that, or on another date."""
    if manifest is None or previous.origins is None:
        return UnchangedColumns()
    if (manifest.date, manifest.mapped_layout) != (today, MAPPED_LAYOUT):
        return UnchangedColumns()
    as_high = [name for name, frame in frames.items() if manifest.tables[name].rows == frame.height]
    return UnchangedColumns(
        by_table={name: frozenset(_compare(frames[name], previous.read_table(name))) for name in as_high}
    )


def _compare(frame: pl.DataFrame, before: pl.DataFrame) -> Iterator[str]:
    return (name for name in frame.columns if frame[name].equals(before[name]))
