"""A snapshot of very many listings: those of a small world, over and over, each with an id of its own."""

from pathlib import Path
from uuid import UUID

import polars as pl
from msgspec.structs import replace

from outings.release.snapshot import Snapshot
from tests.answers.worlds import map_files


def multiply(snapshot: Snapshot, times: int, *, folder: Path) -> Snapshot:
    """Multiply a snapshot's listings, without search words and mapped tables. Whoever opens it makes those."""
    folder.mkdir(parents=True, exist_ok=True)
    copies = pl.DataFrame({"copy": range(times)}, schema={"copy": pl.UInt32})
    listings = pl.read_parquet(snapshot.tables["listings"].path).join(copies, how="cross").rename({"row": "old"})
    listings = listings.sort("type", "old", "copy").with_row_index("row")
    ids = pl.Series("id", [str(UUID(int=number)) for number in range(listings.height)])
    names = listings.select("old", "copy", "row")
    tables = {"listings": listings.with_columns(ids, slug="slug" + pl.col("row").cast(pl.String)).drop("old", "copy")}
    for name in ("occurrences", "sections", "sessions"):
        occurrences = pl.read_parquet(snapshot.tables[name].path).rename({"row": "old"}).join(names, on="old")
        first = ["starts_at"] if name == "occurrences" else []
        tables[name] = occurrences.sort(*first, "row").drop("old", "copy")
    for name in ("terms", "related"):
        tables[name] = pl.read_parquet(snapshot.tables[name].path).clear()
    paths = {name: folder / f"{name}.parquet" for name in tables}
    for name, table in tables.items():
        columns = pl.read_parquet_schema(snapshot.tables[name].path)
        table.select(pl.col(column).cast(kind) for column, kind in columns.items()).write_parquet(paths[name])
    return replace(snapshot, hash=f"{snapshot.hash}-{times}", tables={**snapshot.tables, **map_files(paths)}, mapped={})
