"""A release of a program before this one: a column that its tables have not yet is one in which nothing is stated."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import polars as pl
import pytest
from msgspec.structs import replace

from outings.release.snapshot import Release
from tests.answers.generated import make_world
from tests.answers.requests import list_requests, read_body
from tests.answers.worlds import World, map_files, open_release

Change = Callable[[pl.DataFrame, Sequence[str]], pl.DataFrame]

# Of each table what a program may have come to keep later: all but what every row has.
COLUMNS = {
    "listings": (
        "address", "age_max", "city", "crawled_at", "enrollment_type", "good_for_rainy", "has_birthday_parties",
        "is_free", "is_sensory_friendly", "keywords", "lat", "neighborhood_key", "organization_id", "place_name",
        "price_min", "program_key", "registration", "source_url", "type_hint", "year", "zip",
    ),
    "sections": ("age_min", "is_free", "openings", "time"),
    "sessions": ("age_min", "is_free", "openings", "time"),
    "occurrences": ("time",),
    "organizations": ("domain",),
    "neighborhoods": ("lat",),
}  # fmt: skip


@pytest.mark.long
def test_a_table_without_a_column_is_read_as_one_where_it_is_null(tmp_path: Path, cases: int) -> None:
    for seed in range(cases):
        random = Random(seed)
        chosen = {name: random.sample(columns, k=max(len(columns) // 2, 1)) for name, columns in COLUMNS.items()}
        world = make_world(random, size=16)
        without = write_again(world, tmp_path / f"without-{seed}", chosen, drop_columns)
        unstated = write_again(world, tmp_path / f"null-{seed}", chosen, clear_columns)
        for request in [*list_requests(world, random), ("/v1/harbor/classes", {"openings": "true", "age": "7"})]:
            assert read_body(without, request)[1] == read_body(unstated, request)[1], (seed, request)


def drop_columns(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    return frame.drop(columns)


def clear_columns(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    return frame.with_columns(pl.lit(None, dtype=frame.schema[name]).alias(name) for name in columns)


def write_again(world: World, folder: Path, chosen: Mapping[str, Sequence[str]], change: Change) -> Release:
    """The release with its tables changed, and no mapped form: the layout of that is another one."""
    folder.mkdir()
    release = open_release([world], folder)
    snapshot = release.metros["harbor"]
    paths = {name: file.path for name, file in snapshot.tables.items()}
    for name, path in paths.items():
        change(pl.read_parquet(path), chosen.get(name, ())).write_parquet(path)
    return replace(release, metros={"harbor": replace(snapshot, hash=str(folder), tables=map_files(paths), mapped={})})
