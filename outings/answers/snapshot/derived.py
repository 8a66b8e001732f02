"""Derived tables: what look-ups read, made of a snapshot's own tables. The build makes them ahead and writes them as
mapped files; where a file lacks, or has another layout, the reader makes it in memory at the first opening."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

import polars as pl
from msgspec import Struct

from outings.contract.languages.language import Language
from outings.release.cache import MappedFile
from outings.release.mapped_table import MappedTable, encode_mapped
from outings.release.tables import read_columns

Frames = Mapping[str, pl.DataFrame]


class TableContext(Struct, frozen=True, kw_only=True):
    """What tables are made with beside other tables: the local date of the build, and the metro's language."""

    today: date
    language: Language


class DerivedTables(Struct, frozen=True, kw_only=True):
    """One or more that are made together. `columns`: which columns of which tables they are made of; `make` gets these,
    and the context. `is_of_day`: they are others on another day."""

    names: tuple[str, ...]
    columns: Mapping[str, Sequence[str]]
    make: Callable[[Frames, TableContext], Frames]
    is_of_day: bool = False

    def make_ahead(self, tables: Frames, context: TableContext) -> Frames:
        """In the build, of tables that are not written yet."""
        return self.make({name: tables[name].select(columns) for name, columns in self.columns.items()}, context)

    def make_again(self, files: Mapping[str, MappedFile], context: TableContext) -> Mapping[str, MappedTable]:
        """In memory, of a snapshot's tables. Raises what Polars raises where one is broken."""
        read = ((name, read_columns(files.get(name), name, columns)) for name, columns in self.columns.items())
        made = self.make(dict(read), context)
        return {name: MappedTable(encode_mapped(made[name])) for name in self.names}


def derive_table(name: str, make: Callable[..., pl.DataFrame], columns: Mapping[str, Sequence[str]]) -> DerivedTables:
    """One table alone, whatever the context. `make` gets the tables in the order of `columns`."""
    return DerivedTables(names=(name,), columns=columns, make=lambda frames, _: {name: make(*frames.values())})
